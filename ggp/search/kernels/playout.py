"""Playouts: slots go to the playing lanes, and come back with payoffs."""

from __future__ import annotations

import numpy as np

from ggp.core.kernels import borrowing, inlined
from ggp.search.kernels.amaf import hear
from ggp.search.kernels.basics import log_chance, lowest_bit
from ggp.search.kernels.lanes import make_fresh
from ggp.search.kernels.layout import Floats, Graph, Lanes, Scratch, Slots, Stage, Words
from ggp.search.kernels.preferring import ones
from ggp.search.kernels.proofs import end_node
from ggp.search.kernels.transfer import load_lanes
from ggp.search.kernels.updating import update
from ggp.search.kernels.valuing import mix_value


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
            g, memory[block, rows.goal : rows.goal + rows.goals, at], v, done, shift, width, s.payoff[i]
        )
        grown = g.edge[s.edge[i, slot.length - 1]].dest >= 0
        if memory[block, rows.stuck, at] & (np.uint64(1) << shift):  # the game was over
            if grown and slot.steps == 0:
                end_node(g, s, i, w)
        elif g.rule[slot.graph].value > 0:
            mix_value(g, slot.graph, s.position[i], s.payoff[i])
        log_chance(g, slot.graph, 1.0, s.payoff[i])
        if g.rule[slot.graph].rave > 0:
            hear(g, v, i, done, shift, width, w)
        update(g, s, i, w)
    return playing


@inlined
def _mean_goals(
    g: Graph, held: Words, v: Lanes, done: np.uint64, shift: np.uint64, width: int, payoff: Floats
) -> tuple[int, int]:
    """The mean of what a slot's lanes have reached, into payoff [roles].

    Gives the first of the lanes that have reached most for the first role, and what that is, nothing at least. held:
    uint64 [goals of the game], in which the slot's bits begin at `shift`; done: its lanes that have come to an end.
    """
    given_up = width - ones(done)
    for r in range(len(payoff)):
        payoff[r] = given_up * g.cut_goal[r]
    role, left, best, most = -1, done, 0, 0
    for j in range(len(v.goal_rows)):
        if v.goal_roles[j] != role:
            role, left = v.goal_roles[j], done
        reached = (held[v.goal_rows[j]] >> shift) & left
        if reached:
            left &= ~reached
            payoff[role] += v.goal_values[j] * ones(reached)
            if role == 0 and v.goal_values[j] > most:
                best, most = lowest_bit(reached), int(v.goal_values[j])
    for r in range(len(payoff)):
        payoff[r] /= width
    return best, most
