"""The searches of the UCD paper in every way that its words can be read, compiled: on LeftRight and on Hex 5×5.

This program shares no code with `ggp.search`, so that each is a check of the other. A search is one simulation after the
other; the means and counts of all depths are summed up at each node, and after a simulation they are worked out again
at all positions from which one can come to its end. A `Reading` says what the paper leaves open.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ggp.core.kernels import borrowing, kernel
from ggp.lab.readings_graph import (
    ADDS,
    ALL,
    BEST_ADAPTED,
    BEST_MEAN,
    D1,
    D2,
    D3,
    EAGER,
    EAST,
    FINAL,
    FIRST,
    HEX,
    INFINITE,
    INHERIT,
    KEPT,
    LEAK,
    LEFT_RIGHT,
    MOST_COUNTED,
    NORTH,
    OPENING,
    SIDE,
    SOUTH,
    STOPS,
    TABLE,
    VALUED,
    WEST,
    Graph,
    Reading,
    connects,
    draw,
    is_legal,
    new_graph,
    payoff_of,
    position_after,
)  # fmt: skip


def left_right(reading: Reading, steps: int, simulations: int, seed: int) -> int:
    """A game of LeftRight; gives the steps to the left."""
    room = (simulations * reading.adds + 2) * (steps if reading.kept else 1)
    graph = new_graph(LEFT_RIGHT, room, steps, seed)
    return int(_left_right(graph, reading.rule(), reading.c, steps, simulations))


def hex_match(black: Reading, white: Reading, simulations: int, seed: int) -> bool:
    """A match of Hex 5×5 after black's first stone on b2; whether black wins."""
    rooms = [(simulations * reading.adds + 2) * (SIDE * SIDE if reading.kept else 1) for reading in (black, white)]
    first, second = (new_graph(HEX, room, 0, seed + i) for i, room in enumerate(rooms))
    return bool(_hex(first, second, black.rule(), white.rule(), black.c, white.c, simulations))


def searched(game: int, reading: Reading, steps: int, simulations: int, seed: int) -> Graph:
    """The graph of a search from the first position, whose node is 0."""
    graph = new_graph(game, simulations * reading.adds + 2, steps, seed)
    _search(graph, reading.rule(), reading.c, _root(graph, reading.rule()), simulations)
    return graph


# ---- nodes ----------------------------------------------------------------------------------------------------------


@borrowing
def _place(g: Any, a: int, b: int) -> Any:
    """Where a position is in the table, or could be."""
    mask = len(g.places) - 1
    z = (np.uint64(a) * np.uint64(0x9E3779B97F4A7C15)) ^ (np.uint64(b) * np.uint64(0xC2B2AE3D27D4EB4F))
    at = np.int64((z ^ (z >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9) >> np.uint64(33)) & mask
    while g.places[at] >= 0 and not (g.a[g.places[at]] == a and g.b[g.places[at]] == b):
        at = (at + 1) & mask
    return at


@borrowing
def _find(g: Any, r: Any, a: int, b: int) -> Any:
    return g.places[_place(g, a, b)] if r[TABLE] else -1


@borrowing
def _connect(g: Any, r: Any, x: int, m: int, y: int) -> None:
    """Let a move lead to a node."""
    if g.kid[x, m] < 0:
        g.kid[x, m] = y
        g.link[x, m] = g.head[y]
        g.head[y] = x * g.kid.shape[1] + m
        if r[INHERIT]:
            g.paid[x, m, 0], g.paid[x, m, 1] = g.total[y, 0], g.total[y, 1]


@borrowing
def _new(g: Any, r: Any, a: int, b: int, ply: int) -> Any:
    """A node for a position; with `eager` joined to all that are known."""
    y = g.state[0]
    g.state[0] += 1
    g.a[y], g.b[y], g.ply[y] = a, b, ply
    g.kid[y] = -1
    g.link[y] = -1
    g.head[y] = -1
    g.mark[y] = 0
    g.paid[y] = 0.0
    g.level[y] = 0.0
    g.total[y] = 0.0
    if g.state[2] == 0:
        g.over[y] = b == g.state[3]
    else:
        g.over[y] = connects(a, NORTH, SOUTH) if ply % 2 == 1 else connects(b, WEST, EAST)
    if not r[TABLE]:
        return y
    g.places[_place(g, a, b)] = y
    if r[EAGER]:
        for m in range(g.kid.shape[1]):
            if g.state[2] == 0:
                x = _find(g, r, a - (1 if m == 0 else 0), b - 1)
            elif ply % 2 == 1:
                x = _find(g, r, a ^ (1 << m), b) if (a >> m) & 1 else -1
            else:
                x = _find(g, r, a, b ^ (1 << m)) if (b >> m) & 1 else -1
            if x >= 0 and not g.over[x]:
                _connect(g, r, x, m, y)
            if not g.over[y] and is_legal(g, y, m):
                after = position_after(g, y, m)
                z = _find(g, r, after[0], after[1])
                if z >= 0:
                    _connect(g, r, y, m, z)
    return y


@borrowing
def _root(g: Any, r: Any) -> Any:
    """The first position of the game."""
    return _new(g, r, 0, 0, 0) if g.state[2] == 0 else _new(g, r, OPENING, 0, 1)


@borrowing
def _forget(g: Any) -> None:
    g.state[0] = 0
    g.state[1] = 0
    g.places[:] = -1


# ---- statistics -----------------------------------------------------------------------------------------------------


@borrowing
def _below(depth: int) -> Any:
    return depth if depth == INFINITE else depth - 1


@borrowing
def _mean(g: Any, r: Any, x: int, m: int, depth: int) -> Any:
    """μ_d of an edge that was made, or whose end has edges that were."""
    y, n = g.kid[x, m], g.paid[x, m, 0]
    if depth > 0:
        w = g.level[y, 0, 1]
        first = not (r[LEAK] and w > 0)
        n1 = g.paid[x, m, 2] if first else 0.0
        s1 = g.paid[x, m, 3] if first else 0.0
        if n1 + w > 0:
            return (s1 + g.level[y, _below(depth), 0]) / (n1 + w)
    return g.paid[x, m, 1] / n


@borrowing
def _count(g: Any, r: Any, x: int, m: int, depth: int) -> Any:
    """n_d of an edge."""
    if depth == 0:
        return g.paid[x, m, 0]
    y = g.kid[x, m]
    if y < 0:
        return 0.0
    n1 = 0.0 if r[LEAK] and g.level[y, 0, 1] > 0 else g.paid[x, m, 2]
    return n1 + g.level[y, _below(depth), 1]


@borrowing
def _wants(r: Any, depth: int) -> Any:
    """Whether sums of a depth are asked for."""
    if depth == 0:
        return True
    if depth == INFINITE:
        return r[D1] == INFINITE or r[D2] == INFINITE or r[D3] == INFINITE
    by_mean = r[D1] != INFINITE and r[D1] > depth
    by_count = r[D3] != INFINITE and r[D3] > depth
    return by_mean or by_count or (r[D2] != INFINITE and r[D2] >= depth)


@borrowing
def _refresh(g: Any, r: Any, x: int) -> None:
    """Sum up the edges of a node anew."""
    for depth in range(4):
        if not _wants(r, depth):
            continue
        s, n = 0.0, 0.0
        for m in range(g.kid.shape[1]):
            if g.kid[x, m] >= 0:
                if g.paid[x, m, 0] > 0:
                    s += _mean(g, r, x, m, depth) * g.paid[x, m, 0]
                n += _count(g, r, x, m, depth)
        g.level[x, depth, 0], g.level[x, depth, 1] = s, n


# ---- search ---------------------------------------------------------------------------------------------------------


@borrowing
def _is_fresh(g: Any, r: Any, x: int, m: int) -> Any:
    """Whether a move was never made, and has no value either."""
    if g.kid[x, m] < 0:
        return True
    if g.paid[x, m, 0] > 0:
        return False
    known = r[VALUED] and r[D1] > 0 and r[D3] > 0
    return not (known and g.level[g.kid[x, m], 0, 1] > 0 and _count(g, r, x, m, r[D3]) > 0)


@borrowing
def _choose(g: Any, r: Any, c: float, x: int) -> int:
    """The move that a descent makes."""
    moves = g.kid.shape[1]
    fresh = 0
    for m in range(moves):
        if is_legal(g, x, m) and _is_fresh(g, r, x, m):
            fresh += 1
    if fresh:
        left = 0 if r[FIRST] else draw(g, fresh)
        for m in range(moves):
            if is_legal(g, x, m) and _is_fresh(g, r, x, m):
                if left == 0:
                    return m
                left -= 1
    lifts = g.state[2] == 1 and g.ply[x] % 2 == 1  # white to move
    weight = c * np.sqrt(np.log(max(g.level[x, r[D2], 1], 1.0)))
    best, chosen, ties = -np.inf, 0, 1
    for m in range(moves):
        if not is_legal(g, x, m):
            continue
        mean = _mean(g, r, x, m, r[D1])
        value = (1.0 - mean if lifts else mean) + weight / np.sqrt(_count(g, r, x, m, r[D3]))
        if value > best:
            best, chosen, ties = value, m, 1
        elif value == best and not r[FIRST]:
            ties += 1
            if draw(g, ties) == 0:
                chosen = m
    return chosen


@borrowing
def _simulate(g: Any, r: Any, c: float, root: int, path: Any, made: Any) -> None:
    x, depth, added, met = root, 0, 0, False
    while not g.over[x] and added < r[ADDS] and not met:
        m = _choose(g, r, c, x)
        path[depth], made[depth] = x, m
        depth += 1
        y = g.kid[x, m]
        if y < 0:
            a, b = position_after(g, x, m)
            y = _find(g, r, a, b)
            met = y >= 0 and r[STOPS] == 1
            if y < 0:
                y = _new(g, r, a, b, g.ply[x] + 1)
                added += 1
            _connect(g, r, x, m, y)
        x = y
    payoff = payoff_of(g, x)
    g.paid[path[depth - 1], made[depth - 1], 2] += 1
    g.paid[path[depth - 1], made[depth - 1], 3] += payoff
    if not r[ALL]:
        for i in range(depth):
            g.paid[path[i], made[i], 0] += 1
            g.paid[path[i], made[i], 1] += payoff
    _spread(g, r, x, payoff, g.ply[root])


@borrowing
def _spread(g: Any, r: Any, end: int, payoff: float, top: int) -> None:
    """From the end of a simulation up to the ply of the root: pay all edges, if that is the rule, and sum up anew."""
    g.state[1] += 1
    size, at, moves = 1, 0, g.kid.shape[1]
    g.queue[0] = end
    g.mark[end] = g.state[1]
    while at < size:
        y = g.queue[at]
        at += 1
        g.total[y, 0] += 1
        g.total[y, 1] += payoff
        if not g.over[y]:
            _refresh(g, r, y)
        e = g.head[y] if g.ply[y] > top else -1
        while e >= 0:
            x, m = e // moves, e % moves
            if r[ALL]:
                g.paid[x, m, 0] += 1
                g.paid[x, m, 1] += payoff
            if g.mark[x] != g.state[1]:
                g.mark[x] = g.state[1]
                g.queue[size] = x
                size += 1
            e = g.link[x, m]


@borrowing
def _final(g: Any, r: Any, root: int) -> int:
    """The move that is played."""
    lifts = g.state[2] == 1 and g.ply[root] % 2 == 1
    best, chosen, ties = -np.inf, -1, 1
    for m in range(g.kid.shape[1]):
        if g.kid[root, m] < 0 or g.paid[root, m, 0] == 0:
            continue
        value = g.paid[root, m, 0]
        if r[FINAL] == BEST_MEAN or r[FINAL] == BEST_ADAPTED:
            mean = _mean(g, r, root, m, r[D1] if r[FINAL] == BEST_ADAPTED else 0)
            value = 1.0 - mean if lifts else mean
        elif r[FINAL] == MOST_COUNTED:
            value = _count(g, r, root, m, r[D3])
        if value > best:
            best, chosen, ties = value, m, 1
        elif value == best:
            ties += 1
            if draw(g, ties) == 0:
                chosen = m
    return chosen


@kernel
def _search(g: Any, r: Any, c: float, root: int, simulations: int) -> int:
    path, made = np.zeros(400, np.int64), np.zeros(400, np.int64)
    for _ in range(simulations):
        _simulate(g, r, c, root, path, made)
    return _final(g, r, root)


@kernel
def _left_right(g: Any, r: Any, c: float, steps: int, simulations: int) -> int:
    a, root = 0, -1
    for b in range(steps):
        if not r[KEPT]:
            _forget(g)
        if root < 0 or not r[KEPT]:
            root = _new(g, r, a, b, b)
        m = _search(g, r, c, root, simulations)
        a += 1 if m == 0 else 0
        root = g.kid[root, m]
    return a


@borrowing
def _moved(g: Any, r: Any, root: int, m: int, a: int, b: int, ply: int) -> int:
    """The root after a move, where graphs are kept."""
    after = g.kid[root, m] if root >= 0 else -1
    if after < 0:
        after = _find(g, r, a, b)
    return after if after >= 0 or ply < 0 else _new(g, r, a, b, ply)


@kernel
def _hex(g: Any, h: Any, r: Any, q: Any, c: float, d: float, simulations: int) -> bool:
    a, b, ply = OPENING, 0, 1
    one, two = -1, -1
    while True:
        if ply % 2 == 0:
            if one < 0 or not r[KEPT]:
                _forget(g)
                one = _new(g, r, a, b, ply)
            m = _search(g, r, c, one, simulations)
            a |= 1 << m
        else:
            if two < 0 or not q[KEPT]:
                _forget(h)
                two = _new(h, q, a, b, ply)
            m = _search(h, q, d, two, simulations)
            b |= 1 << m
        ply += 1
        if r[KEPT]:
            one = _moved(g, r, one, m, a, b, ply if r[TABLE] else -1)
        if q[KEPT]:
            two = _moved(h, q, two, m, a, b, ply if q[TABLE] else -1)
        if connects(a, NORTH, SOUTH):
            return True
        if connects(b, WEST, EAST):
            return False
