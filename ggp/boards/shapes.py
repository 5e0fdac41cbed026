"""How the cells of a board lie to each other, from static relations between two cells.

A relation whose steps are those of a square and of one diagonal makes a board of hexes. Directions with names tell which
way is up. Steps that are longer than one cell where the cells between do not exist are lines to draw.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ggp.boards.axes import Chain
from ggp.boards.rules import Kind, Row

Step: TypeAlias = tuple[int, int]
Coordinates: TypeAlias = tuple[str, ...]

DIRECTIONS = {
    "north": (0, 1), "up": (0, 1), "n": (0, 1), "south": (0, -1), "down": (0, -1), "s": (0, -1),
    "east": (1, 0), "right": (1, 0), "e": (1, 0), "west": (-1, 0), "left": (-1, 0), "w": (-1, 0),
}  # fmt: skip
"""Words for directions as steps to the right and up."""
_CROSS = frozenset({(0, 1), (0, -1), (1, 0), (-1, 0)})
_SLANTS = {_CROSS | {(1, 1), (-1, -1)}: 1, _CROSS | {(1, -1), (-1, 1)}: -1}
_MOST_LINKS = 200


@dataclass(frozen=True)
class Geometry:
    """What static relations tell of a board; columns and rows are counted as the labels are ordered."""

    slant: int = 0
    """Of hexes: 1 if (+1, +1) is a neighbour, -1 if (+1, -1) is; 0 for squares."""
    swapped: bool = False
    """Whether the first coordinate counts rows: its steps go up or down."""
    rows_down: bool = False
    """Whether the labels of the rows count from the top."""
    mirrored: bool = False
    """Whether the labels of the columns count from the right."""
    links: tuple[tuple[Coordinates, Coordinates], ...] = ()


def geometry(
    static: Mapping[Kind, Sequence[Row]], columns: Chain, rows: Chain, cells: Collection[Coordinates] | None
) -> Geometry:  # fmt: skip
    """Find out how cells lie to each other. `cells` are those that exist, None for all."""
    places = [{label: n for n, label in enumerate(axis)} for axis in (columns, rows)]
    slant = 0
    directions: dict[str, Step] = {}
    links: list[tuple[Coordinates, Coordinates]] = []
    for (_, count), atoms in sorted(static.items()):
        if not 4 <= count <= 5 or not atoms:
            continue
        for start in range(count - 3):
            pairs = [(row[start : start + 2], row[start + 2 : start + 4]) for row in atoms]
            if not all(a[0] in places[0] and a[1] in places[1] for pair in pairs for a in pair):
                continue
            steps = [(places[0][b[0]] - places[0][a[0]], places[1][b[1]] - places[1][a[1]]) for a, b in pairs]
            both = frozenset(steps) | {(-x, -y) for x, y in steps}
            slant = slant or _SLANTS.get(both, 0)
            if count == 5:
                named = [row[4 if start == 0 else 0] for row in atoms]
                directions |= {n: s for n, s in zip(named, steps, strict=True) if n in DIRECTIONS and s in _CROSS}
            elif cells is not None and not links:
                links = list(_links(pairs, cells, places))
    return _oriented(slant, directions, tuple(links))


def _oriented(slant: int, directions: Mapping[str, Step], links: tuple[tuple[Coordinates, Coordinates], ...]) -> Geometry:
    swapped = any(bool(step[0]) != bool(DIRECTIONS[name][0]) for name, step in directions.items())
    signs = {bool(DIRECTIONS[name][0]): sum(step) == sum(DIRECTIONS[name]) for name, step in sorted(directions.items())}
    down, mirrored = not signs.get(False, True), not signs.get(True, True)
    if down and mirrored:  # the relation names where a step comes from before where it leads
        down = mirrored = False
    return Geometry(slant, swapped, down, mirrored, links)


def _links(
    pairs: Sequence[tuple[Coordinates, Coordinates]], cells: Collection[Coordinates], places: Sequence[Mapping[str, int]]
) -> Iterator[tuple[Coordinates, Coordinates]]:  # fmt: skip
    """The lines between neighbours of a board with holes: straight ones, if none passes over a cell."""
    known = {(places[0][x], places[1][y]) for x, y in cells}
    found = {}
    for a, b in pairs:
        (x1, y1), (x2, y2) = ((places[0][x], places[1][y]) for x, y in (a, b))
        if (x1 == x2) == (y1 == y2) or not {(x1, y1), (x2, y2)} <= known:
            return
        low, high = sorted(((x1, y1), (x2, y2)))
        between = {(x, y) for x in range(low[0], high[0] + 1) for y in range(low[1], high[1] + 1)} - {low, high}
        if between & known:
            return
        found[min(a, b), max(a, b)] = max(high[0] - low[0], high[1] - low[1])
    if len(found) <= _MOST_LINKS and any(length > 1 for length in found.values()):
        yield from sorted(found)
