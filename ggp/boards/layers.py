"""A board without its pieces: its sides and cells, and the layers of fluents that stand on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ggp.boards.axes import Chain
from ggp.boards.edges import Corner, Lines
from ggp.boards.owners import Owners
from ggp.boards.rules import Kind
from ggp.boards.shapes import Coordinates, Geometry
from ggp.boards.symbols import Symbols


@dataclass(frozen=True)
class Layer:
    """The fluents of one name that stand on a board."""

    kind: Kind
    places: tuple[int, ...]
    """The arguments that are coordinates, in the order of the plan's."""
    values: Mapping[int, Owners]
    """What the other arguments mean."""
    squares: Mapping[str, tuple[str, str]] | None = None
    """Column and row of names such as a1, where one argument names the cell."""

    def where(self, row: Sequence[str]) -> Coordinates | None:
        """The cell that a fluent with these arguments is about."""
        if self.squares is not None:
            return self.squares.get(row[self.places[0]])
        return tuple(row[place] for place in self.places)

    @property
    def only_owner(self) -> bool:
        """Whether it says whose a cell is, and nothing else."""
        return bool(self.values) and not any(v.kinds for v in self.values.values()) and self.has_owner

    @property
    def has_owner(self) -> bool:
        """Whether it says whose its pieces are."""
        return any(v.owned for v in self.values.values())


@dataclass(frozen=True)
class Plan:
    """A board without its pieces: several grids where there are more than two coordinates."""

    name: str
    axes: tuple[Chain, ...]
    """The labels of each coordinate, in order."""
    column: int
    """The coordinate that counts the columns."""
    row: int
    """The coordinate that counts the rows."""
    layers: tuple[Layer, ...]
    cells: frozenset[Coordinates] | None
    """The cells that there are; None for all."""
    geometry: Geometry
    symbols: Symbols
    ground: Mapping[Coordinates, tuple[tuple[str, str | None], ...]] = field(default_factory=dict)
    """What always lies in a cell: names of static relations, and whose it is."""
    halves: frozenset[Kind] = frozenset()
    """Layers that say together what one piece is: one its kind, the other its owner."""
    lines: tuple[Lines, ...] = ()
    """Fluents that are lines between cells."""
    begun: frozenset[Coordinates] | None = None
    """Of a board that may be too large, the cells of the first position: only the part in use is shown."""

    @property
    def boards(self) -> tuple[int, ...]:
        """The coordinates that count grids."""
        return tuple(i for i in range(len(self.axes)) if i not in (self.column, self.row))

    def has(self, cell: Sequence[str]) -> bool:
        """Whether all coordinates are on the axes."""
        return len(cell) == len(self.axes) and all(c in axis for c, axis in zip(cell, self.axes, strict=True))

    def corners(self, lines: Lines, row: Sequence[str]) -> tuple[Corner, Corner] | None:
        """The corners of a line, counted from the left and from the top of its grid; None if it is not there."""
        ends = lines.ends(row)
        if ends is None:
            return None
        sizes = [len(axis) for axis in self.axes]
        offsets = [labels.index(axis[0]) for labels, axis in zip(lines.labels, self.axes, strict=True)]
        found = []
        for end in ends:
            at = [place - offset for place, offset in zip(end, offsets, strict=True)]
            if not all(0 <= place <= size for place, size in zip(at, sizes, strict=True)):
                return None
            x, y = at[self.column], at[self.row]
            x = sizes[self.column] - x if self.geometry.mirrored else x
            found.append((x, y if self.geometry.rows_down else sizes[self.row] - y))
        return min(found), max(found)
