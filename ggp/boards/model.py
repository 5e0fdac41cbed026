"""A position as a picture would show it, as plain data: what stands where, and what stands beside the board.

Whoever draws it (the terminal, a web page) needs nothing but this. Every fluent of the position is named by exactly one
thing: an item of a cell, or an entry of a group.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import Enum, StrEnum
from typing import Any


class Shape(StrEnum):
    """How the cells of a grid lie to each other."""

    SQUARES = "squares"
    HEXES = "hexes"
    """Neighbours are those of a square, and those of one diagonal; `Grid.slant` says of which."""


class Mark(StrEnum):
    """What the last joint move did with a cell."""

    FROM = "from"
    TO = "to"


@dataclass(frozen=True)
class Item:
    """Something in a cell: a piece, a trail, a number."""

    name: str
    """The name of its fluent, or of the static relation for what always lies there."""
    kind: str | None
    """What it is, in the words of the rules; None where only its name or owner tells."""
    owner: str | None
    """The role whose it is."""
    symbol: str
    """A few characters that tell it from all others on the grid; of two roles, the first has capitals."""
    facts: tuple[str, ...]
    """The fluents that say so; none for what the rules say always."""


@dataclass(frozen=True)
class Cell:
    """A place on a grid."""

    id: str
    """Unique on the whole board, the coordinates as the rules have them: "a 1"."""
    column: int
    """From the left, from 0."""
    row: int
    """From the top, from 0."""
    items: tuple[Item, ...] = ()
    """What stands here, the uppermost first."""
    ground: tuple[Item, ...] = ()
    """What lies here always: goals, walls."""
    mark: Mark | None = None


@dataclass(frozen=True)
class Edge:
    """A line between two cells, or at the rim: a wall, a stroke. Corners are counted from the left and from the top."""

    start: tuple[int, int]
    end: tuple[int, int]
    item: Item
    mark: Mark | None = None


@dataclass(frozen=True)
class Grid:
    """Cells in rows and columns. Cells that do not exist are left out."""

    name: str
    """What tells it from the other grids of its game: empty if it is the only one."""
    columns: tuple[str, ...]
    """Labels from left to right."""
    rows: tuple[str, ...]
    """Labels from top to bottom."""
    cells: tuple[Cell, ...]
    shape: Shape = Shape.SQUARES
    slant: int = 0
    """Of hexes: 1 where the cell to the right of the one above is a neighbour, -1 where the one to its left is."""
    links: tuple[tuple[str, str], ...] = ()
    """Lines between cells that are neighbours though they do not touch."""
    edges: tuple[Edge, ...] = ()
    """Lines that are there now."""
    has_edges: bool = False
    """Whether there can be lines."""
    across: int = 0
    """Where it stands among the grids, from the left."""
    down: int = 0
    """Where it stands among the grids, from the top."""


class GroupKind(StrEnum):
    """How facts beside the board belong together."""

    TURN = "turn"
    """Whose turn it is."""
    COUNTER = "counter"
    """One number."""
    TABLE = "table"
    """A value for each role or thing."""
    PILES = "piles"
    """Things that lie at some places, which are no grid."""
    SET = "set"
    """Things that are there: a hand, a pool."""
    FACTS = "facts"
    """Anything else."""


@dataclass(frozen=True)
class Entry:
    """A line of a group."""

    label: str
    values: tuple[str, ...]
    facts: tuple[str, ...]


@dataclass(frozen=True)
class Group:
    """Facts of one name that are on no grid."""

    kind: GroupKind
    name: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True)
class Action:
    """A move, and how it acts on the board as far as its term says."""

    role: str
    move: str
    source: str | None = None
    """The cell that something leaves; None for placements and moves that name no cell."""
    target: str | None = None
    """The cell where something arrives or is put."""
    more: tuple[str, ...] = ()
    """Further cells that the move names."""
    line: tuple[tuple[int, int], tuple[int, int]] | None = None
    """The corners of the edge that the move draws, on the only grid with edges."""


@dataclass(frozen=True)
class Board:
    """A position."""

    roles: tuple[str, ...]
    to_move: tuple[str, ...]
    """The roles that have a choice, as far as the position or the legal moves tell."""
    grids: tuple[Grid, ...]
    groups: tuple[Group, ...]
    last: tuple[Action, ...] = ()
    """The joint move that led here."""
    legal: tuple[tuple[Action, ...], ...] = ()
    """The moves of each role, in the order in which they were given."""

    def to_json(self) -> dict[str, Any]:
        """The same as plain JSON values: objects, lists, texts, numbers and nulls."""
        plain: dict[str, Any] = _plain(asdict(self))
        return plain

    @property
    def facts(self) -> list[str]:
        """Every fluent that is shown, once for each place where it is."""
        cells = [fact for grid in self.grids for cell in grid.cells for item in cell.items for fact in item.facts]
        edges = [fact for grid in self.grids for edge in grid.edges for fact in edge.item.facts]
        return cells + edges + [fact for group in self.groups for entry in group.entries for fact in entry.facts]


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value.value if isinstance(value, Enum) else value
