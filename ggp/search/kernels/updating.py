"""The update: a payoff is added to the edges."""

from __future__ import annotations

from ggp.kernels import borrowing, inlined
from ggp.search.kernels.best import note_best
from ggp.search.kernels.layout import (
    ALL,
    COUNT_LEVEL,
    DEEPEST,
    DEST,
    DONE,
    FINITE,
    FIRST_N,
    FLYING,
    IN,
    INFINITE,
    MEAN_LEVEL,
    NEXT_IN,
    OF,
    ORIGIN,
    PAYOFF,
    STAMP,
    N,
)
from ggp.search.kernels.proofs import at_least
from ggp.search.kernels.sums import raise_infinity, raise_levels
from ggp.search.kernels.values import refresh_above, refresh_edge


@borrowing
def update(g, s, i, w):  # type: ignore[no-untyped-def]
    """Add the payoff of slot i to its descent (or to all edges that lead to its end), and count the simulation."""
    k = s.slot[i, OF]
    roles = g.proof.shape[1]
    payoff = s.payoff[i]
    count = s.length[i]
    last = s.edge[i, count - 1]
    if roles == 1:
        note_best(g, s, i)  # a payoff may grow on its way up, by what is proven there
    for j in range(count):
        g.link[s.edge[i, j], FLYING] -= 1
    g.stat[last, FIRST_N] += 1
    for r in range(roles):
        g.stat[last, PAYOFF + roles + r] += payoff[r]
    if g.rule[k, ALL] != 0 and g.link[last, DEST] >= 0:
        _update_all(g, k, g.link[last, DEST], payoff, w)
    else:
        _update_descent(g, s, i, w)
    g.head[k, DONE] += 1
    g.head[k, DEEPEST] = max(g.head[k, DEEPEST], count)
    s.length[i] = 0


@inlined
def _update_descent(g, s, i, w):  # type: ignore[no-untyped-def]
    """Add the payoff of slot i to the edges of its descent, and bring up to date what that changes."""
    k = s.slot[i, OF]
    count = s.length[i]
    for j in range(count - 1, -1, -1):
        _add(g, s.edge[i, j], s.payoff[i])
        at_least(g, s.node[i, j], s.payoff[i])
    if g.rule[k, FINITE] > 0:
        raise_levels(g, s, i, w)
    if g.rule[k, INFINITE] != 0:
        raise_infinity(g, s, i, w)
    deep = g.rule[k, MEAN_LEVEL] >= 0 or g.rule[k, COUNT_LEVEL] >= 0
    for j in range(count):
        if deep:  # the root as well: where positions repeat, edges lead there
            refresh_above(g, k, s.node[i, j])
        else:
            refresh_edge(g, k, s.edge[i, j])
    refresh_edge(g, k, s.edge[i, count - 1])


@inlined
def _update_all(g, k, y, payoff, w):  # type: ignore[no-untyped-def]
    """Add a payoff to all edges from which one can come to y."""
    g.head[k, STAMP] += 1
    stamp = g.head[k, STAMP]
    size, at = 1, 0
    w.order[0] = y
    g.mark[y] = stamp
    while at < size:
        e = g.node[w.order[at], IN]
        at += 1
        while e >= 0:
            _add(g, e, payoff)
            refresh_edge(g, k, e)
            x = g.link[e, ORIGIN]
            if g.mark[x] != stamp:
                g.mark[x] = stamp
                w.order[size] = x
                size += 1
            e = g.link[e, NEXT_IN]


@borrowing
def _add(g, e, payoff):  # type: ignore[no-untyped-def]
    """One payoff more on an edge and in level 0 of its origin."""
    x = g.link[e, ORIGIN]
    g.stat[e, N] += 1
    g.sums[x, 0] += 1
    for r in range(len(payoff)):
        g.stat[e, PAYOFF + r] += payoff[r]
        g.sums[x, 1 + r] += payoff[r]
