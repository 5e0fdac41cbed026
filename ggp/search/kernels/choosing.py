"""Which edge a descent takes from a node: a new one, else one whose adapted value is the highest."""

from __future__ import annotations

import numpy as np

from ggp.core.kernels import inlined
from ggp.search.kernels.amaf import known, mix, swap_moves
from ggp.search.kernels.basics import draw
from ggp.search.kernels.edges import edge_of, first_edge, following, new_edge
from ggp.search.kernels.grouping import choose_grouped, groups_of
from ggp.search.kernels.layout import Graph, Scratch
from ggp.search.kernels.moves import bring_next
from ggp.search.kernels.values import edge_count, edge_mean
from ggp.search.kernels.weighing import expected, mixed, unplayed, untried, weight

_untried, _weight = inlined(untried), inlined(weight)
_mixed, _unplayed, _expected = inlined(mixed), inlined(unplayed), inlined(expected)


@inlined
def choose(g: Graph, k: int, x: int, a: int, w: Scratch) -> int:
    """The edge that a descent takes from x, an expanded node; -1 if memory is full, or if all edges are in flight.

    a: the node that knows what moves have led to later, see `amaf`. The group that was chosen becomes w.chosen.
    """
    w.chosen[0] = -1
    if g.rule[k].rave_depth > 0:
        mix(g, a, w)
    if g.node[x].decider < 0:
        code = _choose_each(g, k, x, a, w)
        e = edge_of(g, x, code)
        if e < 0 and not g.head[k].full:
            e = new_edge(g, k, x, code)
        elif e >= 0 and g.edge[e].dest < 0 and g.edge[e].flying > 0:
            e = -1
        return e
    groups = groups_of(g, k, x)
    if groups > 0:
        return choose_grouped(g, k, x, groups, w)
    if g.rule[k].rave > 0:
        return _choose_known(g, k, x, a, w)
    tried, new = g.node[x].edges, _untried(g.rule[k])
    prior = g.rule[k].prior > 0
    c = _weight(g.rule[k], _playouts(g, k, x))
    if prior and tried < g.node[x].count and g.sums[x, 0] > 0:
        new = _expected_next(g, k, x, c)
    if tried >= g.node[x].count or (tried and new < np.inf):
        e = _select(g, k, x, c, new if tried < g.node[x].count else -np.inf)
        if e >= 0 or tried >= g.node[x].count:
            return e
    e = -1 if g.head[k].full else new_edge(g, k, x, tried)
    if e >= 0 and prior:
        bring_next(g, k, x)
    elif e >= 0:  # an untried move at random becomes the next in the list
        lo = g.node[x].moves + g.proof.shape[1]
        j = tried + draw(g, k, g.node[x].count - tried)
        g.pool[lo + tried], g.pool[lo + j] = g.pool[lo + j], g.pool[lo + tried]
    return e


@inlined
def _expected_next(g: Graph, k: int, x: int, c: float) -> float:
    """What is expected of the next move of x that was not tried, where there is one, and others were."""
    move = g.pool[g.node[x].moves + g.proof.shape[1] + g.node[x].edges]
    mean = g.sums[x, 1 + g.node[x].decider] / g.sums[x, 0]
    return _expected(g.rule[k], mean, g.liking[k, move], c)


@inlined
def _select(g: Graph, k: int, x: int, c: float, best: float) -> int:
    """The edge of x with the highest adapted value for the role that decides; -1 if none is above `best` and at rest."""
    chosen, ties = -1, 1
    e = first_edge(g, x)
    for i in range(g.node[x].edges):
        if i:
            e = following(g, e)
        value, spread = g.sight[e].value, g.sight[e].spread
        if spread == 0:  # see `refresh_spread`
            continue
        value = value + c * spread if spread < np.inf else np.inf  # c may be 0
        wins, ties = _beats(g, k, value, best, ties)
        if wins:
            best, chosen = value, e
    return chosen


@inlined
def _choose_known(g: Graph, k: int, x: int, a: int, w: Scratch) -> int:
    """The edge of the move of x that is worth most, tried or not, with what node a knows; -1 as in `choose`."""
    c, visits, rule = _weight(g.rule[k], _playouts(g, k, x)), g.sums[x, 0], g.rule[k]
    tried, lo = g.node[x].edges, g.node[x].moves + g.proof.shape[1]
    best, chosen, place, ties, e = -np.inf, -1, -1, 1, -1
    for j in range(g.node[x].count):
        n, total = known(g, k, a, lo + j, w)
        spread = np.inf
        if j < tried:
            e = following(g, e) if j else first_edge(g, x)
            spread = g.sight[e].spread
            if spread == 0:  # see `refresh_spread`
                continue
        if spread < np.inf:
            value = _mixed(rule, g.sight[e].value, spread, n, total, visits) + c * spread
        else:
            value = _unplayed(rule, n, total, c)
        wins, ties = _beats(g, k, value, best, ties)
        if wins:
            best, chosen, place = value, e if j < tried else -1, j
    if place < tried:
        return chosen
    e = -1 if g.head[k].full else new_edge(g, k, x, tried)
    if e >= 0:
        swap_moves(g, k, lo + tried, lo + place)
    return e


@inlined
def _choose_each(g: Graph, k: int, x: int, a: int, w: Scratch) -> int:
    """A joint move where several roles decide: each by the sums over the edges with a move of its own. Its number.

    A role takes the move with the highest adapted value, that of untried ones among them; chance any.
    """
    roles = g.proof.shape[1]
    lists = g.node[x].moves
    c = _weight(g.rule[k], _playouts(g, k, x))
    code, stride, at = 0, 1, lists + roles
    for r in range(roles):
        count = g.pool[lists + r]
        if g.chance[r] and count > 1:
            code += stride * draw(g, k, count)
        elif count > 1:
            code += stride * _choose_one(g, k, x, a, r, stride, at, count, c, w)
        stride *= count
        at += count
    return code


@inlined
def _choose_one(
    g: Graph, k: int, x: int, known_by: int, r: int, radix: int, at: int, count: int, c: float, w: Scratch
) -> int:
    """What role r chooses of its `count` moves from `at` on, where several roles decide.

    `radix` counts in the joint move's number.
    """
    mean_level, count_level = g.rule[k].mean_level, g.rule[k].count_level
    w.arm_n[:count] = 0.0
    w.arm_sum[:count] = 0.0
    tried = w.arm_n[count : 2 * count]
    tried[:] = 0.0
    e = first_edge(g, x)
    for i in range(g.node[x].edges):
        if i:
            e = following(g, e)
        a = (g.code[e] // radix) % count
        n = g.edge[e].n
        flying = g.edge[e].flying
        tried[a] += n + flying
        w.arm_n[a] += edge_count(g, e, count_level) + flying
        w.arm_sum[a] += edge_mean(g, e, r, mean_level) * n
    best, chosen, ties = -np.inf, 0, 1
    for a in range(count):
        n, total = known(g, k, known_by, at + a, w) if g.rule[k].rave > 0 else (0.0, 0.0)
        if tried[a] == 0:
            value = _unplayed(g.rule[k], n, total, c)
        else:
            root = np.sqrt(max(w.arm_n[a], 1.0))
            value = _mixed(g.rule[k], w.arm_sum[a] / tried[a], 1 / root, n, total, g.sums[x, 0]) + c / root
        wins, ties = _beats(g, k, value, best, ties)
        if wins:
            best, chosen = value, a
    return chosen


@inlined
def _playouts(g: Graph, k: int, x: int) -> float:
    """p_d2: the playouts of all edges of x."""
    p: float = g.sums[x, g.rule[k].parent_level * (1 + g.proof.shape[1])]
    return p


@inlined
def _beats(g: Graph, k: int, value: float, best: float, ties: int) -> tuple[bool, int]:
    """Whether a value takes the lead; among equals each has the same chance. And how many have shared the lead by now."""
    if value > best:
        return True, 1
    if value == best:
        return draw(g, k, ties + 1) == 0, ties + 1
    return False, ties
