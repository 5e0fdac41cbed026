"""The lanes of those that reply, as their kernels see them: which of them reply now, and how some have ended."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ggp.core.kernels import borrowing, inlined
from ggp.search.kernels.basics import lowest_bit
from ggp.search.kernels.layout import Numbers, Rows, Words
from ggp.search.kernels.preferring import Ints, coins, sort_by_goal
from ggp.search.kernels.replying import PRECISION


class Plays(NamedTuple):
    """Lanes, and whose they are."""

    memory: Words  # [blocks, rows, words]
    rows: Rows
    wishes: int  # the first of the rows that say what a lane shall prefer
    owner: Numbers  # [slots] the graph of each
    width: int  # lanes of a slot
    graphs: int
    luck: Words  # [1] the state of the generator


class Ends(NamedTuple):
    """What lanes play for, and the list of those that have come to their end."""

    changed: Words  # [columns] them, as a mask
    goals: Ints  # [goals, 2] as in `count_played`
    starts: Ints  # [2, roles + 1] as in `count_played`
    best: Words  # scratch: [goals]
    lane: Ints  # [lanes] them, one after another, as far as `list_ended` counts
    reached: Ints  # [lanes, roles] what each role has reached in each; 0 where no goal holds


@inlined
def drawn(p: Plays, held: Words, odds: int) -> np.uint64:
    """Of the lanes of a column that play on, a share of odds / 2**PRECISION. held: its rows."""
    active: np.uint64 = ~(held[p.rows.done] | held[p.rows.fresh])
    return active & coins(odds, PRECISION, p.luck) if active else active


@inlined
def graph_of(p: Plays, lane: int) -> int:
    """The graph that a lane plays for."""
    return p.owner[lane // p.width] if p.graphs > 1 else 0


@borrowing
def list_ended(p: Plays, ends: Ends) -> int:
    """List the lanes that have come to their end, and what each role has reached in them. How many there are."""
    count, words = 0, p.memory.shape[2]
    for column in range(len(ends.changed)):
        left, first = ends.changed[column], 64 * column
        if left:
            held = p.memory[column // words, p.rows.goal :, column % words]
            sort_by_goal(held, ends.goals, ends.starts[1], left, ends.best)
            ends.reached[first : first + 64] = 0
            for r in range(ends.reached.shape[1]):
                for j in range(ends.starts[1, r], ends.starts[1, r + 1]):
                    _reach(ends.reached[first : first + 64, r], ends.best[j], ends.goals[j, 1])
        while left:
            ends.lane[count] = first + lowest_bit(left)
            left &= left - np.uint64(1)
            count += 1
    return count


@inlined
def _reach(reached: Ints, lanes: np.uint64, goal: int) -> None:
    """A role has reached a goal in some lanes of a column."""
    while lanes:
        reached[lowest_bit(lanes)] = goal
        lanes &= lanes - np.uint64(1)
