"""Simulations begin, and are given up."""

from __future__ import annotations

from ggp.core.kernels import borrowing, inlined
from ggp.search.kernels.grouping import leave_group
from ggp.search.kernels.layout import Graph, Slots, Stage, State
from ggp.search.kernels.values import refresh_spread

_FEW_SLOTS, _SLOTS_A_VISIT = 16, 0.5  # slots in use, so that many of them do not flood a small graph


@inlined
def launch(g: Graph, s: Slots) -> None:
    """Give every idle slot a simulation, while its graph wants more."""
    for i in range(len(s.slot)):
        slot = s.slot[i]
        if slot.stage == Stage.IDLE:
            k = slot.graph
            head = g.head[k]
            solved = g.node[head.root].state & (State.PROVEN if g.rule[k].solver else State.TERMINAL)
            crowded = len(g.head) == 1 and i >= _FEW_SLOTS + _SLOTS_A_VISIT * g.sums[head.root, 0]
            if head.started < head.wanted and not solved and not crowded:
                head.started += 1
                slot.stage = Stage.DESCENDING
                slot.length = 0
                slot.lane = -1
                s.node[i, 0] = head.root


@borrowing
def cancel(g: Graph, s: Slots) -> None:
    """Give up all simulations under way, as if they had never begun but for the nodes and edges they made."""
    for i in range(len(s.slot)):
        slot = s.slot[i]
        if slot.stage != Stage.IDLE:
            if slot.stage == Stage.EXPAND:
                g.node[s.node[i, slot.length]].state &= ~State.EXPANDING
            for j in range(slot.length):
                g.edge[s.edge[i, j]].flying -= 1
                if g.rule[slot.graph].grouped:
                    leave_group(g, s, i, j)
                refresh_spread(g, slot.graph, s.edge[i, j])
            g.head[slot.graph].started -= 1
            slot.stage = Stage.IDLE
            slot.length = 0
