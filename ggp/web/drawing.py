"""Positions of one game as the page draws them: a board as JSON, its moves bound to cells as far as they act on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from gdl.ruleset import Ruleset
from gdl.terms import Term
from ggp.boards import Action, Board, Mark, board
from ggp.machines.machine import JointMove, Machine, Situation
from ggp.web.fields import Json

Effects: TypeAlias = Mapping[Term, tuple[str | None, str]]
"""Where moves that name no cell change the board: what one cell loses, if any, and what one gets."""

_MOST_TRIED = 24
"""Moves that are tried out for that at one position."""


class Drawing:
    """How positions of a game are drawn."""

    def __init__(self, ruleset: Ruleset) -> None:
        self._schema = board(ruleset)
        self.roles = ruleset.roles
        self.initial = self._schema.initial
        """The first position, where the rules tell it at a glance; else empty."""

    def effects(self, machine: Machine[Any], position: Any, situation: Situation) -> Effects:
        """Where each move of the only role with a choice acts, if its term does not say: it is tried out.

        So a piece that falls down a column can be put there by a click, though its move names the column alone.
        """
        choosing = [role for role, moves in enumerate(situation.legal) if len(moves) > 1]
        if len(choosing) != 1 or not self._schema.plans:
            return {}
        (role,) = choosing
        bare = [move for move in situation.legal[role] if not _path(self._schema.action(self.roles[role], move))]
        if len(bare) > _MOST_TRIED:
            return {}
        before, found = machine.fluents(position), {}
        for move in bare:
            joint = tuple(move if n == role else moves[0] for n, moves in enumerate(situation.legal))
            after = self._schema.view(machine.fluents(machine.next(position, joint)), before=before)
            if (ends := _changed(after)) is not None:
                found[move] = ends
        return found

    def position(
        self, fluents: Sequence[Term], situation: Situation | None, *, joint: JointMove | None = None,
        before: Sequence[Term] | None = None, effects: Effects | None = None, over: bool = False,
    ) -> dict[str, Json]:  # fmt: skip
        """A position as plain JSON values. Without a `situation` it has no legal moves."""
        legal = () if situation is None or over else situation.legal
        shown = self._schema.view(fluents, last_moves=joint, legal=legal, before=before, over=over)
        if effects:
            acting = [
                tuple(_bound(action, effects.get(move)) for action, move in zip(actions, moves, strict=True))
                for actions, moves in zip(shown.legal, legal, strict=True)
            ]
            shown = replace(shown, legal=tuple(acting))
        return shown.to_json()


def _path(action: Action) -> bool:
    """Whether the term of a move says where it acts."""
    return action.target is not None or action.line is not None


def _bound(action: Action, ends: tuple[str | None, str] | None) -> Action:
    return action if ends is None or _path(action) else replace(action, source=ends[0], target=ends[1])


def _changed(after: Board) -> tuple[str | None, str] | None:
    """The cell that lost something, if any, and the one that got something; None where more has changed."""
    marked = [cell for grid in after.grids for cell in grid.cells if cell.mark is not None]
    left = [cell.id for cell in marked if cell.mark is Mark.FROM]
    got = [cell.id for cell in marked if cell.mark is Mark.TO]
    if len(got) == 1 and len(left) <= 1:
        return (left[0] if left else None), got[0]
    return (None, left[0]) if len(left) == 1 and not got else None
