"""The legal moves of a turn, as people read and name them: numbered, in columns, grouped where there are many.

>>> from gdl import parse_term
>>> moves = MoveList.of([parse_term(f"(mark {x} {y})") for x in "12" for y in "12"])
>>> print("\\n".join(moves.lines(40)))
  1 mark 1 1  3 mark 2 1
  2 mark 1 2  4 mark 2 2
>>> [spoken(move) for move in moves.matching("m 2")]
['mark 2 1', 'mark 2 2']
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from gdl.terms import Term, arguments, kif

_MANY = 48
"""Moves above which groups are shown in place of the moves."""
_FEW_GROUPS = 3
_GAP = 2
"""Spaces between columns."""


def spoken(move: Term) -> str:
    """A move as people say it: without the outer parentheses.

    >>> from gdl import parse_term
    >>> spoken(parse_term("(move (cell a 1) b)"))
    'move (cell a 1) b'
    """
    text = kif(move)
    return text[1:-1] if text.startswith("(") else text


def joint_spoken(roles: Sequence[str], joint: Sequence[Term]) -> str:
    """A joint move in a line; who only waits is left out, unless all do.

    >>> from gdl import parse_term
    >>> joint_spoken(["x", "o"], [parse_term("(mark 1 1)"), parse_term("noop")])
    'x: mark 1 1'
    """
    said = [(role, move) for role, move in zip(roles, joint, strict=True) if kif(move) != "noop"]
    return "  ".join(f"{role}: {spoken(move)}" for role, move in said or zip(roles, joint, strict=True))


def words_of(text: str) -> tuple[str, ...]:
    """The words of a move or of what somebody typed; parentheses, commas and case make no difference."""
    return tuple(text.translate({ord(c): " " for c in "(),"}).lower().split())


@dataclass(frozen=True)
class MoveList:
    """Numbered moves."""

    numbered: Mapping[int, Term]
    """In the order in which they are shown."""

    @classmethod
    def of(cls, legal: Sequence[Term]) -> MoveList:
        """Number moves from 1, or by the number in them where that tells them apart: `drop 3` is 3."""
        ordered = sorted(legal, key=lambda move: _natural(words_of(kif(move))))
        return cls(_by_own_number(ordered) or dict(enumerate(ordered, 1)))

    @property
    def moves(self) -> list[Term]:
        """The moves in the order in which they are shown."""
        return list(self.numbered.values())

    def matching(self, text: str) -> list[Term]:
        """The moves that a text may mean, by the strictest reading that gives any.

        The readings: the whole move; its beginning, word by word; words in the middle; letters in the middle.
        """
        said = words_of(text)
        if not said:
            return []
        squeezed = "".join(said)
        worded = {move: words_of(kif(move)) for move in self.moves}
        for fits in (
            lambda words: words == said,
            lambda words: _begins(words, said, exactly=True),
            lambda words: _begins(words, said, exactly=False),
            lambda words: any(_begins(words[i:], said, exactly=True) for i in range(1, len(words))),
            lambda words: len(squeezed) > 1 and squeezed in "".join(words),
        ):
            found = [move for move, words in worded.items() if fits(words)]
            if found:
                return found
        return []

    def lines(self, width: int, only: Sequence[Term] | None = None, whole: bool = False) -> list[str]:
        """The moves in columns; in groups where there are many, unless the `whole` list is wanted."""
        wanted = set(self.moves if only is None else only)
        shown = {number: move for number, move in self.numbered.items() if move in wanted}
        groups = _groups(shown)
        if whole or len(shown) <= _MANY or len(groups) == len(shown):
            digits = len(str(max(shown)))
            return _columns([f"{number:>{digits}} {spoken(move)}" for number, move in shown.items()], width)
        lines = _columns([_group_text(prefix, numbers, shown) for prefix, numbers in groups], width)
        return [*lines, f"  `moves {' '.join(groups[0][0])}` lists the first of these, `moves all` every one"]


def _begins(words: tuple[str, ...], said: tuple[str, ...], *, exactly: bool) -> bool:
    """Whether words begin with what was said; of each word its beginning is enough, or `exactly` of the last alone."""
    if len(words) < len(said):
        return False
    pairs = list(zip(words, said, strict=False))
    whole, parts = (pairs[:-1], pairs[-1:]) if exactly else ([], pairs)
    return all(a == b for a, b in whole) and all(a.startswith(b) for a, b in parts)


def _natural(words: Sequence[str]) -> list[tuple[bool, int, str]]:
    """Numbers by their value, all else by its text."""
    return [(not w.isdecimal(), int(w) if w.isdecimal() else 0, w) for w in words]


def _by_own_number(moves: Sequence[Term]) -> dict[int, Term] | None:
    """Moves by the one number in each, if all are `(name N)` of one name, or `N`; names alone come after them."""
    numbered: dict[int, Term] = {}
    names, rest = set(), []
    for move in moves:
        inner = arguments(move)
        text = kif(inner[0] if inner else move)
        if len(inner) > 1 or (inner and not text.isdecimal()):
            return None
        if not text.isdecimal():
            rest.append(move)
        elif int(text) in numbered or len(text) > 4 or str(int(text)) != text:
            return None
        else:
            numbered[int(text)] = move
            names.add(move.name if inner else "")
    if len(names) != 1:
        return None
    return numbered | dict(enumerate(rest, max(numbered) + 1))


def _groups(shown: Mapping[int, Term]) -> list[tuple[tuple[str, ...], list[int]]]:
    """Moves by their first words: as few words as make some groups."""
    longest = max(len(words_of(kif(move))) for move in shown.values())
    found: list[tuple[tuple[str, ...], list[int]]] = []
    for count in range(1, longest + 1):
        by_prefix = groupby(shown, key=lambda number: words_of(kif(shown[number]))[:count])
        found = [(prefix, list(numbers)) for prefix, numbers in by_prefix]
        if len(found) >= _FEW_GROUPS:
            break
    return found


def _group_text(prefix: tuple[str, ...], numbers: list[int], shown: Mapping[int, Term]) -> str:
    if len(numbers) == 1:
        return f"{numbers[0]}  {spoken(shown[numbers[0]])}"
    return f"{numbers[0]}-{numbers[-1]}  {' '.join(prefix)} …  ({len(numbers)} moves)"


def _columns(items: Sequence[str], width: int) -> list[str]:
    """Items one below the other, in as many columns as there is room for."""
    widest = max(map(len, items)) + _GAP
    count = max(1, min(len(items), (width - _GAP) // widest))
    rows = -(-len(items) // count)
    return [(" " * _GAP + "".join(item.ljust(widest) for item in items[row::rows])).rstrip() for row in range(rows)]
