"""Phases: bases that are known from the step number alone, such as whose turn it is.

If some bases run through a pattern of period p whatever is played, p consecutive steps can be p different
circuits, each with those bases folded to constants. In a turn-taking game each of them has half the gates,
and the role whose only legal move is to wait needs no choice at all.

A pattern is proved by induction, with three-valued simulation: assume it at phase t and nothing about the
other bases, and it must follow at phase t+1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ggp.circuits.circuit import Circuit
from ggp.kernels import kernel

UNKNOWN = 2
PERIODS = (1, 2, 3, 4, 6, 8)
GATES_PER_CHOICE = 15  # of a legal input: what `choice` spends on it, roughly
TYPICAL_LENGTH = 40  # of a game in steps: a lane that ends idles for the rest of its lap

Values = npt.NDArray[np.uint8]  # 0, 1 or UNKNOWN


@dataclass(frozen=True, eq=False)
class Phases:
    """`known[t, i]` is the value of base i at steps t, t + period, ... or UNKNOWN."""

    known: Values

    @property
    def period(self) -> int:
        """How many steps it takes for the pattern to come again."""
        return len(self.known)


@kernel
def _simulate(left, right, lo, hi, value):  # type: ignore[no-untyped-def]
    """Three-valued evaluation of gates lo..hi-1. value: uint8 [gates], 0, 1 or 2 (unknown)."""
    for g in range(lo, hi):
        x, y = value[left[g] >> 1], value[right[g] >> 1]
        if x != 2:
            x ^= left[g] & 1
        if y != 2:
            y ^= right[g] & 1
        if x == 0 or y == 0:
            value[g] = 0
        elif x == 1 and y == 1:
            value[g] = 1
        else:
            value[g] = 2


def _read(value: Values, literals: npt.NDArray[np.int32]) -> Values:
    x = value[literals >> 1]
    return np.where(x == UNKNOWN, UNKNOWN, x ^ (literals & 1)).astype(np.uint8)


def _evaluate(circuit: Circuit, lo: int, hi: int, value: Values) -> None:
    at = lo
    for start, stop in circuit.loops.tolist():
        if lo <= start < hi:
            _simulate(circuit.left, circuit.right, at, start, value)
            value[start:stop] = UNKNOWN
            at = stop
    _simulate(circuit.left, circuit.right, at, hi, value)


def _step(circuit: Circuit, bases: Values) -> tuple[Values, int]:
    """The bases one step later, and a cost: gates that stay unknown, and the choice."""
    value = np.zeros(circuit.gates, np.uint8)
    value[1 : 1 + circuit.bases] = bases
    value[1 + circuit.bases : circuit.first] = UNKNOWN
    _evaluate(circuit, circuit.first, circuit.cut, value)
    legal = _read(value, circuit.legal)
    choices = 0
    for lo, hi in zip(circuit.role_starts[:-1].tolist(), circuit.role_starts[1:].tolist(), strict=True):
        possible = lo + np.flatnonzero(legal[lo:hi])
        does = value[1 + circuit.bases + lo : 1 + circuit.bases + hi]
        does[:] = np.where(legal[lo:hi] == 0, 0, UNKNOWN)
        if len(possible) == 1 and legal[possible[0]] == 1:
            does[possible - lo] = 1
        else:
            choices += len(possible)
    _evaluate(circuit, circuit.cut, circuit.gates, value)
    cost = int((value[circuit.first :] == UNKNOWN).sum()) + GATES_PER_CHOICE * choices
    return _read(value, circuit.next), cost


def _prove(circuit: Circuit, period: int) -> tuple[Phases, float]:
    """The largest pattern of this period, and the mean cost of a step."""
    state = circuit.initial.astype(np.uint8)
    pattern = []
    for _ in range(period):
        pattern.append(state)
        state, _ = _step(circuit, state)
    known = np.array(pattern)
    known[:, (known == UNKNOWN).any(axis=0) | (state != known[0])] = UNKNOWN
    while True:
        costs, fails = [], np.zeros(circuit.bases, bool)
        for t in range(period):
            after, cost = _step(circuit, known[t])
            costs.append(cost)
            want = known[(t + 1) % period]
            fails |= (want != UNKNOWN) & (after != want)
        if not fails.any():
            return Phases(known), sum(costs) / period
        known[:, fails] = UNKNOWN


def find_phases(circuit: Circuit, periods: tuple[int, ...] = PERIODS) -> Phases:
    """The period with the cheapest step, counting the half lap that a lane idles when it ends."""
    found = [_prove(circuit, p) for p in periods]
    price = [cost * (1 + (p.period - 1) / 2 / TYPICAL_LENGTH) for p, cost in found]
    return found[int(np.argmin(price))][0]
