"""Rows of the lanes' memory are read and set."""

from __future__ import annotations

import numpy as np

from ggp.kernels import borrowing


@borrowing
def read_flags(memory, one, other, lanes, out):  # type: ignore[no-untyped-def]
    """out[i, 0] = whether one of two rows holds in lane i, for the lanes 0..lanes-1. Whether any does."""
    words = memory.shape[2]
    found = False
    for column in range((lanes + 63) // 64):
        block, w = column // words, column % words
        x = memory[block, one, w] | memory[block, other, w]
        for b in range(min(64, lanes - 64 * column)):
            out[64 * column + b, 0] = (x >> np.uint64(b)) & np.uint64(1)
            found = found or out[64 * column + b, 0] != 0
    return found


@borrowing
def read_goals(memory, row, goal_roles, goal_values, lanes, goals):  # type: ignore[no-untyped-def]
    """goals[i, r] = the highest goal of role r whose row holds in lane i, for the lanes 0..lanes-1; else 0."""
    words = memory.shape[2]
    goals[:lanes] = 0.0
    for j in range(len(goal_roles)):
        for column in range((lanes + 63) // 64):
            x = memory[column // words, row + j, column % words]
            if x:
                for b in range(min(64, lanes - 64 * column)):
                    if (x >> np.uint64(b)) & np.uint64(1):
                        at = 64 * column + b
                        goals[at, goal_roles[j]] = max(goals[at, goal_roles[j]], goal_values[j])


@borrowing
def clear_rows(memory, rows, count, mask):  # type: ignore[no-untyped-def]
    """Clear some rows in the lanes of a mask. rows: int64 [n] first rows; count: int64 [n] how many; mask [columns]."""
    words = memory.shape[2]
    for column in range(len(mask)):
        if mask[column]:
            block, w = column // words, column % words
            for j in range(len(rows)):
                for row in range(rows[j], rows[j] + count[j]):
                    memory[block, row, w] &= ~mask[column]


@borrowing
def set_row(memory, row, mask):  # type: ignore[no-untyped-def]
    """Set a row in the lanes of a mask, uint64 [columns]."""
    words = memory.shape[2]
    for column in range(len(mask)):
        memory[column // words, row, column % words] |= mask[column]
