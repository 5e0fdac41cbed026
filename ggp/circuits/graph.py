"""The and-inverter graph while it is built and rewritten: structural hashing, constants folded.

Literals are as in `circuit`. A *feedback* gate stands for an atom of a positive cycle: it is a leaf for
every pass, and `feedback[gate]` is the literal it repeats; a *group* is the feedback gates of one strongly
connected component.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ggp.circuits.errors import TooLargeError

FALSE, TRUE = 0, 1


class Graph:
    """A growing and-inverter graph; gate 0 is false, then the leaves, then AND gates in operand order."""

    def __init__(self, leaves: int, limit: int = 20_000_000) -> None:
        self.leaves = leaves
        self.limit = limit
        self.left = [0] * (1 + leaves)
        self.right = [0] * (1 + leaves)
        self.known: dict[tuple[int, int], int] = {}
        self.feedback: dict[int, int] = {}
        self.groups: list[list[int]] = []

    def __len__(self) -> int:
        return len(self.left)

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
    """A graph with its outputs. `atoms` maps ground atoms to literals, for tracing bits back."""

    graph: Graph
    bases: int
    inputs: int
    next: list[int]
    legal: list[int]
    terminal: int
    goals: list[int]
    sees: list[int]
    atoms: dict[int, int] = field(default_factory=dict)

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

    def reachable(self) -> list[bool]:
        """Which gates some output needs; a feedback gate needs its definition."""
        graph = self.graph
        live = [False] * len(graph)
        if not graph.feedback:
            return self._reachable_backwards(live)
        stack = [x >> 1 for x in self.outputs()]
        while stack:
            gate = stack.pop()
            if live[gate]:
                continue
            live[gate] = True
            if gate in graph.feedback:
                stack.append(graph.feedback[gate] >> 1)
            elif gate > graph.leaves:
                stack.append(graph.left[gate] >> 1)
                stack.append(graph.right[gate] >> 1)
        return live

    def _reachable_backwards(self, live: list[bool]) -> list[bool]:
        """Without feedback, operands come before their users: one sweep is enough."""
        left, right = self.graph.left, self.graph.right
        for x in self.outputs():
            live[x >> 1] = True
        for gate in range(len(live) - 1, self.graph.leaves, -1):
            if live[gate]:
                live[left[gate] >> 1] = live[right[gate] >> 1] = True
        return live

    def size(self) -> int:
        """Live AND gates, feedback gates included."""
        return sum(self.reachable()[1 + self.graph.leaves :])
