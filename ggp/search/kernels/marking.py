"""Marking the nodes worth keeping; `recycling.mark` takes the steps."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ggp.core.kernels import borrowing
from ggp.search.kernels.edges import first_edge, following
from ggp.search.kernels.layout import CHUNK_EDGES, Graph, Scratch, State


@borrowing
def reach(
    g: Graph, k: int, least: float, at: int, size: int, steps: int, loads: NDArray[np.int64], w: Scratch
) -> tuple[int, int]:
    """Mark what is reached by way of nodes with at least so many visits, breadth first.

    A proven node counts as often visited as what leads to it: one look was enough, and it is worth as much.

    w.order is the queue: its first `at` nodes of `size` are done, and up to `steps` more will be. Returns both numbers.
    `loads` [bins, 3] counts the nodes, chunks and pool entries reached, by their visits (`bin_of`).
    """
    stamp, last = g.head[k].stamp, len(loads) - 1
    until = at + steps
    while at < size and at < until:
        x = w.order[at]
        at += 1
        if not g.node[x].edges:
            continue
        e = first_edge(g, x)
        for i in range(g.node[x].edges):
            if i:
                e = following(g, e)
            y = g.edge[e].dest
            if y < 0 or g.mark[y] == stamp:
                continue
            visits = max(g.edge[e].n, g.sums[y, 0])  # from here, or through its own edges
            if g.node[y].state & State.PROVEN:
                visits = max(visits, g.sums[x, 0])
            if visits < least:
                continue
            g.mark[y] = stamp
            w.order[size] = y
            size += 1
            b = min(bin_of(visits), last)
            loads[b, 0] += 1
            loads[b, 1] += (g.node[y].edges + CHUNK_EDGES - 1) // CHUNK_EDGES
            if g.node[y].state & State.EXPANDED:
                loads[b, 2] += g.pool[g.node[y].moves - 1]
    return at, size


@borrowing
def bin_of(visits: float) -> int:
    """Visits in quarters of an octave."""
    return int(4 * np.log2(max(1.0, visits)))
