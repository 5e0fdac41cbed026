"""The descent: from the root along edges to where lanes are needed."""

from __future__ import annotations

from ggp.core.kernels import inlined
from ggp.search.kernels.basics import copy
from ggp.search.kernels.choosing import choose
from ggp.search.kernels.grouping import enter_group
from ggp.search.kernels.layout import Graph, Scratch, Slots, Stage, State
from ggp.search.kernels.values import refresh_spread


@inlined
def descend(g: Graph, s: Slots, i: int, w: Scratch) -> None:
    """Go on with the descent of slot i from its last node, until lanes are needed.

    It sets the slot's stage. EXPAND: the last node's moves must be listed; MOVE: the last edge's move must be played;
    READY: play at random from `position`; PAID: the payoff is known; IDLE: there was no edge to take, and no simulation.
    """
    slot = s.slot[i]
    k = slot.graph
    g.head[k].stamp += 1
    stamp = g.head[k].stamp
    solver, by_input, ref = g.rule[k].solver, g.rule[k].by_input, g.rule[k].rave_ref
    nearest = s.node[i, 0]
    for j in range(slot.length + 1):
        g.mark[s.node[i, j]] = stamp
        if by_input and g.sums[s.node[i, j], 0] >= ref:
            nearest = s.node[i, j]
    while True:
        depth = slot.length
        x = s.node[i, depth]
        state = g.node[x].state
        if state & State.TERMINAL or (solver and state & State.PROVEN and depth):
            copy(s.payoff[i], g.proof[x])
            slot.stage = Stage.PAID
            return
        if depth >= s.edge.shape[1]:
            break
        if not state & State.EXPANDED:
            if state & State.EXPANDING or g.head[k].full:
                break
            g.node[x].state |= State.EXPANDING
            copy(s.position[i], g.position[x])
            slot.stage = Stage.EXPAND
            return
        if not by_input or g.sums[x, 0] >= ref:
            nearest = x
        e = choose(g, k, x, nearest, w)
        if e < 0:
            break
        push(g, s, i, e, w.chosen[0])
        y = g.edge[e].dest
        if y < 0:
            copy(s.position[i], g.position[x])
            slot.stage = Stage.MOVE
            return
        s.node[i, depth + 1] = y
        if g.mark[y] == stamp:  # a cycle: play at random from here
            break
        g.mark[y] = stamp
    if not slot.length:
        g.head[k].started -= 1
        slot.stage = Stage.IDLE
        return
    last = s.node[i, slot.length]
    slot.stage = Stage.READY
    slot.steps = 0
    slot.phase = g.node[last].phase
    copy(s.position[i], g.position[last])


@inlined
def push(g: Graph, s: Slots, i: int, e: int, group: int) -> None:
    """Extend the descent of slot i by an edge, chosen from a group of moves; -1: there are none."""
    slot = s.slot[i]
    at = slot.length
    s.edge[i, at] = e
    slot.length = at + 1
    g.edge[e].flying += 1
    if g.rule[slot.graph].grouped:
        enter_group(g, s, i, at, group)
    refresh_spread(g, slot.graph, e)
