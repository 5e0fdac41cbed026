"""AMAF, all moves as first: what a move has led to when it was played at a node, or at any time after it.

A simulation counts at every node that its descent leaves by an edge: for each role, the moves of the descent from there
on and those of the playouts, each once. So the AMAF playouts of a node are the payoffs of its edges, and know of moves
that have no edge yet. Where a simulation is many playouts, a move counts as the share of them in which it was played.

Records lie beside the pool (`Graph.move`), one for each move that is listed there. Where nodes are asked about moves of
other nodes (`by_input`), the records of all inputs follow, beside entries of the pool that hold nothing else.

RAVE asks the node itself (Gelly and Silver 2007), GRAVE the nearest node of the descent that has been seen often enough
(Cazenave 2015), HRAVE the root (Sironi and Winands 2016). RAVE UCD (Saffidine, Cazenave, Méhat 2012, section 4.3) mixes
what the nodes know that the edges of the node lead to, so that what other ways to them have shown counts too:

    A_1(x, m) = A′(x, m) + Σ of all edges f of x to y:  A_0(y, m), or all payoffs that left y where f plays m itself

A′ is what the simulations have shown whose descent ended with an edge of x: of those, nothing was noted at its end. In a
tree A_1 = A_0. The records of A′ for all inputs lie before those of A_0.
"""

from __future__ import annotations

import numpy as np

from ggp.core.kernels import borrowing, inlined
from ggp.search.kernels.basics import copy
from ggp.search.kernels.edges import first_edge, following
from ggp.search.kernels.lanes import goals_of
from ggp.search.kernels.layout import Graph, Lanes, Scratch, Slots, State
from ggp.search.kernels.moves import joint_move
from ggp.search.kernels.preferring import ones


@inlined
def known(g: Graph, k: int, a: int, place: int, w: Scratch) -> tuple[float, float]:
    """What node a knows of the move at a place of the pool: AMAF's playouts, and the sum of what they were worth.

    Where that is mixed, `mix` has been called for the node.
    """
    if g.rule[k].rave_depth > 0:
        return w.mixed[g.pool[place]].n, w.mixed[g.pool[place]].total
    at = _table(g, a) + g.pool[place] if g.rule[k].by_input else place
    return g.move[at].n, g.move[at].total


@inlined
def mix(g: Graph, a: int, w: Scratch) -> None:
    """What is known at the ends of node a's edges of all inputs, into w.mixed."""
    roles, inputs, mixed = g.proof.shape[1], len(w.mixed), w.mixed
    first = _table(g, a) - inputs
    for number in range(inputs):
        mixed[number].n, mixed[number].total = g.move[first + number].n, g.move[first + number].total
    e = first_edge(g, a) if g.node[a].edges else -1
    for i in range(g.node[a].edges):
        if i:
            e = following(g, e)
        y = g.edge[e].dest
        if y < 0 or g.edge[e].n == 0 or not g.node[y].state & State.EXPANDED:
            continue  # an edge counts when its first simulation has come to its end
        joint_move(g, a, g.code[e], w.pick)
        table = _table(g, y)
        for number in range(inputs):
            mixed[number].n += g.move[table + number].n
            mixed[number].total += g.move[table + number].total
        for r in range(roles):  # a move that led to y was played in all that left y
            own = table + w.pick[r]
            mixed[w.pick[r]].n += g.sums[y, 0] - g.move[own].n
            mixed[w.pick[r]].total += g.sums[y, 1 + r] - g.move[own].total


@inlined
def swap_moves(g: Graph, k: int, a: int, b: int) -> None:
    """Two moves of a node change places in the pool, with what is known of them."""
    g.pool[a], g.pool[b] = g.pool[b], g.pool[a]
    if g.rule[k].rave > 0:
        n, total = g.move[a].n, g.move[a].total
        g.move[a] = g.move[b]
        g.move[b].n, g.move[b].total = n, total


@borrowing
def hear(g: Graph, v: Lanes, i: int, done: np.uint64, shift: np.uint64, width: int, w: Scratch) -> None:
    """Note what was played in the lanes of slot i, and what they came to. done: those that have come to an end."""
    column = i * width // 64
    block, at = column // v.playing.shape[2], column % v.playing.shape[2]
    for lane in range(width):
        bit = np.uint64(1) << np.uint64(lane)
        copy(w.lane_goals[lane], g.cut_goal)
        if done & bit:
            held = v.playing[block, v.rows.goal : v.rows.goal + v.rows.goals, at]
            goals_of(held, bit << shift, v, w.lane_goals[lane])
    rows = v.playing[block, v.played : v.played + g.role_starts[g.proof.shape[1]], at]
    heard, reached, alike = w.heard, w.reached, w.alike
    for r in range(g.proof.shape[1]):
        worths = _sort_lanes(w, r, shift, width)
        all_lanes = np.uint64(0)
        for j in range(worths):
            all_lanes |= alike[j]
        for number in range(g.role_starts[r], g.role_starts[r + 1]):
            lanes = rows[number] & all_lanes
            if lanes:
                total = 0.0
                for j in range(worths):
                    total += reached[j] * ones(lanes & alike[j])
                heard[number].n, heard[number].total = ones(lanes) / width, total / width


@inlined
def _sort_lanes(w: Scratch, r: int, shift: np.uint64, width: int) -> int:
    """Put the lanes together that came to the same for role r, into w.alike, and that into w.reached. How many."""
    count = 0
    for lane in range(width):
        bit, goal, j = np.uint64(1) << (shift + np.uint64(lane)), w.lane_goals[lane, r], 0
        while j < count and w.reached[j] != goal:
            j += 1
        if j == count:
            w.alike[j], w.reached[j] = np.uint64(0), goal
            count += 1
        w.alike[j] |= bit
    return count


@borrowing
def count_amaf(g: Graph, s: Slots, i: int, w: Scratch) -> None:
    """Add the simulation of slot i to what the nodes of its descent know; what was heard is forgotten."""
    heard, pick = w.heard, w.pick
    roles, by_input, depth = g.proof.shape[1], g.rule[s.slot[i].graph].by_input, g.rule[s.slot[i].graph].rave_depth
    for j in range(s.slot[i].length - 1, -1, -1):
        x = s.node[i, j]
        joint_move(g, x, g.code[s.edge[i, j]], pick)
        for r in range(roles):
            heard[pick[r]].n, heard[pick[r]].total = 1.0, s.payoff[i, r]
        if by_input:
            _add_heard(g, _table(g, x), w)
            if depth > 0 and j == s.slot[i].length - 1:
                _add_heard(g, _table(g, x) - len(heard), w)
        else:
            lo = g.node[x].moves + roles
            for place in range(lo, lo + _listed(g, x)):
                number = g.pool[place]
                g.move[place].n += heard[number].n
                g.move[place].total += heard[number].total
    for number in range(len(heard)):
        heard[number].n = heard[number].total = 0.0


@inlined
def _add_heard(g: Graph, table: int, w: Scratch) -> None:
    """Add what was heard to the records of all inputs that begin at a place."""
    for number in range(len(w.heard)):
        g.move[table + number].n += w.heard[number].n
        g.move[table + number].total += w.heard[number].total


@inlined
def _listed(g: Graph, x: int) -> int:
    """How many moves are listed at node x: those of the role that decides, or of all."""
    count = g.node[x].count
    if g.node[x].decider < 0:
        count = 0
        for r in range(g.proof.shape[1]):
            count += g.pool[g.node[x].moves + r]
    return int(count)


@inlined
def _table(g: Graph, x: int) -> int:
    """Where the records of all inputs begin that node x has."""
    lo = g.node[x].moves
    return int(lo - 2 + g.pool[lo - 1] - g.role_starts[g.proof.shape[1]])
