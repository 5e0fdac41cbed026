"""Replies: what lanes prefer in their next step, by what was played before; a context is the input played last.

Lanes are told by a mask and belong to graphs as in `preferring`. The rows `moves` of the lanes' memory hold what each
role played when it last had a choice, the rows `legal` what it may play next; and the rows from `wishes` on say what it
shall prefer. Tables are for a graph, a context and a rank: [graphs, inputs, inputs of a role], a reply being numbered
within its role.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ggp.core.kernels import borrowing, inlined
from ggp.search.kernels.layout import Floats, Graph, Lanes, Numbers, Rows, Scratch, Slots, Words
from ggp.search.kernels.moves import joint_move
from ggp.search.kernels.preferring import Ints, coins, of_one_graph, ones, sort_by_goal

Orders: TypeAlias = NDArray[np.int16]
PRECISION = 10
"""Bits of the probability that a lane replies."""
_NONE = -1e300
"""The score of what is no reply."""


@borrowing
def recall_moves(g: Graph, s: Slots, v: Lanes, w: Scratch, width: int, deciders: Ints) -> None:
    """Lanes that were just loaded know what each role played last on the way to their position.

    deciders: [phases], the role that has a choice, -1: none. A step beyond the last node is not known.
    """
    words, roles = v.playing.shape[2], g.proof.shape[1]
    full = ~np.uint64(0) if width == 64 else (np.uint64(1) << np.uint64(width)) - np.uint64(1)
    for i in range(len(s.slot)):
        if v.play_source[i * width] < 0:
            continue
        column, lanes = i * width // 64, full << np.uint64(i * width % 64)
        known = 0
        for j in range(s.slot[i].length - 1, -1, -1):
            x = s.node[i, j]
            role = deciders[g.node[x].phase]
            if role >= 0 and not (known >> role) & 1:
                known |= 1 << role
                joint_move(g, x, g.code[s.edge[i, j]], w.pick)
                v.playing[column // words, v.rows.moves + w.pick[role], column % words] |= lanes
                if known + 1 == 1 << roles:
                    break


@borrowing
def reply(
    memory: Words, rows: Rows, wishes: int, lo: int, contexts: Ints, order: Orders, count: Numbers, odds: int,
    owner: Numbers, width: int, luck: Words,
) -> None:  # fmt: skip
    """Of lanes that play on, a share of odds / 2**PRECISION wish for the first legal reply to what was played last.

    order: the replies of each context, the best first, count[graph, context] of them; lo: the first input of the role
    that replies; contexts: [2], the first input that may be a context and the one after the last.
    """
    words = memory.shape[2]
    for column in range(len(memory) * words):
        block, w = column // words, column % words
        active = ~(memory[block, rows.done, w] | memory[block, rows.fresh, w])
        if not active:
            continue
        active &= coins(odds, PRECISION, luck)
        for c in range(contexts[0], contexts[1]):
            left = memory[block, rows.moves + c, w] & active
            while left:
                lanes, k = of_one_graph(left, column, owner, width, len(order))
                left &= ~lanes
                for j in range(count[k, c]):
                    a = lo + order[k, c, j]
                    able = memory[block, rows.legal + a, w] & lanes
                    if able:
                        memory[block, wishes + a, w] |= able
                        lanes &= ~able
                        if not lanes:
                            break


@borrowing
def count_pairs(
    memory: Words, row: int, goal_row: int, goals: Ints, starts: Ints, mask: Words, owner: Numbers, width: int,
    best: Words, played: Words, n: Floats, total: Floats, playouts: Floats,
) -> None:  # fmt: skip
    """Add lanes to the counts of all pairs of inputs that one role played in them, as `count_played` does for inputs.

    played: scratch, uint64 [inputs of a role]; playouts: float64 [graphs].
    """
    words = memory.shape[2]
    for column in range(len(mask)):
        block, w, left = column // words, column % words, mask[column]
        while left:
            lanes, k = of_one_graph(left, column, owner, width, len(n))
            left &= ~lanes
            playouts[k] += ones(lanes)
            sort_by_goal(memory[block, goal_row:, w], goals, starts[1], lanes, best)
            for r in range(starts.shape[1] - 1):
                lo, size = starts[0, r], starts[0, r + 1] - starts[0, r]
                for i in range(size):
                    played[i] = memory[block, row + lo + i, w] & lanes
                for i in range(size):
                    if played[i]:
                        _add_pairs(played[:size], played[i], 1.0, n[k, lo + i])
                        for j in range(starts[1, r], starts[1, r + 1]):
                            if goals[j, 1] and best[j] & played[i]:
                                _add_pairs(played[:size], best[j] & played[i], float(goals[j, 1]), total[k, lo + i])


@inlined
def _add_pairs(played: Words, lanes: np.uint64, weight: float, sums: Floats) -> None:
    """A weight for each of some lanes in which an input was played."""
    for i in range(len(played)):
        sums[i] += weight * ones(played[i] & lanes)


@borrowing
def rank_means(
    n: Floats, total: Floats, starts: Ints, threshold: float, score: Floats, order: Orders, count: Numbers
) -> None:
    """The replies of each context of a graph by their mean, the best first, as far as it is above a threshold.

    n, total: [inputs, inputs of a role]; score: scratch, [inputs of a role].
    """
    for r in range(starts.shape[1] - 1):
        lo, hi = starts[0, r], starts[0, r + 1]
        for c in range(lo, hi):
            count[c] = 0
            if n[c, c - lo] > 0:
                for a in range(hi - lo):
                    mean = total[c, a] / n[c, a] if n[c, a] > 0 else _NONE
                    score[a] = mean if mean > threshold else _NONE
                    count[c] += mean > threshold
                sort(order[c, : hi - lo], score)


@borrowing
def sort(order: Orders, score: Floats) -> None:
    """Sort numbers by their scores, the highest first, then by themselves; fast where they are nearly sorted (Shell)."""
    gap = 1
    while 3 * gap < len(order):
        gap = 3 * gap + 1
    while gap:
        for i in range(gap, len(order)):
            a, j = order[i], i
            while j >= gap:
                b = order[j - gap]
                if score[b] > score[a] or (score[b] == score[a] and b < a):
                    break
                order[j] = b
                j -= gap
            order[j] = a
        gap //= 3
