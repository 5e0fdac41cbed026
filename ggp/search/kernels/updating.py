"""The update: a payoff is added to the edges."""

from __future__ import annotations

from ggp.core.kernels import inlined
from ggp.search.kernels.amaf import count_amaf
from ggp.search.kernels.best import note_best
from ggp.search.kernels.grouping import count_groups, leave_group
from ggp.search.kernels.layout import Floats, Graph, Scratch, Slots, Stage
from ggp.search.kernels.proofs import at_least
from ggp.search.kernels.sums import raise_infinity, raise_levels
from ggp.search.kernels.values import refresh_above, refresh_edge


@inlined
def update(g: Graph, s: Slots, i: int, w: Scratch) -> None:
    """Add the payoff of slot i to its descent (or to all edges that lead to its end), and count the simulation."""
    slot = s.slot[i]
    k = slot.graph
    roles = g.proof.shape[1]
    payoff = s.payoff[i]
    count = slot.length
    last = s.edge[i, count - 1]
    if roles == 1:
        note_best(g, s, i)  # a payoff may grow on its way up, by what is proven there
    for j in range(count):
        g.edge[s.edge[i, j]].flying -= 1
        if g.rule[k].grouped:
            leave_group(g, s, i, j)
    if g.rule[k].grouped:
        count_groups(g, s, i)
    if g.rule[k].rave > 0:
        count_amaf(g, s, i, w)
    g.edge[last].first_n += 1
    for r in range(roles):
        g.payoff[last, roles + r] += payoff[r]
    if g.rule[k].update_all and g.edge[last].dest >= 0:
        _update_all(g, k, g.edge[last].dest, payoff, w)
    else:
        _update_descent(g, s, i, w)
    head = g.head[k]
    head.done += 1
    head.deepest = max(head.deepest, count)
    slot.length = 0
    slot.stage = Stage.IDLE


@inlined
def _update_descent(g: Graph, s: Slots, i: int, w: Scratch) -> None:
    """Add the payoff of slot i to the edges of its descent, and bring up to date what that changes."""
    k = s.slot[i].graph
    count = s.slot[i].length
    for j in range(count - 1, -1, -1):
        _add(g, s.edge[i, j], s.payoff[i])
        at_least(g, s.node[i, j], s.payoff[i])
    if g.rule[k].finite > 0:
        raise_levels(g, s, i, w)
    if g.rule[k].infinite != 0:
        raise_infinity(g, s, i, w)
    deep = g.rule[k].mean_level >= 0 or g.rule[k].count_level >= 0
    for j in range(count):
        if deep:  # the root as well: where positions repeat, edges lead there
            refresh_above(g, k, s.node[i, j])
        else:
            refresh_edge(g, k, s.edge[i, j])
    refresh_edge(g, k, s.edge[i, count - 1])


@inlined
def _update_all(g: Graph, k: int, y: int, payoff: Floats, w: Scratch) -> None:
    """Add a payoff to all edges from which one can come to y."""
    g.head[k].stamp += 1
    stamp = g.head[k].stamp
    size, at = 1, 0
    w.order[0] = y
    g.mark[y] = stamp
    while at < size:
        e = g.node[w.order[at]].first_in
        at += 1
        while e >= 0:
            _add(g, e, payoff)
            refresh_edge(g, k, e)
            x = g.edge[e].origin
            if g.mark[x] != stamp:
                g.mark[x] = stamp
                w.order[size] = x
                size += 1
            e = g.edge[e].next_in


@inlined
def _add(g: Graph, e: int, payoff: Floats) -> None:
    """One payoff more on an edge and in level 0 of its origin."""
    x = g.edge[e].origin
    g.edge[e].n += 1
    g.sums[x, 0] += 1
    for r in range(len(payoff)):
        g.payoff[e, r] += payoff[r]
        g.sums[x, 1 + r] += payoff[r]
