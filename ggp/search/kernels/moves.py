"""The moves of an expanded node: listed from the lanes, and put together to joint moves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ggp.core.kernels import borrowing, inlined
from ggp.search.kernels.basics import draw, lowest_bit
from ggp.search.kernels.layout import Decider, Graph, Scratch, State, Words


@borrowing
def joint_move(g: Graph, x: int, code: int, chosen: NDArray[np.int64]) -> None:
    """The inputs of a joint move at x, into chosen [roles]."""
    roles = g.proof.shape[1]
    lo = g.node[x].moves
    if g.node[x].decider >= 0:
        for r in range(roles):
            chosen[r] = g.pool[lo + r]
        chosen[g.node[x].decider] = g.pool[lo + roles + code]
        return
    at = lo + roles
    for r in range(roles):
        count = g.pool[lo + r]
        chosen[r] = g.pool[at + code % count]
        code //= count
        at += count


@inlined
def list_moves(g: Graph, k: int, x: int, legal: Words, picks: Words, lane: int, w: Scratch) -> int:
    """Expand x with the legal inputs that lanes found. The number of the joint move that the lane picked; -1: full.

    legal, picks: uint64 [lanes, words of inputs].
    """
    roles = g.proof.shape[1]
    total = _legal_inputs(g, legal, lane, w)
    open_roles, decider, product = 0, 0, 1
    for r in range(roles):
        product = min(product * w.counts[r], 2**30)
        if w.counts[r] > 1:
            open_roles += 1
            decider = r
    by_input = g.rule[k].by_input
    need = 2 + roles + total + (g.role_starts[roles] * (1 + g.rule[k].rave_depth) if by_input else 0)
    if g.rule[k].grouped:
        need += total + 1
    head = g.head[k]
    if head.pool + need > head.pool_cap:
        head.full = True
        return -1
    lo = head.pool_lo + head.pool + 2
    head.pool += need
    g.pool[lo - 2], g.pool[lo - 1] = x, need
    plain = open_roles <= 1 and not (open_roles == 1 and g.chance[decider])
    at, read, code, stride = lo + roles, 0, 0, 1
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
            if not by_input:
                picked = g.pool[first + number]  # becomes the first
                g.pool[first + number] = g.pool[first]
                g.pool[first] = picked
        else:
            g.pool[lo + r] = count
            code += stride * number
            stride *= count
    if g.rule[k].rave > 0:
        for place in range(lo, lo - 2 + need):
            g.move[place].n = g.move[place].total = 0.0
    node = g.node[x]
    node.moves = lo
    node.count = at - lo - roles if plain else product
    node.decider = decider if plain else (Decider.CHANCE if open_roles == 1 else Decider.MANY)
    node.state = (node.state & ~State.EXPANDING) | State.EXPANDED
    return code


@inlined
def bring_next(g: Graph, k: int, x: int) -> None:
    """Of the untried moves of x, where one role decides, the one that is liked most becomes the next in the list.

    Of equals, any may be the one.
    """
    first = g.node[x].moves + g.proof.shape[1]
    lo, hi = first + g.node[x].edges, first + g.node[x].count
    if lo < hi:
        at = lo + draw(g, k, hi - lo)
        best = g.liking[k, g.pool[at]]
        for place in range(lo, hi):
            if g.liking[k, g.pool[place]] > best:
                best, at = g.liking[k, g.pool[place]], place
        g.pool[lo], g.pool[at] = g.pool[at], g.pool[lo]


@borrowing
def picked_input(picks: Words, lane: int) -> int:
    """The input that a lane picked, that of the first role that did; -1 if none."""
    for word in range(picks.shape[1]):
        if picks[lane, word]:
            return 64 * word + lowest_bit(picks[lane, word])
    return -1


@borrowing
def _legal_inputs(g: Graph, legal: Words, lane: int, w: Scratch) -> int:
    """List the legal inputs of a lane in `inputs`, role by role; `counts`: how many each role has. How many in all."""
    r, total = 0, 0
    w.counts[:] = 0
    for word in range(legal.shape[1]):
        x = legal[lane, word]
        while x:
            j = 64 * word + lowest_bit(x)
            x &= x - np.uint64(1)
            while j >= g.role_starts[r + 1]:
                r += 1
            w.inputs[total] = j
            w.counts[r] += 1
            total += 1
    return total
