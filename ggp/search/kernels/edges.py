"""The edges that leave a node, in chunks, and those that lead to it, in a list."""

from __future__ import annotations

import numpy as np

from ggp.kernels import borrowing
from ggp.search.kernels.layout import (
    CHUNK,
    CHUNK_CAP,
    CHUNK_EDGES,
    CHUNK_LO,
    CHUNKS,
    DEST,
    EDGES,
    FLYING,
    FULL,
    IN,
    LAST,
    NEXT_IN,
    ORIGIN,
    SPREAD,
    VALUE,
)


@borrowing
def new_edge(g, k, x, code):  # type: ignore[no-untyped-def]
    """An edge that leaves x; -1 if the memory is full."""
    count = g.node[x, EDGES]
    if count % CHUNK_EDGES == 0:
        if g.head[k, CHUNKS] >= g.head[k, CHUNK_CAP]:
            g.head[k, FULL] = 1
            return -1
        chunk = g.head[k, CHUNK_LO] + g.head[k, CHUNKS]
        g.head[k, CHUNKS] += 1
        g.next_chunk[chunk] = -1
        if count == 0:
            g.node[x, CHUNK] = chunk
        else:
            g.next_chunk[g.node[x, LAST]] = chunk
        g.node[x, LAST] = chunk
    e = g.node[x, LAST] * CHUNK_EDGES + count % CHUNK_EDGES
    g.node[x, EDGES] = count + 1
    g.link[e, DEST] = g.link[e, NEXT_IN] = -1
    g.link[e, ORIGIN] = x
    g.link[e, FLYING] = 0
    g.sight[e, VALUE], g.sight[e, SPREAD] = 0.0, np.inf
    g.stat[e] = 0.0
    g.code[e] = code
    return e


@borrowing
def connect(g, e, y):  # type: ignore[no-untyped-def]
    """Let edge e lead to node y."""
    g.link[e, DEST] = y
    g.link[e, NEXT_IN] = g.node[y, IN]
    g.node[y, IN] = e


@borrowing
def first_edge(g, x):  # type: ignore[no-untyped-def]
    """The first edge that leaves a node that has one."""
    return g.node[x, CHUNK] * CHUNK_EDGES


@borrowing
def following(g, e):  # type: ignore[no-untyped-def]
    """The edge after e in the order of creation, if there is one."""
    if e % CHUNK_EDGES == CHUNK_EDGES - 1:
        return g.next_chunk[e // CHUNK_EDGES] * CHUNK_EDGES
    return e + 1


@borrowing
def edge_of(g, x, code):  # type: ignore[no-untyped-def]
    """The edge of x with this joint move, or -1."""
    if g.node[x, EDGES]:
        e = first_edge(g, x)
        for i in range(g.node[x, EDGES]):
            if i:
                e = following(g, e)
            if g.code[e] == code:
                return e
    return -1
