"""N-grams of moves: what a move has led to after the one or two moves before it; see `ggp.search.ngrams`.

The table is that of `foresting`, of contexts of one and of two moves: its patterns are the bigrams and trigrams. What
a move has led to whatever was before it is in `n` and `total`, float64 [graphs, inputs].
"""

from __future__ import annotations

import numpy as np

from ggp.core.kernels import borrowing, inlined
from ggp.search.kernels.basics import lowest_bit
from ggp.search.kernels.foresting import CONTEXT, FULL, PATTERN, Forest, enter, is_there, place_of
from ggp.search.kernels.layout import Floats, Numbers
from ggp.search.kernels.plays import Ends, Plays, drawn, graph_of, list_ended
from ggp.search.kernels.preferring import Ints

BEFORE = 2
"""Moves before a move, at most."""
_UNKNOWN = 100.0
"""What a move is worth that was never played, in goal points."""


@borrowing
def learn_grams(
    p: Plays, ends: Ends, role_of: Numbers, sequence: Numbers, begun: Numbers, length: Numbers, f: Forest, n: Floats,
    total: Floats,
) -> None:  # fmt: skip
    """Lanes have come to their end: each of their moves has led to what its role has reached.

    role_of: [inputs]; sequence, begun, length: as in `recall_sequences`.
    """
    for i in range(list_ended(p, ends)):
        lane, k = ends.lane[i], graph_of(p, ends.lane[i])
        for j in range(begun[lane], length[lane]):
            move = sequence[lane, j]
            goal = float(ends.reached[lane, role_of[move]])
            n[k, move] += 1.0
            total[k, move] += goal
            _learn_gram(f, k, sequence[lane, :j], move, goal)


@inlined
def _learn_gram(f: Forest, k: int, before: Numbers, move: int, goal: float) -> None:
    """Count a move for the one and the two moves before it, as long as there is room."""
    context = -1
    for j in range(len(before) - 1, max(-1, len(before) - 1 - BEFORE), -1):
        if f.taken[k] + 2 > FULL * f.places:
            return
        longer = place_of(f, k, context, before[j], CONTEXT)
        if not is_there(f, longer):
            enter(f, k, longer, context, before[j], CONTEXT)
        at = place_of(f, k, longer, move, PATTERN)
        if not is_there(f, at):
            enter(f, k, at, longer, move, PATTERN)
        f.entry[at].n += 1.0
        f.entry[at].total += goal
        context = longer


@borrowing
def reply_by_grams(
    p: Plays, lo: int, hi: int, odds: int, least: float, sequence: Numbers, length: Numbers, f: Forest, n: Floats,
    total: Floats, chain: Ints,
) -> None:  # fmt: skip
    """Of the lanes that play, a share wishes for those legal ones of inputs lo..hi-1 that are worth most.

    least: bigrams and trigrams that were met less often do not count; chain: scratch, int64 [BEFORE].
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
            known = _contexts(f, k, sequence[lane, : length[lane]], chain)
            best = -1.0
            for a in range(lo, hi):
                if held[p.rows.legal + a] & one:
                    value = worth(f, k, a, chain, known, least, n, total)
                    if value > best:
                        for b in range(lo, a):
                            held[p.wishes + b] &= ~one
                        best = value
                    if value == best:  # lanes choose among equals by themselves
                        held[p.wishes + a] |= one


@borrowing
def _contexts(f: Forest, k: int, played: Numbers, chain: Ints) -> int:
    """The places of the contexts that the last moves are, of one move and of two, into chain; how many are known."""
    known, context = 0, -1
    while known < min(len(played), BEFORE):
        at = place_of(f, k, context, played[len(played) - 1 - known], CONTEXT)
        if not is_there(f, at):
            break
        chain[known] = context = at
        known += 1
    return known


@borrowing
def worth(
    f: Forest, k: int, move: int, chain: Ints, known: int, least: float, n: Floats, total: Floats
) -> float:  # fmt: skip
    """The mean of what a move has led to, alone and after each of some contexts in which it was met often enough."""
    if n[k, move] == 0.0:
        return _UNKNOWN
    value, count = total[k, move] / n[k, move], 1.0
    for i in range(known):
        at = place_of(f, k, chain[i], move, PATTERN)
        if is_there(f, at) and f.entry[at].n >= least:
            value += f.entry[at].total / f.entry[at].n
            count += 1.0
    return float(value / count)
