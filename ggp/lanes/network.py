"""A hashed and-inverter graph under construction.

Everything a lap does (the game, the random choice, refilling, counting) is built here as gates, so that
constants fold, equal parts are shared and one mapper and one scheduler see it all.

Building is kernels on `Nodes`; `Network` is what owns them, and sees to it that there is room.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ggp.core.arraytypes import Int, Ints, Longs
from ggp.core.kernels import borrowing, kernel

Literal: TypeAlias = int  # 2*node, or 2*node+1 for its negation
Literals: TypeAlias = Longs
FALSE, TRUE = 0, 1
CONSTANT, LEAF, AND, RANDOM = range(4)
_ROOM = 4096
"""Nodes that there is room for if nothing else is said."""


class Nodes(NamedTuple):
    """A network as kernels see it."""

    node: Ints
    """[capacity, 3] kind and operands."""
    table: Ints
    """Where the AND nodes are found by their operands; 0: nothing there."""
    size: Longs
    """[1] how many nodes there are."""


@borrowing
def add(net: Nodes, kind: Int, left: Int, right: Int) -> Int:
    """A new node. Here as below, there has to be room for it: `Network.reserve`."""
    g = net.size[0]
    net.node[g, 0], net.node[g, 1], net.node[g, 2] = kind, left, right
    net.size[0] = g + 1
    return int(2 * g)


@borrowing
def _find(net: Nodes, x: Int, y: Int) -> Int:
    """The place in the table of operands x < y, where they are or should be."""
    mixed = np.uint64(x) * np.uint64(0x9E3779B97F4A7C15) ^ np.uint64(y) * np.uint64(0xC2B2AE3D27D4EB4F)
    mask = len(net.table) - 1
    at = np.int64((mixed ^ mixed >> np.uint64(29)) >> np.uint64(7)) & mask
    while net.table[at] and (net.node[net.table[at], 1] != x or net.node[net.table[at], 2] != y):
        at = at + 1 & mask
    return at


@borrowing
def land(net: Nodes, x: Int, y: Int) -> Int:
    """Both."""
    if x > y:
        x, y = y, x
    if x <= 1:
        return y if x else np.int64(FALSE)
    if x ^ y <= 1:
        return x if x == y else np.int64(FALSE)
    at = _find(net, x, y)
    if net.table[at] == 0:
        net.table[at] = add(net, AND, x, y) >> 1
    return 2 * np.int64(net.table[at])


@borrowing
def lor(net: Nodes, x: Int, y: Int) -> Int:
    """One or both."""
    return land(net, x ^ 1, y ^ 1) ^ 1


@borrowing
def xor(net: Nodes, x: Int, y: Int) -> Int:
    """Just one of both."""
    flip = (x ^ y) & 1
    x, y = min(x & ~1, y & ~1), max(x & ~1, y & ~1)
    return land(net, land(net, x, y) ^ 1, land(net, x ^ 1, y ^ 1) ^ 1) ^ flip


@borrowing
def mux(net: Nodes, test: Int, yes: Int, no: Int) -> Int:
    """One of two, by a third."""
    x = land(net, test, yes)
    return lor(net, x, land(net, test ^ 1, no))


@borrowing
def majority(net: Nodes, x: Int, y: Int, z: Int) -> Int:
    """At least two of three."""
    both = land(net, x, y)
    return lor(net, both, land(net, z, lor(net, x, y)))


@borrowing
def any_of(net: Nodes, row: Literals, count: int) -> Int:
    """Whether any of the first literals of a row holds, as a tree: a change of one of them changes few gates.

    Overwrites the row.
    """
    left = 0
    for i in range(count):
        if row[i] != FALSE:
            row[left] = row[i]
            left += 1
    count = left
    while count > 1:
        for i in range(0, count, 2):
            row[i >> 1] = lor(net, row[i], row[i + 1]) if i + 1 < count else row[i]
        count = (count + 1) >> 1
    return row[0] if count else np.int64(FALSE)


@borrowing
def copy(net: Nodes, left: Ints, right: Ints, gates: Longs, value: Literals) -> None:
    """Define value[g] for gates of an and-inverter graph, operands before users."""
    for g in gates:
        x, y = left[g], right[g]
        value[g] = land(net, value[x >> 1] ^ (x & 1), value[y >> 1] ^ (y & 1))


@kernel
def _ands(net: Nodes, x: Literals, y: Literals, out: Literals) -> None:
    for i in range(len(out)):
        out[i] = land(net, x[i], y[i])


@kernel
def _leaves(net: Nodes, first: int, out: Literals) -> None:
    for i in range(len(out)):
        out[i] = add(net, LEAF, first + i, 0)


@kernel
def _fill(net: Nodes) -> None:
    """Find all AND nodes in a table that is empty."""
    for g in range(net.size[0]):
        if net.node[g, 0] == AND:
            net.table[_find(net, np.int64(net.node[g, 1]), np.int64(net.node[g, 2]))] = g


def _slots(room: int) -> int:
    """Of the table for so many nodes: a power of two, at least half as many again."""
    return 1 << (room + room // 2).bit_length()


def read(value: Literals, literals: Ints | int) -> Any:
    """What literals of an and-inverter graph are in the network, given what its gates are."""
    return value[literals >> 1] ^ (literals & 1)


@dataclass(frozen=True, eq=False)
class Fixpoint:
    """A positive cycle cut open: iterate nodes [lo, hi) from `old` = 0 until `new` equals `old` in every
    lane.
    """

    lo: int
    hi: int
    old: Literals  # leaves
    new: Literals


class Network:
    """Nodes in topological order. Node 0 is constant false; operands are literals, except the row of a
    leaf.
    """

    def __init__(self, room: int = _ROOM) -> None:
        """`room`: for so many nodes from the beginning; all are hashed again whenever there has to be more."""
        self._nodes = Nodes(np.empty((room, 3), np.int32), np.zeros(_slots(room), np.int32), np.ones(1, np.int64))
        self._nodes.node[0] = CONSTANT, 0, 0
        self.fixpoints: list[Fixpoint] = []

    def __len__(self) -> int:
        return int(self._nodes.size[0])

    def arrays(self) -> tuple[Ints, Ints, Ints]:
        """The kinds and both operands of all nodes, not to be written to."""
        kind, left, right = self._nodes.node[: len(self)].T
        return kind, left, right

    def reserve(self, more: int) -> Nodes:
        """The nodes, with room for so many more: for kernels."""
        nodes, size = self._nodes, len(self)
        if size + more > len(nodes.node):
            capacity = max(2 * len(nodes.node), size + more)
            node = np.empty((capacity, 3), np.int32)
            node[:size] = nodes.node[:size]
            self._nodes = Nodes(node, np.zeros(_slots(capacity), np.int32), nodes.size)
            _fill(self._nodes)
        return self._nodes

    def leaf(self, row: int) -> Literal:
        """A value read from memory row `row`."""
        return int(self.leaves(range(row, row + 1))[0])

    def leaves(self, rows: range) -> Literals:
        """The values of some rows."""
        out = np.empty(len(rows), np.int64)
        _leaves(self.reserve(len(out)), rows.start, out)
        return out

    def land(self, x: Literal, y: Literal) -> Literal:
        """Both."""
        return int(self.each_and(np.array([x]), y)[0])

    def lor(self, x: Literal, y: Literal) -> Literal:
        """One or both."""
        return self.land(x ^ 1, y ^ 1) ^ 1

    def any(self, literals: Sequence[Literal] | Literals) -> Literal:
        """Whether any of them holds."""
        row = np.array(literals, np.int64)
        return int(any_of(self.reserve(len(row)), row, len(row)))

    def each_and(self, x: Literals | Literal, y: Literals | Literal) -> Literals:
        """Both, one by one."""
        x, y = (np.array(z, np.int64) for z in np.broadcast_arrays(x, y))
        out = np.empty(len(x), np.int64)
        _ands(self.reserve(len(out)), x, y, out)
        return out

    def each_or(self, x: Literals | Literal, y: Literals | Literal) -> Literals:
        """One or both, one by one."""
        return self.each_and(x ^ 1, y ^ 1) ^ 1

    def each_mux(self, test: Literals | Literal, yes: Literals | Literal, no: Literals | Literal) -> Literals:
        """One of two, by a third, one by one."""
        return self.each_or(self.each_and(test, yes), self.each_and(test ^ 1, no))

    def copy(
        self,
        left: Ints,
        right: Ints,
        gates: Longs,
        value: Literals,
    ) -> None:
        """Define value[g] for gates of an and-inverter graph, operands before users."""
        copy(self.reserve(len(gates)), left, right, gates, value)
