"""Which goals of one role may hold together where a game ends, and the highest of them.

The highest goal counts. Most rules give a role one goal only, and mostly that can be seen: what follows from one goal and
the end of the game contradicts what follows from another. The others are counted together with those above them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ggp.circuits.circuit import Circuit
from ggp.core.arraytypes import Bools, Int, Ints, Longs
from ggp.core.kernels import borrowing, kernel
from ggp.lanes.network import AND, FALSE, Literal, Literals, Network, Nodes, land, lor

_ROUNDS = 8
"""Times that conclusions go through the gates: enough for nearly all that can be concluded; fewer are sound as well."""
_WORK = 5_000_000
"""Gates times goals above which nothing is concluded."""
_HELD = 16
"""Literals that are known to hold where a game ends, and are left out of the goals."""


def rivals(circuit: Circuit) -> list[list[int]]:
    """For each role the goals that may hold together with another one of the role at the end of a game, highest first."""
    apart = _exclusive(circuit)
    roles, values = circuit.goal_roles.tolist(), circuit.goal_values.tolist()
    found = []
    for role in range(circuit.roles):
        own = sorted((i for i, r in enumerate(roles) if r == role), key=lambda i: (-values[i], i))
        found.append([i for i in own if not all(apart[i, j] for j in own if j != i)])
    return found


def counted(
    net: Network, ends: Sequence[tuple[Literal, Literals]], goals: int, rivals: Sequence[Sequence[int]]
) -> dict[int, Literal]:
    """What to count for each goal: the lanes that end with it; but of `rivals`, those that end with it or one before it.

    That takes hardly more tables than to count each apart, and `highest` finds the rest. `ends`: which lanes end, each
    but once, and the literals of the goals where they do. To be computed in this order: one is made of the one before.
    """
    contested = [i for own in rivals for i in own]
    order = np.array([*(i for i in range(goals) if i not in set(contested)), *contested], np.int64)
    begins = np.ones(goals, np.bool_)  # whether a goal of the order is counted apart from the one before
    begins[goals - len(contested) :] = [i == 0 for own in rivals for i in range(len(own))]
    counts = np.empty(goals, np.int64)
    now = np.array([end for end, _ in ends], np.int64)
    values = np.array([goal for _, goal in ends], np.int64).reshape(len(ends), goals)
    _count(net.reserve(2 * values.size), now, values, order, begins, counts)
    return dict(zip(order.tolist(), counts.tolist(), strict=True))


@kernel
def _count(net: Nodes, now: Literals, values: Literals, order: Longs, begins: Bools, counts: Literals) -> None:
    """See `counted`: literals for the goals of an order."""
    held = np.empty((len(now), _HELD), np.int64)
    above: Int = np.int64(FALSE)
    number = [_conjuncts(net, now[t], held[t]) for t in range(len(now))]
    for k in range(len(order)):
        if begins[k]:
            above = np.int64(FALSE)
        for t in range(len(now)):
            goal = _without(net, values[t, order[k]], held[t, : number[t]])
            above = lor(net, above, land(net, now[t], goal))
        counts[k] = above


@borrowing
def _conjuncts(net: Nodes, x: Int, held: Literals) -> int:
    """Literals that hold with x, as many as there is room for: how many."""
    held[0], size, at = x, 1, 0
    while at < size:
        node = net.node[held[at] >> 1]
        if held[at] & 1 == 0 and node[0] == AND and size + 2 <= len(held):
            held[size], held[size + 1] = node[1], node[2]
            size += 2
        at += 1
    return size


@borrowing
def _without(net: Nodes, x: Int, held: Literals) -> Int:
    """A literal that is the same as x wherever some others hold, mostly a simpler one."""
    again = True
    while again:
        again = False
        for y in held:
            node = net.node[x >> 1]
            if x & 1 == 0 and node[0] == AND and y in (node[1], node[2]):
                x, again = np.int64(node[2] if y == node[1] else node[1]), True
    return x


def highest(counts: Longs, rivals: Sequence[Sequence[int]]) -> Longs:
    """In how many games each goal was the role's highest, from what `counted` counts."""
    found = counts.copy()
    for own in rivals:
        found[own[1:]] -= counts[own[:-1]]
    return found


def _exclusive(circuit: Circuit) -> Bools:
    """Which two goals are proven never to hold together in a reachable position that is terminal: bool [goals, goals]."""
    goals = len(circuit.goal_literals)
    if goals * circuit.cut > _WORK:
        return np.zeros((goals, goals), np.bool_)
    outputs = np.array([*circuit.goal_literals, circuit.terminal], np.int64)
    gates = _cone(circuit.left, circuit.right, circuit.first, circuit.cut, outputs)
    known = np.zeros((goals, circuit.cut, 2), np.bool_)
    for i, goal in enumerate(circuit.goal_literals.tolist()):
        flat = known[i].reshape(-1)
        flat[[1, goal, circuit.terminal]] = True
        _conclude(circuit.left, circuit.right, gates, circuit.groups, flat, _ROUNDS)
    both = np.all(known.any(axis=0), axis=1)  # gates that one goal makes true and another false
    holds, fails = known[:, both, 0].astype(np.float32), known[:, both, 1].astype(np.float32)
    contradictions: Bools = (holds @ fails.T + fails @ holds.T) > 0
    return contradictions


@kernel
def _cone(left: Ints, right: Ints, first: int, cut: int, outputs: Longs) -> Longs:
    """The gates of the position cone that the outputs need; not all, if there are cycles."""
    wanted = np.zeros(cut, np.bool_)
    for x in outputs:
        wanted[x >> 1] = True
    for g in range(cut - 1, first - 1, -1):
        if wanted[g]:
            wanted[left[g] >> 1] = wanted[right[g] >> 1] = True
    return first + np.flatnonzero(wanted[first:])


@kernel
def _conclude(left: Ints, right: Ints, gates: Longs, groups: Ints, known: Bools, rounds: int) -> None:
    """Add to the literals that are known to hold (bool [2*gates]) what follows: down the gates, in groups, up again."""
    for _ in range(rounds):
        changed = False
        for g in gates[::-1]:
            x, y = left[g], right[g]
            if known[2 * g]:
                changed |= not (known[x] and known[y])
                known[x] = known[y] = True
            elif known[2 * g + 1]:
                if known[x] and not known[y ^ 1]:
                    known[y ^ 1] = changed = True
                if known[y] and not known[x ^ 1]:
                    known[x ^ 1] = changed = True
        lo = 0
        for hi in range(1, len(groups) + 1):
            if hi == len(groups) or groups[hi, 0] != groups[lo, 0]:
                for i in range(lo, hi):
                    if known[2 + 2 * groups[i, 1]]:
                        for j in range(lo, hi):
                            if j != i and not known[3 + 2 * groups[j, 1]]:
                                known[3 + 2 * groups[j, 1]] = changed = True
                lo = hi
        for g in gates:
            x, y = left[g], right[g]
            if known[x] and known[y] and not known[2 * g]:
                known[2 * g] = changed = True
            elif (known[x ^ 1] or known[y ^ 1]) and not known[2 * g + 1]:
                known[2 * g + 1] = changed = True
        if not changed:
            break
