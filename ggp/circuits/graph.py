"""The and-inverter graph while it is built and rewritten: structural hashing, constants folded.

Literals are as in `circuit`. A *feedback* gate stands for an atom of a positive cycle: it is a leaf for
every pass, and `feedback[gate]` is the literal it repeats; a *group* is the feedback gates of one strongly
connected component.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ggp.core.arraytypes import Bools, Ints
from ggp.core.errors import TooLargeError
from ggp.core.kernels import kernel

FALSE, TRUE = 0, 1


class Graph:
    """A growing and-inverter graph; gate 0 is false, then the leaves, then AND gates in operand order."""

    def __init__(self, leaves: int, limit: int = 20_000_000) -> None:
        self.leaves = leaves
        self.limit = limit
        self._arrays = np.zeros(1 + leaves, np.int32), np.zeros(1 + leaves, np.int32)
        self.known: dict[tuple[int, int], int] = {}
        self.feedback: dict[int, int] = {}
        self.groups: list[list[int]] = []

    @classmethod
    def of(cls, leaves: int, limit: int, left: Ints, right: Ints) -> Graph:
        """The graph of gates with these operands."""
        graph = cls(leaves, limit)
        graph._arrays = left, right
        return graph

    @cached_property
    def left(self) -> list[int]:
        """The first operand of each gate: made a list where Python wants it, as that takes longer than most kernels."""
        return self._arrays[0].tolist()

    @cached_property
    def right(self) -> list[int]:
        """The second operand of each gate."""
        return self._arrays[1].tolist()

    def arrays(self) -> tuple[Ints, Ints]:
        """Both operands of each gate, not to be written to."""
        if "left" in self.__dict__ or "right" in self.__dict__:  # the lists may have changed
            return np.array(self.left, np.int32), np.array(self.right, np.int32)
        return self._arrays

    def __len__(self) -> int:
        return len(self.left) if "left" in self.__dict__ else len(self._arrays[0])

    def is_leaf(self, gate: int) -> bool:
        """Constant, base, input or feedback gate?"""
        return gate <= self.leaves or gate in self.feedback

    def land(self, x: int, y: int) -> int:
        """Literal of x AND y, with the two-level rules that need no new gate or only one."""
        if x > y:
            x, y = y, x
        if x == FALSE or x == y ^ 1:
            return FALSE
        if x in (TRUE, y):
            return y
        found = self.known.get((x, y))
        if found is not None:
            return found
        simpler = self._two_levels(x, y)
        if simpler is not None:
            return simpler
        gate = len(self.left)
        if gate > self.limit:
            raise TooLargeError(f"more than {self.limit:,} gates")
        self.left.append(x)
        self.right.append(y)
        self.known[x, y] = 2 * gate
        return 2 * gate

    def _two_levels(self, x: int, y: int) -> int | None:
        """Contradiction, idempotence, subsumption and substitution with an operand's operands."""
        for p, q in ((x, y), (y, x)):
            gate = q >> 1
            if gate <= self.leaves or gate in self.feedback:
                continue
            a, b = self.left[gate], self.right[gate]
            if not q & 1:
                if p in (a, b):
                    return q
                if p ^ 1 in (a, b):
                    return FALSE
                other = p >> 1
                if other > self.leaves and other not in self.feedback:
                    c, d = self.left[other], self.right[other]
                    if not p & 1:
                        if a ^ 1 in (c, d) or b ^ 1 in (c, d):
                            return FALSE
                    elif a ^ 1 in (c, d) or b ^ 1 in (c, d):
                        return q  # not(c d) holds already because one of a, b excludes c or d
                    elif c in (a, b):
                        return self.land(q, d ^ 1)
                    elif d in (a, b):
                        return self.land(q, c ^ 1)
            else:
                if p ^ 1 in (a, b):
                    return p
                if p == a:
                    return self.land(p, b ^ 1)
                if p == b:
                    return self.land(p, a ^ 1)
                other = p >> 1
                if p & 1 and other > self.leaves and other not in self.feedback:
                    c, d = self.left[other], self.right[other]
                    for s, t in ((a, b), (b, a)):
                        if s == c and t == d ^ 1:
                            return s ^ 1
                        if s == d and t == c ^ 1:
                            return s ^ 1
        return None

    def lor(self, x: int, y: int) -> int:
        """Literal of x OR y."""
        return self.land(x ^ 1, y ^ 1) ^ 1

    def mux(self, choice: int, yes: int, no: int) -> int:
        """Literal of (choice ? yes : no)."""
        return self.lor(self.land(choice, yes), self.land(choice ^ 1, no))

    def conjunction(self, literals: Iterable[int]) -> int:
        """AND of all, in ascending order, as a balanced tree (shared pairs hash together)."""
        row = sorted(set(literals))
        while len(row) > 1:
            row = [self.land(row[i], row[i + 1]) if i + 1 < len(row) else row[i] for i in range(0, len(row), 2)]
        return row[0] if row else TRUE

    def disjunction(self, literals: Iterable[int]) -> int:
        """OR of all."""
        return self.conjunction([x ^ 1 for x in literals]) ^ 1

    def placeholder(self) -> int:
        """A new feedback gate, its definition still missing; returns its positive literal."""
        gate = len(self.left)
        self.left.append(0)
        self.right.append(0)
        self.feedback[gate] = FALSE
        return 2 * gate


@dataclass
class Net:
    """A graph with its outputs."""

    graph: Graph
    bases: int
    inputs: int
    next: list[int]
    legal: list[int]
    terminal: int
    goals: list[int]
    sees: list[int]

    @property
    def early(self) -> list[int]:
        """Outputs of the position cone."""
        return [*self.legal, self.terminal, *self.goals]

    @property
    def late(self) -> list[int]:
        """Outputs of the move cone."""
        return [*self.next, *self.sees]

    def outputs(self) -> list[int]:
        """All outputs."""
        return self.early + self.late

    def reachable(self) -> Bools:
        """Which gates some output needs; a feedback gate needs its definition."""
        left, right = self.graph.arrays()
        if self.graph.feedback:
            left, right, gates = left.copy(), right.copy(), list(self.graph.feedback)
            left[gates] = right[gates] = list(self.graph.feedback.values())
        live: Bools = _reachable(left, right, self.graph.leaves, np.array(self.outputs(), np.int32))
        return live

    def size(self) -> int:
        """Live AND gates, feedback gates included."""
        return int(self.reachable()[1 + self.graph.leaves :].sum())


@kernel
def _reachable(left: Ints, right: Ints, leaves: int, outputs: Ints) -> Bools:
    """Which gates the outputs need; feedback gates read what they repeat."""
    live, stack, high = np.zeros(len(left), np.bool_), np.empty(len(left), np.int32), 0
    for x in outputs:
        if not live[x >> 1]:
            live[x >> 1] = True
            stack[high] = x >> 1
            high += 1
    while high:
        high -= 1
        gate = stack[high]
        if gate > leaves:
            for x in (left[gate], right[gate]):
                if not live[x >> 1]:
                    live[x >> 1] = True
                    stack[high] = x >> 1
                    high += 1
    return live
