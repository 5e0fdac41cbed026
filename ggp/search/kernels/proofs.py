"""What is proven: ends of the game, and what follows from them."""

from __future__ import annotations

import numpy as np

from ggp.core.kernels import borrowing
from ggp.search.kernels.basics import copy
from ggp.search.kernels.edges import first_edge, following
from ggp.search.kernels.layout import Decider, Floats, Graph, Scratch, Slots, State
from ggp.search.kernels.minimax import raise_promise, take_over
from ggp.search.kernels.values import refresh_above, refresh_edge


@borrowing
def end_node(g: Graph, s: Slots, i: int, w: Scratch) -> None:
    """The last node of slot i has turned out terminal, with the slot's payoff for goals."""
    k = s.slot[i].graph
    x = s.node[i, s.slot[i].length]
    if g.node[x].state & State.TERMINAL:
        return
    g.node[x].state = State.TERMINAL | State.PROVEN
    copy(g.proof[x], s.payoff[i])
    if g.rule[k].solver:
        prove_above(g, k, x, w)
    elif g.rule[k].minimax > 0:
        raise_promise(g, k, x, w)


@borrowing
def prove_above(g: Graph, k: int, y: int, w: Scratch) -> None:
    """What the proof of y proves above it."""
    size = 1
    w.stack[0] = y
    while size:
        size -= 1
        y = w.stack[size]
        e = g.node[y].first_in
        while e >= 0:
            x = g.edge[e].origin
            refresh_edge(g, k, e)
            if not g.node[x].state & State.PROVEN:
                if try_to_prove(g, x):
                    w.stack[size] = x
                    size += 1
                else:
                    refresh_above(g, k, x)
                    if g.rule[k].minimax > 0 and take_over(g, k, x, y):
                        raise_promise(g, k, x, w)
            e = g.edge[e].next_in


@borrowing
def try_to_prove(g: Graph, x: int) -> bool:
    """Whether x becomes proven now, by its edges. Sets its goals and how long the game lasts from there."""
    node = g.node[x]
    r = node.decider
    count = node.edges
    if r == Decider.MANY or not count:
        return False
    full = count == node.count
    best, length, chosen = -np.inf, 0, -1
    e = first_edge(g, x)
    for i in range(count):
        if i:
            e = following(g, e)
        y = g.edge[e].dest
        if y < 0 or not g.node[y].state & State.PROVEN:
            full = False
            continue
        if r == Decider.CHANCE:
            chosen = y
            length = max(length, g.node[y].length)
            continue
        value = g.proof[y, r]
        shorter = g.node[y].length < length
        if chosen < 0 or value > best or (value == best and shorter == (2 * value >= g.best_goal[r])):
            best, length, chosen = value, g.node[y].length, y
    if r >= 0:
        node.floor = chosen
    if chosen < 0 or not (full or (r >= 0 and best >= g.best_goal[r])):
        return False
    copy(g.proof[x], g.proof[chosen])
    if r == Decider.CHANCE:  # all outcomes are equally likely
        g.proof[x] = 0.0
        e = first_edge(g, x)
        for i in range(count):
            if i:
                e = following(g, e)
            for j in range(g.proof.shape[1]):
                g.proof[x, j] += g.proof[g.edge[e].dest, j] / count
    node.length = length + 1
    node.state |= State.PROVEN
    return True


@borrowing
def at_least(g: Graph, x: int, payoff: Floats) -> None:
    """Whoever decides at x has a move with a proven worth: a payoff below that need not be suffered."""
    sure = g.node[x].floor
    if sure >= 0 and g.proof[sure, g.node[x].decider] > payoff[g.node[x].decider]:
        copy(payoff, g.proof[sure])
