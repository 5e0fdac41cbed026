"""Small circuits for the tests, and circuits of the project's games."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from ggp.circuits.circuit import Circuit
from tests.compiled import compiled

SMALL = ["tic_tac_toe", "connect_four", "eight_puzzle", "pentago", "pawn_whopping"]


@cache
def circuit(name: str) -> Circuit:
    """The circuit of one of the project's games."""
    return compiled(name).circuit


def _circuit(**fields: Any) -> Circuit:
    """A circuit without percepts; without cycles unless they are given."""
    fields.setdefault("loops", np.zeros((0, 2), np.int32))
    return Circuit(**fields, sees_literals=_ints(), sees_roles=_ints())


def _ints(*x: int) -> np.ndarray:
    return np.array(x, np.int32)


def reachability(edges: list[tuple[int, int]], nodes: int) -> Circuit:
    """One player switches one edge on per step; the game ends when the last node is reached from the first.

    Base e: edge e is on. Reached nodes form a positive cycle: reached(b) if reached(a) and edge(a, b).
    """
    n = len(edges)
    left, right = [0] * (1 + 2 * n), [0] * (1 + 2 * n)

    def gate(x: int, y: int) -> int:
        left.append(x)
        right.append(y)
        return 2 * len(left) - 2

    lo = len(left)
    into = [[e for e, (_, b) in enumerate(edges) if b == v] for v in range(nodes)]
    # gates of node v: for each edge into it an AND, then a chain that collects them (a NOT-AND-NOT)
    reached, at = [1], lo
    for v in range(1, nodes):
        at += 2 * max(1, len(into[v]))
        reached.append(2 * (at - 1) + 1)  # the last gate of v is "not reached"
    for v in range(1, nodes):
        collect = 1  # nothing yet: not reached
        for e in into[v]:
            way = gate(2 * (1 + e), reached[edges[e][0]])
            collect = gate(collect, way ^ 1)
        if not into[v]:
            gate(0, 0)
            collect = gate(1, 1)
        assert reached[v] == collect ^ 1
    hi = len(left)
    legal = [2 * (1 + e) + 1 for e in range(n)]
    terminal = gate(reached[-1], 1)
    cut = len(left)
    following = [gate(2 * (1 + e) + 1, 2 * (1 + n + e) + 1) ^ 1 for e in range(n)]
    return _circuit(
        left=_ints(*left),
        right=_ints(*right),
        bases=n,
        inputs=n,
        cut=cut,
        next=_ints(*following),
        legal=_ints(*legal),
        role_starts=_ints(0, n),
        terminal=terminal,
        goal_literals=_ints(terminal),
        goal_roles=_ints(0),
        goal_values=_ints(100),
        initial=np.zeros(n, bool),
        loops=np.array([[lo, hi]], np.int32),
    )


def dead_end() -> Circuit:
    """One player, two bases: from 00 to 10 or 01; 10 is terminal, 01 has no legal move."""
    left, right = [0] * 5, [0] * 5
    a, b = 2, 4
    left.append(a + 1)
    right.append(b + 1)
    start = 10
    left += [start, start]
    right += [6, 8]
    return _circuit(
        left=_ints(*left),
        right=_ints(*right),
        bases=2,
        inputs=2,
        cut=6,
        next=_ints(12, 14),
        legal=_ints(start, start),
        role_starts=_ints(0, 2),
        terminal=a,
        goal_literals=_ints(a),
        goal_roles=_ints(0),
        goal_values=_ints(70),
        initial=np.zeros(2, bool),
    )


def endless() -> Circuit:
    """One player, one base: a coin is tossed for ever (two moves, the base is the last); a game never
    ends."""
    return _circuit(
        left=_ints(0, 0, 0, 0),
        right=_ints(0, 0, 0, 0),
        bases=1,
        inputs=2,
        cut=4,
        next=_ints(4),
        legal=_ints(1, 1),
        role_starts=_ints(0, 2),
        terminal=0,
        goal_literals=_ints(),
        goal_roles=_ints(),
        goal_values=_ints(),
        initial=np.zeros(1, bool),
    )
