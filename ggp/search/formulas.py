"""Nodes and edges as small classes, and UCD's values of an edge: equations 9 to 14 of the paper, read aloud."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from gdl.terms import Term
from ggp.machines.machine import JointMove, Situation
from ggp.search.settings import Depth


@dataclass(eq=False)
class Node:
    """A position. Its situation is asked for when a descent comes to it for the second time."""

    position: Any
    situation: Situation | None = None
    parents: list[Edge] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    """c(x): the edges that leave the node, in the order in which they were first played."""
    amaf: dict[tuple[int, Term], list[float]] = field(default_factory=dict)
    """For a role and a move: simulations in which it was played, here or later, and the sum of what it got in them."""
    first_amaf: dict[tuple[int, Term], list[float]] = field(default_factory=dict)
    """The same for the simulations whose descent ended with an edge that leaves the node."""
    groups: Any = None
    """Where moves are chosen by groups: the `NodeGroups` of the queue; None before it is made."""
    queue: list[Term] = field(default_factory=list)
    """Where at most one role has a choice: its moves; those that have an edge come first, in the order of the edges."""


@dataclass(eq=False)
class Edge:
    """A joint move at a node, with the payoffs of the descents that went through it."""

    origin: Node
    joint: JointMove
    total: list[float]
    """Sum of the payoffs, for each role."""
    first_total: list[float]
    """Sum of those of descents that ended here: μ′·n′."""
    end: Node | None = None
    n: int = 0
    first_n: int = 0
    """n′"""

    @property
    def children(self) -> list[Edge]:
        """c(e): the edges that leave the edge's end."""
        return self.end.edges if self.end else []


def added(values: Iterable[float]) -> float:
    """The sum, rounded after each addition as the kernels do; `sum` is more exact, and ties would be broken elsewhere."""
    total = 0.0
    for value in values:
        total += value
    return total


def heard(x: Node, role: int, move: Term, depth: int) -> tuple[float, float]:
    """What a node knows of a role's move that was played there or later: how often, and the sum of what it got.

    Of depth 1: mixed from what is known at the ends of its edges, as RAVE UCD has it (section 4.3).
    """
    key = role, move
    if depth == 0:
        n, total = x.amaf.get(key, (0.0, 0.0))
        return n, total
    n, total = x.first_amaf.get(key, (0.0, 0.0))
    for e in x.edges:
        if e.end is not None and e.joint[role] == move:
            n += sum(f.n for f in e.end.edges)
            total += added(f.total[role] for f in e.end.edges)
        elif e.end is not None:
            known = e.end.amaf.get(key, (0.0, 0.0))
            n, total = n + known[0], total + known[1]
    return n, total


class Values:
    """Equations 9 to 14 for a graph as it stands. Every value is computed once: drop this when the graph has changed."""

    def __init__(self) -> None:
        self._sums: dict[tuple[Edge, int, Depth], float] = {}
        self._counts: dict[tuple[Edge, Depth], float] = {}

    def mean(self, e: Edge, role: int, d: Depth) -> float:
        """μ_d(e) for a role: equations 9, 10 and 14."""
        if d == 0:
            return e.total[role] / e.n if e.n else 0.0
        n = e.first_n + sum(f.n for f in e.children)
        return (e.first_total[role] + added(self._weighted(f, role, d - 1) for f in e.children)) / n if n else 0.0

    def count(self, e: Edge, d: Depth) -> float:
        """n_d(e): equations 11 and 12."""
        if d == 0:
            return e.n
        key = e, d
        if key not in self._counts:
            self._counts[key] = e.n  # what an edge of a cycle finds if it comes to itself again
            self._counts[key] = e.first_n + added(self.count(f, d - 1) for f in e.children)
        return self._counts[key]

    def total(self, x: Node, d: Depth) -> float:
        """p_d of the edges that leave x: equation 13."""
        return added(self.count(f, d) for f in x.edges)

    def _weighted(self, e: Edge, role: int, d: Depth) -> float:
        """μ_d(e) · n(e)."""
        if d == 0:
            return e.total[role]
        key = e, role, d
        if key not in self._sums:
            self._sums[key] = e.total[role]
            self._sums[key] = self.mean(e, role, d) * e.n
        return self._sums[key]
