"""Games for one role: which simulation has reached the highest goal. What it did once can be done again; see `trace`."""

from __future__ import annotations

from ggp.kernels import inlined
from ggp.search.kernels.layout import BEST, BEST_END, BEST_LENGTH, BEST_SLOT, FLOOR, GOAL, LANE, OF


@inlined
def note_best(g, s, i):  # type: ignore[no-untyped-def]
    """Keep the descent of slot i if it has led to a higher goal than all before it, or past a node that does.

    The slot may begin its next simulation before anybody looks, so the edges are copied. They lead to the node END, or,
    where a node on the way has a move that is proven to be worth more, to that node: END is the one after it.
    """
    k, count = s.slot[i, OF], s.length[i]
    goal = s.slot[i, GOAL] if s.slot[i, LANE] >= 0 else int(s.payoff[i, 0])
    end = s.node[i, count]
    for j in range(s.length[i]):
        sure = g.node[s.node[i, j], FLOOR]
        if sure >= 0 and g.proof[sure, 0] > goal:
            goal, end, count = int(g.proof[sure, 0]), sure, j
            s.slot[i, LANE] = -1
    if goal > g.head[k, BEST]:
        g.head[k, BEST], g.head[k, BEST_SLOT] = goal, i
        g.head[k, BEST_END], g.head[k, BEST_LENGTH] = end, count
        for j in range(count):
            s.line[j] = s.edge[i, j]
