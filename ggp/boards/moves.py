"""How moves act on the board: from where to where, or where something is put, as far as the term of a move says."""

from __future__ import annotations

from collections.abc import Sequence

from gdl.terms import Symbol, Term, arguments, kif
from ggp.boards.layers import Plan
from ggp.boards.model import Action
from ggp.boards.shapes import Coordinates


def cell_id(number: int, plan: Plan, cell: Coordinates) -> str:
    """The id of a cell: its coordinates, after the name of the plan where it is not the first."""
    return " ".join(cell if number == 0 else (plan.name, *cell))


def action(plans: Sequence[Plan], role: str, move: Term) -> Action:
    """A move and the cells that it names: of several, it leads from the first to the second."""
    labels = [part.name if isinstance(part, Symbol) else "" for part in arguments(move)]
    for plan in plans:
        strokes = [line for line in plan.lines if line.kind[1] == len(labels) > 2]
        line = next((ends for stroke in strokes if (ends := plan.corners(stroke, labels)) is not None), None)
        if line is not None:
            return Action(role, kif(move), line=line)
    for number, plan in enumerate(plans):
        cells = [cell_id(number, plan, cell) for cell in cells_named(plan, role, labels)]
        if len(cells) == 1:
            return Action(role, kif(move), None, cells[0])
        if cells:
            return Action(role, kif(move), cells[0], cells[1], tuple(cells[2:]))
    return Action(role, kif(move))


def cells_named(plan: Plan, role: str, labels: Sequence[str]) -> list[Coordinates]:
    """The cells of a board that the arguments of a move name, from left to right."""
    if plan.layers[0].squares is not None:
        return [cell for label in labels if (cell := plan.layers[0].squares.get(label)) is not None]
    axes = plan.axes
    own = [i for i, axis in enumerate(axes) if role in axis]
    if len(own) == 1:  # a row for each role: the mover's own
        found = [label for label in labels if label in axes[1 - own[0]]] if len(axes) == 2 else []
        return [(role, label) if own[0] == 0 else (label, role) for label in found[:1]]
    cells, at = [], 0
    while at + len(axes) <= len(labels):
        if plan.has(part := tuple(labels[at : at + len(axes)])):
            cells.append(part)
            at += len(axes)
        else:
            at += 1
    return cells
