"""The words of a text, whole or half written: each with its expression, and whether a rule is about it there."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum, auto

from gdl.laws.keywords import ARITY
from gdl.parser import CONNECTIVES

KEYWORDS = frozenset((*ARITY, *CONNECTIVES))
_LEXEME = re.compile(r";[^\r\n]*|[()]|[^\s();]+")
_GIVING = {"init": 1, "next": 1, "base": 1, "legal": 2, "input": 2}
"""Relations whose heads give what is inside them, fluents and moves, and the argument in which it stands."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word at its place."""

    text: str
    at: int
    expression: int
    """The number of the top-level expression that it stands in."""
    arguments: int = -1
    """How many arguments follow it, if it begins a list; -1 if it begins none."""
    gives: bool = False
    """Whether it is what the head of a rule or a fact gives: a relation, a fluent or a move."""

    @property
    def name(self) -> str:
        """As the language reads it."""
        return self.text.lower()

    @property
    def is_variable(self) -> bool:
        """Whether it is a variable: it belongs to its expression alone."""
        return self.text.startswith("?")

    @property
    def end(self) -> int:
        """The offset behind it."""
        return self.at + len(self.text)


@dataclass
class Words:
    """All words of a text in its order, found by place and by name."""

    all: list[Word] = field(default_factory=list)
    by_name: dict[str, list[Word]] = field(default_factory=dict)

    @classmethod
    def of(cls, text: str) -> Words:
        """The words of a text. Parentheses need not balance: one in the first column begins a new expression."""
        words = cls(list(_read(text)))
        for word in words.all:
            words.by_name.setdefault(word.name, []).append(word)
        return words

    def at(self, offset: int) -> Word | None:
        """The word at an offset, or that ends there."""
        place = bisect_right(self.all, offset, key=lambda word: word.at) - 1
        return self.all[place] if place >= 0 and offset <= self.all[place].end else None

    def same(self, word: Word) -> list[Word]:
        """All places of a name, or of a variable in its expression."""
        found = self.by_name.get(word.name, [])
        return [other for other in found if not word.is_variable or other.expression == word.expression]

    def givers(self, name: str) -> list[Word]:
        """Where rules and facts give a relation, a fluent or a move."""
        return [word for word in self.by_name.get(name, []) if word.gives]


class _Kind(Enum):
    """What a list is, as far as its place tells."""

    TOP = auto()
    RULE = auto()
    HEAD = auto()
    GIVEN = auto()
    OTHER = auto()


@dataclass
class _List:
    """A list that is open."""

    kind: _Kind
    first: int = -1
    """The number of its first word, if it begins with one."""
    name: str = ""
    parts: int = 0


def _read(text: str) -> Iterator[Word]:
    rows: list[tuple[str, int, int, bool]] = []
    counts: dict[int, int] = {}
    open_: list[_List] = []
    expression = -1
    for lexeme in _LEXEME.finditer(text):
        word, at = lexeme.group(), lexeme.start()
        if word == ")":
            if open_:
                closed = open_.pop()
                counts[closed.first] = closed.parts - 1
        elif word[0] != ";":
            if not open_ or (word == "(" and (at == 0 or text[at - 1] in "\r\n")):
                open_, expression = [], expression + 1
            above = open_[-1] if open_ else None
            kind = _place(above)
            if above is not None:
                above.parts += 1
            if word == "(":
                open_.append(_List(kind))
                continue
            if above is not None and above.parts == 1:
                above.first, above.name = len(rows), word.lower()
                if above.kind is _Kind.TOP:
                    above.kind = _Kind.RULE if word == "<=" else _Kind.HEAD
            begins = above is not None and above.parts == 1
            gives = above.kind in (_Kind.HEAD, _Kind.GIVEN) if above is not None and begins else kind is not _Kind.OTHER
            rows.append((word, at, expression, gives and word[0] != "?"))
    return (Word(*row[:3], counts.get(n, -1), row[3]) for n, row in enumerate(rows))


def _place(above: _List | None) -> _Kind:
    """What the next part of a list is."""
    if above is None:
        return _Kind.TOP
    if above.kind is _Kind.RULE and above.parts == 1:
        return _Kind.HEAD
    if above.kind is _Kind.HEAD and above.parts == _GIVING.get(above.name):
        return _Kind.GIVEN
    return _Kind.OTHER
