"""The circuit: the ground program as an and-inverter graph in flat integer arrays."""

from __future__ import annotations

from dataclasses import dataclass, field, fields

import numpy as np

from ggp.core.arraytypes import Bools, Ints


@dataclass(frozen=True, eq=False)
class Circuit:
    """And-inverter graph. Literal 2*g is gate g, 2*g+1 its negation.

    Gate 0 is constant false, gates 1..bases are the base fluents, then the inputs ((role, move) pairs
    grouped by role), then two-input AND gates, operands before users (except inside `loops`). Base i and
    input j are those of the ground program, in its order.

    left, right      int32[gates]: operand literals, 0 for leaves
    bases, inputs    how many
    cut              gates first..cut-1 are the position cone (no input needed: legal, terminal, goals), gates
                     cut..gates-1 the move cone (next, sees)
    next             int32[bases]: literal of each base after the joint move
    legal            int32[inputs]: literal that says whether the input is legal
    role_starts      int32[roles+1]: the inputs of role r are role_starts[r]..role_starts[r+1]-1
    terminal         literal
    goal_*           int32[n]: literal, role and value of each goal
    sees_*           int32[n]: literal and role of each percept; the names are the ground program's
    initial          bool[bases]
    loops            int32[k,2]: ranges [lo,hi) of gates that form positive cycles: set to 0, then iterated
                     until no lane changes (the least fixpoint)
    groups           int32[n,2]: (group, base), sorted: of the bases of a group at most one holds in any reachable
                     position
    """

    left: Ints
    right: Ints
    bases: int
    inputs: int
    cut: int
    next: Ints
    legal: Ints
    role_starts: Ints
    terminal: int
    goal_literals: Ints
    goal_roles: Ints
    goal_values: Ints
    sees_literals: Ints
    sees_roles: Ints
    initial: Bools
    loops: Ints
    groups: Ints = field(default_factory=lambda: np.zeros((0, 2), np.int32))

    @property
    def gates(self) -> int:
        """All rows, leaves included."""
        return len(self.left)

    @property
    def first(self) -> int:
        """The first AND gate."""
        return 1 + self.bases + self.inputs

    @property
    def roles(self) -> int:
        """How many roles there are."""
        return len(self.role_starts) - 1

    @property
    def size(self) -> int:
        """How many AND gates there are: the number every pass tries to lower."""
        return self.gates - self.first

    def check(self) -> None:
        """Assert the shape promised above."""
        inside = np.zeros(self.gates, bool)
        for lo, hi in self.loops:
            assert self.first <= lo < hi <= self.gates
            assert (lo < self.cut) == (hi <= self.cut)
            inside[lo:hi] = True
        ands = np.arange(self.first, self.gates)
        straight = ands[~inside[ands]]
        assert (self.left[straight] >> 1 < straight).all() and (self.right[straight] >> 1 < straight).all()
        position = np.arange(self.first, self.cut)
        for operand in (self.left[position], self.right[position]):
            gate = operand >> 1
            assert ((gate <= self.bases) | ((gate >= self.first) & (gate < self.cut))).all()
        early = np.concatenate([self.legal, self.goal_literals, np.array([self.terminal])]) >> 1
        assert ((early <= self.bases) | ((early >= self.first) & (early < self.cut))).all()
        assert len(self.next) == self.bases == len(self.initial) and len(self.legal) == self.inputs

    def digest_bytes(self) -> bytes:
        """All content as bytes: equal for equal circuits (tests of determinism, caches)."""
        return b"".join(np.asarray(getattr(self, f.name)).tobytes() for f in fields(self))


def live_rows(circuit: Circuit) -> tuple[int, int]:
    """Most AND gates alive at once in the position cone and in the move cone, in the given gate order.

    A gate is alive from its evaluation to its last use inside the cone; outputs live to the end of their
    cone. Rows for leaves are not counted. This is what slot reuse could shrink a bank to.
    """
    first, cut, gates = circuit.first, circuit.cut, circuit.gates
    early = np.concatenate([circuit.legal, circuit.goal_literals, [circuit.terminal]]) >> 1
    late = np.concatenate([circuit.next, circuit.sees_literals]) >> 1
    counts = []
    for lo, hi, outputs in ((first, cut, early), (cut, gates, late)):
        last = np.full(gates, -1, np.int64)
        users = np.arange(lo, hi)
        np.maximum.at(last, circuit.left[lo:hi] >> 1, users)
        np.maximum.at(last, circuit.right[lo:hi] >> 1, users)
        if lo == first:  # what the move cone reads must survive the position cone
            used_later = np.concatenate([circuit.left[cut:], circuit.right[cut:], circuit.next]) >> 1
            last[used_later] = hi
        last[outputs] = hi
        change = np.zeros(gates + 2, np.int64)
        rows = np.arange(first, hi)
        rows = rows[last[rows] >= 0]
        np.add.at(change, np.maximum(rows, lo), 1)
        np.add.at(change, last[rows] + 1, -1)
        counts.append(int(np.cumsum(change).max(initial=0)))
    return counts[0], counts[1]
