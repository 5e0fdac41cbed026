"""Playouts by weights of moves, which are adapted to what won; see `ggp.search.adapting`.

`weights`, float64 [graphs, inputs], are logarithms; `powers` are e to them, and `news`, [lanes, inputs], what a lane
would add to its graph's weights if the role of an input won.
"""

from __future__ import annotations

import numpy as np

from ggp.core.kernels import borrowing, inlined
from ggp.search.kernels.basics import lowest_bit
from ggp.search.kernels.foresting import fraction
from ggp.search.kernels.lastgood import EVEN
from ggp.search.kernels.layout import Floats, Words
from ggp.search.kernels.plays import Ends, Plays, drawn, graph_of, list_ended


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
def reply_by_weights(p: Plays, lo: int, hi: int, odds: int, rate: float, powers: Floats, news: Floats) -> None:
    """Of the lanes that play on, a share wishes for one of the legal ones of inputs lo..hi-1, drawn by their powers.

    What the gradient says of that choice goes into news.
    """
    words = p.memory.shape[2]
    for column in range(len(p.memory) * words):
        held = p.memory[column // words, :, column % words]
        left = drawn(p, held, odds)
        while left:
            bit = lowest_bit(left)
            lane, one = 64 * column + bit, np.uint64(1) << np.uint64(bit)
            left ^= one
            k = graph_of(p, lane)
            weight, chosen = 0.0, -1
            for a in range(lo, hi):
                if held[p.rows.legal + a] & one:
                    weight += powers[k, a]
                    if fraction(p.luck) * weight < powers[k, a]:
                        chosen = a
            if chosen >= 0:
                held[p.wishes + chosen] |= one
                news[lane, chosen] += rate
                for a in range(lo, hi):
                    if held[p.rows.legal + a] & one:
                        news[lane, a] -= rate * powers[k, a] / weight


@borrowing
def adapt(p: Plays, ends: Ends, weights: Floats, powers: Floats, news: Floats) -> None:
    """Lanes have come to their end: the weights of the roles that won learn what they played."""
    for i in range(list_ended(p, ends)):
        lane, k = ends.lane[i], graph_of(p, ends.lane[i])
        for r in range(ends.reached.shape[1]):
            if ends.reached[lane, r] > EVEN:
                _learn(weights[k], powers[k], news[lane], ends.starts[0, r], ends.starts[0, r + 1])


@inlined
def _learn(weights: Floats, powers: Floats, news: Floats, lo: int, hi: int) -> None:
    for a in range(lo, hi):
        if news[a] != 0.0:
            weights[a] += news[a]
            powers[a] = np.exp(weights[a])
