"""The adapted values of an edge, and what selections read of them."""

from __future__ import annotations

import numpy as np

from ggp.kernels import borrowing
from ggp.search.kernels.edges import first_edge, following
from ggp.search.kernels.layout import (
    COUNT_LEVEL,
    DECIDER,
    DEST,
    EDGES,
    FIRST_N,
    FLOOR,
    FLYING,
    IN,
    MEAN_LEVEL,
    NEXT_IN,
    NODE_LO,
    ORIGIN,
    PAYOFF,
    PROVEN,
    SOLVER,
    SPREAD,
    STATE,
    VALUE,
    N,
)


@borrowing
def edge_mean(g, e, r, level):  # type: ignore[no-untyped-def]
    """μ of an edge for role r, from the sums of a level below its end; level -1: its own."""
    roles = g.proof.shape[1]
    if level < 0:
        n = g.stat[e, N]
        return g.stat[e, PAYOFF + r] / n if n > 0 else 0.0
    n, total = g.stat[e, FIRST_N], g.stat[e, PAYOFF + roles + r]
    y = g.link[e, DEST]
    if y >= 0:
        n += g.sums[y, 0]
        total += g.sums[y, level * (1 + roles) + 1 + r]
    return total / n if n > 0 else 0.0


@borrowing
def edge_count(g, e, level):  # type: ignore[no-untyped-def]
    """Number of playouts of an edge, from the counts of a level below its end; level -1: its own."""
    if level < 0:
        return g.stat[e, N]
    n = g.stat[e, FIRST_N]
    y = g.link[e, DEST]
    if y >= 0:
        n += g.sums[y, level * (1 + g.proof.shape[1])]
    return n


@borrowing
def refresh_edge(g, k, e):  # type: ignore[no-untyped-def]
    """Bring `sight` up to date for an edge whose statistics, or whose end's sums, have changed."""
    r, y = g.node[g.link[e, ORIGIN], DECIDER], g.link[e, DEST]
    if r < 0:
        return
    if y >= 0 and g.node[y, STATE] & PROVEN and g.rule[k, SOLVER] != 0:
        g.sight[e, VALUE], g.sight[e, SPREAD] = g.proof[y, r], 0.0
        return
    g.sight[e, VALUE] = edge_mean(g, e, r, np.int64(g.rule[k, MEAN_LEVEL]))
    if y >= 0 and g.node[y, FLOOR] >= 0:
        q, sure = g.node[y, DECIDER], g.node[y, FLOOR]
        if g.proof[sure, q] > edge_mean(g, e, q, np.int64(g.rule[k, MEAN_LEVEL])):
            g.sight[e, VALUE] = g.proof[sure, r]
    refresh_spread(g, k, e)


@borrowing
def refresh_spread(g, k, e):  # type: ignore[no-untyped-def]
    """What a selection reads of an edge's playouts; those on their way count as if they had come to nothing new.

    Edges to proven positions have no spread, and are passed by: their worth is known, and `FLOOR` keeps it (see
    `at_least`). So are new edges while the first simulation is under way.
    """
    y, flying = g.link[e, DEST], g.link[e, FLYING]
    if (y < 0 and flying > 0) or (y >= 0 and g.node[y, STATE] & PROVEN and g.rule[k, SOLVER] != 0):
        g.sight[e, SPREAD] = 0.0
        return
    count = edge_count(g, e, np.int64(g.rule[k, COUNT_LEVEL])) + flying
    g.sight[e, SPREAD] = 1 / np.sqrt(count) if count > 0 else np.inf


@borrowing
def refresh_above(g, k, x):  # type: ignore[no-untyped-def]
    """Refresh all edges that lead to x."""
    e = g.node[x, IN]
    while e >= 0:
        refresh_edge(g, k, e)
        e = g.link[e, NEXT_IN]


@borrowing
def refresh_nodes(g, k, lo, hi):  # type: ignore[no-untyped-def]
    """What selections read at some nodes, from the sums."""
    for x in range(g.head[k, NODE_LO] + lo, g.head[k, NODE_LO] + hi):
        if g.node[x, EDGES]:
            e = first_edge(g, x)
            for i in range(g.node[x, EDGES]):
                if i:
                    e = following(g, e)
                refresh_edge(g, k, e)
