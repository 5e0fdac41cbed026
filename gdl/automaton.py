"""The grammar's automaton: a text that balances becomes terms.

The parser is lark's LALR automaton, which keeps its own stack: a description may be megabytes long and nested thousands
deep.
"""

from __future__ import annotations

import re
from functools import cache
from typing import cast

from lark import Lark, Token, Transformer

from gdl.terms import MALFORMED, Compound, Symbol, Term, Variable

_WORD = re.compile(r"[^\s();]+")


def expressions(text: str) -> tuple[Term, ...]:
    """All expressions of a text."""
    return cast("tuple[Term, ...]", _automaton().parse(text))


class _Build(Transformer[Token, tuple[Term, ...]]):
    """Makes terms as the automaton reduces. It has no state: one automaton serves all texts."""

    def SYMBOL(self, token: Token) -> Term:  # noqa: N802 (lark names callbacks after terminals)
        """A name that stands in a list with lists in it, or alone."""
        return _leaf(str(token), token.start_pos or 0)

    VARIABLE = SYMBOL

    def FLAT(self, token: Token) -> Term:  # noqa: N802
        """A list without lists inside."""
        at = token.start_pos or 0
        return _compound(at, [_leaf(word.group(), at + word.start()) for word in _WORD.finditer(token)])

    def nested(self, children: list[Term]) -> Term:
        """A list with lists inside: its opening parenthesis, its parts, its closing parenthesis."""
        opening = cast("Token", children[0])
        return _compound(opening.start_pos or 0, children[1:-1])

    def start(self, children: list[Term]) -> tuple[Term, ...]:
        """All expressions."""
        return tuple(children)


def _leaf(word: str, at: int) -> Symbol | Variable:
    name = word.lower()
    return Variable(name, at) if name[0] == "?" else Symbol(name, at)


def _compound(at: int, parts: list[Term]) -> Compound:
    if parts and isinstance(parts[0], Symbol):
        return Compound(parts[0].name, tuple(parts[1:]), at)
    return Compound(MALFORMED, tuple(parts), at)


@cache
def _automaton() -> Lark:
    return Lark.open(
        "grammar.lark", rel_to=__file__, parser="lalr", lexer="basic", maybe_placeholders=False, transformer=_Build()
    )
