"""Boards: what a position looks like, found from the rules alone.

- **schema**: how the positions of one game look; it makes a **board** of any position.
- **board**: plain data: grids of cells, and groups of facts that are on no grid.
- **plan**: a board without pieces: axes, cells, and the **layers** (kinds of fluents) that stand on it.
- **item**: something in a cell, with a kind and an owner as far as the rules tell.
- **action**: a move as it acts on cells: from one to another, or put on one.

>>> from gdl import load, parse_term
>>> from ggp.core.library import folder
>>> schema = board(load(folder() / "tic_tac_toe.kif"))
>>> shown = schema.view([parse_term("(marked 1 1 x)"), parse_term("(control o)")])
>>> shown.to_move, [cell.items[0].owner for cell in shown.grids[0].cells if cell.items]
(('o',), ['x'])
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gdl.ruleset import Ruleset
from ggp.boards.model import Action, Board, Cell, Edge, Entry, Grid, Group, GroupKind, Item, Mark, Shape

if TYPE_CHECKING:
    from ggp.boards.schema import Schema


def board(ruleset: Ruleset) -> Schema:
    """How the positions of a game look."""
    from ggp.boards.schema import Schema  # what reads rules needs clingo, which only drawing does not

    return Schema.of(ruleset)


def render(shown: Board, width: int = 80, colour: bool = False) -> str:
    """A board as lines of text, of at most `width` columns where it can be; with ANSI colours if `colour`."""
    from ggp.boards.text import render as make  # drawing needs rich, which data do not

    return make(shown, width, colour)


__all__ = [
    "Action", "Board", "Cell", "Edge", "Entry", "Grid", "Group", "GroupKind", "Item", "Mark", "Shape", "board", "render",
]  # fmt: skip
