"""The top of a search graph as the page draws it, and the positions that its edges lead to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gdl.terms import Term, kif
from ggp.core.errors import UsageError
from ggp.human.movelist import joint_spoken
from ggp.machines import Machine
from ggp.machines.machine import JointMove
from ggp.search.inside import Branch, View, top
from ggp.web.drawing import Drawing
from ggp.web.fields import Fields, Json
from ggp.web.frames import typed

_NODES = 200
"""Nodes of a graph that are told."""
_LONGEST = 100
"""Joint moves that lead to a position, at most."""


def told(view: View) -> list[dict[str, Json]]:
    """The most visited nodes, the root first; each with the edges that lead to others of them."""
    return [
        {
            "visits": spot.visits, "rest": spot.rest, "exact": spot.exact, "end": spot.terminal,
            "ways": [_way(view.roles, end, branch) for end, branch in spot.ways],
        }
        for spot in top(view, _NODES)
    ]  # fmt: skip


def _way(roles: Sequence[str], end: int, branch: Branch) -> dict[str, Json]:
    return {
        "to": end, "moves": list(map(kif, branch.joint)), "said": joint_spoken(roles, branch.joint),
        "visits": branch.visits, "means": [round(mean, 1) for mean in branch.means],
    }  # fmt: skip


def read_line(asked: Fields, roles: int) -> list[list[str]]:
    """The joint moves of a request, each move as the page was told it."""
    return asked.lists("line", _LONGEST, roles)


def board_after(machine: Machine[Any], drawing: Drawing, position: Any, line: Sequence[Sequence[str]]) -> Json:
    """The position that some joint moves lead to; UsageError if one of them is not legal."""
    before: tuple[Term, ...] | None = None
    joint: JointMove | None = None
    for texts in line:
        before, joint = machine.fluents(position), _legal(machine, position, texts)
        position = machine.next(position, joint)
    situation = machine.situation(position)
    fluents = machine.fluents(position)
    return drawing.position(fluents, situation, joint=joint, before=before, over=situation.terminal)


def _legal(machine: Machine[Any], position: Any, texts: Sequence[str]) -> JointMove:
    situation = machine.situation(position)
    if situation.terminal:
        raise UsageError("line: the game is over before its last move")
    if len(texts) != len(situation.legal):
        raise UsageError(f"line: a move for each of {len(situation.legal)} roles was expected")
    joint = []
    for moves, text in zip(situation.legal, texts, strict=True):
        move = typed(moves, text)
        if move is None:
            raise UsageError(f"line: {text} is not legal there")
        joint.append(move)
    return tuple(joint)
