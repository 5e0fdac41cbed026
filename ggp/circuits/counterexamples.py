"""Look for positions of random play in which something holds that never should, and remember what led there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ggp.circuits.circuit import Circuit
from ggp.circuits.simulate import Tick, playouts, unpack, values
from ggp.circuits.work import Work
from ggp.core.arraytypes import Bools, Ints, Longs, Words

LANES = 512
_STEPS = 4_000
"""Steps of all lanes at most."""
_TICK, _GATE_WORDS, _CHOICES = 300, 300, 8
"""Work of a step, as for samples: so many gates, and choices of moves, times words, are one unit."""


@dataclass(frozen=True)
class Line:
    """A line of play to a counter-example: the joint moves, as numbers of inputs, and the number of what holds there.

    What holds is a goal of the circuit, in the position after the line, or a percept, with the last move of the line.
    """

    found: int
    moves: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Looked:
    """The shortest line to each goal and each percept that was seen to hold, and how many positions were looked at."""

    goals: dict[int, Line]
    percepts: dict[int, Line]
    positions: int


def look_for(circuit: Circuit, work: Work, seed: int = 1) -> Looked:
    """Play at random, on hundreds of lanes, until the work is spent."""
    words = LANES // 64
    cost = _TICK + circuit.gates * words // _GATE_WORDS + circuit.inputs * words // _CHOICES
    looked = _Looking(circuit)
    for tick in playouts(circuit, words, _STEPS, seed):
        looked.at(tick)
        work.spend(cost)
        if not work.left:
            break
    return Looked(looked.goals, looked.percepts, looked.positions)


class _Looking:
    """The moves of all lanes so far, and what was found."""

    def __init__(self, circuit: Circuit) -> None:
        self.circuit = circuit
        self.goals: dict[int, Line] = {}
        self.percepts: dict[int, Line] = {}
        self.positions = 0
        self._moves: list[Ints] = []
        self._begun = np.zeros(LANES, np.int64)
        """The tick in which each lane was in the first position."""
        self._stuck = np.zeros(LANES, np.bool_)
        """Lanes without a joint move in the tick before: where they are now play cannot come."""

    def at(self, tick: Tick) -> None:
        """Look at all lanes: first at where they came to, then at where they move from, which may be the start again."""
        number = len(self._moves)
        self.positions += int((~self._stuck).sum())
        self._note(self.goals, tick.goals, ~self._stuck, number)
        self._begun[tick.terminal | self._stuck] = number
        self._moves.append(tick.moves)
        self._stuck = np.asarray((tick.moves < 0).any(axis=0), np.bool_)
        self._note(self.percepts, values(tick.bank, self.circuit.sees_literals), ~self._stuck, number + 1)

    def _note(self, known: dict[int, Line], rows: Words, counted: Bools, end: int) -> None:
        """Keep the lines of lanes that are shorter than those that are known."""
        for found, lane in _shortest(rows, counted, end - self._begun):
            begun = int(self._begun[lane])
            if found not in known or end - begun < len(known[found].moves):
                moves = tuple(tuple(joint[:, lane].tolist()) for joint in self._moves[begun:end])
                known[found] = Line(found, moves)


def _shortest(rows: Words, counted: Bools, lengths: Longs) -> Iterator[tuple[int, int]]:
    """The rows that hold somewhere, each with the lane of the shortest line in which it does."""
    for row in np.flatnonzero(rows.any(axis=1)).tolist():
        lanes = np.flatnonzero(unpack(rows[row : row + 1])[0] & counted)
        if len(lanes):
            yield row, int(lanes[lengths[lanes].argmin()])
