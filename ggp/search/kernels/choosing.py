"""Which edge a descent takes: the one with the highest adapted value."""

from __future__ import annotations

import numpy as np

from ggp.kernels import borrowing
from ggp.search.kernels.basics import draw
from ggp.search.kernels.edges import first_edge, following
from ggp.search.kernels.layout import (
    COUNT_LEVEL,
    DEST,
    EDGES,
    FLYING,
    MEAN_LEVEL,
    MOVES,
    PARENT_LEVEL,
    SPREAD,
    VALUE,
    C,
    N,
)
from ggp.search.kernels.values import edge_count, edge_mean


@borrowing
def select(g, k, x):  # type: ignore[no-untyped-def]
    """The edge of x with the highest adapted value for the role that decides; -1 if all of them are in flight.

    Edges to proven positions are passed by: their worth is known, and `FLOOR` keeps it (see `at_least`).
    """
    p = g.sums[x, np.int64(g.rule[k, PARENT_LEVEL]) * (1 + g.proof.shape[1])]
    c = g.rule[k, C] * np.sqrt(np.log(max(p, 1.0)))
    best, chosen, ties = -np.inf, -1, 1
    e = first_edge(g, x)
    for i in range(g.node[x, EDGES]):
        if i:
            e = following(g, e)
        flying = g.link[e, FLYING]
        value, spread = g.sight[e, VALUE], g.sight[e, SPREAD]
        if spread == 0:  # proven: nothing more to learn there
            continue
        if flying > 0 and spread > 0:
            if g.link[e, DEST] < 0:
                continue
            spread = 1 / np.sqrt(edge_count(g, e, np.int64(g.rule[k, COUNT_LEVEL])) + flying)
        value = value + c * spread if spread < np.inf else np.inf  # c may be 0
        if value > best:
            best, chosen, ties = value, e, 1
        elif value == best:
            ties += 1
            if draw(g, k, ties) == 0:
                chosen = e
    return chosen


@borrowing
def choose_each(g, k, x, w):  # type: ignore[no-untyped-def]
    """A joint move where several roles decide: each by the sums over the edges with a move of its own. Its number.

    A role takes a move that it has not tried yet, else the one with the highest adapted value; chance any.
    """
    roles = g.proof.shape[1]
    lists = g.node[x, MOVES] + roles
    mean_level, count_level = np.int64(g.rule[k, MEAN_LEVEL]), np.int64(g.rule[k, COUNT_LEVEL])
    p = g.sums[x, np.int64(g.rule[k, PARENT_LEVEL]) * (1 + roles)]
    c = g.rule[k, C] * np.sqrt(np.log(max(p, 1.0)))
    code, radix, stride = np.int64(0), np.int64(1), np.int64(1)
    for r in range(roles):
        count = g.pool[lists - roles + r]
        radix = stride
        stride *= count
        if count == 1:
            continue
        if g.chance[r]:
            code += radix * draw(g, k, count)
            continue
        w.arm_n[:count] = 0.0
        w.arm_sum[:count] = 0.0
        tried = w.arm_n[count : 2 * count]
        tried[:] = 0.0
        e = first_edge(g, x)
        for i in range(g.node[x, EDGES]):
            if i:
                e = following(g, e)
            a = (g.code[e] // radix) % count
            n = g.stat[e, N]
            flying = g.link[e, FLYING]
            tried[a] += n + flying
            w.arm_n[a] += edge_count(g, e, count_level) + flying
            w.arm_sum[a] += edge_mean(g, e, r, mean_level) * n
        best, chosen, ties = -np.inf, 0, 1
        for a in range(count):
            value = np.inf if tried[a] == 0 else w.arm_sum[a] / tried[a] + c / np.sqrt(max(w.arm_n[a], 1.0))
            if value > best:
                best, chosen, ties = value, a, 1
            elif value == best:
                ties += 1
                if draw(g, k, ties) == 0:
                    chosen = a
        code += radix * chosen
    return code
