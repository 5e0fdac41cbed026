"""Terms of canonical texts, many at once: what `gdl.terms.kif` wrote is read back without the grammar.

A large game has a hundred thousand moves, and the grammar takes twenty times as long for each.
"""

from __future__ import annotations

from collections.abc import Iterable

from gdl.terms import Compound, Symbol, Term


def plain_terms(texts: Iterable[str]) -> tuple[Term, ...]:
    """The ground terms that have these canonical texts; equal names share a symbol.

    >>> [str(term) for term in plain_terms(["noop", "(move a 1 (plus b 2))"])]
    ['noop', '(move a 1 (plus b 2))']
    """
    known: dict[str, Symbol] = {}

    def symbol(name: str) -> Symbol:
        found = known.get(name)
        if found is None:
            found = known[name] = Symbol(name)
        return found

    def term(text: str) -> Term:
        if text[0] != "(":
            return symbol(text)
        words = text[1:-1].split(" ")
        if text.find("(", 1) < 0:
            return Compound(words[0], tuple([symbol(word) for word in words[1:]]))
        open_lists: list[tuple[str, list[Term]]] = [(words[0], [])]
        for word in words[1:]:
            if word[0] == "(":
                open_lists.append((word[1:], []))
                continue
            name = word.rstrip(")")
            open_lists[-1][1].append(symbol(name))
            for _ in range(len(word) - len(name)):
                done, arguments = open_lists.pop()
                open_lists[-1][1].append(Compound(done, tuple(arguments)))
        name, arguments = open_lists[0]
        return Compound(name, tuple(arguments))

    return tuple([term(text) for text in texts])
