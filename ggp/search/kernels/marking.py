"""Marking the nodes worth keeping; `recycling.mark` takes the steps."""

from __future__ import annotations

import numpy as np

from ggp.kernels import borrowing
from ggp.search.kernels.edges import first_edge, following
from ggp.search.kernels.layout import CHUNK_EDGES, DEST, EDGES, EXPANDED, MOVES, PROVEN, STAMP, STATE, N


@borrowing
def reach(g, k, least, at, size, steps, loads, w):  # type: ignore[no-untyped-def]
    """Mark what is reached by way of nodes with at least so many visits, breadth first.

    A proven node counts as often visited as what leads to it: one look was enough, and it is worth as much.

    w.order is the queue: its first `at` nodes of `size` are done, and up to `steps` more will be. Returns both numbers.
    `loads` [bins, 3] counts the nodes, chunks and pool entries reached, by their visits (`bin_of`).
    """
    stamp, last = g.head[k, STAMP], len(loads) - 1
    until = at + steps
    while at < size and at < until:
        x = w.order[at]
        at += 1
        if not g.node[x, EDGES]:
            continue
        e = first_edge(g, x)
        for i in range(g.node[x, EDGES]):
            if i:
                e = following(g, e)
            y = g.link[e, DEST]
            if y < 0 or g.mark[y] == stamp:
                continue
            visits = max(g.stat[e, N], g.sums[y, 0])  # from here, or through its own edges
            if g.node[y, STATE] & PROVEN:
                visits = max(visits, g.sums[x, 0])
            if visits < least:
                continue
            g.mark[y] = stamp
            w.order[size] = y
            size += 1
            b = min(bin_of(visits), last)
            loads[b, 0] += 1
            loads[b, 1] += (g.node[y, EDGES] + CHUNK_EDGES - 1) // CHUNK_EDGES
            if g.node[y, STATE] & EXPANDED:
                loads[b, 2] += g.pool[g.node[y, MOVES] - 1]
    return at, size


@borrowing
def bin_of(visits):  # type: ignore[no-untyped-def]
    """Visits in quarters of an octave."""
    return np.int64(4 * np.log2(max(1.0, visits)))
