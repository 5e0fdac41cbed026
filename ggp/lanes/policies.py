"""How roles choose their moves in playouts, as gates: one class for each policy.

A policy is made for one circuit, and says at each step of a lap which inputs a role is to choose from; of those, each is
as likely. It may have parameters, in memory rows of its own: so many bits for each lane, which whoever runs the program
sets as he likes. A program is a policy and the evidence that it leaves (`Evidence`): any policy goes with any.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from itertools import pairwise

from ggp.circuits.circuit import Circuit
from ggp.lanes.foresight import Foresight
from ggp.lanes.network import FALSE, Literals, Network, read
from ggp.lanes.phases import Phases

ALWAYS_WORTH = 10_000
"""Operations of a step that are always worth it: up to there, a search's graph takes longer than its playouts."""


class Evidence(IntEnum):
    """What a playout leaves behind, besides its goals."""

    NONE = 0
    LAST = 1
    """The inputs of the last step: with the generator as it was, a playout can be played once more, move by move."""
    PLAYED = 2
    """All inputs that were played since the lane was loaded."""


class Uniform:
    """Any legal move; other policies leave some of them out."""

    evidence = Evidence.NONE
    """What it learns from."""
    rows = 0
    """Rows of parameters."""
    is_stepwise = False
    """Whether lanes are looked at after each step, and then told what they prefer: `searchlaps.stride`."""

    def __init__(self, circuit: Circuit, phases: Phases) -> None:
        self._circuit, self._phases = circuit, phases

    def choices(self, net: Network, step: int, value: Literals, parameters: Literals) -> Literals:  # noqa: ARG002
        """The inputs to choose from at a step of a lap, given the position cone and the parameters of the lanes.

        It may raise `TooWideError`: that takes too many gates in this game.
        """
        legal: Literals = read(value, self._circuit.legal)
        return legal

    def is_worth(self, size: int, uniform: int, steps: int) -> bool:  # noqa: ARG002 (what others ask for)
        """Whether a program of so many operations is worth having where uniform play takes so many. `steps`: of both."""
        return True


class Decisive(Uniform):
    """Decisive and anti-decisive moves (Teytaud and Teytaud 2010): one that wins at once; none that lets the next win."""

    def __init__(self, circuit: Circuit, phases: Phases) -> None:
        super().__init__(circuit, phases)
        self._foresight = Foresight(circuit, phases)

    def choices(self, net: Network, step: int, value: Literals, parameters: Literals) -> Literals:  # noqa: ARG002
        """Those that foresight leaves."""
        return self._foresight.choices(net, step, value)

    def is_worth(self, size: int, uniform: int, steps: int) -> bool:
        """Where it changes anything, and does not take much longer."""
        return uniform < size <= max(ALWAYS_WORTH * steps, 2 * uniform)


class Preferred(Uniform):
    """Of the moves that another policy leaves, one that the lane prefers, if there is any: a row of bits an input."""

    evidence = Evidence.PLAYED
    among: type[Uniform] = Uniform
    """The other policy."""

    def __init__(self, circuit: Circuit, phases: Phases) -> None:
        super().__init__(circuit, phases)
        self.rows = circuit.inputs
        self._among = self.among(circuit, phases)

    def choices(self, net: Network, step: int, value: Literals, parameters: Literals) -> Literals:
        """Each role: what the other policy leaves and the lane prefers; all that it leaves, where nothing is."""
        left = self._among.choices(net, step, value, parameters)
        for lo, hi in pairwise(self._circuit.role_starts.tolist()):
            if (left[lo:hi] != FALSE).sum() > 1:
                liked = net.each_and(left[lo:hi], parameters[lo:hi])
                left[lo:hi] = net.each_mux(net.any(liked), liked, left[lo:hi])
        return left

    def is_worth(self, size: int, uniform: int, steps: int) -> bool:
        """As the other policy says."""
        return self._among.is_worth(size, uniform, steps)


class Replying(Uniform):
    """A legal move that the lane was told to prefer in this step, if there is one: told again before each step.

    Wanted are games in which one role decides at a time, that is known beforehand, and several play.
    """

    is_stepwise = True

    def __init__(self, circuit: Circuit, phases: Phases) -> None:
        super().__init__(circuit, phases)
        self.rows = circuit.inputs


class Contextual(Replying):
    """The best tile with what the role played before; learned from all that was played."""

    evidence = Evidence.PLAYED


class PreferredDecisive(Preferred):
    """Of the decisive and anti-decisive moves, one that the lane prefers."""

    among = Decisive


POLICIES: Mapping[str, type[Uniform]] = {
    "uniform": Uniform,
    "decisive": Decisive,
    "mast": Preferred,
    "decisive+mast": PreferredDecisive,
    "contextual": Contextual,
    "lgr": Replying,
    "forest": Replying,
    "nst": Replying,
    "ppa": Replying,
}
"""The policies, by the names that players' options know them by."""
