"""The steps of forgetting the nodes without the latest mark, and closing the gaps: `recycling.compact` takes them.

Each works on some items only, lo to hi, so that one may stop in between.
"""

from __future__ import annotations

from ggp.core.kernels import borrowing
from ggp.search.kernels.basics import copy
from ggp.search.kernels.edges import connect, first_edge, following
from ggp.search.kernels.layout import CHUNK_EDGES, Graph, Scratch
from ggp.search.kernels.table import enter


@borrowing
def number_nodes(g: Graph, k: int, lo: int, hi: int, kept: int, w: Scratch) -> int:
    """w.order becomes the new number of each node, -1: forgotten. How many are kept by now."""
    first = g.head[k].node_lo
    for i in range(lo, hi):
        w.order[i] = -1
        if g.mark[first + i] == g.head[k].stamp:
            w.order[i] = first + kept
            kept += 1
    return kept


@borrowing
def number_chunks(g: Graph, k: int, lo: int, hi: int, kept: int, w: Scratch) -> int:
    """w.stack becomes the new number of each chunk, -1: forgotten. How many are kept by now."""
    first = g.head[k].chunk_lo
    for c in range(lo, hi):
        w.stack[c] = -1
        if g.mark[g.edge[(first + c) * CHUNK_EDGES].origin] == g.head[k].stamp:
            w.stack[c] = first + kept
            kept += 1
    return kept


@borrowing
def move_pool(g: Graph, k: int, at: int, free: int, steps: int, w: Scratch) -> tuple[int, int]:
    """Move the moves of some nodes, from entry `at` of the pool on to `free`. Where both are then."""
    stamp, node_lo = g.head[k].stamp, g.head[k].node_lo
    first = g.head[k].pool_lo
    at, free, end = first + at, first + free, first + min(at + steps, g.head[k].pool)
    while at < end:
        x, length = g.pool[at], g.pool[at + 1]
        if g.mark[x] == stamp and g.node[x].moves == at + 2:
            g.node[x].moves = free + 2
            g.pool[free] = w.order[x - node_lo]
            for j in range(1, length):
                g.pool[free + j] = g.pool[at + j]
            for j in range(length if len(g.move) else 0):
                g.move[free + j] = g.move[at + j]
            for j in range(length if len(g.group) else 0):
                g.group[free + j] = g.group[at + j]
            free += length
        at += length
    return at - first, free - first


@borrowing
def cut_edges(g: Graph, k: int, lo: int, hi: int, w: Scratch) -> None:
    """Edges learn the new numbers of their nodes. Those to forgotten nodes keep their statistics, as first payoffs."""
    stamp, node_lo, roles = g.head[k].stamp, g.head[k].node_lo, g.proof.shape[1]
    for x in range(node_lo + lo, node_lo + hi):
        if g.mark[x] != stamp or not g.node[x].edges:
            continue
        e = first_edge(g, x)
        for i in range(g.node[x].edges):
            if i:
                e = following(g, e)
            y = g.edge[e].dest
            if y >= 0 and g.mark[y] == stamp:
                g.edge[e].dest = w.order[y - node_lo]
            elif y >= 0:
                g.edge[e].dest = -1
                g.edge[e].first_n = g.edge[e].n
                for r in range(roles):
                    g.payoff[e, roles + r] = g.payoff[e, r]
            g.edge[e].origin = w.order[x - node_lo]


@borrowing
def move_nodes(g: Graph, k: int, lo: int, hi: int, w: Scratch) -> None:
    """Nodes go to their new places."""
    node_lo, chunk_lo = g.head[k].node_lo, g.head[k].chunk_lo
    for x in range(node_lo + lo, node_lo + hi):
        to = w.order[x - node_lo]
        if to < 0:
            continue
        node = g.node[to]
        if to != x:
            g.node[to] = g.node[x]
            copy(g.position[to], g.position[x])
            copy(g.sums[to], g.sums[x])
            copy(g.proof[to], g.proof[x])
            copy(g.promise[to], g.promise[x])
        g.mark[to] = 0
        node.first_in = -1
        sure = node.floor
        if sure >= 0:
            node.floor = w.order[sure - node_lo]
        if node.principal >= 0:
            node.principal = w.order[node.principal - node_lo]
        if node.edges:
            node.first_chunk = w.stack[node.first_chunk - chunk_lo]
            node.last_chunk = w.stack[node.last_chunk - chunk_lo]


@borrowing
def move_chunks(g: Graph, k: int, lo: int, hi: int, w: Scratch) -> None:
    """Chunks go to their new places."""
    first = g.head[k].chunk_lo
    for c in range(lo, hi):
        to = w.stack[c]
        if to < 0:
            continue
        after = g.next_chunk[first + c]
        g.next_chunk[to] = w.stack[after - first] if after >= 0 else -1
        if to != first + c:
            for j in range(CHUNK_EDGES):
                e, f = (first + c) * CHUNK_EDGES + j, to * CHUNK_EDGES + j
                g.edge[f] = g.edge[e]
                g.sight[f] = g.sight[e]
                copy(g.payoff[f], g.payoff[e])
                g.code[f] = g.code[e]


@borrowing
def enter_nodes(g: Graph, k: int, lo: int, hi: int) -> None:
    """Nodes go into the empty table, and into the lists of edges that lead to a node."""
    for x in range(g.head[k].node_lo + lo, g.head[k].node_lo + hi):
        if g.rule[k].table:
            enter(g, k, x)
        if g.node[x].edges:
            e = first_edge(g, x)
            for i in range(g.node[x].edges):
                if i:
                    e = following(g, e)
                if g.edge[e].dest >= 0:
                    connect(g, e, g.edge[e].dest)
