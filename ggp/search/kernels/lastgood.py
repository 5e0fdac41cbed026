"""The last good reply: learned from what won, forgotten when it loses; see `ggp.search.lastgood`.

`one`, int32 [graphs, inputs], holds the reply to the move before it; `two`, [graphs, inputs, inputs], to the two moves
before, the older one first; -1: none.
"""

from __future__ import annotations

import numpy as np

from ggp.core.kernels import borrowing, inlined
from ggp.search.kernels.basics import lowest_bit
from ggp.search.kernels.layout import Numbers, Rows, Words
from ggp.search.kernels.preferring import Ints, coins, sort_by_goal
from ggp.search.kernels.replying import PRECISION

EVEN = 50
"""The goal above which a playout was won, and below which it was lost."""


@borrowing
def learn_last(
    memory: Words, goal_row: int, goals: Ints, starts: Ints, mask: Words, owner: Numbers, width: int, best: Words,
    role_of: Numbers, sequence: Numbers, begun: Numbers, length: Numbers, one: Numbers, two: Numbers,
) -> None:  # fmt: skip
    """Lanes have come to their end: the replies of a role that won are kept, those of one that lost are forgotten.

    goals, starts, best: as in `count_played`; sequence, begun, length: as in `recall_sequences`; role_of: [inputs].
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
            k = owner[lane // width] if len(one) > 1 else 0
            for j in range(max(1, begun[lane]), length[lane]):
                reply, before = sequence[lane, j], sequence[lane, j - 1]
                value = goal_of_lane(goals, starts[1], best, role_of[reply], bit)
                one[k, before] = _after(one[k, before], reply, value)
                if j > 1:
                    older = sequence[lane, j - 2]
                    two[k, older, before] = _after(two[k, older, before], reply, value)


@inlined
def goal_of_lane(goals: Ints, first: Ints, best: Words, role: int, bit: int) -> int:
    """What a role has reached in a lane of the column that `best` is of; 0 where no goal holds."""
    for j in range(first[role], first[role + 1]):
        if (best[j] >> np.uint64(bit)) & np.uint64(1):
            return int(goals[j, 1])
    return 0


@inlined
def _after(known: int, reply: int, value: int) -> int:
    """What is known after a reply came to a goal."""
    if value > EVEN:
        return reply
    return -1 if value < EVEN and known == reply else known


@borrowing
def reply_by_last(
    memory: Words, rows: Rows, wishes: int, lo: int, hi: int, odds: int, active: Words, sequence: Numbers,
    length: Numbers, owner: Numbers, width: int, one: Numbers, two: Numbers, luck: Words,
) -> None:  # fmt: skip
    """Of the lanes that play, a share wishes for the legal one of inputs lo..hi-1 that was good after the last two moves.

    If there is none, for that which was good after the last one.
    """
    words = memory.shape[2]
    for column in range(len(active)):
        block, w, left = column // words, column % words, active[column]
        if left:
            left &= coins(odds, PRECISION, luck)
        while left:
            bit = lowest_bit(left)
            left &= left - np.uint64(1)
            lane = 64 * column + bit
            k, end = owner[lane // width] if len(one) > 1 else 0, length[lane]
            for moves in range(min(2, end), 0, -1):
                last = sequence[lane, end - 1]
                reply = one[k, last] if moves == 1 else two[k, sequence[lane, end - 2], last]
                if lo <= reply < hi and (memory[block, rows.legal + reply, w] >> np.uint64(bit)) & np.uint64(1):
                    memory[block, wishes + reply, w] |= np.uint64(1) << np.uint64(bit)
                    break
