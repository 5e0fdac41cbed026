"""Simulations begin, and are given up."""

from __future__ import annotations

import numpy as np

from ggp.kernels import borrowing
from ggp.search.kernels.descent import descend
from ggp.search.kernels.layout import (
    EXPAND,
    EXPANDING,
    FLYING,
    IDLE,
    LANE,
    MOVE,
    OF,
    PROVEN,
    ROOT,
    SOLVER,
    STAGE,
    STARTED,
    STATE,
    TERMINAL,
    WANTED,
)
from ggp.search.kernels.updating import update
from ggp.search.kernels.values import refresh_spread

_CROWDED = 2  # simulations in a row that end without lanes: more would all go one way, while other edges are in flight
_FEW_SLOTS, _SLOTS_A_VISIT = 16, 0.5  # slots in use, so that many of them do not flood a small graph


@borrowing
def launch(g, s, w):  # type: ignore[no-untyped-def]
    """Give every idle slot a simulation, while its graph wants more.

    How many slots wait for lanes to grow, and how many simulations came to an end without any.
    """
    growing, ended = 0, 0
    for i in range(len(s.slot)):
        if s.slot[i, STAGE] == IDLE:
            k = s.slot[i, OF]
            if len(g.head) == 1 and i >= _FEW_SLOTS + _SLOTS_A_VISIT * g.sums[g.head[k, ROOT], 0]:
                continue
            root = np.int32(g.head[k, ROOT])
            for _ in range(_CROWDED):
                solved = g.node[root, STATE] & (PROVEN if g.rule[k, SOLVER] != 0 else TERMINAL)
                if g.head[k, STARTED] >= g.head[k, WANTED] or solved:
                    break
                s.length[i] = 0
                s.slot[i, LANE] = -1
                s.node[i, 0] = root
                descend(g, s, i, w)
                if s.slot[i, STAGE] == IDLE and not s.length[i]:
                    break
                g.head[k, STARTED] += 1
                if s.slot[i, STAGE] != IDLE:
                    break
                update(g, s, i, w)
                ended += 1
        growing += EXPAND <= s.slot[i, STAGE] <= MOVE
    return growing, ended


@borrowing
def cancel(g, s):  # type: ignore[no-untyped-def]
    """Give up all simulations under way, as if they had never begun but for the nodes and edges they made."""
    for i in range(len(s.slot)):
        if s.slot[i, STAGE] != IDLE:
            if s.slot[i, STAGE] == EXPAND:
                g.node[s.node[i, s.length[i]], STATE] &= ~EXPANDING
            for j in range(s.length[i]):
                g.link[s.edge[i, j], FLYING] -= 1
                refresh_spread(g, s.slot[i, OF], s.edge[i, j])
            g.head[s.slot[i, OF], STARTED] -= 1
            s.slot[i, STAGE] = IDLE
            s.length[i] = 0
