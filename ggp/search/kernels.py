"""The kernels of the search: the four steps of a simulation on flat arrays.

All kernels that call each other are in this file: numba's cache on disk knows only its own file. A kernel works on a
`Graph`, which holds one or more search graphs, and on `Slots`, each of which carries one simulation at a time:

- **descent**: from the root along edges to a position that has no node yet, or whose end is known;
- **growth**: the lanes play the move that leads there; the table of positions tells whether it is new;
- **playout**: the lanes play at random to the end;
- **update**: the payoff is added to the edges.

One graph and many slots is one fast search, in which edges on their way count as lost (virtual loss). Many graphs with
one slot each are many exact searches, every one of them sequential.

Sums. A node keeps, over the edges f that leave it, level 0: n(f) and μ(f)·n(f); level j: n_j(f) and μ_j(f)·n(f); and a
last level for infinite depth. From the level below the end of an edge e comes all that its selection needs:
μ_d(e) = (μ′n′ + S_{d-1}) / (n′ + N) and n_d(e) = n′ + N_{d-1}; the origin's p_d(e) is N_d. Level 0 costs nothing to keep;
level j changes at the nodes of the descent and at their ancestors up to j edges above. (The paper says: at the ancestors
of the leaf. But a node of the descent may have other parents, and their values change as well.)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ggp.kernels import borrowing

# Columns of head, int64 [graphs, HEAD]. Indices are absolute, counts and capacities are a graph's own.
(NODES, NODE_LO, NODE_CAP, CHUNKS, CHUNK_LO, CHUNK_CAP, POOL, POOL_LO, POOL_CAP, TABLE_LO, TABLE_MASK, ROOT, STAMP,
 WANTED, STARTED, DONE, FULL, MET, DEEPEST, JOURNAL, BEST, BEST_SLOT, BEST_LENGTH) = range(23)  # fmt: skip
HEAD = 23

# Columns of rule, float64 [graphs, RULE]: the settings. Levels are numbers of sums, -1: the edge itself.
C, MEAN_LEVEL, PARENT_LEVEL, COUNT_LEVEL, FINITE, INFINITE, TABLE, ALL, SOLVER = range(9)
RULE = 9

# Columns of node, int32 [nodes, NODE].
CHUNK, LAST, EDGES, MOVES, COUNT, DECIDER, IN, STATE, PHASE, LENGTH, FLOOR = range(11)
NODE = 11
EXPANDED, EXPANDING, TERMINAL, PROVEN = 1, 2, 4, 8  # bits of STATE
MANY, CHANCE = -1, -2  # as DECIDER: several roles decide; chance decides

# Columns of link, int32 [edges, LINK].
DEST, ORIGIN, NEXT_IN, FLYING = range(4)  # FLYING: simulations on their way through the edge
LINK = 4
N, FIRST_N, PAYOFF = range(
    3
)  # columns of stat, float64 [edges, 2 + 2*roles]: n, n', sums of all payoffs, of the first ones
VALUE, SPREAD = range(2)  # columns of sight, float64 [edges, 2]: adapted mean for the role that decides, 1 / sqrt(n_d3)
CHUNK_EDGES = 4

# Columns of slot, int32 [slots, SLOT]: its graph, its stage, random steps since the last node, phase of `position`.
OF, STAGE, STEPS, AT = range(4)
SLOT = 4
IDLE, EXPAND, MOVE, ALIGN, READY, PLAYING = range(6)  # STAGE

_MOST = 1e300  # where positions repeat, counts of infinite depth would grow without end
_CROWDED = 2  # simulations in a row that end without lanes: more would all go one way, while other edges are in flight
_FEW_SLOTS, _SLOTS_A_VISIT = 16, 0.5  # slots in use, so that many of them do not flood a small graph


_DE_BRUIJN = np.uint64(0x03F79D71B4CB0A89)
_BIT = np.zeros(64, np.int64)
"""The number of a bit that stands alone: _BIT[(bit * _DE_BRUIJN) >> 58]."""
for _i in range(64):
    _BIT[((1 << _i) * 0x03F79D71B4CB0A89 >> 58) & 63] = _i


class Graph(NamedTuple):
    """Search graphs in flat arrays, and what they need to know of the game."""

    head: NDArray[np.int64]
    rule: NDArray[np.float64]
    luck: NDArray[np.uint64]  # [graphs] state of the generator
    position: NDArray[np.uint64]  # [nodes, words]
    node: NDArray[np.int32]
    mark: NDArray[np.int64]  # [nodes] stamp of the last walk that came by
    sums: NDArray[np.float64]  # [nodes, levels * (1 + roles)]
    proof: NDArray[np.float64]  # [nodes, roles] goals of terminal and proven nodes
    link: NDArray[np.int32]
    stat: NDArray[np.float64]
    sight: NDArray[np.float64]  # [edges, 2] what a selection reads, kept up to date; proven edges have no spread
    code: NDArray[np.int64]  # [edges] number of the joint move at its origin
    next_chunk: NDArray[np.int32]
    pool: NDArray[np.int32]  # moves of the expanded nodes
    table: NDArray[np.int32]  # open addressing: a node or -1
    role_starts: NDArray[np.int64]  # [roles + 1] inputs of each role
    best_goal: NDArray[np.float64]  # [roles] the highest goal of the game
    cut_goal: NDArray[np.float64]  # [roles] what a playout that was given up counts
    chance: NDArray[np.bool_]  # [roles]
    journal: NDArray[np.float64]  # [entries, 1 + roles] what chance decided, for tests; may be empty


class Slots(NamedTuple):
    """Simulations under way."""

    slot: NDArray[np.int32]
    node: NDArray[np.int32]  # [slots, depth + 1] the nodes of the descent
    edge: NDArray[np.int32]  # [slots, depth]
    length: NDArray[np.int32]  # [slots] edges so far
    position: NDArray[np.uint64]  # [slots, words] to be loaded
    payoff: NDArray[np.float64]  # [slots, roles]


class Scratch(NamedTuple):
    """Working memory of the kernels, for one thread."""

    stack: NDArray[np.int32]
    order: NDArray[np.int32]
    arm_n: NDArray[np.float64]  # [inputs]
    arm_sum: NDArray[np.float64]  # [inputs]
    pick: NDArray[np.int64]  # [roles]
    goals: NDArray[np.float64]  # [roles]
    inputs: NDArray[np.int32]  # [inputs]
    counts: NDArray[np.int32]  # [roles]


@borrowing
def _copy(to, values):  # type: ignore[no-untyped-def]
    """Plain assignment would allocate, in case they overlap."""
    for i in range(len(values)):
        to[i] = values[i]


@borrowing
def _draw(g, k, below):  # type: ignore[no-untyped-def]
    """A random number below a bound: splitmix64, as in `reference`."""
    g.luck[k] += np.uint64(0x9E3779B97F4A7C15)
    z = g.luck[k]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return np.int64(((z >> np.uint64(32)) * np.uint64(below)) >> np.uint64(32))


@borrowing
def _hash(words):  # type: ignore[no-untyped-def]
    h = np.uint64(0x9E3779B97F4A7C15)
    for i in range(len(words)):
        h = (h ^ words[i]) * np.uint64(0xD6E8FEB86659FD93)
        h ^= h >> np.uint64(32)
    return h


@borrowing
def find(g, k, words):  # type: ignore[no-untyped-def]
    """The node of a position in graph k, or -1. Whole positions are compared."""
    lo, mask = g.head[k, TABLE_LO], g.head[k, TABLE_MASK]
    at = np.int64(_hash(words)) & mask
    while True:
        x = g.table[lo + at]
        if x < 0:
            return -1
        same = True
        for i in range(len(words)):
            same = same and g.position[x, i] == words[i]
        if same:
            return x
        at = (at + 1) & mask


@borrowing
def _enter(g, k, x):  # type: ignore[no-untyped-def]
    lo, mask = g.head[k, TABLE_LO], g.head[k, TABLE_MASK]
    at = np.int64(_hash(g.position[x])) & mask
    while g.table[lo + at] >= 0:
        at = (at + 1) & mask
    g.table[lo + at] = x


@borrowing
def new_node(g, k, words, phase):  # type: ignore[no-untyped-def]
    """A node for a position; -1 if the memory is full."""
    if g.head[k, NODES] >= g.head[k, NODE_CAP]:
        g.head[k, FULL] = 1
        return -1
    x = g.head[k, NODE_LO] + g.head[k, NODES]
    g.head[k, NODES] += 1
    _copy(g.position[x], words)
    g.node[x, CHUNK] = g.node[x, LAST] = g.node[x, IN] = g.node[x, FLOOR] = -1
    g.node[x, EDGES] = g.node[x, MOVES] = g.node[x, COUNT] = g.node[x, DECIDER] = 0
    g.node[x, STATE] = g.node[x, LENGTH] = 0
    g.node[x, PHASE] = phase
    g.mark[x] = 0
    g.sums[x] = 0.0
    if g.rule[k, TABLE] != 0:
        _enter(g, k, x)
    return x


@borrowing
def _new_edge(g, k, x, code):  # type: ignore[no-untyped-def]
    """An edge that leaves x; -1 if the memory is full."""
    count = g.node[x, EDGES]
    if count % CHUNK_EDGES == 0:
        if g.head[k, CHUNKS] >= g.head[k, CHUNK_CAP]:
            g.head[k, FULL] = 1
            return -1
        chunk = g.head[k, CHUNK_LO] + g.head[k, CHUNKS]
        g.head[k, CHUNKS] += 1
        g.next_chunk[chunk] = -1
        if count == 0:
            g.node[x, CHUNK] = chunk
        else:
            g.next_chunk[g.node[x, LAST]] = chunk
        g.node[x, LAST] = chunk
    e = g.node[x, LAST] * CHUNK_EDGES + count % CHUNK_EDGES
    g.node[x, EDGES] = count + 1
    g.link[e, DEST] = g.link[e, NEXT_IN] = -1
    g.link[e, ORIGIN] = x
    g.link[e, FLYING] = 0
    g.sight[e, VALUE], g.sight[e, SPREAD] = 0.0, np.inf
    g.stat[e] = 0.0
    g.code[e] = code
    return e


@borrowing
def _connect(g, e, y):  # type: ignore[no-untyped-def]
    g.link[e, DEST] = y
    g.link[e, NEXT_IN] = g.node[y, IN]
    g.node[y, IN] = e


@borrowing
def first_edge(g, x):  # type: ignore[no-untyped-def]
    """The first edge that leaves a node that has one."""
    return g.node[x, CHUNK] * CHUNK_EDGES


@borrowing
def following(g, e):  # type: ignore[no-untyped-def]
    """The edge after e in the order of creation, if there is one."""
    if e % CHUNK_EDGES == CHUNK_EDGES - 1:
        return g.next_chunk[e // CHUNK_EDGES] * CHUNK_EDGES
    return e + 1


@borrowing
def edge_mean(g, e, r, level):  # type: ignore[no-untyped-def]
    """μ of an edge for role r, from the sums of a level below its end; level -1: its own."""
    roles = g.proof.shape[1]
    if level < 0:
        n = g.stat[e, N]
        return g.stat[e, PAYOFF + r] / n if n > 0 else 0.0
    n, total = g.stat[e, FIRST_N], g.stat[e, PAYOFF + roles + r]
    y = g.link[e, DEST]
    if y >= 0:
        n += g.sums[y, 0]
        total += g.sums[y, level * (1 + roles) + 1 + r]
    return total / n if n > 0 else 0.0


@borrowing
def edge_count(g, e, level):  # type: ignore[no-untyped-def]
    """Number of playouts of an edge, from the counts of a level below its end; level -1: its own."""
    if level < 0:
        return g.stat[e, N]
    n = g.stat[e, FIRST_N]
    y = g.link[e, DEST]
    if y >= 0:
        n += g.sums[y, level * (1 + g.proof.shape[1])]
    return n


@borrowing
def _refresh(g, k, e):  # type: ignore[no-untyped-def]
    """Bring `sight` up to date for an edge whose statistics, or whose end's sums, have changed."""
    r, y = g.node[g.link[e, ORIGIN], DECIDER], g.link[e, DEST]
    if r < 0:
        return
    if y >= 0 and g.node[y, STATE] & PROVEN and g.rule[k, SOLVER] != 0:
        g.sight[e, VALUE], g.sight[e, SPREAD] = g.proof[y, r], 0.0
        return
    g.sight[e, VALUE] = edge_mean(g, e, r, np.int64(g.rule[k, MEAN_LEVEL]))
    if y >= 0 and g.node[y, FLOOR] >= 0:
        q, sure = g.node[y, DECIDER], g.node[y, FLOOR]
        if g.proof[sure, q] > edge_mean(g, e, q, np.int64(g.rule[k, MEAN_LEVEL])):
            g.sight[e, VALUE] = g.proof[sure, r]
    count = edge_count(g, e, np.int64(g.rule[k, COUNT_LEVEL]))
    g.sight[e, SPREAD] = 1 / np.sqrt(count) if count > 0 else np.inf


@borrowing
def _refresh_above(g, k, x):  # type: ignore[no-untyped-def]
    """Refresh all edges that lead to x."""
    e = g.node[x, IN]
    while e >= 0:
        _refresh(g, k, e)
        e = g.link[e, NEXT_IN]


@borrowing
def _select(g, k, x):  # type: ignore[no-untyped-def]
    """The edge of x with the highest adapted value for the role that decides; -1 if all of them are in flight.

    Edges to proven positions are passed by: their worth is known, and `FLOOR` keeps it (see `_at_least`).
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
            if _draw(g, k, ties) == 0:
                chosen = e
    return chosen


@borrowing
def _choose_each(g, k, x, w):  # type: ignore[no-untyped-def]
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
            code += radix * _draw(g, k, count)
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
                if _draw(g, k, ties) == 0:
                    chosen = a
        code += radix * chosen
    return code


@borrowing
def _edge_of(g, x, code):  # type: ignore[no-untyped-def]
    """The edge of x with this joint move, or -1."""
    if g.node[x, EDGES]:
        e = first_edge(g, x)
        for i in range(g.node[x, EDGES]):
            if i:
                e = following(g, e)
            if g.code[e] == code:
                return e
    return -1


@borrowing
def _push(g, s, i, e):  # type: ignore[no-untyped-def]
    """Extend the descent of slot i by an edge."""
    at = s.length[i]
    s.edge[i, at] = e
    s.length[i] = at + 1
    g.link[e, FLYING] += 1


@borrowing
def _descend(g, s, i, w):  # type: ignore[no-untyped-def]
    """Go on with the descent of slot i from its last node, until lanes are needed.

    It sets the slot's STAGE. EXPAND: the last node's moves must be listed; MOVE: the last edge's move must be played;
    READY: play at random from `position`; IDLE: the payoff is known, or (with no edge) the slot has nothing to do.
    """
    k = s.slot[i, OF]
    g.head[k, STAMP] += 1
    stamp = g.head[k, STAMP]
    for j in range(s.length[i] + 1):
        g.mark[s.node[i, j]] = stamp
    solver = g.rule[k, SOLVER] != 0
    while True:
        depth = s.length[i]
        x = s.node[i, depth]
        state = g.node[x, STATE]
        if state & TERMINAL or (solver and state & PROVEN and depth):
            _copy(s.payoff[i], g.proof[x])
            s.slot[i, STAGE] = IDLE
            return
        if depth >= s.edge.shape[1]:
            break
        if not state & EXPANDED:
            if state & EXPANDING or g.head[k, FULL]:
                break
            g.node[x, STATE] |= EXPANDING
            _copy(s.position[i], g.position[x])
            s.slot[i, STAGE] = EXPAND
            return
        decider = g.node[x, DECIDER]
        if decider >= 0:
            tried = g.node[x, EDGES]
            if tried < g.node[x, COUNT]:
                e = -1 if g.head[k, FULL] else _new_edge(g, k, x, tried)
                if e >= 0:  # an untried move at random becomes the next in the list
                    lo = g.node[x, MOVES] + g.proof.shape[1]
                    j = tried + _draw(g, k, g.node[x, COUNT] - tried)
                    g.pool[lo + tried], g.pool[lo + j] = g.pool[lo + j], g.pool[lo + tried]
            else:
                e = _select(g, k, x)
        else:
            code = _choose_each(g, k, x, w)
            e = _edge_of(g, x, code)
            if e < 0 and not g.head[k, FULL]:
                e = _new_edge(g, k, x, code)
            elif e >= 0 and g.link[e, DEST] < 0 and g.link[e, FLYING] > 0:
                e = -1
        if e < 0:
            break
        _push(g, s, i, e)
        y = g.link[e, DEST]
        if y < 0:
            _copy(s.position[i], g.position[x])
            s.slot[i, STAGE] = MOVE
            return
        s.node[i, depth + 1] = y
        if g.mark[y] == stamp:  # a cycle: play at random from here
            break
        g.mark[y] = stamp
    last = s.node[i, s.length[i]]
    s.slot[i, STAGE] = READY if s.length[i] else IDLE
    s.slot[i, STEPS] = 0
    s.slot[i, AT] = g.node[last, PHASE]
    _copy(s.position[i], g.position[last])


@borrowing
def _recompute(g, x, target, below):  # type: ignore[no-untyped-def]
    """The sums of level `target` at x, from those of level `below` at the ends of its edges."""
    roles = g.proof.shape[1]
    to, src = target * (1 + roles), below * (1 + roles)
    g.sums[x, to : to + 1 + roles] = 0.0
    e = first_edge(g, x)
    for i in range(g.node[x, EDGES]):
        if i:
            e = following(g, e)
        n = g.stat[e, N]
        if n == 0:  # its first payoff is still on its way, or was given up
            continue
        y = g.link[e, DEST]
        first = g.stat[e, FIRST_N]
        g.sums[x, to] += first + (g.sums[y, src] if y >= 0 else 0.0)
        under = first + (g.sums[y, 0] if y >= 0 else 0.0)
        if under > 0:
            for r in range(roles):
                total = g.stat[e, PAYOFF + roles + r]
                if y >= 0:
                    total += g.sums[y, src + 1 + r]
                g.sums[x, to + 1 + r] += total / under * n
    g.sums[x, to] = min(g.sums[x, to], _MOST)


@borrowing
def _raise_levels(g, s, i, w):  # type: ignore[no-untyped-def]
    """Bring the finite levels of sums up to date after an update: the descent's nodes, and ancestors ever higher."""
    k = s.slot[i, OF]
    count = s.length[i]
    for j in range(count):
        w.order[j] = s.node[i, j]
    total = count
    for level in range(1, np.int64(g.rule[k, FINITE]) + 1):
        g.head[k, STAMP] += 1
        stamp = g.head[k, STAMP]
        for j in range(total):
            g.mark[w.order[j]] = stamp
        before = total
        for j in range(before):
            e = g.node[w.order[j], IN]
            while e >= 0:
                x = g.link[e, ORIGIN]
                if g.mark[x] != stamp:
                    g.mark[x] = stamp
                    w.order[total] = x
                    total += 1
                e = g.link[e, NEXT_IN]
        for j in range(total):
            _recompute(g, w.order[j], level, level - 1)
    for j in range(count, total):
        _refresh_above(g, k, w.order[j])


@borrowing
def _raise_infinity(g, s, i, w):  # type: ignore[no-untyped-def]
    """Bring the sums of infinite depth up to date: all ancestors, each after what lies below it."""
    k = s.slot[i, OF]
    top = np.int64(g.rule[k, FINITE]) + 1
    g.head[k, STAMP] += 1
    stamp = g.head[k, STAMP]
    for start in range(s.length[i] - 1, -1, -1):
        first = s.node[i, start]
        if g.mark[first] == stamp:
            continue
        # depth first along in-edges; a node goes to the end of the order when all its ancestors are there
        count, size = 0, 1
        w.stack[0], w.stack[1] = first, g.node[first, IN]
        g.mark[first] = stamp
        while size:
            e = w.stack[2 * size - 1]
            if e < 0:
                w.order[count] = w.stack[2 * size - 2]
                count += 1
                size -= 1
                continue
            w.stack[2 * size - 1] = g.link[e, NEXT_IN]
            x = g.link[e, ORIGIN]
            if g.mark[x] != stamp:
                g.mark[x] = stamp
                w.stack[2 * size], w.stack[2 * size + 1] = x, g.node[x, IN]
                size += 1
        for j in range(count - 1, -1, -1):
            _recompute(g, w.order[j], top, top)
            _refresh_above(g, k, w.order[j])


@borrowing
def _add(g, e, payoff):  # type: ignore[no-untyped-def]
    """One payoff more on an edge and in level 0 of its origin."""
    x = g.link[e, ORIGIN]
    g.stat[e, N] += 1
    g.sums[x, 0] += 1
    for r in range(len(payoff)):
        g.stat[e, PAYOFF + r] += payoff[r]
        g.sums[x, 1 + r] += payoff[r]


@borrowing
def _at_least(g, x, payoff):  # type: ignore[no-untyped-def]
    """Whoever decides at x has a move with a proven worth: a payoff below that need not be suffered."""
    sure = g.node[x, FLOOR]
    if sure >= 0 and g.proof[sure, g.node[x, DECIDER]] > payoff[g.node[x, DECIDER]]:
        _copy(payoff, g.proof[sure])


@borrowing
def _update(g, s, i, w):  # type: ignore[no-untyped-def]
    """Add the payoff of slot i to its descent (or to all edges that lead to its end), and count the simulation."""
    k = s.slot[i, OF]
    roles = g.proof.shape[1]
    payoff = s.payoff[i]
    count = s.length[i]
    last = s.edge[i, count - 1]
    for j in range(count):
        g.link[s.edge[i, j], FLYING] -= 1
    g.stat[last, FIRST_N] += 1
    for r in range(roles):
        g.stat[last, PAYOFF + roles + r] += payoff[r]
    if g.rule[k, ALL] != 0 and g.link[last, DEST] >= 0:
        g.head[k, STAMP] += 1
        stamp = g.head[k, STAMP]
        size, at = 1, 0
        w.order[0] = g.link[last, DEST]
        g.mark[w.order[0]] = stamp
        while at < size:
            e = g.node[w.order[at], IN]
            at += 1
            while e >= 0:
                _add(g, e, payoff)
                _refresh(g, k, e)
                x = g.link[e, ORIGIN]
                if g.mark[x] != stamp:
                    g.mark[x] = stamp
                    w.order[size] = x
                    size += 1
                e = g.link[e, NEXT_IN]
    else:
        for j in range(count - 1, -1, -1):
            _add(g, s.edge[i, j], payoff)
            _at_least(g, s.node[i, j], payoff)
        if g.rule[k, FINITE] > 0:
            _raise_levels(g, s, i, w)
        if g.rule[k, INFINITE] != 0:
            _raise_infinity(g, s, i, w)
        deep = g.rule[k, MEAN_LEVEL] >= 0 or g.rule[k, COUNT_LEVEL] >= 0
        for j in range(count):
            if deep:  # the root as well: where positions repeat, edges lead there
                _refresh_above(g, k, s.node[i, j])
            else:
                _refresh(g, k, s.edge[i, j])
        _refresh(g, k, last)
    if roles == 1 and payoff[0] > g.head[k, BEST]:  # a puzzle: its best line is worth remembering
        g.head[k, BEST], g.head[k, BEST_SLOT], g.head[k, BEST_LENGTH] = np.int64(payoff[0]), i, count
    g.head[k, DONE] += 1
    g.head[k, DEEPEST] = max(g.head[k, DEEPEST], count)
    s.length[i] = 0


@borrowing
def _try_to_prove(g, x):  # type: ignore[no-untyped-def]
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
    _copy(g.proof[x], g.proof[chosen])
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
def _prove_above(g, k, y, w):  # type: ignore[no-untyped-def]
    """What the proof of y proves above it."""
    size = 1
    w.stack[0] = y
    while size:
        size -= 1
        e = g.node[w.stack[size], IN]
        while e >= 0:
            x = g.link[e, ORIGIN]
            _refresh(g, k, e)
            if not g.node[x, STATE] & PROVEN:
                if _try_to_prove(g, x):
                    w.stack[size] = x
                    size += 1
                else:
                    _refresh_above(g, k, x)
            e = g.link[e, NEXT_IN]


@borrowing
def _end_node(g, s, i, w):  # type: ignore[no-untyped-def]
    """The last node of slot i has turned out terminal, with the slot's payoff for goals."""
    k = s.slot[i, OF]
    x = s.node[i, s.length[i]]
    if g.node[x, STATE] & TERMINAL:
        return
    g.node[x, STATE] = TERMINAL | PROVEN
    _copy(g.proof[x], s.payoff[i])
    if g.rule[k, SOLVER] != 0:
        _prove_above(g, k, x, w)


@borrowing
def _log(g, k, kind, values):  # type: ignore[no-untyped-def]
    if len(g.journal):
        at = g.head[k, JOURNAL]
        if at < len(g.journal):
            g.journal[at, 0] = kind
            _copy(g.journal[at, 1:], values)
            g.head[k, JOURNAL] = at + 1


@borrowing
def launch(g, s, w):  # type: ignore[no-untyped-def]
    """Give every idle slot a simulation, while its graph wants more. How many slots wait for lanes to grow."""
    growing = 0
    for i in range(len(s.slot)):
        if s.slot[i, STAGE] == IDLE:
            k = s.slot[i, OF]
            if len(g.head) == 1 and i >= _FEW_SLOTS + _SLOTS_A_VISIT * g.sums[g.head[k, ROOT], 0]:
                continue
            root = np.int32(g.head[k, ROOT])
            for _ in range(_CROWDED):
                solved = g.node[root, STATE] & (PROVEN if g.rule[k, SOLVER] != 0 else TERMINAL)
                if g.head[k, STARTED] >= g.head[k, WANTED] or solved:
                    break
                s.length[i] = 0
                s.node[i, 0] = root
                _descend(g, s, i, w)
                if s.slot[i, STAGE] == IDLE and not s.length[i]:
                    break
                g.head[k, STARTED] += 1
                if s.slot[i, STAGE] != IDLE:
                    break
                _update(g, s, i, w)
        _settle_ready(s, i)
        growing += EXPAND <= s.slot[i, STAGE] <= ALIGN
    return growing


@borrowing
def _settle_ready(s, i):  # type: ignore[no-untyped-def]
    """Playouts start at phase 0; until then a slot moves at random on the growing lanes."""
    if s.slot[i, STAGE] == READY and s.slot[i, AT] != 0:
        s.slot[i, STAGE] = ALIGN


@borrowing
def load_growing(g, s, memory, given_row, source, chosen):  # type: ignore[no-untyped-def]
    """Choose a growing lane for each slot that needs one, and set the given moves. How many lanes there are.

    source: int32 [lanes] the slot of each lane; chosen is scratch, int64 [roles]. Positions are loaded by `load_lanes`.
    """
    words, roles = memory.shape[2], g.proof.shape[1]
    lanes = 0
    for i in range(len(s.slot)):
        if EXPAND <= s.slot[i, STAGE] <= ALIGN and lanes < len(source):
            source[lanes] = i
            lanes += 1
    used = (lanes + 64 * words - 1) // (64 * words)
    memory[:used, given_row : given_row + 1 + g.role_starts[roles]] = np.uint64(0)
    for lane in range(lanes):
        i = source[lane]
        if s.slot[i, STAGE] != MOVE:
            continue
        x, e = s.node[i, s.length[i] - 1], s.edge[i, s.length[i] - 1]
        joint_move(g, x, g.code[e], chosen)
        word, bit = lane // 64, np.uint64(1) << np.uint64(lane % 64)
        block, w = word // words, word % words
        memory[block, given_row, w] |= bit
        for r in range(roles):
            memory[block, given_row + 1 + chosen[r], w] |= bit
    return lanes


@borrowing
def joint_move(g, x, code, chosen):  # type: ignore[no-untyped-def]
    """The inputs of a joint move at x, into chosen [roles]."""
    roles = g.proof.shape[1]
    lo = g.node[x, MOVES]
    if g.node[x, DECIDER] >= 0:
        for r in range(roles):
            chosen[r] = g.pool[lo + r]
        chosen[g.node[x, DECIDER]] = g.pool[lo + roles + code]
        return
    at = lo + roles
    for r in range(roles):
        count = g.pool[lo + r]
        chosen[r] = g.pool[at + code % count]
        code //= count
        at += count


@borrowing
def _legal_inputs(g, legal, lane, w):  # type: ignore[no-untyped-def]
    """List the legal inputs of a lane in `inputs`, role by role; `counts`: how many each role has. How many in all."""
    r, total = 0, 0
    w.counts[:] = 0
    for word in range(legal.shape[1]):
        x = legal[lane, word]
        while x:
            low = x & (~x + np.uint64(1))
            x ^= low
            j = 64 * word + _BIT[(low * _DE_BRUIJN) >> np.uint64(58)]
            while j >= g.role_starts[r + 1]:
                r += 1
            w.inputs[total] = j
            w.counts[r] += 1
            total += 1
    return total


@borrowing
def _list_moves(g, k, x, legal, picks, lane, w):  # type: ignore[no-untyped-def]
    """Expand x with the legal inputs that lanes found. The number of the joint move that the lane picked; -1: full.

    legal, picks: uint64 [lanes, words of inputs].
    """
    roles = g.proof.shape[1]
    total = _legal_inputs(g, legal, lane, w)
    open_roles, decider, product = 0, 0, np.int64(1)
    for r in range(roles):
        product = min(product * w.counts[r], np.int64(2**30))
        if w.counts[r] > 1:
            open_roles += 1
            decider = r
    need = 2 + roles + total
    if g.head[k, POOL] + need > g.head[k, POOL_CAP]:
        g.head[k, FULL] = 1
        return -1
    lo = g.head[k, POOL_LO] + g.head[k, POOL] + 2
    g.head[k, POOL] += need
    g.pool[lo - 2], g.pool[lo - 1] = x, need
    plain = open_roles <= 1 and not (open_roles == 1 and g.chance[decider])
    at, read, code, stride = lo + roles, 0, np.int64(0), np.int64(1)
    for r in range(roles):
        count = w.counts[r]
        if plain and r != decider:
            g.pool[lo + r] = w.inputs[read]
            read += 1
            continue
        first, number = at, 0
        for _ in range(count):
            j = w.inputs[read]
            if picks[lane, j >> 6] & (np.uint64(1) << np.uint64(j & 63)):
                number = at - first
            g.pool[at] = j
            at, read = at + 1, read + 1
        if plain:
            g.pool[lo + r] = -1
            picked = g.pool[first + number]  # becomes the first
            g.pool[first + number] = g.pool[first]
            g.pool[first] = picked
        else:
            g.pool[lo + r] = count
            code += stride * number
            stride *= count
    g.node[x, MOVES] = lo
    g.node[x, COUNT] = at - lo - roles if plain else product
    g.node[x, DECIDER] = decider if plain else (CHANCE if open_roles == 1 else MANY)
    g.node[x, STATE] = (g.node[x, STATE] & ~EXPANDING) | EXPANDED
    return code


@borrowing
def _grown(g, s, i, words, period, w):  # type: ignore[no-untyped-def]
    """The last edge of slot i leads to this position: a new node, or a known one from which the descent goes on."""
    k = s.slot[i, OF]
    x, e = s.node[i, s.length[i] - 1], s.edge[i, s.length[i] - 1]
    phase = (g.node[x, PHASE] + 1) % period
    y = np.int64(-1)
    if g.rule[k, TABLE] != 0:
        y = np.int64(find(g, k, words))
    if y >= 0:
        g.head[k, MET] += 1
        _connect(g, e, y)
        s.node[i, s.length[i]] = y
        on_path = False
        for j in range(s.length[i]):
            on_path = on_path or s.node[i, j] == y
        if not on_path:
            if (
                g.rule[k, SOLVER] != 0
                and g.node[y, STATE] & PROVEN
                and not g.node[x, STATE] & PROVEN
                and _try_to_prove(g, x)
            ):
                _prove_above(g, k, x, w)
            _descend(g, s, i, w)
            if s.slot[i, STAGE] == IDLE:
                _update(g, s, i, w)
            return
    else:
        y = np.int64(new_node(g, k, words, phase))
        if y >= 0:
            _connect(g, e, y)
            s.node[i, s.length[i]] = y
    s.slot[i, STAGE] = READY
    s.slot[i, AT] = phase
    _copy(s.position[i], words)


@borrowing
def absorb(g, s, source, lanes, positions, legal, picks, ended, goals, period, w):  # type: ignore[no-untyped-def]
    """After the step of the growing lanes. How many slots still need growing lanes.

    positions, legal, picks: uint64 [lanes, …] after the step, and of the position before it; ended: uint64 [lanes, 1] the
    position before it was terminal or stuck, with these goals [lanes, roles].
    """
    growing = 0
    for lane in range(lanes):
        i = source[lane]
        k = s.slot[i, OF]
        stage = s.slot[i, STAGE]
        if ended[lane, 0] and stage != MOVE:
            _copy(s.payoff[i], goals[lane])
            x = s.node[i, s.length[i]]
            if stage == EXPAND or s.slot[i, STEPS] == 0:  # an ALIGN lane at its first step stands on the last node
                g.node[x, STATE] &= ~EXPANDING
                if not s.length[i] or g.link[s.edge[i, s.length[i] - 1], DEST] >= 0:
                    _end_node(g, s, i, w)
            s.slot[i, STAGE] = IDLE
            if s.length[i]:
                _log(g, k, 1.0, s.payoff[i])
                _update(g, s, i, w)
        elif stage == ALIGN:
            s.slot[i, STEPS] += 1
            s.slot[i, AT] = (s.slot[i, AT] + 1) % period
            _copy(s.position[i], positions[lane])
            if s.slot[i, AT] == 0:
                s.slot[i, STAGE] = READY
        else:
            if stage == EXPAND:
                x = s.node[i, s.length[i]]
                code = _list_moves(g, k, x, legal, picks, lane, w)
                e = np.int64(-1)
                if code >= 0:
                    e = np.int64(_new_edge(g, k, x, code if g.node[x, DECIDER] < 0 else 0))
                if e < 0:  # no memory: play on from the position that was reached
                    g.node[x, STATE] &= ~EXPANDING
                    s.slot[i, STAGE] = READY
                    s.slot[i, STEPS] = 1
                    s.slot[i, AT] = (g.node[x, PHASE] + 1) % period
                    _copy(s.position[i], positions[lane])
                    _settle_ready(s, i)
                    continue
                if len(g.journal):
                    chosen = w.pick
                    joint_move(g, x, g.code[e], chosen)
                    _log(g, k, 0.0, chosen)
                _push(g, s, i, e)
            s.slot[i, STEPS] = 0
            _grown(g, s, i, positions[lane], period, w)
            _settle_ready(s, i)
        growing += EXPAND <= s.slot[i, STAGE] <= ALIGN
    return growing


@borrowing
def any_expands(s, source, lanes):  # type: ignore[no-untyped-def]
    """Whether a growing lane has moves to list."""
    found = False
    for lane in range(lanes):
        found = found or s.slot[source[lane], STAGE] == EXPAND
    return found


@borrowing
def read_flags(memory, one, other, lanes, out):  # type: ignore[no-untyped-def]
    """out[i, 0] = whether one of two rows holds in lane i, for the lanes 0..lanes-1. Whether any does."""
    words = memory.shape[2]
    found = False
    for column in range((lanes + 63) // 64):
        block, w = column // words, column % words
        x = memory[block, one, w] | memory[block, other, w]
        for b in range(min(64, lanes - 64 * column)):
            out[64 * column + b, 0] = (x >> np.uint64(b)) & np.uint64(1)
            found = found or out[64 * column + b, 0] != 0
    return found


@borrowing
def count_playing(s):  # type: ignore[no-untyped-def]
    """How many slots play."""
    count = 0
    for i in range(len(s.slot)):
        count += s.slot[i, STAGE] == PLAYING
    return count


@borrowing
def load_playing(s, width, lap, source, started):  # type: ignore[no-untyped-def]
    """Send slots that are ready to the playing lanes. source: int32 [lanes] becomes the slot or -1. How many."""
    source[:] = -1
    count = 0
    for i in range(len(s.slot)):
        if s.slot[i, STAGE] == READY:
            s.slot[i, STAGE] = PLAYING
            started[i] = lap
            source[i * width : (i + 1) * width] = i
            count += 1
    return count


@borrowing
def clear_rows(memory, rows, count, mask):  # type: ignore[no-untyped-def]
    """Clear some rows in the lanes of a mask. rows: int64 [n] first rows; count: int64 [n] how many; mask [columns]."""
    words = memory.shape[2]
    for column in range(len(mask)):
        if mask[column]:
            block, w = column // words, column % words
            for j in range(len(rows)):
                for row in range(rows[j], rows[j] + count[j]):
                    memory[block, row, w] &= ~mask[column]


@borrowing
def set_row(memory, row, mask):  # type: ignore[no-untyped-def]
    """Set a row in the lanes of a mask, uint64 [columns]."""
    words = memory.shape[2]
    for column in range(len(mask)):
        memory[column // words, row, column % words] |= mask[column]


@borrowing
def read_goals(memory, row, goal_roles, goal_values, lanes, goals):  # type: ignore[no-untyped-def]
    """goals[i, r] = the highest goal of role r whose row holds in lane i, for the lanes 0..lanes-1; else 0."""
    words = memory.shape[2]
    goals[:lanes] = 0.0
    for j in range(len(goal_roles)):
        for column in range((lanes + 63) // 64):
            x = memory[column // words, row + j, column % words]
            if x:
                for b in range(min(64, lanes - 64 * column)):
                    if (x >> np.uint64(b)) & np.uint64(1):
                        at = 64 * column + b
                        goals[at, goal_roles[j]] = max(goals[at, goal_roles[j]], goal_values[j])


@borrowing
def harvest(g, s, width, memory, done_row, stuck_row, goal_row, goal_roles, goal_values, lap, limit, started, w):  # type: ignore[no-untyped-def]
    """Update with every slot whose lanes are all done, or have played for more than `limit` laps. How many still play."""
    words, roles = memory.shape[2], g.proof.shape[1]
    playing = 0
    full = ~np.uint64(0) if width == 64 else (np.uint64(1) << np.uint64(width)) - np.uint64(1)
    value = w.goals
    for i in range(len(s.slot)):
        if s.slot[i, STAGE] != PLAYING:
            continue
        first = i * width
        column, shift = first // 64, np.uint64(first % 64)
        block, at = column // words, column % words
        done = (memory[block, done_row, at] >> shift) & full
        late = lap - started[i] > limit
        if done != full and not late:
            playing += 1
            continue
        s.payoff[i] = 0.0
        for lane in range(width):
            bit = np.uint64(1) << (shift + np.uint64(lane))
            if late and not (done >> np.uint64(lane)) & np.uint64(1):
                _copy(value, g.cut_goal)
            else:
                value[:] = 0.0
                for j in range(len(goal_roles)):
                    if memory[block, goal_row + j, at] & bit:
                        value[goal_roles[j]] = max(value[goal_roles[j]], goal_values[j])
            for r in range(roles):
                s.payoff[i, r] += value[r]
        for r in range(roles):
            s.payoff[i, r] /= width
        k = s.slot[i, OF]
        grown = g.link[s.edge[i, s.length[i] - 1], DEST] >= 0
        if memory[block, stuck_row, at] & (np.uint64(1) << shift) and grown and s.slot[i, STEPS] == 0:
            _end_node(g, s, i, w)
        _log(g, k, 1.0, s.payoff[i])
        _update(g, s, i, w)
        s.slot[i, STAGE] = IDLE
    return playing


@borrowing
def reach(g, k, least, at, size, steps, loads, w):  # type: ignore[no-untyped-def]
    """Mark what is reached by way of nodes with at least so many visits, breadth first.

    A proven node counts as often visited as what leads to it: one look was enough, and it is worth as much.

    w.order is the queue: its first `at` nodes of `size` are done, and up to `steps` more will be. Returns both numbers.
    `loads` [bins, 3] counts the nodes, chunks and pool entries reached, by their visits (`bin_of`).
    """
    stamp, last = g.head[k, STAMP], len(loads) - 1
    until = at + steps
    while at < size and at < until:
        x = w.order[at]
        at += 1
        if not g.node[x, EDGES]:
            continue
        e = first_edge(g, x)
        for i in range(g.node[x, EDGES]):
            if i:
                e = following(g, e)
            y = g.link[e, DEST]
            if y < 0 or g.mark[y] == stamp:
                continue
            visits = max(g.stat[e, N], g.sums[y, 0])  # from here, or through its own edges
            if g.node[y, STATE] & PROVEN:
                visits = max(visits, g.sums[x, 0])
            if visits < least:
                continue
            g.mark[y] = stamp
            w.order[size] = y
            size += 1
            b = min(bin_of(visits), last)
            loads[b, 0] += 1
            loads[b, 1] += (g.node[y, EDGES] + CHUNK_EDGES - 1) // CHUNK_EDGES
            if g.node[y, STATE] & EXPANDED:
                loads[b, 2] += g.pool[g.node[y, MOVES] - 1]
    return at, size


@borrowing
def bin_of(visits):  # type: ignore[no-untyped-def]
    """Visits in quarters of an octave."""
    return np.int64(4 * np.log2(max(1.0, visits)))


# The steps of forgetting the nodes without the latest mark, and closing the gaps: `recycling.compact` takes them. Each
# works on some items only, lo to hi, so that one may stop in between.


@borrowing
def number_nodes(g, k, lo, hi, kept, w):  # type: ignore[no-untyped-def]
    """w.order becomes the new number of each node, -1: forgotten. How many are kept by now."""
    first = g.head[k, NODE_LO]
    for i in range(lo, hi):
        w.order[i] = -1
        if g.mark[first + i] == g.head[k, STAMP]:
            w.order[i] = first + kept
            kept += 1
    return kept


@borrowing
def number_chunks(g, k, lo, hi, kept, w):  # type: ignore[no-untyped-def]
    """w.stack becomes the new number of each chunk, -1: forgotten. How many are kept by now."""
    first = g.head[k, CHUNK_LO]
    for c in range(lo, hi):
        w.stack[c] = -1
        if g.mark[g.link[(first + c) * CHUNK_EDGES, ORIGIN]] == g.head[k, STAMP]:
            w.stack[c] = first + kept
            kept += 1
    return kept


@borrowing
def move_pool(g, k, at, free, steps, w):  # type: ignore[no-untyped-def]
    """Move the moves of some nodes, from entry `at` of the pool on to `free`. Where both are then."""
    stamp, node_lo = g.head[k, STAMP], g.head[k, NODE_LO]
    first = g.head[k, POOL_LO]
    at, free, end = first + at, first + free, first + min(at + steps, g.head[k, POOL])
    while at < end:
        x, length = g.pool[at], g.pool[at + 1]
        if g.mark[x] == stamp and g.node[x, MOVES] == at + 2:
            g.node[x, MOVES] = free + 2
            g.pool[free] = w.order[x - node_lo]
            for j in range(1, length):
                g.pool[free + j] = g.pool[at + j]
            free += length
        at += length
    return at - first, free - first


@borrowing
def cut_edges(g, k, lo, hi, w):  # type: ignore[no-untyped-def]
    """Edges learn the new numbers of their nodes. Those to forgotten nodes keep their statistics, as first payoffs."""
    stamp, node_lo, roles = g.head[k, STAMP], g.head[k, NODE_LO], g.proof.shape[1]
    for x in range(node_lo + lo, node_lo + hi):
        if g.mark[x] != stamp or not g.node[x, EDGES]:
            continue
        e = first_edge(g, x)
        for i in range(g.node[x, EDGES]):
            if i:
                e = following(g, e)
            y = g.link[e, DEST]
            if y >= 0 and g.mark[y] == stamp:
                g.link[e, DEST] = w.order[y - node_lo]
            elif y >= 0:
                g.link[e, DEST] = -1
                g.stat[e, FIRST_N] = g.stat[e, N]
                for r in range(roles):
                    g.stat[e, PAYOFF + roles + r] = g.stat[e, PAYOFF + r]
            g.link[e, ORIGIN] = w.order[x - node_lo]


@borrowing
def move_nodes(g, k, lo, hi, w):  # type: ignore[no-untyped-def]
    """Nodes go to their new places."""
    node_lo, chunk_lo = g.head[k, NODE_LO], g.head[k, CHUNK_LO]
    for x in range(node_lo + lo, node_lo + hi):
        to = w.order[x - node_lo]
        if to < 0:
            continue
        if to != x:
            _copy(g.position[to], g.position[x])
            _copy(g.node[to], g.node[x])
            _copy(g.sums[to], g.sums[x])
            _copy(g.proof[to], g.proof[x])
        g.mark[to] = 0
        g.node[to, IN] = -1
        sure = g.node[to, FLOOR]
        if sure >= 0:
            g.node[to, FLOOR] = w.order[sure - node_lo]
        if g.node[to, EDGES]:
            g.node[to, CHUNK] = w.stack[g.node[to, CHUNK] - chunk_lo]
            g.node[to, LAST] = w.stack[g.node[to, LAST] - chunk_lo]


@borrowing
def move_chunks(g, k, lo, hi, w):  # type: ignore[no-untyped-def]
    """Chunks go to their new places."""
    first = g.head[k, CHUNK_LO]
    for c in range(lo, hi):
        to = w.stack[c]
        if to < 0:
            continue
        after = g.next_chunk[first + c]
        g.next_chunk[to] = w.stack[after - first] if after >= 0 else -1
        if to != first + c:
            for j in range(CHUNK_EDGES):
                e, f = (first + c) * CHUNK_EDGES + j, to * CHUNK_EDGES + j
                _copy(g.link[f], g.link[e])
                _copy(g.stat[f], g.stat[e])
                _copy(g.sight[f], g.sight[e])
                g.code[f] = g.code[e]


@borrowing
def enter_nodes(g, k, lo, hi):  # type: ignore[no-untyped-def]
    """Nodes go into the empty table, and into the lists of edges that lead to a node."""
    for x in range(g.head[k, NODE_LO] + lo, g.head[k, NODE_LO] + hi):
        if g.rule[k, TABLE] != 0:
            _enter(g, k, x)
        if g.node[x, EDGES]:
            e = first_edge(g, x)
            for i in range(g.node[x, EDGES]):
                if i:
                    e = following(g, e)
                if g.link[e, DEST] >= 0:
                    _connect(g, e, g.link[e, DEST])


@borrowing
def sum_level(g, k, level, lo, hi):  # type: ignore[no-untyped-def]
    """The sums of a level at some nodes, the last first. How much a number of visits changed, at most."""
    first, column = g.head[k, NODE_LO], level * (1 + g.proof.shape[1])
    below = level - 1 if level <= np.int64(g.rule[k, FINITE]) else level
    moved = 0.0
    for x in range(first + hi - 1, first + lo - 1, -1):
        before = g.sums[x, column]
        if g.node[x, EDGES]:
            _recompute(g, x, level, below)
        moved = max(moved, abs(g.sums[x, column] - before))
    return moved


@borrowing
def refresh(g, k, lo, hi):  # type: ignore[no-untyped-def]
    """What selections read at some nodes, from the sums."""
    for x in range(g.head[k, NODE_LO] + lo, g.head[k, NODE_LO] + hi):
        if g.node[x, EDGES]:
            e = first_edge(g, x)
            for i in range(g.node[x, EDGES]):
                if i:
                    e = following(g, e)
                _refresh(g, k, e)


@borrowing
def cancel(g, s):  # type: ignore[no-untyped-def]
    """Give up all simulations under way, as if they had never begun but for the nodes and edges they made."""
    for i in range(len(s.slot)):
        if s.slot[i, STAGE] != IDLE:
            if s.slot[i, STAGE] == EXPAND:
                g.node[s.node[i, s.length[i]], STATE] &= ~EXPANDING
            for j in range(s.length[i]):
                g.link[s.edge[i, j], FLYING] -= 1
            g.head[s.slot[i, OF], STARTED] -= 1
            s.slot[i, STAGE] = IDLE
            s.length[i] = 0


@borrowing
def empty(g, k):  # type: ignore[no-untyped-def]
    """Forget all of graph k."""
    for column in (NODES, CHUNKS, POOL, STAMP, STARTED, DONE, FULL, MET, DEEPEST, JOURNAL):
        g.head[k, column] = 0
    g.head[k, BEST], g.head[k, BEST_SLOT] = 0, -1
    lo = g.head[k, TABLE_LO]
    g.table[lo : lo + g.head[k, TABLE_MASK] + 1] = -1
