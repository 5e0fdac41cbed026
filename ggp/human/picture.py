"""How a position looks on the terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from gdl.ruleset import Ruleset
from gdl.terms import Term
from ggp.board import find_board, render
from ggp.machines.machine import JointMove, Machine
from ggp.play import random_play

Picture: TypeAlias = Callable[[Sequence[Term], JointMove | None], str]
"""The text of a position, given by its fluents, and of the joint move that led there if that may be shown."""
_PLIES = 60
"""Of the random play that shows what a game's positions look like."""


def picture_of(_: Ruleset, machine: Machine[Any]) -> Picture:
    """How positions of a game are shown."""
    board = find_board(machine.fluents(step.position) for step in random_play(machine, 0, _PLIES))
    return lambda fluents, _: render(board, fluents)
