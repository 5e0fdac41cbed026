"""Playouts: slots go to the playing lanes, and come back with payoffs."""

from __future__ import annotations

import numpy as np

from ggp.core.kernels import borrowing, inlined
from ggp.search.kernels.amaf import hear
from ggp.search.kernels.basics import copy, log_chance
from ggp.search.kernels.lanes import goals_of, make_fresh
from ggp.search.kernels.layout import Floats, Graph, Lanes, Scratch, Slots, Stage, Words
from ggp.search.kernels.proofs import end_node
from ggp.search.kernels.transfer import load_lanes
from ggp.search.kernels.updating import update


@borrowing
def load_playing(s: Slots, v: Lanes, width: int, lap: int) -> tuple[int, int]:
    """Send slots that are ready to the playing lanes. How many play then, and since which lap the first.

    v.mask becomes the lanes that were loaded.
    """
    source = v.play_source
    source[:] = -1
    columns = v.mask[: len(source) // 64]
    columns[:] = np.uint64(0)
    playing, oldest, fresh = 0, lap, False
    for i in range(len(s.slot)):
        slot = s.slot[i]
        if slot.stage == Stage.READY:
            slot.stage = Stage.PLAYING
            v.started[i] = lap
            source[i * width : (i + 1) * width] = i
            fresh = True
        if slot.stage == Stage.PLAYING:
            playing += 1
            oldest = min(oldest, v.started[i])
    if fresh:
        load_lanes(v.playing, 0, v.rows.bases, source, s.position, columns, v.square)
        make_fresh(v.playing, v.rows, columns)
        _let_wait(s, v, width)
    return playing, oldest


@inlined
def _let_wait(s: Slots, v: Lanes, width: int) -> None:
    """Laps begin with phase 0: lanes that were just loaded wait in them for the phase of their position. No others do."""
    words = v.playing.shape[2]
    full = _lanes_of_a_slot(width)
    for i in range(len(s.slot)):
        column, shift = i * width // 64, np.uint64(i * width % 64)
        if v.play_source[i * width] >= 0:
            for t in range(s.slot[i].phase):
                v.playing[column // words, v.rows.waits + t, column % words] |= full << shift


@inlined
def _lanes_of_a_slot(width: int) -> np.uint64:
    """So many of the lowest bits, 64 at most."""
    return ~np.uint64(0) if width == 64 else (np.uint64(1) << np.uint64(width)) - np.uint64(1)


@borrowing
def harvest(g: Graph, s: Slots, v: Lanes, w: Scratch, width: int, lap: int, limit: int) -> int:
    """Update with every slot whose lanes are all done, or have played for more than `limit` laps. How many still play.

    v.mask becomes the lanes that have come to an end; what they reached stays in them until they are loaded again.
    """
    memory, rows = v.playing, v.rows
    v.mask[: len(v.play_source) // 64] = np.uint64(0)
    words = memory.shape[2]
    playing = 0
    full = _lanes_of_a_slot(width)
    for i in range(len(s.slot)):
        slot = s.slot[i]
        if slot.stage != Stage.PLAYING:
            continue
        first = i * width
        column, shift = first // 64, np.uint64(first % 64)
        block, at = column // words, column % words
        done = (memory[block, rows.done, at] >> shift) & full
        late = lap - v.started[i] > limit
        if done != full and not late:
            playing += 1
            continue
        v.mask[column] |= done << shift
        slot.lane, slot.goal = _mean_goals(
            g, memory[block, rows.goal : rows.goal + rows.goals, at], v, done, shift, width, w.goals, s.payoff[i]
        )
        grown = g.edge[s.edge[i, slot.length - 1]].dest >= 0
        if memory[block, rows.stuck, at] & (np.uint64(1) << shift) and grown and slot.steps == 0:
            end_node(g, s, i, w)
        log_chance(g, slot.graph, 1.0, s.payoff[i])
        if g.rule[slot.graph].rave > 0:
            hear(g, v, i, done, shift, width, w)
        update(g, s, i, w)
        slot.stage = Stage.IDLE
    return playing


@inlined
def _mean_goals(
    g: Graph, held: Words, v: Lanes, done: np.uint64, shift: np.uint64, width: int, goals: Floats, payoff: Floats
) -> tuple[int, int]:
    """The mean of what a slot's lanes have reached, into payoff [roles]; `goals` is scratch, of the same size.

    Gives the lane that has reached most for the first role, and its goal. held: uint64 [goals of the game], in which the
    slot's bits begin at `shift`; done: its lanes that have come to an end.
    """
    payoff[:] = 0.0
    best, most = 0, -1
    for lane in range(width):
        if (done >> np.uint64(lane)) & np.uint64(1):
            goals_of(held, np.uint64(1) << (shift + np.uint64(lane)), v, goals)
        else:  # given up
            copy(goals, g.cut_goal)
        if goals[0] > most:
            best, most = lane, int(goals[0])
        for r in range(len(payoff)):
            payoff[r] += goals[r]
    for r in range(len(payoff)):
        payoff[r] /= width
    return best, most
