"""Steps of a circuit copied one after another into a network that begins and ends in rows of memory."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from ggp.circuits.circuit import Circuit
from ggp.core.arraytypes import Bools, Ints, Longs
from ggp.core.kernels import kernel
from ggp.lanes.choice import Luck, choose
from ggp.lanes.memory import rows_of
from ggp.lanes.network import FALSE, TRUE, Fixpoint, Literal, Literals, Network, read
from ggp.lanes.phases import UNKNOWN, Phases

UNDEFINED = -1
"""Instead of a literal."""
_NODES_PER_INPUT = 20
"""What the choice of a move spends on each input, and taking over a given move."""
_SPARE = 4096
"""Nodes that there is room for beside those of the steps."""


class Unrolling:
    """A network under construction, and what the gates of a circuit are in it.

    The literals of one position are one per gate (`position`): those of gates that nobody has asked for are undefined.
    """

    def __init__(self, circuit: Circuit, phases: Phases, steps: int) -> None:
        """`steps`: how many there will be, roughly (where roles wait at known steps they take less); 0: no moves."""
        self.circuit, self.phases = circuit, phases
        nodes = steps * (circuit.gates + _NODES_PER_INPUT * circuit.inputs) if steps else circuit.cut
        self.net, self.rows = Network(_SPARE + nodes), rows_of(circuit, phases)
        self.luck = Luck(self.net, self.rows.ring)
        self.inputs = slice(1 + circuit.bases, circuit.first)
        """The gates that are inputs."""
        self.next_row = self.rows.total
        """Of feedback values: every copy of a cycle has its own. Whoever needs rows after `total` takes them first."""
        self._feedback = [_feedback(circuit, lo, hi) for lo, hi in circuit.loops.tolist()]

    def leaf(self, row: int) -> Literal:
        """What a row holds at the beginning."""
        return self.net.leaf(row)

    def leaves(self, start: int, end: int) -> Literals:
        """What some rows hold at the beginning."""
        return self.net.leaves(range(start, end))

    def known(self, t: int, bases: Literals) -> Literals:
        """The bases at step t, where they are known as constants."""
        known = self.phases.known[t % self.phases.period]
        found: Literals = np.where(known == UNKNOWN, bases, known)
        return found

    def unknown(self, t: int, bases: Literals) -> dict[int, Literal]:
        """The bases that are not known at step t, to be stored."""
        at = np.flatnonzero(self.phases.known[t % self.phases.period] == UNKNOWN)
        return dict(zip(at.tolist(), bases[at].tolist(), strict=True))

    def refilled(self, bases: Literals, mask: Literal) -> Literals:
        """The initial position in the lanes of the mask. Known bases stay known: refilling happens at phase 0."""
        initial = self.circuit.initial.astype(np.int64)
        return self.known(0, self.net.each_and(bases ^ initial, mask ^ 1) ^ initial)

    def position(self, bases: Literals) -> Literals:
        """A literal per gate; so far only the leaves are defined."""
        value = np.full(self.circuit.gates, UNDEFINED, np.int64)
        value[0], value[1 : 1 + len(bases)] = FALSE, bases
        return value

    def outcome(self, value: Literals) -> tuple[Literal, Literals]:
        """Whether the position is terminal, and its goal literals."""
        c = self.circuit
        self._copy(value, c.first, c.cut, np.append(c.goal_literals, c.terminal))
        return int(read(value, c.terminal)), read(value, c.goal_literals)

    def legal(self, value: Literals, *, to_go_on: bool = False) -> Literals:
        """Which inputs are legal. `to_go_on`: all that the next position needs of this one is copied with them."""
        c = self.circuit
        self._copy(value, c.first, c.cut, np.concatenate([c.legal, c.next]) if to_go_on else c.legal)
        found: Literals = read(value, c.legal)
        return found

    def move(self, value: Literals, choices: Callable[[Literals], Literals] | None = None) -> Literal:
        """Choose a move for each role: defines the inputs. Returns whether every role has a legal move.

        `choices`: given the position cone, the literals of the inputs to choose from, if not all that are legal.
        """
        legal = self.legal(value, to_go_on=True)
        if choices is not None:
            legal = choices(value)
        free = TRUE
        for lo, hi in pairwise(self.circuit.role_starts.tolist()):
            value[self.inputs][lo:hi], some = choose(self.net, legal[lo:hi], self.luck)
            free = self.net.land(free, some)
        return free

    def next(self, value: Literals) -> Literals:
        """The bases of the next position."""
        c = self.circuit
        self._copy(value, c.cut, c.gates, c.next)
        bases: Literals = read(value, c.next)
        return bases

    def _copy(self, value: Literals, lo: int, hi: int, targets: Ints) -> None:
        """Define value[g] for the gates in lo..hi-1 that the target literals need, where that is not done."""
        c, net = self.circuit, self.net
        wanted = np.zeros(c.gates, np.bool_)
        wanted[targets >> 1] = True
        inside = np.flatnonzero((c.loops[:, 0] >= lo) & (c.loops[:, 0] < hi))
        _mark(c.left, c.right, lo, c.loops[inside], wanted)
        gates = lo + np.flatnonzero(wanted[lo:hi] & (value[lo:hi] == UNDEFINED))
        edges = np.searchsorted(gates, c.loops[inside])
        at = 0
        for number, (start, end) in zip(inside.tolist(), edges.tolist(), strict=True):
            if start < end:
                net.copy(c.left, c.right, gates[at:start], value)
                self._copy_loop(value, gates[start:end], self._feedback[number])
                at = end
        net.copy(c.left, c.right, gates[at:], value)

    def _copy_loop(self, value: Literals, gates: Longs, back: Ints) -> None:
        net, start = self.net, len(self.net)
        old = self.leaves(self.next_row, self.next_row + len(back))
        self.next_row += len(back)
        value[back] = old
        net.copy(self.circuit.left, self.circuit.right, gates, value)
        net.fixpoints.append(Fixpoint(start, len(net), old, value[back]))


def stored(row: int, literals: Literals) -> dict[int, Literal]:
    """Literals to be stored to a row and those that follow."""
    return dict(enumerate(literals.tolist(), row))


def _feedback(circuit: Circuit, lo: int, hi: int) -> Ints:
    """The gates of a cycle that are used before they are defined."""
    operands = np.stack([circuit.left[lo:hi], circuit.right[lo:hi]]) >> 1
    return np.unique(operands[(operands >= np.arange(lo, hi)) & (operands < hi)])


@kernel
def _mark(left: Ints, right: Ints, first: int, loops: Ints, wanted: Bools) -> None:
    """Extend wanted (bool [gates]) to all that it needs; all of a cycle if any of it."""
    g = len(left) - 1
    k = len(loops) - 1
    while g >= first:
        if k >= 0 and g == loops[k, 1] - 1:
            lo, hi = loops[k, 0], loops[k, 1]
            some = False
            for i in range(lo, hi):
                some = some or wanted[i]
            if some:
                for i in range(lo, hi):
                    wanted[left[i] >> 1] = True
                    wanted[right[i] >> 1] = True
            for i in range(lo, hi):
                wanted[i] = some
            g, k = lo - 1, k - 1
            continue
        if wanted[g]:
            wanted[left[g] >> 1] = True
            wanted[right[g] >> 1] = True
        g -= 1
