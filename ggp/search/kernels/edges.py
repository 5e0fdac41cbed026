"""The edges that leave a node, in chunks, and those that lead to it, in a list."""

from __future__ import annotations

import numpy as np

from ggp.core.kernels import borrowing
from ggp.search.kernels.layout import CHUNK_EDGES, Graph


@borrowing
def new_edge(g: Graph, k: int, x: int, code: int) -> int:
    """An edge that leaves x; -1 if the memory is full."""
    node = g.node[x]
    count = node.edges
    if count % CHUNK_EDGES == 0:
        if g.head[k].chunks >= g.head[k].chunk_cap:
            g.head[k].full = True
            return -1
        chunk = g.head[k].chunk_lo + g.head[k].chunks
        g.head[k].chunks += 1
        g.next_chunk[chunk] = -1
        if count == 0:
            node.first_chunk = chunk
        else:
            g.next_chunk[node.last_chunk] = chunk
        node.last_chunk = chunk
    e = node.last_chunk * CHUNK_EDGES + count % CHUNK_EDGES
    node.edges = count + 1
    edge = g.edge[e]
    edge.dest = edge.next_in = -1
    edge.origin = x
    edge.flying = 0
    g.sight[e].value, g.sight[e].spread = 0.0, np.inf
    edge.n = edge.first_n = 0.0
    g.code[e] = code
    g.payoff[e] = 0.0
    return e


@borrowing
def connect(g: Graph, e: int, y: int) -> None:
    """Let edge e lead to node y."""
    g.edge[e].dest = y
    g.edge[e].next_in = g.node[y].first_in
    g.node[y].first_in = e


@borrowing
def first_edge(g: Graph, x: int) -> int:
    """The first edge that leaves a node that has one."""
    return g.node[x].first_chunk * CHUNK_EDGES


@borrowing
def following(g: Graph, e: int) -> int:
    """The edge after e in the order of creation, if there is one."""
    if e % CHUNK_EDGES == CHUNK_EDGES - 1:
        chunk: int = g.next_chunk[e // CHUNK_EDGES]
        return chunk * CHUNK_EDGES
    return e + 1


@borrowing
def edge_of(g: Graph, x: int, code: int) -> int:
    """The edge of x with this joint move, or -1."""
    if g.node[x].edges:
        e = first_edge(g, x)
        for i in range(g.node[x].edges):
            if i:
                e = following(g, e)
            if g.code[e] == code:
                return e
    return -1
