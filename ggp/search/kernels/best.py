"""Games for one role: which simulation has reached the highest goal. What it did once can be done again; see `trace`."""

from __future__ import annotations

from ggp.core.kernels import inlined
from ggp.search.kernels.layout import Graph, Slots


@inlined
def note_best(g: Graph, s: Slots, i: int) -> None:
    """Keep the descent of slot i if it has led to a higher goal than all before it, or past a node that does.

    The slot may begin its next simulation before anybody looks, so the edges are copied. They lead to the node
    `best_end`, or, where a node on the way has a move that is proven to be worth more, to that node, and `best_end` is
    the one after it.
    """
    slot = s.slot[i]
    k, count = slot.graph, slot.length
    goal = slot.goal if slot.lane >= 0 else int(s.payoff[i, 0])
    end = s.node[i, count]
    for j in range(slot.length):
        sure = g.node[s.node[i, j]].floor
        if sure >= 0 and g.proof[sure, 0] > goal:
            goal, end, count = int(g.proof[sure, 0]), sure, j
            slot.lane = -1
    head = g.head[k]
    if goal > head.best_goal:
        head.best_goal, head.best_slot = goal, i
        head.best_end, head.best_length = end, count
        for j in range(count):
            s.line[j] = s.edge[i, j]
