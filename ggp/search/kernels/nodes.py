"""Nodes are made, told their phases anew, and all of them forgotten."""

from __future__ import annotations

from ggp.core.kernels import borrowing, inlined
from ggp.search.kernels.basics import copy
from ggp.search.kernels.layout import Graph, Words
from ggp.search.kernels.table import enter
from ggp.search.kernels.valuing import learned


@inlined
def new_node(g: Graph, k: int, words: Words, phase: int) -> int:
    """A node for a position; -1 if the memory is full."""
    head = g.head[k]
    if head.nodes >= head.node_cap:
        head.full = True
        return -1
    x = head.node_lo + head.nodes
    head.nodes += 1
    copy(g.position[x], words)
    node = g.node[x]
    node.first_chunk = node.last_chunk = node.first_in = node.floor = node.principal = -1
    node.edges = node.moves = node.count = node.decider = 0
    node.state = node.length = 0
    node.phase = phase
    g.mark[x] = 0
    g.sums[x] = 0.0
    if g.rule[k].minimax > 0:
        roles = g.proof.shape[1]
        for r in range(roles):
            g.promise[x, r] = g.promise[x, roles + r] = learned(g, words, r)
    if g.rule[k].table:
        enter(g, k, x)
    return x


@borrowing
def forget_all(g: Graph, k: int) -> None:
    """Forget all of graph k: what it holds, and what was counted. What it is asked to do stays."""
    head = g.head[k]
    head.nodes = head.chunks = head.pool = 0
    head.full = False
    head.started = head.done = head.met = head.deepest = 0
    head.stamp = head.journal = 0
    g.table[head.table_lo : head.table_lo + head.table_mask + 1] = -1


@borrowing
def rephase(g: Graph, k: int, fixed: Words, value: Words) -> bool:
    """Tell the nodes of graph k their phases anew. False if a position fits none.

    Phase t has the positions whose bits `fixed[t]` are as in `value[t]` (uint64 [period, words]).
    """
    first = g.head[k].node_lo
    for x in range(first, first + g.head[k].nodes):
        found = -1
        for t in range(len(fixed)):
            fits = True
            for word in range(fixed.shape[1]):
                if (g.position[x, word] ^ value[t, word]) & fixed[t, word]:
                    fits = False
                    break
            if fits:
                found = t
                break
        if found < 0:
            return False
        g.node[x].phase = found
    return True
