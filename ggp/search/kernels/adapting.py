"""Playouts by weights of moves, which are adapted to what won; see `ggp.search.adapting`.

`weights`, float64 [graphs, inputs], are logarithms; `powers` are e to them, and `news`, [lanes, inputs], what a lane
would add to its graph's weights if the role of an input won.
"""

from __future__ import annotations

import numpy as np

from ggp.core.kernels import borrowing, inlined
from ggp.search.kernels.basics import lowest_bit
from ggp.search.kernels.foresting import fraction
from ggp.search.kernels.lastgood import EVEN, goal_of_lane
from ggp.search.kernels.layout import Floats, Numbers, Rows, Words
from ggp.search.kernels.preferring import Ints, coins, sort_by_goal
from ggp.search.kernels.replying import PRECISION


@borrowing
def forget_news(mask: Words, news: Floats) -> None:
    """Lanes of a mask have played nothing yet."""
    for column in range(len(mask)):
        left = mask[column]
        while left:
            bit = lowest_bit(left)
            left &= left - np.uint64(1)
            for a in range(news.shape[1]):
                news[64 * column + bit, a] = 0.0


@borrowing
def reply_by_weights(
    memory: Words, rows: Rows, wishes: int, lo: int, hi: int, odds: int, owner: Numbers, width: int, rate: float,
    powers: Floats, news: Floats, luck: Words,
) -> None:  # fmt: skip
    """Of the lanes that play on, a share wishes for one of the legal ones of inputs lo..hi-1, drawn by their powers.

    What the gradient says of that choice goes into news.
    """
    words = memory.shape[2]
    for column in range(len(memory) * words):
        block, w = column // words, column % words
        left = ~(memory[block, rows.done, w] | memory[block, rows.fresh, w])
        if left:
            left &= coins(odds, PRECISION, luck)
        while left:
            bit = lowest_bit(left)
            left &= left - np.uint64(1)
            lane, one = 64 * column + bit, np.uint64(1) << np.uint64(bit)
            k = owner[lane // width] if len(powers) > 1 else 0
            weight, chosen = 0.0, -1
            for a in range(lo, hi):
                if memory[block, rows.legal + a, w] & one:
                    weight += powers[k, a]
                    if fraction(luck) * weight < powers[k, a]:
                        chosen = a
            if chosen >= 0:
                memory[block, wishes + chosen, w] |= one
                news[lane, chosen] += rate
                for a in range(lo, hi):
                    if memory[block, rows.legal + a, w] & one:
                        news[lane, a] -= rate * powers[k, a] / weight


@borrowing
def adapt(
    memory: Words, goal_row: int, goals: Ints, starts: Ints, mask: Words, owner: Numbers, width: int, best: Words,
    weights: Floats, powers: Floats, news: Floats,
) -> None:  # fmt: skip
    """Lanes have come to their end: the weights of the roles that won learn what they played.

    goals, starts, best: as in `count_played`.
    """
    words = memory.shape[2]
    for column in range(len(mask)):
        left = mask[column]
        if left:
            sort_by_goal(memory[column // words, goal_row:, column % words], goals, starts[1], left, best)
        while left:
            bit = lowest_bit(left)
            left &= left - np.uint64(1)
            lane = 64 * column + bit
            k = owner[lane // width] if len(weights) > 1 else 0
            for r in range(starts.shape[1] - 1):
                if goal_of_lane(goals, starts[1], best, r, bit) > EVEN:
                    _learn(weights[k], powers[k], news[lane], starts[0, r], starts[0, r + 1])


@inlined
def _learn(weights: Floats, powers: Floats, news: Floats, lo: int, hi: int) -> None:
    for a in range(lo, hi):
        if news[a] != 0.0:
            weights[a] += news[a]
            powers[a] = np.exp(weights[a])
