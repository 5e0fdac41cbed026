"""The moves of an expanded node: listed from the lanes, and put together to joint moves."""

from __future__ import annotations

import numpy as np
from numba.cpython.unsafe.numbers import trailing_zeros

from ggp.kernels import borrowing
from ggp.search.kernels.layout import (
    CHANCE,
    COUNT,
    DECIDER,
    EXPANDED,
    EXPANDING,
    FULL,
    MANY,
    MOVES,
    POOL,
    POOL_CAP,
    POOL_LO,
    STATE,
)


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
def list_moves(g, k, x, legal, picks, lane, w):  # type: ignore[no-untyped-def]
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
def picked_input(picks, lane):  # type: ignore[no-untyped-def]
    """The input that a lane picked, that of the first role that did; -1 if none."""
    for word in range(picks.shape[1]):
        if picks[lane, word]:
            return 64 * word + np.int64(trailing_zeros(picks[lane, word]))  # type: ignore[call-arg]
    return np.int64(-1)


@borrowing
def _legal_inputs(g, legal, lane, w):  # type: ignore[no-untyped-def]
    """List the legal inputs of a lane in `inputs`, role by role; `counts`: how many each role has. How many in all."""
    r, total = 0, 0
    w.counts[:] = 0
    for word in range(legal.shape[1]):
        x = legal[lane, word]
        while x:
            j = 64 * word + np.int64(trailing_zeros(x))  # type: ignore[call-arg]
            x &= x - np.uint64(1)
            while j >= g.role_starts[r + 1]:
                r += 1
            w.inputs[total] = j
            w.counts[r] += 1
            total += 1
    return total
