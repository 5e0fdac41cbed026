"""Simulations begin, and are given up."""

from __future__ import annotations

from ggp.core.kernels import borrowing
from ggp.search.kernels.descent import descend
from ggp.search.kernels.grouping import leave_group
from ggp.search.kernels.layout import Graph, Scratch, Slots, Stage, State
from ggp.search.kernels.updating import update
from ggp.search.kernels.values import refresh_spread

_CROWDED = 2  # simulations in a row that end without lanes: more would all go one way, while other edges are in flight
_FEW_SLOTS, _SLOTS_A_VISIT = 16, 0.5  # slots in use, so that many of them do not flood a small graph


@borrowing
def launch(g: Graph, s: Slots, w: Scratch) -> tuple[int, int]:
    """Give every idle slot a simulation, while its graph wants more.

    How many slots wait for lanes to grow, and how many simulations came to an end without any.
    """
    growing, ended = 0, 0
    for i in range(len(s.slot)):
        slot = s.slot[i]
        if slot.stage == Stage.IDLE:
            k = slot.graph
            head = g.head[k]
            if len(g.head) == 1 and i >= _FEW_SLOTS + _SLOTS_A_VISIT * g.sums[head.root, 0]:
                continue
            root = head.root
            for _ in range(_CROWDED):
                solved = g.node[root].state & (State.PROVEN if g.rule[k].solver else State.TERMINAL)
                if head.started >= head.wanted or solved:
                    break
                slot.length = 0
                slot.lane = -1
                s.node[i, 0] = root
                descend(g, s, i, w)
                if slot.stage == Stage.IDLE and not slot.length:
                    break
                head.started += 1
                if slot.stage != Stage.IDLE:
                    break
                update(g, s, i, w)
                ended += 1
        growing += Stage.EXPAND <= slot.stage <= Stage.MOVE
    return growing, ended


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
