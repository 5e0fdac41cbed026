"""The adapted values of an edge, and what selections read of them."""

from __future__ import annotations

import numpy as np

from ggp.core.kernels import borrowing
from ggp.search.kernels.edges import first_edge, following
from ggp.search.kernels.layout import Graph, State


@borrowing
def edge_mean(g: Graph, e: int, r: int, level: int) -> float:
    """μ of an edge for role r, from the sums of a level below its end; level -1: its own."""
    roles = g.proof.shape[1]
    if level < 0:
        n = g.edge[e].n
        return g.payoff[e, r] / n if n > 0 else 0.0
    n, total = g.edge[e].first_n, g.payoff[e, roles + r]
    y = g.edge[e].dest
    if y >= 0:
        n += g.sums[y, 0]
        total += g.sums[y, level * (1 + roles) + 1 + r]
    return total / n if n > 0 else 0.0


@borrowing
def edge_count(g: Graph, e: int, level: int) -> float:
    """Number of playouts of an edge, from the counts of a level below its end; level -1: its own."""
    if level < 0:
        return g.edge[e].n
    n = g.edge[e].first_n
    y = g.edge[e].dest
    if y >= 0:
        n += g.sums[y, level * (1 + g.proof.shape[1])]
    return n


@borrowing
def promise(g: Graph, k: int, y: int, r: int) -> float:
    """The best that is known below y for role r if each role plays for its own value: see `minimax`."""
    if g.node[y].state & (State.PROVEN if g.rule[k].solver else State.TERMINAL):
        sure: float = g.proof[y, r]
        return sure
    value: float = g.promise[y, g.proof.shape[1] + r]
    return value


@borrowing
def refresh_edge(g: Graph, k: int, e: int) -> None:
    """Bring `sight` up to date for an edge whose statistics, or whose end's sums, have changed."""
    sight = g.sight[e]
    r, y = g.node[g.edge[e].origin].decider, g.edge[e].dest
    if r < 0:
        return
    if y >= 0 and g.node[y].state & State.PROVEN and g.rule[k].solver:
        sight.value, sight.spread = g.proof[y, r], 0.0
        return
    sight.value = edge_mean(g, e, r, g.rule[k].mean_level)
    if y >= 0 and g.rule[k].minimax > 0:
        sight.value += g.rule[k].minimax * (promise(g, k, y, r) - sight.value)
    if y >= 0 and g.node[y].floor >= 0:
        q, sure = g.node[y].decider, g.node[y].floor
        if g.proof[sure, q] > edge_mean(g, e, q, g.rule[k].mean_level):
            sight.value = g.proof[sure, r]
    refresh_spread(g, k, e)


@borrowing
def refresh_spread(g: Graph, k: int, e: int) -> None:
    """What a selection reads of an edge's playouts; those on their way count as if they had come to nothing new.

    Edges to proven positions have no spread, and are passed by: their worth is known, and `floor` keeps it (see
    `at_least`). So are new edges while the first simulation is under way.
    """
    y, flying = g.edge[e].dest, g.edge[e].flying
    if (y < 0 and flying > 0) or (y >= 0 and g.node[y].state & State.PROVEN and g.rule[k].solver):
        g.sight[e].spread = 0.0
        return
    count = edge_count(g, e, g.rule[k].count_level) + flying
    g.sight[e].spread = 1 / np.sqrt(count) if count > 0 else np.inf


@borrowing
def refresh_above(g: Graph, k: int, x: int) -> None:
    """Refresh all edges that lead to x."""
    e = g.node[x].first_in
    while e >= 0:
        refresh_edge(g, k, e)
        e = g.edge[e].next_in


@borrowing
def refresh_nodes(g: Graph, k: int, lo: int, hi: int) -> None:
    """What selections read at some nodes, from the sums."""
    for x in range(g.head[k].node_lo + lo, g.head[k].node_lo + hi):
        if g.node[x].edges:
            e = first_edge(g, x)
            for i in range(g.node[x].edges):
                if i:
                    e = following(g, e)
                refresh_edge(g, k, e)
