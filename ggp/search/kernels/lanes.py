"""Rows of the lanes' memory are read and set."""

from __future__ import annotations

import numpy as np

from ggp.core.kernels import borrowing
from ggp.search.kernels.layout import Floats, Lanes, Rows, Words


@borrowing
def read_ends(v: Lanes, lanes: int) -> None:
    """Which of the first growing lanes had come to an end, or were stuck, before their step, and with which goals."""
    memory, rows = v.growing, v.rows
    words = memory.shape[2]
    for column in range((lanes + 63) // 64):
        block, at = column // words, column % words
        x = memory[block, rows.ended, at] | memory[block, rows.stuck, at]
        for b in range(min(64, lanes - 64 * column)):
            lane = 64 * column + b
            v.ended[lane] = (x >> np.uint64(b)) & np.uint64(1) != 0
            if v.ended[lane]:
                goals_of(
                    memory[block, rows.goal : rows.goal + rows.goals, at], np.uint64(1) << np.uint64(b), v, v.goals[lane]
                )


@borrowing
def goals_of(held: Words, bit: np.uint64, v: Lanes, goals: Floats) -> None:
    """The highest goal of each role whose row holds in a lane, into goals [roles]; else 0. held: uint64 [goals]."""
    goals[:] = 0.0
    for j in range(len(held)):
        if held[v.goal_rows[j]] & bit:
            goals[v.goal_roles[j]] = max(goals[v.goal_roles[j]], v.goal_values[j])


@borrowing
def make_fresh(memory: Words, rows: Rows, mask: Words) -> None:
    """Lanes of a mask, uint64 [columns], are about to play: nothing is known of them but their positions."""
    words = memory.shape[2]
    for column in range(len(mask)):
        if mask[column]:
            block, at = column // words, column % words
            memory[block, rows.done, at] &= ~mask[column]
            memory[block, rows.stuck, at] &= ~mask[column]
            for row in range(rows.goal, rows.goal + rows.goals):
                memory[block, row, at] &= ~mask[column]
            memory[block, rows.fresh, at] |= mask[column]
