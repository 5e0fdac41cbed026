"""Fluents that are no pieces but lines between cells: walls, and the strokes of dots and boxes.

A line lies on a side of a cell, or between two corners. Which side is told by a direction's name, or by a static relation
that gives each cell its four sides: the words for those that differ in the row are strokes between rows.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ggp.boards.axes import Chain
from ggp.boards.rules import Kind, Row
from ggp.boards.shapes import DIRECTIONS

Side: TypeAlias = tuple[int, bool]
"""The coordinate across which a line lies, and whether it is on the side of the higher labels."""
Corner: TypeAlias = tuple[int, int]
"""Of a cell, counted in the labels of both coordinates."""

_LINES = re.compile(r".*(wall|block|fence|edge|barrier|border|door)")
_NAMED = re.compile(r".*?(north|south|east|west)")


@dataclass(frozen=True)
class Lines:
    """The fluents of one name that are lines on a board."""

    kind: Kind
    places: tuple[int, ...]
    """The arguments that are a cell's coordinates, or those of two corners."""
    labels: tuple[Chain, ...]
    """The labels of both coordinates, which may go one further than those of the cells."""
    side: int | None = None
    """The argument that names the side."""
    sides: Mapping[str, Side] | None = None
    """What its words mean; under "" where the name of the fluent tells."""

    def ends(self, row: Sequence[str]) -> tuple[Corner, Corner] | None:
        """The corners between which the line of a fluent lies; None if it is not on the board."""
        at = [row[place] for place in self.places]
        if any(label not in self.labels[n % 2] for n, label in enumerate(at)):
            return None
        index = [self.labels[n % 2].index(label) for n, label in enumerate(at)]
        if len(index) == 4:
            return (index[0], index[1]), (index[2], index[3])
        found = (self.sides or {}).get("" if self.side is None else row[self.side])
        if found is None:
            return None
        coordinate, high = found
        first = [index[0], index[1]]
        first[coordinate] += high
        last = list(first)
        last[1 - coordinate] += 1
        return (first[0], first[1]), (last[0], last[1])


def between_corners(sides: Sequence[Collection[str]], cells: Collection[Row], axes: Sequence[Chain]) -> bool:
    """Whether four coordinates are the ends of lines of length one."""
    if not cells or len(sides) != 4 or set(sides[0]) != set(sides[2]) or set(sides[1]) != set(sides[3]):
        return False
    index = [{label: n for n, label in enumerate(axis)} for axis in axes]
    steps = {tuple(abs(index[i][cell[i]] - index[i][cell[i + 2]]) for i in (0, 1)) for cell in cells}
    return steps == {(0, 1), (1, 0)}


def named_side(name: str, row: int, *, rows_down: bool, mirrored: bool) -> Side | None:
    """The side that a word such as blockedeast names, where `row` is the coordinate that counts rows."""
    match = _NAMED.fullmatch(name)
    if match is None:
        return None
    right, up = DIRECTIONS[match[1]]
    return (row, (up > 0) != rows_down) if up else (1 - row, (right > 0) != mirrored)


def is_line(name: str) -> bool:
    """Whether a fluent's name says that it is a line."""
    return _LINES.match(name) is not None


def told_sides(
    static: Mapping[Kind, Sequence[Row]], words: Collection[str], axes: Sequence[Chain]
) -> dict[str, Side]:  # fmt: skip
    """The sides that words mean, by a relation of cells and their lines: (side ?x ?y across ?x ?y2)."""
    index = [{label: n for n, label in enumerate(axis)} for axis in axes]
    for (_, count), rows in sorted(static.items()):
        for place in (0, 2, 4) if count == 5 else ():
            if {row[place] for row in rows} != set(words):
                continue
            steps: dict[str, set[tuple[int, int]]] = {}
            for row in rows:
                rest = [label for n, label in enumerate(row) if n != place]
                if any(label not in index[n % 2] for n, label in enumerate(rest)):
                    break
                x1, y1, x2, y2 = (index[n % 2][label] for n, label in enumerate(rest))
                steps.setdefault(row[place], set()).add((x2 - x1, y2 - y1))
            found = {word: side for word, step in steps.items() if (side := _side(step)) is not None}
            if len(found) == len(words):
                return found
    return {}


def _side(steps: set[tuple[int, int]]) -> Side | None:
    """Lines at a cell's own coordinates and at the next ones of a coordinate lie on the near side of that one."""
    if len(steps) != 2 or (0, 0) not in steps:
        return None
    (x, y) = next(step for step in steps if step != (0, 0))
    return {(1, 0): (0, False), (-1, 0): (0, True), (0, 1): (1, False), (0, -1): (1, True)}.get((x, y))
