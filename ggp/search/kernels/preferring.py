"""Playouts that prefer moves: each draws what it prefers before it begins, and is counted by what was played in it.

Lanes are told by a mask, uint64 [columns], and belong to slots of `width` lanes each, which belong to graphs: `owner`
[slots]. Each graph knows only what its own playouts have shown; what it knows is a row of a table [graphs, inputs].
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numba.cpython.unsafe.numbers import trailing_zeros
from numpy.typing import NDArray

from ggp.core.kernels import borrowing
from ggp.search.kernels.layout import Floats, Numbers, Words

Ints: TypeAlias = NDArray[np.int64]
PRECISION = 6
"""Bits of the probability that an input is preferred."""
_TEMPERATURE = 10.0  # goal points by which an average must be higher for an input to be preferred e times as often
_NEWS = 1 / 16  # of what had been counted: with less that is new, preferences stay as they are
_USUAL = 0.25  # how often an input is preferred whose average is that of all its role's


@borrowing
def draw_preferences(memory: Words, row: int, mask: Words, owner: Numbers, width: int, odds: Ints, luck: Words) -> None:
    """Lanes prefer each input by itself, with odds[graph, input] / 2**PRECISION; a row for each input.

    odds: int64; luck: uint64 [1], the state of the generator (splitmix64).
    """
    words = memory.shape[2]
    for column in range(len(mask)):
        block, w, left = column // words, column % words, mask[column]
        while left:
            lanes, k = of_one_graph(left, column, owner, width, len(odds))
            left &= ~lanes
            for i in range(odds.shape[1]):
                x = coins(odds[k, i], PRECISION, luck)
                memory[block, row + i, w] = (memory[block, row + i, w] & ~lanes) | (x & lanes)


@borrowing
def forget_played(memory: Words, row: int, inputs: int, mask: Words) -> None:
    """Nothing has been played in lanes of a mask; a row for each input."""
    words = memory.shape[2]
    for column in range(len(mask)):
        if mask[column]:
            block, w = column // words, column % words
            for i in range(row, row + inputs):
                memory[block, i, w] &= ~mask[column]


@borrowing
def count_played(
    memory: Words, row: int, goal_row: int, goals: Ints, starts: Ints, mask: Words, owner: Numbers, width: int,
    best: Words, n: Floats, total: Floats,
) -> None:  # fmt: skip
    """Add lanes to the counts of the inputs that were played in them.

    n, total: float64 [graphs, inputs], playouts and the sum of what the role reached in them. goals: [goals, 2], goal
    literals and their values, for each role the highest first; starts: [2, roles + 1], the inputs of each role, and the
    places of its goals; best: scratch, uint64 [goals].
    """
    words = memory.shape[2]
    for column in range(len(mask)):
        block, w, left = column // words, column % words, mask[column]
        while left:
            lanes, k = of_one_graph(left, column, owner, width, len(n))
            left &= ~lanes
            sort_by_goal(memory[block, goal_row:, w], goals, starts[1], lanes, best)
            for r in range(starts.shape[1] - 1):
                for i in range(starts[0, r], starts[0, r + 1]):
                    played = memory[block, row + i, w] & lanes
                    if played:
                        n[k, i] += ones(played)
                        for j in range(starts[1, r], starts[1, r + 1]):
                            total[k, i] += goals[j, 1] * ones(played & best[j])


@borrowing
def weigh(n: Floats, total: Floats, starts: Ints, odds: Ints, weighed: Floats, liking: Floats) -> None:
    """How often each input is preferred, in 2**PRECISION parts, one at least; always, if it was never played.

    liking: float64 [graphs, inputs], by how many points its average is above that of all its role's.

    weighed: float64 [graphs], how much had been counted when that was found out, -1: it never was; only where it is a
    good deal more by now, or less, is it found out again.
    """
    for k in range(len(n)):
        seen = n[k].sum()
        if weighed[k] <= seen <= weighed[k] * (1 + _NEWS):
            continue
        weighed[k] = seen
        for r in range(starts.shape[1] - 1):
            lo, hi = starts[0, r], starts[0, r + 1]
            count = reached = 0.0
            for i in range(lo, hi):
                count += n[k, i]
                reached += total[k, i]
            for i in range(lo, hi):
                odds[k, i] = 1 << PRECISION
                liking[k, i] = 0.0
                if n[k, i] > 0:
                    liking[k, i] = total[k, i] / n[k, i] - reached / count
                    share = _USUAL * np.exp(liking[k, i] / _TEMPERATURE)
                    odds[k, i] = max(1, int(min(1.0, share) * (1 << PRECISION) + 0.5))


@borrowing
def of_one_graph(left: np.uint64, column: int, owner: Numbers, width: int, graphs: int) -> tuple[np.uint64, int]:
    """Some lanes of a column that belong to one graph: those of one slot, or all if there is only one. And the graph."""
    if graphs == 1:
        return left, 0
    lane = np.int64(trailing_zeros(left))  # type: ignore[call-arg]
    first = lane // width * width
    whole = ~np.uint64(0) if width == 64 else (np.uint64(1) << np.uint64(width)) - np.uint64(1)
    return left & (whole << np.uint64(first)), owner[(64 * column + lane) // width]


@borrowing
def sort_by_goal(held: Words, goals: Ints, first: Ints, lanes: np.uint64, best: Words) -> None:
    """Which of some lanes have reached which goal, into best [goals]: the highest of each role that holds is what counts.

    held: uint64 [goals], the lanes in which each goal literal holds; goals: as in `count_played`, of role r those from
    first[r] to first[r + 1].
    """
    for r in range(len(first) - 1):
        left = lanes
        for j in range(first[r], first[r + 1]):
            best[j] = held[goals[j, 0]] & left
            left &= ~best[j]


@borrowing
def coins(odds: int, precision: int, luck: Words) -> np.uint64:
    """64 bits, each set with the probability odds / 2**precision. luck: uint64 [1], the generator (splitmix64)."""
    x = ~np.uint64(0)
    if odds < 1 << precision:
        x = np.uint64(0)
        for bit in range(precision):  # the lowest first: below the fraction that the bits so far write
            luck[0] += np.uint64(0x9E3779B97F4A7C15)
            z = luck[0]
            z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            z ^= z >> np.uint64(31)
            x = x | z if (odds >> bit) & 1 else x & z
    return x


@borrowing
def ones(x: np.uint64) -> np.int64:
    """How many bits are set."""
    x -= (x >> np.uint64(1)) & np.uint64(0x5555555555555555)
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56))
