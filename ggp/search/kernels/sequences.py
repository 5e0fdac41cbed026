"""What was played, in order: a sequence of inputs for each lane, and for each slot its descent; only roles with a choice.

A lane's sequence begins with the last moves of the descent that led to it, at most `LONGEST`.
"""

from __future__ import annotations

import numpy as np

from ggp.core.kernels import borrowing
from ggp.search.kernels.basics import lowest_bit
from ggp.search.kernels.layout import Graph, Lanes, Numbers, Rows, Scratch, Slots, Words
from ggp.search.kernels.moves import joint_move
from ggp.search.kernels.preferring import Ints

LONGEST = 8
"""Moves of a context, at most."""


@borrowing
def begin_sequences(mask: Words, active: Words, begun: Numbers, length: Numbers) -> None:
    """Lanes of a mask have no sequence yet. active: uint64 [columns], lanes that play; begun, length: [lanes]."""
    for column in range(len(mask)):
        active[column] &= ~mask[column]
        for bit in range(64):
            if (mask[column] >> np.uint64(bit)) & np.uint64(1):
                begun[64 * column + bit] = length[64 * column + bit] = 0


@borrowing
def recall_sequences(
    g: Graph, s: Slots, v: Lanes, w: Scratch, width: int, deciders: Ints, path: Numbers, edges: Numbers,
    sequence: Numbers, begun: Numbers, length: Numbers,
) -> None:  # fmt: skip
    """Lanes that were just loaded know the descent that led to them. A step beyond the last node is not known.

    deciders: [phases], the role that has a choice, -1: none; path: [slots, depth] the moves of each descent,
    edges: [slots] how many; sequence: [lanes, steps]; begun, length: [lanes] how many are of the descent, and how many
    there are.
    """
    for i in range(len(s.slot)):
        if v.play_source[i * width] < 0:
            continue
        count = 0
        for j in range(s.slot[i].length):
            x = s.node[i, j]
            role = deciders[g.node[x].phase]
            if role >= 0:
                joint_move(g, x, g.code[s.edge[i, j]], w.pick)
                path[i, count] = w.pick[role]
                count += 1
        edges[i] = count
        known = min(count, LONGEST)
        for lane in range(i * width, (i + 1) * width):
            begun[lane] = length[lane] = known
            for j in range(known):
                sequence[lane, j] = path[i, count - known + j]


@borrowing
def note_moves(memory: Words, rows: Rows, lo: int, hi: int, active: Words, sequence: Numbers, length: Numbers) -> None:
    """After a step in which inputs lo..hi-1 could be played: add what was.

    active: uint64 [columns], the lanes that play: before, those of this step, and after, those of the next.
    """
    words = memory.shape[2]
    for column in range(len(active)):
        block, w = column // words, column % words
        if active[column]:
            for c in range(lo, hi):
                left = memory[block, rows.moves + c, w] & active[column]
                while left:
                    lane = 64 * column + lowest_bit(left)
                    left &= left - np.uint64(1)
                    if length[lane] < sequence.shape[1]:
                        sequence[lane, length[lane]] = c
                        length[lane] += 1
        active[column] = ~(memory[block, rows.done, w] | memory[block, rows.fresh, w])
