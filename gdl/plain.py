"""Terms of canonical texts, many at once: what `gdl.terms.kif` wrote is read back without the grammar.

A large game has a hundred thousand moves, and the grammar takes twenty times as long for each. A match asks for few.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import overload

from gdl.terms import Compound, Symbol, Term, kif


class PlainTerms(Sequence[Term]):
    """The ground terms that have these canonical texts, each made when it is first asked for.

    >>> terms = PlainTerms(["noop", "(move a 1 (plus b 2))"])
    >>> [str(term) for term in terms], terms.place(Symbol("noop")), terms.place(Symbol("a"))
    (['noop', '(move a 1 (plus b 2))'], 0, None)
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts
        self._made: dict[int, Term] = {}
        self._symbols: dict[str, Symbol] = {}

    def __reduce__(self) -> tuple[object, ...]:
        """In one text, which is pickled in a fifth of the time."""
        return _of_lines, (len(self.texts), "\n".join(self.texts))

    def __len__(self) -> int:
        return len(self.texts)

    @overload
    def __getitem__(self, index: int) -> Term: ...
    @overload
    def __getitem__(self, index: slice) -> PlainTerms: ...
    def __getitem__(self, index: int | slice) -> Term | PlainTerms:
        if isinstance(index, slice):
            return PlainTerms(self.texts[index])
        made = self._made.get(index)
        if made is None:
            made = self._made[index] = self._term(self.texts[index])
        return made

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PlainTerms) and self.texts == other.texts

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"PlainTerms({self.texts!r})"

    def place(self, term: Term) -> int | None:
        """Where a term stands, None if it does not; of texts that are all different."""
        return self._place_of_text.get(kif(term))

    @cached_property
    def _place_of_text(self) -> dict[str, int]:
        return {text: i for i, text in enumerate(self.texts)}

    def _term(self, text: str) -> Term:
        if text[0] != "(":
            return self._symbol(text)
        words = text[1:-1].split(" ")
        if text.find("(", 1) < 0:
            return Compound(words[0], tuple(map(self._symbol, words[1:])))
        open_lists: list[tuple[str, list[Term]]] = [(words[0], [])]
        for word in words[1:]:
            if word[0] == "(":
                open_lists.append((word[1:], []))
                continue
            name = word.rstrip(")")
            open_lists[-1][1].append(self._symbol(name))
            for _ in range(len(word) - len(name)):
                done, arguments = open_lists.pop()
                open_lists[-1][1].append(Compound(done, tuple(arguments)))
        name, arguments = open_lists[0]
        return Compound(name, tuple(arguments))

    def _symbol(self, name: str) -> Symbol:
        """The symbol of a name, shared by all terms."""
        found = self._symbols.get(name)
        if found is None:
            found = self._symbols[name] = Symbol(name)
        return found


def _of_lines(count: int, lines: str) -> PlainTerms:
    return PlainTerms(lines.split("\n") if count else [])
