"""The descent: from the root along edges to where lanes are needed."""

from __future__ import annotations

from ggp.kernels import borrowing
from ggp.search.kernels.basics import copy
from ggp.search.kernels.choosing import choose
from ggp.search.kernels.layout import (
    AT,
    DEST,
    EXPAND,
    EXPANDED,
    EXPANDING,
    FLYING,
    FULL,
    IDLE,
    MOVE,
    OF,
    PHASE,
    PROVEN,
    READY,
    SOLVER,
    STAGE,
    STAMP,
    STATE,
    STEPS,
    TERMINAL,
)
from ggp.search.kernels.values import refresh_spread


@borrowing
def descend(g, s, i, w):  # type: ignore[no-untyped-def]
    """Go on with the descent of slot i from its last node, until lanes are needed.

    It sets the slot's STAGE. EXPAND: the last node's moves must be listed; MOVE: the last edge's move must be played;
    READY: play at random from `position`; IDLE: the payoff is known, or (with no edge) the slot has nothing to do.
    """
    k = s.slot[i, OF]
    g.head[k, STAMP] += 1
    stamp = g.head[k, STAMP]
    for j in range(s.length[i] + 1):
        g.mark[s.node[i, j]] = stamp
    solver = g.rule[k, SOLVER] != 0
    while True:
        depth = s.length[i]
        x = s.node[i, depth]
        state = g.node[x, STATE]
        if state & TERMINAL or (solver and state & PROVEN and depth):
            copy(s.payoff[i], g.proof[x])
            s.slot[i, STAGE] = IDLE
            return
        if depth >= s.edge.shape[1]:
            break
        if not state & EXPANDED:
            if state & EXPANDING or g.head[k, FULL]:
                break
            g.node[x, STATE] |= EXPANDING
            copy(s.position[i], g.position[x])
            s.slot[i, STAGE] = EXPAND
            return
        e = choose(g, k, x, w)
        if e < 0:
            break
        push(g, s, i, e)
        y = g.link[e, DEST]
        if y < 0:
            copy(s.position[i], g.position[x])
            s.slot[i, STAGE] = MOVE
            return
        s.node[i, depth + 1] = y
        if g.mark[y] == stamp:  # a cycle: play at random from here
            break
        g.mark[y] = stamp
    last = s.node[i, s.length[i]]
    s.slot[i, STAGE] = READY if s.length[i] else IDLE
    s.slot[i, STEPS] = 0
    s.slot[i, AT] = g.node[last, PHASE]
    copy(s.position[i], g.position[last])


@borrowing
def push(g, s, i, e):  # type: ignore[no-untyped-def]
    """Extend the descent of slot i by an edge."""
    at = s.length[i]
    s.edge[i, at] = e
    s.length[i] = at + 1
    g.link[e, FLYING] += 1
    refresh_spread(g, s.slot[i, OF], e)
