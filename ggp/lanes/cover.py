"""Covering a network with three-input look-up tables.

One AVX-512 instruction computes any function of three words, so the number of tables, not of gates, is what a
lap costs. Cuts are enumerated bottom-up, a few per node; the first choice is by area flow, then two passes
re-choose each node's cut by the exact number of tables it adds. On the trial's circuits this leaves about
half as many tables as gates (a full adder is seven gates and two tables).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ggp.core.arraytypes import Bools, Bytes, Int, Ints, Longs, Signs, Singles
from ggp.core.kernels import borrowing, inlined, kernel
from ggp.lanes.network import AND, LEAF, RANDOM, Literal, Literals, Network

CUTS, FEW = 4, 2
"""Kept per node, beside the trivial one, and in haste: with more than four, there is hardly a table less."""
LARGE = 500_000
"""Nodes of a network above which haste is worth its tables."""
CONE = 200
"""Tables that only one node needs, above which its choice stays: a chain would be walked again for each of its nodes."""
_NONE = 2**31 - 1


class _Cuts(NamedTuple):
    """Cuts of nodes, `most` and the trivial one of each: those of node n begin at n * (most + 1)."""

    most: int
    leaves: Ints
    """[cuts, 3] ascending, _NONE: unused"""
    table: Bytes
    """[cuts] bit v: leaf i has value v >> i & 1"""
    price: Singles
    """[cuts] by area flow"""
    number: Ints
    """[nodes]"""


def _all_spread() -> Bytes:
    """Of each table the same over more leaves, [places, table]: where its leaves are among them, two bits each."""
    found = np.zeros((64, 256), np.uint8)
    tables, v = np.arange(256)[:, None], np.arange(8)
    for places in range(64):
        index = sum((v >> (places >> 2 * i & 3) & 1) << i for i in range(3))
        found[places] = ((tables >> index & 1) << v).sum(axis=1)
    return found


_SPREAD = _all_spread()


@inlined
def _merge(leaves: Ints, p: Int, q: Int, out: Ints) -> tuple[int, int, int]:
    """Merge the leaves of two cuts into out: how many there are, 4 for too many, and their places; see `_SPREAD`."""
    i = j = places_p = places_q = 0
    x, y = leaves[p, 0], leaves[q, 0]
    for k in range(4):
        least = min(x, y)
        if least == _NONE:
            for rest in range(k, 3):
                out[rest] = _NONE
            return k, places_p, places_q
        if k < 3:
            out[k] = least
        if x == least:
            places_p |= k << 2 * i
            i += 1
            x = leaves[p, i] if i < 3 else np.int32(_NONE)
        if y == least:
            places_q |= k << 2 * j
            j += 1
            y = leaves[q, j] if j < 3 else np.int32(_NONE)
    return 4, 0, 0


@borrowing
def _enumerate(node: Ints, fanout: Ints, cuts: _Cuts, flow: Singles, here: Ints) -> None:
    """Fill the cuts of every node, cheapest first by area flow; the last cut is the node itself. fanout: of each node."""
    most, leaves, table, price = cuts.most, cuts.leaves, cuts.table, cuts.price
    for n in range(len(node)):
        start, count = n * (most + 1), 0
        if node[n, 0] == AND:
            left, right = np.int64(node[n, 1]), np.int64(node[n, 2])
            a, b = (left >> 1) * (most + 1), (right >> 1) * (most + 1)
            flip_a, flip_b = 255 * (left & 1), 255 * (right & 1)
            for p in range(a, a + cuts.number[left >> 1]):
                for q in range(b, b + cuts.number[right >> 1]):
                    if count == most and max(price[p], price[q]) >= price[start + most - 1]:
                        continue
                    m, places_p, places_q = _merge(leaves, p, q, here)
                    if m > 3:
                        continue
                    cost = np.float32(1)
                    for k in range(m):
                        cost += flow[here[k]]
                    if count == most and cost >= price[start + most - 1]:
                        continue
                    twin = False
                    for k in range(start, start + count):
                        if leaves[k, 0] == here[0] and leaves[k, 1] == here[1] and leaves[k, 2] == here[2]:
                            twin = True
                    if twin:
                        continue
                    at = start + (count if count < most else most - 1)
                    while at > start and price[at - 1] > cost:
                        price[at], table[at] = price[at - 1], table[at - 1]
                        for k in range(3):
                            leaves[at, k] = leaves[at - 1, k]
                        at -= 1
                    price[at] = cost
                    table[at] = (_SPREAD[places_p, table[p]] ^ flip_a) & (_SPREAD[places_q, table[q]] ^ flip_b)
                    for k in range(3):
                        leaves[at, k] = here[k]
                    if count < most:
                        count += 1
            flow[n] = price[start] / np.float32(max(1, fanout[n]))
        at = start + count
        leaves[at, 0], leaves[at, 1], leaves[at, 2] = n, _NONE, _NONE
        table[at], price[at] = 0xAA, 1 + flow[n]
        cuts.number[n] = count + 1


@inlined
def _walk(
    cut: Int,
    leaves: Ints,
    best: Signs,
    references: Ints,
    node: Ints,
    most: int,
    queue: Longs,
    change: int,
    limit: int,
) -> int:
    """Take (change = 1) or release (-1) a cut, and those of the tables that come into use or fall out of it: all these
    cuts into `queue`. How many there are; not more than `limit`, and more would follow where there are so many.
    """
    queue[0] = cut
    size, at = 1, 0
    while at < size and at < limit:
        for k in range(3):
            leaf = leaves[queue[at], k]
            if leaf == _NONE:
                break
            if references[leaf] == (1 if change < 0 else 0) and node[leaf, 0] == AND:
                queue[size] = leaf * (most + 1) + best[leaf]
                size += 1
            references[leaf] += change
        at += 1
    return at


@inlined
def _undo(leaves: Ints, references: Ints, queue: Longs, size: int, change: int) -> None:
    """Take or release all cuts of a queue, which was done the other way round."""
    for i in range(size):
        for k in range(3):
            leaf = leaves[queue[i], k]
            if leaf == _NONE:
                break
            references[leaf] += change


@inlined
def _is_free(cut: Int, leaves: Ints, references: Ints, node: Ints) -> bool:
    """Whether a cut takes no table but its own: all else is in use anyway."""
    for k in range(3):
        leaf = leaves[cut, k]
        if leaf != _NONE and references[leaf] == 0 and node[leaf, 0] == AND:
            return False
    return True


@borrowing
def _count(node: Ints, needed: Longs, cuts: _Cuts, best: Signs, references: Ints) -> None:
    """How often each node is used by the chosen cuts. needed: nodes that must exist."""
    most, leaves = cuts.most, cuts.leaves
    for n in needed:
        references[n] += 1
    for n in range(len(node) - 1, 0, -1):
        if references[n] > 0:
            if node[n, 0] == AND:
                for k in range(3):
                    leaf = leaves[n * (most + 1) + best[n], k]
                    if leaf != _NONE:
                        references[leaf] += 1
            elif node[n, 0] == RANDOM:
                references[node[n, 1] >> 1] += 1
                references[node[n, 2] >> 1] += 1


@borrowing
def _refine(node: Ints, cuts: _Cuts, best: Signs, references: Ints, released: Longs, taken: Longs) -> None:
    """Choose the cut of each node anew, by the number of tables that it adds. released, taken: room for queues."""
    most, leaves = cuts.most, cuts.leaves
    for n in range(len(node)):
        if node[n, 0] != AND or references[n] == 0 or cuts.number[n] <= 2:
            continue
        start, old = n * (most + 1), best[n]
        area = _walk(start + old, leaves, best, references, node, most, released, -1, CONE)
        if area < CONE:
            least = area + 1
            for choice in range(cuts.number[n] - 1):
                if choice == old:
                    found = area
                elif _is_free(start + choice, leaves, references, node):
                    found = 1
                else:
                    found = _walk(start + choice, leaves, best, references, node, most, taken, 1, least)
                    _undo(leaves, references, taken, found, -1)
                if found < least:
                    least, best[n] = found, choice
                if found == 1:
                    break
        if best[n] == old:
            _undo(leaves, references, released, area, 1)
        else:
            _walk(start + best[n], leaves, best, references, node, most, taken, 1, CONE)


@kernel
def _cover(node: Ints, needed: Longs, cuts: _Cuts, passes: int, leaves: Ints, table: Bytes, used: Bools) -> None:
    """Fill a `Cover` of nodes: int32 [n, 3], as in `Nodes`."""
    n = len(node)
    references, best, flow = np.zeros(n, np.int32), np.zeros(n, np.int8), np.zeros(n, np.float32)
    for i in range(n):
        if node[i, 0] != LEAF:
            references[node[i, 1] >> 1] += 1
            references[node[i, 2] >> 1] += 1
    _enumerate(node, references, cuts, flow, np.empty(3, np.int32))
    references[:] = 0
    _count(node, needed, cuts, best, references)
    for _ in range(passes):
        _refine(node, cuts, best, references, np.empty(3 * CONE + 1, np.int64), np.empty(3 * CONE + 1, np.int64))
    for i in range(n):
        cut, used[i] = i * (cuts.most + 1) + best[i], references[i] > 0 and node[i, 0] == AND
        table[i] = cuts.table[cut]
        for k in range(3):
            leaf = cuts.leaves[cut, k]
            leaves[i, k] = leaf if leaf != _NONE and leaf > 0 else -1


@dataclass(frozen=True, eq=False)
class Cover:
    """For each node in use that is a gate: three leaves (-1: unused) and the table over them."""

    leaves: Ints  # [nodes, 3]
    table: Bytes  # [nodes]; bit v: leaf i has value v >> i & 1
    used: Bools  # [nodes]

    @property
    def tables(self) -> int:
        """How many tables are in use."""
        return int(self.used.sum())


def cover(net: Network, outputs: list[Literal] | Literals, *, hasty: bool = False) -> Cover:
    """Three-input tables for all that the outputs need. `hasty`: of a large network a tenth more, in half the time."""
    n = len(net)
    most, passes = (FEW, 0) if hasty and n > LARGE else (CUTS, 2)
    size = n * (most + 1)
    leaves, table, price = np.empty((size, 3), np.int32), np.empty(size, np.uint8), np.empty(size, np.float32)
    cuts = _Cuts(most, leaves, table, price, np.empty(n, np.int32))
    found = Cover(np.empty((n, 3), np.int32), np.empty(n, np.uint8), np.empty(n, np.bool_))
    _cover(net.reserve(0).node[:n], np.array(outputs, np.int64) >> 1, cuts, passes, found.leaves, found.table, found.used)
    return found
