"""The forest of replies: patterns of a context and a reply in one hash table for each graph, learned from descents.

An entry is known by its place. A *context* has the place of the context that is shorter by its oldest move, and that
move; a *pattern* has the place of its context, and the reply. A context points to its patterns, and says which reply was
chosen last.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ggp.core.kernels import borrowing
from ggp.search.kernels.basics import lowest_bit
from ggp.search.kernels.layout import Numbers, Slots, Words
from ggp.search.kernels.plays import Plays, drawn, graph_of
from ggp.search.kernels.preferring import Ints
from ggp.search.kernels.records import Float, Int32, Int64, Record, Records
from ggp.search.kernels.sequences import LONGEST

CONTEXT, PATTERN = 0, 1
"""Kinds of entries."""
FULL = 0.75
"""Share of the places that may be taken."""


class Entry(Record):
    """A context or a pattern: 32 bytes, half a line of the processor's cache."""

    key: Int64
    """0: the place is free."""
    n: Float
    """Patterns: how often they were met."""
    total: Float
    """The sum of what came of it, from 0 to 1."""
    link: Int32
    """Contexts: their newest pattern; patterns: the next older one of the same context; -1: none."""
    move: Int32
    """Contexts: the reply that was chosen last; patterns: their reply."""


class Forest(NamedTuple):
    """The table of each graph, one after another."""

    entry: Records[Entry]  # [graphs * places]
    places: int
    taken: Ints  # [graphs] places


@borrowing
def place_of(f: Forest, k: int, context: int, move: int, kind: int) -> int:
    """Where an entry is, or is to be; see `is_there`. context: -1 is the empty one."""
    key = key_of(context, move, kind)
    first, last = k * f.places, f.places - 1
    at = int(np.int64((np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32)) & last)
    while f.entry[first + at].key != 0 and f.entry[first + at].key != key:
        at = (at + 1) & last
    return first + at


@borrowing
def is_there(f: Forest, at: int) -> bool:
    """Whether there is an entry at a place."""
    return bool(f.entry[at].key != 0)


@borrowing
def enter(f: Forest, k: int, at: int, context: int, move: int, kind: int) -> None:
    """Make an entry at the place that is its own."""
    e = f.entry[at]
    e.key, e.link = key_of(context, move, kind), -1
    e.n = e.total = 0.0
    f.taken[k] += 1


@borrowing
def key_of(context: int, move: int, kind: int) -> int:
    """What tells an entry from all others; never 0."""
    return int((((np.int64(context) + 1) << 20) | np.int64(move)) << 1 | kind) + 1


@borrowing
def learn_reply(f: Forest, k: int, before: Numbers, reply: int, outcome: float) -> None:
    """What came of a reply to the moves before it, the newest last: the shortest pattern that was not known is, then."""
    context = -1
    for j in range(len(before) - 1, max(-1, len(before) - 1 - LONGEST), -1):
        longer = place_of(f, k, context, before[j], CONTEXT)
        at = place_of(f, k, longer, reply, PATTERN)
        is_new = not is_there(f, longer) or not is_there(f, at)
        if is_new:
            if f.taken[k] + 2 > FULL * f.places:
                return
            if not is_there(f, longer):
                enter(f, k, longer, context, before[j], CONTEXT)
                at = place_of(f, k, longer, reply, PATTERN)
            enter(f, k, at, longer, reply, PATTERN)
            f.entry[at].link, f.entry[longer].link = f.entry[longer].link, at
            f.entry[at].move = reply
        f.entry[at].n += 1.0
        f.entry[at].total += outcome
        f.entry[longer].move = reply
        if is_new:
            return
        context = longer


@borrowing
def learn_descents(f: Forest, s: Slots, width: int, mask: Words, path: Numbers, edges: Numbers, role_of: Numbers) -> None:
    """Slots whose lanes, those of a mask, have come to their end: every move of their descent is a reply.

    path, edges: as in `recall_sequences`; role_of: [inputs].
    """
    for i in range(len(s.slot)):
        lanes = mask[i * width // 64] >> np.uint64(i * width % 64)
        if width < 64:
            lanes &= (np.uint64(1) << np.uint64(width)) - np.uint64(1)
        if lanes and edges[i]:
            for j in range(edges[i] - 1, 0, -1):
                outcome = s.payoff[i, role_of[path[i, j]]] / 100.0
                learn_reply(f, s.slot[i].graph, path[i, :j], path[i, j], outcome)
            edges[i] = 0


@borrowing
def reply_by_forest(
    p: Plays, lo: int, hi: int, odds: int, f: Forest, soft: bool, bias: float, sequence: Numbers, length: Numbers,
    chain: Ints,
) -> None:  # fmt: skip
    """Of the lanes that play, a share wishes for a reply of inputs lo..hi-1 to the longest context that is known.

    soft: a legal one of the longest context that has such, with a chance that grows with its estimate, and accepted with
    that; else the one that was chosen last, if it is legal. chain: scratch, int64 [LONGEST].
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
            depth = known_contexts(f, k, sequence[lane, : length[lane]], chain)
            reply = -1
            if depth and not soft:
                reply = f.entry[chain[depth - 1]].move
                if not (lo <= reply < hi and held[p.rows.legal + reply] & one):
                    reply = -1
            while soft and depth and reply == -1:
                depth -= 1
                reply = _soft(f, chain[depth], held[p.rows.legal : p.rows.legal + hi], one, lo, bias, p.luck)
            if reply >= 0:
                held[p.wishes + reply] |= one


@borrowing
def known_contexts(f: Forest, k: int, played: Numbers, chain: Ints) -> int:
    """The contexts of a sequence that are known, the shortest first, into chain; how many."""
    depth, context = 0, -1
    while depth < min(len(played), LONGEST):
        at = place_of(f, k, context, played[len(played) - 1 - depth], CONTEXT)
        if not is_there(f, at):
            break
        chain[depth] = context = at
        depth += 1
    return depth


@borrowing
def _soft(f: Forest, context: int, legal: Words, lane: np.uint64, lo: int, bias: float, luck: Words) -> int:
    """A legal reply to a context, drawn by its estimate; -1: there is none; -2: it was not accepted."""
    visits = 0.0
    at = f.entry[context].link
    while at >= 0:
        e = f.entry[at]
        if e.move >= lo and e.move < len(legal) and legal[e.move] & lane:
            visits += e.n
        at = e.link
    if visits == 0.0:
        return -1
    weight, chosen, best, spread = 0.0, -1, 0.0, bias * np.sqrt(np.log(visits))
    at = f.entry[context].link
    while at >= 0:
        e = f.entry[at]
        if e.move >= lo and e.move < len(legal) and legal[e.move] & lane:
            estimate = e.total / e.n + spread / np.sqrt(e.n)
            weight += estimate
            if chosen < 0 or fraction(luck) * weight < estimate:
                chosen, best = e.move, estimate
        at = e.link
    return int(chosen) if fraction(luck) < best else -2


@borrowing
def fraction(luck: Words) -> float:
    """A random number from 0 to 1: splitmix64."""
    luck[0] += np.uint64(0x9E3779B97F4A7C15)
    z = luck[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return float(z >> np.uint64(11)) / 9007199254740992.0
