"""Which row of the lanes' memory holds what."""

from __future__ import annotations

from dataclasses import dataclass

from ggp.circuits.circuit import Circuit
from ggp.lanes.choice import RING
from ggp.lanes.phases import Phases


@dataclass(frozen=True)
class Rows:
    """Which memory row holds what, the same for all programs of a circuit. Hot rows come first."""

    bases: int
    inputs: int
    goals: int
    period: int = 1

    @property
    def ring(self) -> int:
        """The last words of the random generator."""
        return self.bases

    @property
    def done(self) -> int:
        """Lanes that ended in an earlier phase of the last lap and wait to be refilled."""
        return self.ring + RING

    @property
    def fresh(self) -> int:
        """Lanes refilled since this row was last cleared: the others may be over the step limit."""
        return self.done + 1

    @property
    def waits(self) -> int:
        """Rollouts: a row for each step of a lap but the last, with the lanes that begin only after it. Playouts: number
        of lanes, per word, that waited from that step on.
        """
        return self.fresh + 1

    @property
    def ended(self) -> int:
        """Playouts: number of games that ended within a lap, per word. Ticks: lanes whose position is terminal."""
        return self.waits + self.period - 1

    @property
    def stuck(self) -> int:
        """The same for lanes with a role that had no legal move."""
        return self.ended + 1

    @property
    def replaced(self) -> int:
        """Playouts: number of games whose end was found, and replaced, at the start of a lap: their lanes do not wait."""
        return self.stuck + 1

    @property
    def goal(self) -> int:
        """Playouts: number of games that ended with this goal, per word; see `goals.counted`. Ticks: its literal."""
        return self.replaced + 1

    @property
    def given(self) -> int:
        """Lanes whose joint move is given; cleared by the tick that plays it."""
        return self.goal + self.goals

    @property
    def moves(self) -> int:
        """The given move, one row per input."""
        return self.given + 1

    @property
    def legal(self) -> int:
        """Legal moves of the position before the tick, one row per input."""
        return self.moves + self.inputs

    @property
    def total(self) -> int:
        """Feedback values of positive cycles and slots of intermediate values come after these."""
        return self.legal + self.inputs


def rows_of(circuit: Circuit, phases: Phases) -> Rows:
    """The rows of a circuit's programs."""
    return Rows(circuit.bases, circuit.inputs, len(circuit.goal_literals), phases.period)
