"""Groups of moves: a group is chosen by its upper confidence bound, and then one of its moves (Childs and others 2008).

A node at which one role decides has a list of groups, made when its moves are listed. Each is as a node of the graph
between that node and those that its moves lead to: its edge's statistics are those of the simulations that chose it,
and its moves are weighed by them. In the pool, behind the moves of the node, follows the group of each, in the same
order, and last how many groups there are. The records of the groups (`Graph.group`) lie beside the moves, in the
order of the groups; and beside each move what came through it in its own group, where groups overlap: then the last
group has all moves, and what came through a move there is the rest. Where there is one group only, or one for each
move, there are none.
"""

from __future__ import annotations

import numpy as np

from ggp.core.kernels import borrowing, inlined
from ggp.search.kernels.basics import draw
from ggp.search.kernels.edges import first_edge, following, new_edge
from ggp.search.kernels.layout import Graph, Scratch, Slots
from ggp.search.kernels.weighing import untried, weight

_untried, _weight = inlined(untried), inlined(weight)
_NEAR = 2
"""Steps from the places of the moves before, at most."""
_BEFORE = 2
"""Moves before."""


@borrowing
def list_groups(g: Graph, s: Slots, i: int, w: Scratch) -> None:
    """Group the moves of slot i's last node, which were just listed."""
    x = s.node[i, s.slot[i].length]
    k, count = s.slot[i].graph, g.node[x].count
    if g.node[x].decider < 0:
        return
    lo = g.node[x].moves + g.proof.shape[1]
    groups = 0
    if g.rule[k].near:
        groups = _list_near(g, s, i, lo, count)
    else:
        for j in range(count):  # w.inputs: the family of each group
            family, c = g.family[g.pool[lo + j]], 0
            while c < groups and w.inputs[c] != family:
                c += 1
            w.inputs[c] = family
            groups = max(groups, c + 1)
            g.pool[lo + count + j] = c
    if groups == 1 or groups == count:  # not `in`: numba wants one type
        groups = 0
    elif g.rule[k].overlap and not g.rule[k].near:
        groups += 1
    g.pool[lo + 2 * count] = groups
    for j in range(count):
        group = g.group[lo + j]
        group.n = group.total = group.own_n = 0.0
        group.flying = group.own_flying = 0


@inlined
def _list_near(g: Graph, s: Slots, i: int, lo: int, count: int) -> int:
    """Group 0: moves near the last ones of the descent; group 1: the others. How many of the two there are."""
    near = 0
    for j in range(count):
        g.pool[lo + count + j] = 1
    before = 0
    for depth in range(s.slot[i].length - 1, -1, -1):
        x = s.node[i, depth]
        if before == _BEFORE:
            break
        if g.node[x].decider >= 0 and g.node[x].count > 1:
            last = g.spot[g.pool[g.node[x].moves + g.proof.shape[1] + g.code[s.edge[i, depth]]]]
            before += 1
            for j in range(count):
                spot = g.spot[g.pool[lo + j]]
                if min(last[0], spot[0]) >= 0 and abs(last[0] - spot[0]) + abs(last[1] - spot[1]) <= _NEAR:
                    near += g.pool[lo + count + j]
                    g.pool[lo + count + j] = 0
    return 2 if 0 < near < count else 1


@inlined
def groups_of(g: Graph, k: int, x: int) -> int:
    """How many groups an expanded node has; 0: its moves are not grouped."""
    if not g.rule[k].grouped or g.node[x].decider < 0:
        return 0
    groups: int = g.pool[g.node[x].moves + g.proof.shape[1] + 2 * g.node[x].count]
    return groups


@inlined
def choose_grouped(g: Graph, k: int, x: int, groups: int, w: Scratch) -> int:
    """The edge of the best move of the best group; -1 as in `choose`. The group becomes w.chosen."""
    lo = g.node[x].moves + g.proof.shape[1]
    for c in range(groups):
        w.arm_sum[c], w.inputs[c] = -np.inf, -1
        w.arm_n[c] = _weight(g.rule[k], g.group[lo + c].n + g.group[lo + c].flying)
    _best_moves(g, k, x, groups, w)
    c = _best_group(g, k, x, groups, w)
    if c < 0:
        return -1
    w.chosen[0] = c
    return _edge_of(g, k, x, w.inputs[c])


@inlined
def _best_moves(g: Graph, k: int, x: int, groups: int, w: Scratch) -> None:
    """The best move of each group, into w.inputs; -1: none is at rest."""
    lo, count, tried = g.node[x].moves + g.proof.shape[1], g.node[x].count, g.node[x].edges
    overlap, e = g.rule[k].overlap, -1
    for j in range(count):
        value, spread, n = 0.0, np.inf, 0.0
        if j < tried:
            e = following(g, e) if j else first_edge(g, x)
            value, spread = g.sight[e].value, g.sight[e].spread
            if spread == 0:  # see `refresh_spread`
                continue
            n = g.edge[e].n + g.edge[e].flying
        own = g.pool[lo + count + j]
        own_n = g.group[lo + j].own_n + g.group[lo + j].own_flying
        if not overlap:
            _compare(g, k, w, own, j, value, spread)
            continue
        if own < groups - 1:
            _compare(g, k, w, own, j, value, _spread(own_n))
            n -= own_n
        _compare(g, k, w, groups - 1, j, value, _spread(n))


@inlined
def _spread(n: float) -> float:
    return 1 / float(np.sqrt(n)) if n > 0 else np.inf


@inlined
def _compare(g: Graph, k: int, w: Scratch, c: int, j: int, mean: float, spread: float) -> None:
    """Let move j take the lead in group c if it is worth more; among equals each has the same chance."""
    value = mean + w.arm_n[c] * spread if spread < np.inf else _untried(g.rule[k])
    if value > w.arm_sum[c]:
        w.arm_sum[c], w.inputs[c], w.ties[c] = value, j, 1
    elif value == w.arm_sum[c]:
        w.ties[c] += 1
        if draw(g, k, w.ties[c]) == 0:
            w.inputs[c] = j


@inlined
def _best_group(g: Graph, k: int, x: int, groups: int, w: Scratch) -> int:
    """The group with the highest upper confidence bound of those that have a move to choose; -1 if none has."""
    lo = g.node[x].moves + g.proof.shape[1]
    exploration = _weight(g.rule[k], g.sums[x, 0])
    best, chosen, ties = -np.inf, -1, 1
    for c in range(groups):
        group = g.group[lo + c]
        if w.inputs[c] < 0 or (group.n == 0 and group.flying > 0):
            continue
        value = _untried(g.rule[k])
        if group.n > 0:
            value = group.total / group.n + exploration * _spread(group.n + group.flying)
        if value > best:
            best, chosen, ties = value, c, 1
        elif value == best:
            ties += 1
            if draw(g, k, ties) == 0:
                chosen = c
    return chosen


@inlined
def _edge_of(g: Graph, k: int, x: int, j: int) -> int:
    """The edge of the move at place j, which is made if it is new; -1 if memory is full."""
    tried = g.node[x].edges
    if j < tried:
        e = first_edge(g, x)
        for _ in range(j):
            e = following(g, e)
        return e
    e = -1 if g.head[k].full else new_edge(g, k, x, tried)
    if e >= 0:
        lo, count = g.node[x].moves + g.proof.shape[1], g.node[x].count
        for a, b in ((lo + tried, lo + j), (lo + count + tried, lo + count + j)):
            g.pool[a], g.pool[b] = g.pool[b], g.pool[a]
    return e


@inlined
def enter_group(g: Graph, s: Slots, i: int, j: int, c: int) -> None:
    """The descent of slot i chose group c at its j-th node (-1: none), and an edge of it."""
    s.group[i, j] = c
    if c >= 0:
        _fly(g, s, i, j, 1)


@borrowing
def leave_group(g: Graph, s: Slots, i: int, j: int) -> None:
    """The descent of slot i is over, or given up, at its j-th node."""
    if s.group[i, j] >= 0:
        _fly(g, s, i, j, -1)


@inlined
def _fly(g: Graph, s: Slots, i: int, j: int, change: int) -> None:
    x = s.node[i, j]
    lo, place = g.node[x].moves + g.proof.shape[1], g.code[s.edge[i, j]]
    g.group[lo + s.group[i, j]].flying += change
    if g.pool[lo + g.node[x].count + place] == s.group[i, j]:
        g.group[lo + place].own_flying += change


@borrowing
def count_groups(g: Graph, s: Slots, i: int) -> None:
    """Add the payoff of slot i to the groups that its descent chose."""
    for j in range(s.slot[i].length):
        c = s.group[i, j]
        if c >= 0:
            x = s.node[i, j]
            lo, place = g.node[x].moves + g.proof.shape[1], g.code[s.edge[i, j]]
            g.group[lo + c].n += 1.0
            g.group[lo + c].total += s.payoff[i, g.node[x].decider]
            if g.pool[lo + g.node[x].count + place] == c:
                g.group[lo + place].own_n += 1.0
