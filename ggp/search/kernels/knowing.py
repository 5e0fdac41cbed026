"""What a graph has found: the best move at each of many nodes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ggp.core.kernels import borrowing
from ggp.search.kernels.edges import first_edge, following
from ggp.search.kernels.layout import Floats, Graph, State
from ggp.search.kernels.values import edge_mean


@borrowing
def best_found(
    g: Graph, k: int, nodes: NDArray[np.int64], inputs: NDArray[np.int64], tried: Floats, goals: Floats
) -> None:
    """The best move at each node where a single role decides: its input, its visits, and the goals of all roles.

    It is the move that `choice.best_move` would play, or -1 if none was tried.
    """
    roles, level = g.proof.shape[1], g.rule[k].mean_level
    for i in range(len(nodes)):
        x = nodes[i]
        inputs[i] = -1
        e = _best(g, k, x)
        if e < 0:
            continue
        y = g.edge[e].dest
        inputs[i] = g.pool[g.node[x].moves + roles + g.code[e]]
        tried[i] = g.edge[e].n
        sure = g.rule[k].solver and y >= 0 and g.node[y].state & State.PROVEN
        for r in range(roles):
            goals[i, r] = g.proof[y, r] if sure else edge_mean(g, e, r, level)


@borrowing
def _best(g: Graph, k: int, x: int) -> int:
    """The edge of the best move at x, -1 if there is none; `open_` is the best of those that are not proven."""
    r, level, highest = g.node[x].decider, g.rule[k].mean_level, g.best_goal[g.node[x].decider]
    open_, sure, open_mean, sure_mean, top = -1, -1, 0.0, 0.0, 0.0
    e = first_edge(g, x) if g.node[x].edges else -1
    for i in range(g.node[x].edges):
        if i:
            e = following(g, e)
        n = g.edge[e].n
        if n == 0:
            continue
        mean = edge_mean(g, e, r, level)
        y = g.edge[e].dest
        if not (g.rule[k].solver and y >= 0 and g.node[y].state & State.PROVEN):
            if open_ < 0 or _before(n, mean, -_input(g, e), g.edge[open_].n, open_mean, -_input(g, open_)):
                open_, open_mean = e, mean
            continue
        goal = g.proof[y, r]
        if sure < 0 or goal > top or (goal == top and _is_surer(g, e, mean, sure, sure_mean, top, highest)):
            sure, sure_mean, top = e, mean, goal
    if sure >= 0 and (open_ < 0 or top > open_mean or (top == open_mean and top > 0)):
        return sure
    return open_


@borrowing
def _is_surer(g: Graph, e: int, mean: float, f: int, other: float, top: float, highest: float) -> bool:
    """Whether of two moves proven equal that of edge e is to be played and not that of f: see `choice._surest`."""
    length, its = g.node[g.edge[e].dest].length, g.node[g.edge[f].dest].length
    if length != its:
        if top >= highest:
            return bool(length < its)
        if top <= 0:
            return bool(length > its)
    if top >= highest:
        return _input(g, e) < _input(g, f)
    return _before(mean, g.edge[e].n, -_input(g, e), other, g.edge[f].n, -_input(g, f))


@borrowing
def _before(a: float, b: float, c: int, x: float, y: float, z: int) -> bool:
    """Whether (a, b, c) stands before (x, y, z), larger ones first."""
    return bool(a > x or (a == x and (b > y or (b == y and c > z))))


@borrowing
def _input(g: Graph, e: int) -> int:
    """The input of an edge where a single role decides."""
    place: int = g.pool[g.node[g.edge[e].origin].moves + g.proof.shape[1] + g.code[e]]
    return place
