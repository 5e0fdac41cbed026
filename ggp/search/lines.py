"""In a game for one role, the best line that a search has found is followed: nothing found before is lost."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gdl.terms import kif
from ggp.lanes.bank import Bank
from ggp.machines.circuit import CircuitMachine, Position, packed
from ggp.search.search import Search

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Known:
    """What a remembered line says of a position on it."""

    inputs: tuple[int, ...]
    """The moves from there to the end of the game."""
    goal: int
    """Of the end."""
    sure: bool
    """Whether no other line can lead to more."""


class Lines:
    """Remembers the best line. It may come from positions before the present one."""

    def __init__(self) -> None:
        self._inputs: tuple[int, ...] = ()
        self._place: dict[Position, int] = {}
        """Of the line's positions; the last place of one that it comes back to."""
        self._goal, self._sure = 0, False

    def at(self, position: Position) -> Known | None:
        """What is remembered of a position."""
        place = self._place.get(position)
        return None if place is None else Known(self._inputs[place:], self._goal, self._sure)

    def remember(self, circuit: CircuitMachine, search: Search) -> None:
        """Take over the best line of a search from its root, if it is better than what is remembered of that."""
        if len(circuit.roles) > 1:
            return
        found, root = search.best_line(), search.position
        if found is not None and (root not in self._place or found.goal > self._goal):
            positions, goal = played(circuit, root, found.inputs)
            if goal is None:
                return  # where nobody can move, no match comes to an end
            if goal != found.goal:
                moves = " ".join(kif(circuit.inputs[number]) for number in found.inputs)
                _LOG.error("a line to %s leads to %s, and is left; please report that: %s", found.goal, goal, moves)
                return
            self._inputs, self._goal, self._sure = found.inputs, goal, search.is_at_best
            self._place = {position: place for place, position in enumerate(positions)}
        if root in self._place and search.solved:
            best = search.best(0)
            self._sure = self._sure or (best is not None and best.proven is not None and best.proven <= self._goal)


def played(circuit: CircuitMachine, position: Position, inputs: Sequence[int]) -> tuple[list[Position], int | None]:
    """Play the moves of a game for one role: the positions in which they are made, and the goal in the end.

    The goal is -1 if a move is illegal or the game goes on after the last one, and None if nobody can move there.
    """
    bank, lane = Bank(circuit.engine, 1, seed=1), [0]
    bank.load(lane, circuit.bits(position)[None, :])
    positions = []
    for number in inputs:
        positions.append(packed(bank.save(lane)[0]))
        bank.give(lane, np.array([[number]]))
        bank.tick()
        if bank.is_ended(lane)[0] or number not in bank.legal(0):
            return positions, -1
    bank.look()
    if bank.is_ended(lane)[0]:
        return positions, int(bank.goals(lane)[0, 0])
    return positions, -1 if len(bank.legal(0)) else None
