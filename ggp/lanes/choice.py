"""A uniformly random legal move per lane, as gates.

The legal bits are the leaves of a tree; bit-sliced adders count legals up the tree; random bits times the
count, the high half of it, is a rank below the count; the rank descends by compare-and-subtract. At each
level one comparison serves all nodes, because a lane is active in only one of them. The last level takes
three leaves at a time, which needs no subtraction: about five three-input tables per legal bit in all.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ggp.core.arraytypes import Int, Longs
from ggp.core.kernels import borrowing, kernel
from ggp.lanes.network import FALSE, RANDOM, TRUE, Literal, Literals, Network, Nodes, add, land, lor, majority, mux, xor

SPARE_BITS = 12
"""Random bits beyond the width of the count. The relative bias of a rank is below 2**-12: over a million
choices it adds 0.06 to a chi-square statistic at the very most, whatever its degrees of freedom."""
RING, TAP = 17, 7
"""The generator is x[n] = rotate(x[n-17] + x[n-10]), a RANROT: two instructions a word, and its carries are
not linear."""
_LEAVES = 3
"""Legal bits that the last level takes at a time."""


class _Tree(NamedTuple):
    """Parts of the legal bits, groups of leaves first: how many are set, at most how many can be, and where they are."""

    most: Longs
    """[nodes]"""
    children: Longs
    """[nodes, 2], -1 for groups"""
    level: Longs
    """[levels, nodes of a level], from the groups to the root; an odd node stands in two levels"""
    length: Longs
    """[levels]"""
    counts: Literals
    """[nodes, bits]"""
    width: Longs
    """[nodes] bits of the count; 0: it is not made yet"""
    active: Literals
    """[nodes] whether the choice falls into this part; -1: that is not made yet"""


class Luck:
    """The words of the random generator in a network. Its last ones are rows."""

    def __init__(self, net: Network, ring: int) -> None:
        """`ring`: the first of the rows."""
        self._net, self._ring = net, ring
        self._last: Literals | None = None

    def room(self, count: int) -> Literals:
        """The last words, and room for so many more."""
        if self._last is None:
            self._last = self._net.leaves(range(self._ring, self._ring + RING))
        return np.append(self._last, np.zeros(count, np.int64))

    def drawn(self, words: Literals) -> None:
        """More words have been drawn."""
        self._last = words[-RING:]

    def stores(self) -> dict[int, Literal]:
        """The rows afterwards."""
        return {} if self._last is None else dict(enumerate(self._last.tolist(), self._ring))


def choose(net: Network, legal: Literals, luck: Luck) -> tuple[Literals, Literal]:
    """One literal per legal bit, exactly one of them true in a lane with a legal move; and whether it has
    one.
    """
    picks = np.full(len(legal), FALSE, np.int64)
    where = np.flatnonzero(legal != FALSE)
    if len(where) <= 1:
        picks[where] = legal[where]
        return picks, int(legal[where[0]]) if len(where) else FALSE
    bits = legal[where]
    tree = _tree(len(bits))
    words = luck.room(len(bits).bit_length() + SPARE_BITS)
    picks[where] = _pick(net.reserve(_room(len(bits))), bits, tree, words)
    luck.drawn(words)
    return picks, int(tree.active[-1])


def _tree(bits: int) -> _Tree:
    """The shape of the tree."""
    groups = -(-bits // _LEAVES)
    levels, children, most = [np.arange(groups)], [np.full((groups, 2), -1)], np.full(groups, _LEAVES)
    most[-1] = bits - _LEAVES * (groups - 1)
    while len(levels[-1]) > 1:
        below = levels[-1]
        pairs = below[: len(below) & ~1].reshape(-1, 2)
        levels.append(np.concatenate([len(most) + np.arange(len(pairs)), below[2 * len(pairs) :]]))
        children.append(pairs)
        most = np.append(most, most[pairs].sum(axis=1))
    level = np.full((len(levels), groups), -1)
    for row, nodes in zip(level, levels, strict=True):
        row[: len(nodes)] = nodes
    return _Tree(
        most=most,
        children=np.concatenate(children),
        level=level,
        length=np.array([len(nodes) for nodes in levels]),
        counts=np.zeros((len(most), bits.bit_length() + 1), np.int64),
        width=np.zeros(len(most), np.int64),
        active=np.full(len(most), -1, np.int64),
    )


def _room(bits: int) -> int:
    """Nodes that a choice takes at most: twelve for each bit of an addition or a comparison are more than enough."""
    nodes, width = -(-bits // _LEAVES), 2
    total = 24 * nodes + 12 * bits.bit_length() * (bits.bit_length() + SPARE_BITS + 1)
    while nodes > 1:
        nodes, width = -(-nodes // 2), width + 1
        total += 12 * (nodes + 2) * (width + 1)
    return total


@borrowing
def _bit_length(x: Int) -> int:
    bits = 0
    while x:
        x, bits = x >> 1, bits + 1
    return bits


@borrowing
def _count(net: Nodes, bits: Literals, t: _Tree) -> Int:
    """Make all counts; whether any bit is set."""
    some: Int = np.int64(FALSE)
    for i in range(t.length[0]):
        x = bits[3 * i]
        y = bits[3 * i + 1] if t.most[i] > 1 else np.int64(FALSE)
        z = bits[3 * i + 2] if t.most[i] > 2 else np.int64(FALSE)
        t.counts[i, 0] = xor(net, xor(net, x, y), z)
        t.counts[i, 1] = majority(net, x, y, z)
        t.width[i] = _bit_length(t.most[i])
        if x == TRUE or y == TRUE or z == TRUE:
            some = np.int64(TRUE)
    for node in range(t.length[0], len(t.most)):
        a, b = t.children[node, 0], t.children[node, 1]
        carry: Int = np.int64(FALSE)
        width = max(t.width[a], t.width[b])
        for j in range(width):
            p, q = t.counts[a, j] if j < t.width[a] else 0, t.counts[b, j] if j < t.width[b] else 0
            t.counts[node, j] = xor(net, xor(net, p, q), carry)
            carry = majority(net, p, q, carry)
        t.counts[node, width] = carry
        t.width[node] = _bit_length(t.most[node])
    if some == FALSE:
        for j in range(t.width[-1]):  # a chain rather than a tree: a chain of n literals is n/2 three-input tables
            some = lor(net, some, t.counts[-1, j])
    return some


@kernel
def _pick(net: Nodes, bits: Literals, t: _Tree, words: Literals) -> Literals:
    """What is chosen, int64 [bits]. words: the last ones, and room for those that are drawn."""
    t.active[-1] = _count(net, bits, t)
    width = t.width[-1]
    rank, left, less = np.zeros(width, np.int64), np.zeros(width + 1, np.int64), np.zeros(width, np.int64)
    _rank(net, t.counts[-1], words, rank, less)
    for number in range(len(t.length) - 1, 0, -1):
        width = _descend(net, t, t.level[number, : t.length[number]], rank, width, left, less)
    low = rank[0] if width > 0 else np.int64(FALSE)
    high = rank[1] if width > 1 else np.int64(FALSE)
    picks = np.empty(len(bits), np.int64)
    for i in range(t.length[0]):
        _last(net, bits[3 * i : 3 * i + 3], t.active[i], low, high, picks[3 * i : 3 * i + 3])
    return picks


@borrowing
def _rank(net: Nodes, count: Literals, words: Literals, rank: Literals, term: Literals) -> None:
    """floor(count * U) for a random fraction U, least significant random bit first.

    The low random bits meet only the high bits of the count: what is left out would only change a carry whose
    weight is that of the bias.
    """
    width = len(rank)
    for i in range(len(words) - RING):
        word = add(net, RANDOM, words[i], words[i + TAP])
        words[RING + i] = word
        for j in range(width):
            term[j] = land(net, count[j], word) if j >= width - 1 - i else np.int64(FALSE)
        carry: Int = np.int64(FALSE)
        for j in range(width):
            bit = xor(net, xor(net, rank[j], term[j]), carry)
            carry = majority(net, rank[j], term[j], carry)
            if j > 0:
                rank[j - 1] = bit
        rank[width - 1] = carry


@borrowing
def _descend(net: Nodes, t: _Tree, level: Longs, rank: Literals, width: int, left: Literals, less: Literals) -> int:
    """Split the active node of this level: sets `active` of its children, makes rank that within the child; its width."""
    left[:] = FALSE
    for node in level:
        a = t.children[node, 0]
        if a >= 0 and t.active[a] < 0:
            for j in range(t.width[a]):
                left[j] = lor(net, left[j], land(net, t.active[node], t.counts[a, j]))
    below: Int = np.int64(FALSE)  # whether the rank is less than what is on the left: whether a subtraction borrows
    for i in range(width):
        less[i] = xor(net, xor(net, rank[i], left[i]), below)
        below = majority(net, rank[i] ^ 1, left[i], below)
    most = 0
    for node in level:
        a, b = t.children[node]
        if a >= 0 and t.active[a] < 0:
            t.active[a] = land(net, t.active[node], below)
            t.active[b] = land(net, t.active[node], below ^ 1)
            most = max(most, t.most[a], t.most[b])
        else:
            most = max(most, t.most[node])
    for i in range(width):
        rank[i] = mux(net, below, rank[i], less[i])
    return min(width, _bit_length(most - 1))


@borrowing
def _last(net: Nodes, bits: Literals, active: Int, low: Int, high: Int, picks: Literals) -> None:
    """Pick among up to three leaves: the first if the rank is 0, the second if the rank counts the first, or
    else.
    """
    if len(bits) == 1:
        picks[0] = active
        return
    picks[0] = land(net, active, land(net, bits[0], land(net, low ^ 1, high ^ 1)))
    if len(bits) == 2:
        picks[1] = land(net, active, picks[0] ^ 1)
        return
    picks[1] = land(net, land(net, active, bits[1]), land(net, xor(net, low, bits[0]) ^ 1, high ^ 1))
    picks[2] = land(net, active, land(net, picks[0] ^ 1, picks[1] ^ 1))
