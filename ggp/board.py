"""Show a position: as a board where its fluents look like one, else as a list.

Nothing here knows a game. A kind of fluent looks like a board if two of its arguments name the cells: over all positions
seen so far no two fluents of one position share them, and they span a grid. The other arguments are what stands there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from gdl.terms import Symbol, Term, arguments, kif

_SMALLEST = 3
"""A board has at least this many cells in one direction, and two in the other."""
_LARGEST = 40
_EMPTY = frozenset({"b", "blank", "empty", "e", "none", "nil"})
"""Contents that are shown as a dot."""


@dataclass(frozen=True)
class Board:
    """Which fluents make a board: their name, the two arguments that name a cell, and all values these had."""

    function: str
    count: int
    across: int
    down: int
    columns: tuple[str, ...]
    rows: tuple[str, ...]
    letters: int
    """How many letters of each part of a content are shown: as few as tell all contents apart."""


def find_board(positions: Iterable[Sequence[Term]]) -> Board | None:
    """The board that positions of a game show, if they show one; the largest if there are several."""
    seen = list(positions)
    kinds = {(f.name, len(arguments(f))) for fluents in seen for f in fluents if len(arguments(f)) >= 2}
    boards = [
        board
        for name, count in sorted(kinds)
        for first, second in combinations(range(count), 2)
        if (board := _as_board(seen, name, count, first, second)) is not None
    ]
    return max(boards, key=lambda b: (len(b.columns) * len(b.rows), -b.across), default=None)


def _as_board(seen: list[Sequence[Term]], name: str, count: int, first: int, second: int) -> Board | None:
    values: tuple[set[str], set[str]] = (set(), set())
    for fluents in seen:
        cells = [(a[first], a[second]) for f in fluents if f.name == name and len(a := arguments(f)) == count]
        if len(set(cells)) != len(cells):
            return None
        for cell in cells:
            if not all(isinstance(part, Symbol) for part in cell):
                return None
            values[0].add(cell[0].name)
            values[1].add(cell[1].name)
    sizes = sorted(map(len, values))
    if sizes[0] < 2 or sizes[1] < _SMALLEST or sizes[1] > _LARGEST or not all(map(_looks_like_an_axis, values)):
        return None
    axes = {first: _sorted(values[0]), second: _sorted(values[1])}
    across, down = first, second
    if all(v.isdigit() for v in axes[first]) and not all(v.isdigit() for v in axes[second]):
        across, down = second, first
    contents = {
        _words(fluent, across, down)
        for fluents in seen
        for fluent in fluents
        if fluent.name == name and len(arguments(fluent)) == count
    }
    return Board(name, count, across, down, axes[across], axes[down], _letters_needed(contents))


def _words(fluent: Term, across: int, down: int) -> tuple[str, ...]:
    """What stands in a cell."""
    return tuple(kif(part) for i, part in enumerate(arguments(fluent)) if i not in (across, down))


def _letters_needed(contents: set[tuple[str, ...]]) -> int:
    for letters in (1, 2, 3):
        if len({tuple(word[:letters] for word in words) for words in contents}) == len(contents):
            return letters
    return 4


def _looks_like_an_axis(values: set[str]) -> bool:
    """Numbers, or single letters, or a letter with a number."""
    return all(v.isdigit() or len(v) == 1 or (v[:1].isalpha() and v[1:].isdigit()) for v in values)


def _sorted(values: set[str]) -> tuple[str, ...]:
    return tuple(sorted(values, key=lambda v: (v.isdigit(), int(v) if v.isdigit() else 0, len(v), v)))


def board_lines(board: Board, fluents: Sequence[Term]) -> tuple[list[str], list[Term]]:
    """The lines of a board, highest row first, and the fluents that are not on it."""
    cells: dict[tuple[str, str], str] = {}
    others: list[Term] = []
    for fluent in fluents:
        inner = arguments(fluent)
        if fluent.name == board.function and len(inner) == board.count:
            words = _words(fluent, board.across, board.down)
            cells[inner[board.across].name, inner[board.down].name] = _content(words, board.letters) or fluent.name[:1]
        else:
            others.append(fluent)
    width = max([1, *(len(text) for text in cells.values()), *(len(c) for c in board.columns)])
    margin = max(len(row) for row in board.rows)
    lines = [
        f"{row:>{margin}}  " + " ".join(cells.get((column, row), ".").center(width) for column in board.columns)
        for row in reversed(board.rows)
    ]
    lines.append(" " * (margin + 2) + " ".join(column.center(width) for column in board.columns))
    return [line.rstrip() for line in lines], others


def _content(words: tuple[str, ...], letters: int) -> str:
    if len(words) == 1 and words[0] in _EMPTY:
        return "."
    return "".join(word[:letters] for word in words)


def render(board: Board | None, fluents: Sequence[Term]) -> str:
    """A position as text: the board if there is one, and the other fluents."""
    if board is None:
        return " ".join(map(kif, fluents)) or "(nothing holds)"
    lines, others = board_lines(board, fluents)
    if others:
        lines.append(" ".join(map(kif, others)))
    return "\n".join(lines)
