"""Covering a network with three-input look-up tables.

One AVX-512 instruction computes any function of three words, so the number of tables, not of gates, is what a
lap costs. Cuts are enumerated bottom-up, a few per node; the first choice is by area flow, then two passes
re-choose each node's cut by the exact number of tables it adds. On the trial's circuits this leaves about
half as many tables as gates (a full adder is seven gates and two tables).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ggp.banks.network import AND, LEAF, Literal, Network
from ggp.kernels import borrowing, inlined, kernel

Array32 = npt.NDArray[np.int32]
CUTS = 8  # kept per node, beside the trivial one
REFINED = 500_000
"""Nodes of a network above which the first choice of cuts stays: a chain is walked again for each of its nodes."""


@borrowing
def _merge(p, np_, q, nq, out):  # type: ignore[no-untyped-def]
    """Merge two sorted leaf lists into out; their number, or 4 if there are more than three."""
    i = j = k = 0
    while i < np_ or j < nq:
        if k == 3:
            return 4
        if j >= nq or (i < np_ and p[i] < q[j]):
            out[k] = p[i]
            i += 1
        elif i >= np_ or q[j] < p[i]:
            out[k] = q[j]
            j += 1
        else:
            out[k] = p[i]
            i += 1
            j += 1
        k += 1
    return k


@borrowing
def _spread(table, leaves, n, wider, m):  # type: ignore[no-untyped-def]
    """A truth table over `leaves` as one over `wider`. Bit v of a table: leaf i has value v >> i & 1."""
    result = 0
    for v in range(8):
        index = 0
        for i in range(n):
            for j in range(m):
                if wider[j] == leaves[i]:
                    index |= ((v >> j) & 1) << i
        result |= ((table >> index) & 1) << v
    return result


@borrowing
def _enumerate(kind, left, right, fanout, leaves, size, table, number, flow, here, cost):  # type: ignore[no-untyped-def]
    """Fill the cuts of every node, cheapest first by area flow; the last cut is the node itself."""
    c = leaves.shape[1] - 1
    for n in range(len(kind)):
        count = 0
        if kind[n] == 2:
            a, b = left[n] >> 1, right[n] >> 1
            for i in range(number[a]):
                for j in range(number[b]):
                    m = _merge(leaves[a, i], size[a, i], leaves[b, j], size[b, j], here)
                    if m > 3:
                        continue
                    price, twin = 1.0, False
                    for k in range(m):
                        price += flow[here[k]]
                    if count == c and price >= cost[c - 1]:
                        continue
                    for k in range(count):
                        if size[n, k] == m:
                            same = True
                            for v in range(m):
                                same = same and leaves[n, k, v] == here[v]
                            twin = twin or same
                    if twin:
                        continue
                    x = _spread(table[a, i], leaves[a, i], size[a, i], here, m)
                    y = _spread(table[b, j], leaves[b, j], size[b, j], here, m)
                    if left[n] & 1:
                        x ^= 255
                    if right[n] & 1:
                        y ^= 255
                    at = count if count < c else c - 1
                    while at > 0 and cost[at - 1] > price:
                        cost[at], size[n, at], table[n, at] = cost[at - 1], size[n, at - 1], table[n, at - 1]
                        for v in range(3):
                            leaves[n, at, v] = leaves[n, at - 1, v]
                        at -= 1
                    cost[at], size[n, at], table[n, at] = price, m, x & y
                    for v in range(m):
                        leaves[n, at, v] = here[v]
                    if count < c:
                        count += 1
            flow[n] = cost[0] / max(1, fanout[n])
        leaves[n, count, 0], size[n, count], table[n, count] = n, 1, 0xAA
        number[n] = count + 1


@inlined
def _refer(n, cut, leaves, size, best, references, kind, stack, change):  # type: ignore[no-untyped-def]
    """Take (change = 1) or release (-1) a cut of node n; the tables that come into use or fall out of it."""
    area, waiting, x = 0, 0, n
    while True:
        area += 1
        for k in range(size[x, cut]):
            leaf = leaves[x, cut, k]
            if references[leaf] == (1 if change < 0 else 0) and kind[leaf] == AND:
                stack[waiting] = leaf
                waiting += 1
            references[leaf] += change
        if not waiting:
            return area
        waiting -= 1
        x = stack[waiting]
        cut = best[x]


@inlined
def _is_free(n, cut, leaves, size, references, kind):  # type: ignore[no-untyped-def]
    """Whether a cut takes no table but its own: all else is in use anyway."""
    for k in range(size[n, cut]):
        leaf = leaves[n, cut, k]
        if references[leaf] == 0 and kind[leaf] == AND:
            return False
    return True


@borrowing
def _select(kind, left, right, needed, leaves, size, number, best, references, stack, passes):  # type: ignore[no-untyped-def]
    """Choose a cut per node. needed: nodes that must exist. Fills best and references (uses of each node)."""
    total = len(kind)
    references[:] = 0
    for n in needed:
        references[n] += 1
    for n in range(total - 1, 0, -1):
        if references[n] > 0:
            if kind[n] == 2:
                for k in range(size[n, best[n]]):
                    references[leaves[n, best[n], k]] += 1
            elif kind[n] == 3:
                references[left[n] >> 1] += 1
                references[right[n] >> 1] += 1
    for _ in range(passes):
        for n in range(total):
            if kind[n] != 2 or references[n] == 0 or number[n] <= 2:
                continue
            _refer(n, best[n], leaves, size, best, references, kind, stack, -1)
            least = 1 << 30
            for cut in range(number[n] - 1):
                area = 1
                if not _is_free(n, cut, leaves, size, references, kind):
                    area = _refer(n, cut, leaves, size, best, references, kind, stack, 1)
                    _refer(n, cut, leaves, size, best, references, kind, stack, -1)
                if area < least:
                    least = area
                    best[n] = cut
                if area == 1:
                    break
            _refer(n, best[n], leaves, size, best, references, kind, stack, 1)


@kernel
def _cover(kind, left, right, fanout, needed, leaves, size, table, best, references, passes):  # type: ignore[no-untyped-def]
    n = len(kind)
    number = np.empty(n, np.int32)
    here, cost = np.zeros(3, np.int32), np.zeros(leaves.shape[1], np.float64)
    _enumerate(kind, left, right, fanout, leaves, size, table, number, np.zeros(n), here, cost)
    _select(kind, left, right, needed, leaves, size, number, best, references, np.empty(n, np.int32), passes)


@dataclass(frozen=True, eq=False)
class Cover:
    """For each node in use that is a gate: three leaves (0: unused) and the table over them."""

    leaves: Array32  # [nodes, 3]
    table: npt.NDArray[np.uint8]  # [nodes]; bit v: leaf i has value v >> i & 1
    used: npt.NDArray[np.bool_]  # [nodes]

    @property
    def tables(self) -> int:
        """How many tables are in use."""
        return int(self.used.sum())


def cover(net: Network, outputs: list[Literal]) -> Cover:
    """Three-input tables for all that the outputs need."""
    kind, left, right = net.arrays()
    passes = 2 if len(kind) <= REFINED else 0
    left[kind == LEAF] = 0
    n = len(kind)
    fanout = np.bincount(np.concatenate([left >> 1, right >> 1]), minlength=n).astype(np.int32)
    leaves, size = np.zeros((n, CUTS + 1, 3), np.int32), np.zeros((n, CUTS + 1), np.int8)
    table = np.zeros((n, CUTS + 1), np.uint8)
    best, references = np.zeros(n, np.int32), np.zeros(n, np.int32)
    needed = np.array([x >> 1 for x in outputs], np.int32)
    _cover(kind, left, right, fanout, needed, leaves, size, table, best, references, passes)
    rows = np.arange(n)
    chosen = np.where(np.arange(3)[None, :] < size[rows, best][:, None], leaves[rows, best], 0)
    return Cover(chosen.astype(np.int32), table[rows, best], (references > 0) & (kind == AND))
