"""The last good reply: learned from what won, forgotten when it loses; see `ggp.search.lastgood`.

`one`, int32 [graphs, inputs], holds the reply to the move before it; `two`, [graphs, inputs, inputs], to the two moves
before, the older one first; -1: none.
"""

from __future__ import annotations

import numpy as np

from ggp.core.kernels import borrowing, inlined
from ggp.search.kernels.basics import lowest_bit
from ggp.search.kernels.layout import Numbers
from ggp.search.kernels.plays import Ends, Plays, drawn, graph_of, list_ended

EVEN = 50
"""The goal above which a playout was won, and below which it was lost."""


@borrowing
def learn_last(
    p: Plays, ends: Ends, role_of: Numbers, sequence: Numbers, begun: Numbers, length: Numbers, one: Numbers,
    two: Numbers,
) -> None:  # fmt: skip
    """Lanes have come to their end: the replies of a role that won are kept, those of one that lost are forgotten.

    role_of: [inputs]; sequence, begun, length: as in `recall_sequences`.
    """
    for i in range(list_ended(p, ends)):
        lane, k = ends.lane[i], graph_of(p, ends.lane[i])
        for j in range(max(1, begun[lane]), length[lane]):
            reply, before = sequence[lane, j], sequence[lane, j - 1]
            value = ends.reached[lane, role_of[reply]]
            one[k, before] = _after(one[k, before], reply, value)
            if j > 1:
                older = sequence[lane, j - 2]
                two[k, older, before] = _after(two[k, older, before], reply, value)


@inlined
def _after(known: int, reply: int, value: int) -> int:
    """What is known after a reply came to a goal."""
    if value > EVEN:
        return reply
    return -1 if value < EVEN and known == reply else known


@borrowing
def reply_by_last(
    p: Plays, lo: int, hi: int, odds: int, sequence: Numbers, length: Numbers, one: Numbers, two: Numbers
) -> None:
    """Of the lanes that play, a share wishes for the legal one of inputs lo..hi-1 that was good after the last two moves.

    If there is none, for that which was good after the last one.
    """
    words = p.memory.shape[2]
    for column in range(len(p.memory) * words):
        held = p.memory[column // words, :, column % words]
        left = drawn(p, held, odds)
        while left:
            at = lowest_bit(left)
            lane, bit = 64 * column + at, np.uint64(1) << np.uint64(at)
            left ^= bit
            k, end = graph_of(p, lane), length[lane]
            for moves in range(min(2, end), 0, -1):
                last = sequence[lane, end - 1]
                reply = one[k, last] if moves == 1 else two[k, sequence[lane, end - 2], last]
                if lo <= reply < hi and held[p.rows.legal + reply] & bit:
                    held[p.wishes + reply] |= bit
                    break
