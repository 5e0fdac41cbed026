"""Nodes are made, told their phases anew, and all of them forgotten."""

from __future__ import annotations

from ggp.kernels import borrowing
from ggp.search.kernels.basics import copy
from ggp.search.kernels.layout import (
    CHUNK,
    CHUNKS,
    COUNT,
    DECIDER,
    DEEPEST,
    DONE,
    EDGES,
    FLOOR,
    FULL,
    IN,
    JOURNAL,
    LAST,
    LENGTH,
    MET,
    MOVES,
    NODE_CAP,
    NODE_LO,
    NODES,
    PHASE,
    POOL,
    STAMP,
    STARTED,
    STATE,
    TABLE,
    TABLE_LO,
    TABLE_MASK,
)
from ggp.search.kernels.table import enter


@borrowing
def new_node(g, k, words, phase):  # type: ignore[no-untyped-def]
    """A node for a position; -1 if the memory is full."""
    if g.head[k, NODES] >= g.head[k, NODE_CAP]:
        g.head[k, FULL] = 1
        return -1
    x = g.head[k, NODE_LO] + g.head[k, NODES]
    g.head[k, NODES] += 1
    copy(g.position[x], words)
    g.node[x, CHUNK] = g.node[x, LAST] = g.node[x, IN] = g.node[x, FLOOR] = -1
    g.node[x, EDGES] = g.node[x, MOVES] = g.node[x, COUNT] = g.node[x, DECIDER] = 0
    g.node[x, STATE] = g.node[x, LENGTH] = 0
    g.node[x, PHASE] = phase
    g.mark[x] = 0
    g.sums[x] = 0.0
    if g.rule[k, TABLE] != 0:
        enter(g, k, x)
    return x


@borrowing
def forget_all(g, k):  # type: ignore[no-untyped-def]
    """Forget all of graph k."""
    for column in (NODES, CHUNKS, POOL, STAMP, STARTED, DONE, FULL, MET, DEEPEST, JOURNAL):
        g.head[k, column] = 0
    lo = g.head[k, TABLE_LO]
    g.table[lo : lo + g.head[k, TABLE_MASK] + 1] = -1


@borrowing
def rephase(g, k, fixed, value):  # type: ignore[no-untyped-def]
    """Tell the nodes of graph k their phases anew. False if a position fits none.

    Phase t has the positions whose bits `fixed[t]` are as in `value[t]` (uint64 [period, words]).
    """
    first = g.head[k, NODE_LO]
    for x in range(first, first + g.head[k, NODES]):
        found = -1
        for t in range(len(fixed)):
            fits = True
            for w in range(fixed.shape[1]):
                if (g.position[x, w] ^ value[t, w]) & fixed[t, w]:
                    fits = False
                    break
            if fits:
                found = t
                break
        if found < 0:
            return False
        g.node[x, PHASE] = found
    return True
