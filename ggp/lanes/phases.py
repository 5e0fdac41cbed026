"""Phases: bases that are known from the step number alone, such as whose turn it is.

If some bases run through a pattern of period p whatever is played, p consecutive steps can be p different
circuits, each with those bases folded to constants. In a turn-taking game each of them has half the gates,
and the role whose only legal move is to wait needs no choice at all.

A pattern is proved by induction, with three-valued simulation: assume it at phase t and nothing about the
other bases, and it must follow at phase t+1. What does not follow is given up, and what followed from it alone, so that
all gates are looked at a few times, however long such chains are (a step counter is one of hundreds).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from ggp.circuits.circuit import Circuit
from ggp.core.arraytypes import Bools, Bytes, Doubles, Int, Ints, Longs
from ggp.core.kernels import borrowing, inlined, kernel

UNKNOWN = 2
PERIODS = (1, 2, 3, 4, 6, 8)
GATES_PER_CHOICE = 15  # of a legal input: what `choice` spends on it, roughly
TYPICAL_LENGTH = 40  # of a game in steps: a lane that ends idles for the rest of its lap

Values: TypeAlias = Bytes
"""0, 1 or UNKNOWN."""


@dataclass(frozen=True, eq=False)
class Phases:
    """`known[t, i]` is the value of base i at steps t, t + period, ... or UNKNOWN."""

    known: Values

    @property
    def period(self) -> int:
        """How many steps it takes for the pattern to come again."""
        return len(self.known)


def find_phases(circuit: Circuit, periods: tuple[int, ...] = PERIODS) -> Phases:
    """The period with the cheapest step, counting the half lap that a lane idles when it ends."""
    gates, c = circuit.gates, circuit
    facts = _Facts(
        left=c.left,
        right=c.right,
        first=c.first,
        cut=c.cut,
        loops=c.loops,
        next=c.next,
        legal=c.legal,
        role_starts=c.role_starts,
        role_of=np.repeat(np.arange(c.roles, dtype=np.int32), np.diff(c.role_starts)),
        bases=c.bases,
        users=_Lists(*_lists(np.concatenate([c.left, c.right]) >> 1, gates)),
        bases_of=_Lists(*_lists(c.next >> 1, gates)),
        inputs_of=_Lists(*_lists(c.legal >> 1, gates)),
    )
    known = np.empty((len(periods), max(periods), c.bases), np.uint8)
    costs = np.empty(len(periods))
    _prove_all(facts, c.initial.astype(np.uint8), np.array(periods), known, costs)
    price = costs * (1 + (np.array(periods) - 1) / 2 / TYPICAL_LENGTH)
    best = int(np.argmin(price))
    return Phases(known[best, : periods[best]].copy())


class _Lists(NamedTuple):
    """A list of numbers for each gate: `item[start[g]:start[g + 1]]`."""

    start: Ints
    item: Ints


class _Facts(NamedTuple):
    """A circuit as the kernels see it."""

    left: Ints
    right: Ints
    first: int
    cut: int
    loops: Ints
    next: Ints
    legal: Ints
    role_starts: Ints
    role_of: Ints
    """[inputs]"""
    bases: int
    users: _Lists
    """Positions in left and right, one after the other."""
    bases_of: _Lists
    inputs_of: _Lists


@kernel
def _lists(gate: Ints, gates: int) -> tuple[Ints, Ints]:
    """For each gate the positions at which it stands."""
    start, item = np.zeros(gates + 1, np.int32), np.empty(len(gate), np.int32)
    for g in gate:
        start[g + 1] += 1
    for g in range(gates):
        start[g + 1] += start[g]
    at = start[:-1].copy()
    for i in range(len(gate)):
        item[at[gate[i]]] = i
        at[gate[i]] += 1
    return start, item


@inlined
def _read(value: Values, literal: Int) -> Int:
    x = value[literal >> 1]
    return int(x if x == UNKNOWN else x ^ (literal & 1))


@inlined
def _gate(f: _Facts, value: Values, g: Int) -> int:
    """The value of a gate by those of its operands."""
    x, y = _read(value, f.left[g]), _read(value, f.right[g])
    if x == 0 or y == 0:
        return 0
    return 1 if x == 1 and y == 1 else UNKNOWN


@borrowing
def _evaluate(f: _Facts, lo: int, hi: int, value: Values) -> None:
    """Gates lo..hi-1. What is in a cycle is unknown."""
    value[lo:hi] = 0
    for start, end in f.loops:
        if lo <= start < hi:
            value[start:end] = UNKNOWN
    for g in range(lo, hi):
        if value[g] != UNKNOWN:
            value[g] = _gate(f, value, g)


@borrowing
def _choose(f: _Facts, value: Values, only: Longs) -> int:
    """The inputs, given the position cone; how many there are to choose from.

    What is not legal is not played, and what is certainly legal and nothing else may be is played: of each role the
    input `only`, -1: there is none.
    """
    choices, inputs = 0, 1 + f.bases
    for role in range(len(f.role_starts) - 1):
        possible, some = 0, 0
        for j in range(f.role_starts[role], f.role_starts[role + 1]):
            value[inputs + j] = 0
            if _read(value, f.legal[j]) != 0:
                value[inputs + j] = UNKNOWN
                possible, some = possible + 1, j
        only[role] = -1
        if possible == 1 and _read(value, f.legal[some]) == 1:
            value[inputs + some], only[role] = 1, some
        else:
            choices += possible
    return choices


@borrowing
def _step(f: _Facts, bases: Values, value: Values, only: Longs) -> None:
    """All gates, given the bases."""
    value[0] = 0
    for b in range(f.bases):
        value[1 + b] = bases[b]
    _evaluate(f, f.first, f.cut, value)
    _choose(f, value, only)
    _evaluate(f, f.cut, len(f.left), value)


@inlined
def _forget(value: Values, waiting: Ints, count: int, g: Int) -> int:
    """A gate is unknown from now on. How many wait to be told to their users."""
    if value[g] != UNKNOWN:
        value[g] = UNKNOWN
        waiting[count] = g
        return count + 1
    return count


@borrowing
def _spread(f: _Facts, value: Values, only: Longs, waiting: Ints, count: int, lost: Bools) -> None:
    """Tell the users of the gates that wait, and theirs. Marks the bases that are unknown a step later."""
    inputs, gates = 1 + f.bases, len(f.left)
    while count:
        count -= 1
        g = waiting[count]
        for i in range(f.users.start[g], f.users.start[g + 1]):
            user = f.users.item[i]
            user -= gates if user >= gates else 0
            if user >= f.first and value[user] != UNKNOWN and _gate(f, value, user) == UNKNOWN:
                count = _forget(value, waiting, count, user)
        for i in range(f.bases_of.start[g], f.bases_of.start[g + 1]):
            lost[f.bases_of.item[i]] = True
        for i in range(f.inputs_of.start[g], f.inputs_of.start[g + 1]):
            j = f.inputs_of.item[i]
            count = _forget(value, waiting, count, inputs + j)
            role = f.role_of[j]
            if only[role] >= 0:
                count = _forget(value, waiting, count, inputs + only[role])
                only[role] = -1


@kernel
def _prove_all(f: _Facts, initial: Values, periods: Longs, known: Values, costs: Doubles) -> None:
    """For each period the largest pattern, and the mean cost of a step: gates that stay unknown, and the choice."""
    gates, longest = len(f.left), known.shape[1]
    value, only = np.zeros((longest, gates), np.uint8), np.empty((longest, len(f.role_starts) - 1), np.int64)
    states = np.empty((longest + 1, f.bases), np.uint8)
    states[0] = initial
    for t in range(longest):
        _step(f, states[t], value[0], only[0])
        for b in range(f.bases):
            states[t + 1, b] = _read(value[0], f.next[b])
    waiting, lost, now = np.empty(gates, np.int32), np.zeros(f.bases, np.bool_), np.empty(f.bases, np.int32)
    for number in range(len(periods)):
        period, pattern = periods[number], known[number]
        for b in range(f.bases):
            fails = states[period, b] != states[0, b]
            for t in range(period):
                pattern[t, b] = states[t, b]
                fails = fails or states[t, b] == UNKNOWN
            for t in range(period if fails else 0):
                pattern[t, b] = UNKNOWN
        for t in range(period):
            _step(f, pattern[t], value[t], only[t])
        for t in range(period):
            for b in range(f.bases):
                want = pattern[(t + 1) % period, b]
                lost[b] = lost[b] or (want != UNKNOWN and _read(value[t], f.next[b]) != want)
        while True:
            gone = 0
            for b in range(f.bases):
                if lost[b] and pattern[0, b] != UNKNOWN:
                    now[gone] = b
                    gone += 1
                    for t in range(period):
                        pattern[t, b] = UNKNOWN
                lost[b] = False
            if not gone:
                break
            for t in range(period):
                count = 0
                for i in range(gone):
                    count = _forget(value[t], waiting, count, 1 + now[i])
                _spread(f, value[t], only[t], waiting, count, lost)
        costs[number] = 0.0
        for t in range(period):
            cost = GATES_PER_CHOICE * _choose(f, value[t], only[t])
            for g in range(f.first, gates):
                cost += value[t, g] == UNKNOWN
            costs[number] += cost / period
