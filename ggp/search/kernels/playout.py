"""Playouts: slots go to the playing lanes, and come back with payoffs."""

from __future__ import annotations

import numpy as np

from ggp.kernels import borrowing, inlined
from ggp.search.kernels.basics import copy, log_chance
from ggp.search.kernels.layout import DEST, IDLE, OF, PLAYING, READY, STAGE, STEPS
from ggp.search.kernels.proofs import end_node
from ggp.search.kernels.updating import update


@borrowing
def load_playing(s, width, lap, source, started):  # type: ignore[no-untyped-def]
    """Send slots that are ready to the playing lanes. source: int32 [lanes] becomes the slot or -1. How many."""
    source[:] = -1
    count = 0
    for i in range(len(s.slot)):
        if s.slot[i, STAGE] == READY:
            s.slot[i, STAGE] = PLAYING
            started[i] = lap
            source[i * width : (i + 1) * width] = i
            count += 1
    return count


@borrowing
def count_playing(s):  # type: ignore[no-untyped-def]
    """How many slots play."""
    count = 0
    for i in range(len(s.slot)):
        count += s.slot[i, STAGE] == PLAYING
    return count


@borrowing
def harvest(g, s, width, memory, done_row, stuck_row, goal_row, goal_roles, goal_values, lap, limit, started, w):  # type: ignore[no-untyped-def]
    """Update with every slot whose lanes are all done, or have played for more than `limit` laps. How many still play."""
    words = memory.shape[2]
    playing = 0
    full = ~np.uint64(0) if width == 64 else (np.uint64(1) << np.uint64(width)) - np.uint64(1)
    for i in range(len(s.slot)):
        if s.slot[i, STAGE] != PLAYING:
            continue
        first = i * width
        column, shift = first // 64, np.uint64(first % 64)
        block, at = column // words, column % words
        done = (memory[block, done_row, at] >> shift) & full
        late = lap - started[i] > limit
        if done != full and not late:
            playing += 1
            continue
        goal_rows = memory[block, goal_row : goal_row + len(goal_roles), at]
        _mean_goals(g, goal_rows, goal_roles, goal_values, done, shift, width, w.goals, s.payoff[i])
        grown = g.link[s.edge[i, s.length[i] - 1], DEST] >= 0
        if memory[block, stuck_row, at] & (np.uint64(1) << shift) and grown and s.slot[i, STEPS] == 0:
            end_node(g, s, i, w)
        log_chance(g, s.slot[i, OF], 1.0, s.payoff[i])
        update(g, s, i, w)
        s.slot[i, STAGE] = IDLE
    return playing


@inlined
def _mean_goals(g, rows, goal_roles, goal_values, done, shift, width, goals, payoff):  # type: ignore[no-untyped-def]
    """The mean of what a slot's lanes have reached, into payoff [roles]; `goals` is scratch, of the same size.

    rows: uint64 [goals of the game], in which the slot's bits begin at `shift`; done: its lanes that have come to an end.
    """
    payoff[:] = 0.0
    for lane in range(width):
        bit = np.uint64(1) << (shift + np.uint64(lane))
        if not (done >> np.uint64(lane)) & np.uint64(1):  # given up
            copy(goals, g.cut_goal)
        else:
            goals[:] = 0.0
            for j in range(len(goal_roles)):
                if rows[j] & bit:
                    goals[goal_roles[j]] = max(goals[goal_roles[j]], goal_values[j])
        for r in range(len(payoff)):
            payoff[r] += goals[r]
    for r in range(len(payoff)):
        payoff[r] /= width
