"""The steps of forgetting the nodes without the latest mark, and closing the gaps: `recycling.compact` takes them.

Each works on some items only, lo to hi, so that one may stop in between.
"""

from __future__ import annotations

from ggp.kernels import borrowing
from ggp.search.kernels.basics import copy
from ggp.search.kernels.edges import connect, first_edge, following
from ggp.search.kernels.layout import (
    CHUNK,
    CHUNK_EDGES,
    CHUNK_LO,
    DEST,
    EDGES,
    FIRST_N,
    FLOOR,
    IN,
    LAST,
    MOVES,
    NODE_LO,
    ORIGIN,
    PAYOFF,
    POOL,
    POOL_LO,
    STAMP,
    TABLE,
    N,
)
from ggp.search.kernels.table import enter


@borrowing
def number_nodes(g, k, lo, hi, kept, w):  # type: ignore[no-untyped-def]
    """w.order becomes the new number of each node, -1: forgotten. How many are kept by now."""
    first = g.head[k, NODE_LO]
    for i in range(lo, hi):
        w.order[i] = -1
        if g.mark[first + i] == g.head[k, STAMP]:
            w.order[i] = first + kept
            kept += 1
    return kept


@borrowing
def number_chunks(g, k, lo, hi, kept, w):  # type: ignore[no-untyped-def]
    """w.stack becomes the new number of each chunk, -1: forgotten. How many are kept by now."""
    first = g.head[k, CHUNK_LO]
    for c in range(lo, hi):
        w.stack[c] = -1
        if g.mark[g.link[(first + c) * CHUNK_EDGES, ORIGIN]] == g.head[k, STAMP]:
            w.stack[c] = first + kept
            kept += 1
    return kept


@borrowing
def move_pool(g, k, at, free, steps, w):  # type: ignore[no-untyped-def]
    """Move the moves of some nodes, from entry `at` of the pool on to `free`. Where both are then."""
    stamp, node_lo = g.head[k, STAMP], g.head[k, NODE_LO]
    first = g.head[k, POOL_LO]
    at, free, end = first + at, first + free, first + min(at + steps, g.head[k, POOL])
    while at < end:
        x, length = g.pool[at], g.pool[at + 1]
        if g.mark[x] == stamp and g.node[x, MOVES] == at + 2:
            g.node[x, MOVES] = free + 2
            g.pool[free] = w.order[x - node_lo]
            for j in range(1, length):
                g.pool[free + j] = g.pool[at + j]
            free += length
        at += length
    return at - first, free - first


@borrowing
def cut_edges(g, k, lo, hi, w):  # type: ignore[no-untyped-def]
    """Edges learn the new numbers of their nodes. Those to forgotten nodes keep their statistics, as first payoffs."""
    stamp, node_lo, roles = g.head[k, STAMP], g.head[k, NODE_LO], g.proof.shape[1]
    for x in range(node_lo + lo, node_lo + hi):
        if g.mark[x] != stamp or not g.node[x, EDGES]:
            continue
        e = first_edge(g, x)
        for i in range(g.node[x, EDGES]):
            if i:
                e = following(g, e)
            y = g.link[e, DEST]
            if y >= 0 and g.mark[y] == stamp:
                g.link[e, DEST] = w.order[y - node_lo]
            elif y >= 0:
                g.link[e, DEST] = -1
                g.stat[e, FIRST_N] = g.stat[e, N]
                for r in range(roles):
                    g.stat[e, PAYOFF + roles + r] = g.stat[e, PAYOFF + r]
            g.link[e, ORIGIN] = w.order[x - node_lo]


@borrowing
def move_nodes(g, k, lo, hi, w):  # type: ignore[no-untyped-def]
    """Nodes go to their new places."""
    node_lo, chunk_lo = g.head[k, NODE_LO], g.head[k, CHUNK_LO]
    for x in range(node_lo + lo, node_lo + hi):
        to = w.order[x - node_lo]
        if to < 0:
            continue
        if to != x:
            copy(g.position[to], g.position[x])
            copy(g.node[to], g.node[x])
            copy(g.sums[to], g.sums[x])
            copy(g.proof[to], g.proof[x])
        g.mark[to] = 0
        g.node[to, IN] = -1
        sure = g.node[to, FLOOR]
        if sure >= 0:
            g.node[to, FLOOR] = w.order[sure - node_lo]
        if g.node[to, EDGES]:
            g.node[to, CHUNK] = w.stack[g.node[to, CHUNK] - chunk_lo]
            g.node[to, LAST] = w.stack[g.node[to, LAST] - chunk_lo]


@borrowing
def move_chunks(g, k, lo, hi, w):  # type: ignore[no-untyped-def]
    """Chunks go to their new places."""
    first = g.head[k, CHUNK_LO]
    for c in range(lo, hi):
        to = w.stack[c]
        if to < 0:
            continue
        after = g.next_chunk[first + c]
        g.next_chunk[to] = w.stack[after - first] if after >= 0 else -1
        if to != first + c:
            for j in range(CHUNK_EDGES):
                e, f = (first + c) * CHUNK_EDGES + j, to * CHUNK_EDGES + j
                copy(g.link[f], g.link[e])
                copy(g.stat[f], g.stat[e])
                copy(g.sight[f], g.sight[e])
                g.code[f] = g.code[e]


@borrowing
def enter_nodes(g, k, lo, hi):  # type: ignore[no-untyped-def]
    """Nodes go into the empty table, and into the lists of edges that lead to a node."""
    for x in range(g.head[k, NODE_LO] + lo, g.head[k, NODE_LO] + hi):
        if g.rule[k, TABLE] != 0:
            enter(g, k, x)
        if g.node[x, EDGES]:
            e = first_edge(g, x)
            for i in range(g.node[x, EDGES]):
                if i:
                    e = following(g, e)
                if g.link[e, DEST] >= 0:
                    connect(g, e, g.link[e, DEST])
