"""What is proven: ends of the game, and what follows from them."""

from __future__ import annotations

import numpy as np

from ggp.kernels import borrowing
from ggp.search.kernels.basics import copy
from ggp.search.kernels.edges import first_edge, following
from ggp.search.kernels.layout import (
    CHANCE,
    COUNT,
    DECIDER,
    DEST,
    EDGES,
    FLOOR,
    IN,
    LENGTH,
    MANY,
    NEXT_IN,
    OF,
    ORIGIN,
    PROVEN,
    SOLVER,
    STATE,
    TERMINAL,
)
from ggp.search.kernels.values import refresh_above, refresh_edge


@borrowing
def end_node(g, s, i, w):  # type: ignore[no-untyped-def]
    """The last node of slot i has turned out terminal, with the slot's payoff for goals."""
    k = s.slot[i, OF]
    x = s.node[i, s.length[i]]
    if g.node[x, STATE] & TERMINAL:
        return
    g.node[x, STATE] = TERMINAL | PROVEN
    copy(g.proof[x], s.payoff[i])
    if g.rule[k, SOLVER] != 0:
        prove_above(g, k, x, w)


@borrowing
def prove_above(g, k, y, w):  # type: ignore[no-untyped-def]
    """What the proof of y proves above it."""
    size = 1
    w.stack[0] = y
    while size:
        size -= 1
        e = g.node[w.stack[size], IN]
        while e >= 0:
            x = g.link[e, ORIGIN]
            refresh_edge(g, k, e)
            if not g.node[x, STATE] & PROVEN:
                if try_to_prove(g, x):
                    w.stack[size] = x
                    size += 1
                else:
                    refresh_above(g, k, x)
            e = g.link[e, NEXT_IN]


@borrowing
def try_to_prove(g, x):  # type: ignore[no-untyped-def]
    """Whether x becomes proven now, by its edges. Sets its goals and how long the game lasts from there."""
    r = g.node[x, DECIDER]
    count = g.node[x, EDGES]
    if r == MANY or not count:
        return False
    full = count == g.node[x, COUNT]
    best, length, chosen = -np.inf, 0, -1
    e = first_edge(g, x)
    for i in range(count):
        if i:
            e = following(g, e)
        y = g.link[e, DEST]
        if y < 0 or not g.node[y, STATE] & PROVEN:
            full = False
            continue
        if r == CHANCE:
            chosen = y
            length = max(length, g.node[y, LENGTH])
            continue
        value = g.proof[y, r]
        shorter = g.node[y, LENGTH] < length
        if chosen < 0 or value > best or (value == best and shorter == (2 * value >= g.best_goal[r])):
            best, length, chosen = value, g.node[y, LENGTH], y
    if r >= 0:
        g.node[x, FLOOR] = chosen
    if chosen < 0 or not (full or (r >= 0 and best >= g.best_goal[r])):
        return False
    copy(g.proof[x], g.proof[chosen])
    if r == CHANCE:  # all outcomes are equally likely
        g.proof[x] = 0.0
        e = first_edge(g, x)
        for i in range(count):
            if i:
                e = following(g, e)
            for j in range(g.proof.shape[1]):
                g.proof[x, j] += g.proof[g.link[e, DEST], j] / count
    g.node[x, LENGTH] = length + 1
    g.node[x, STATE] |= PROVEN
    return True


@borrowing
def at_least(g, x, payoff):  # type: ignore[no-untyped-def]
    """Whoever decides at x has a move with a proven worth: a payoff below that need not be suffered."""
    sure = g.node[x, FLOOR]
    if sure >= 0 and g.proof[sure, g.node[x, DECIDER]] > payoff[g.node[x, DECIDER]]:
        copy(payoff, g.proof[sure])
