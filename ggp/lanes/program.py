"""A network in an order of execution: what the interpreter and the machine code are made from.

The order is depth first from the outputs, which keeps most values alive for a short time only. State is
updated in place: a row may be written as soon as nobody will read its old value, so a store waits for the
last reader.

All of it is kernels on flat arrays: the largest games have millions of operations. While they are ordered, a value is
named by its node, and the copy or negation of literal x by `nodes + x`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ggp.core.kernels import kernel
from ggp.lanes.cover import cover
from ggp.lanes.network import AND, LEAF, RANDOM, Literal, Network

Ints = npt.NDArray[np.int32]
TABLE, LUCK, STORE, COUNT, FEED = range(5)
"""What an operation does: value d = table(a, b, c); value d = rotate(a + b); row d = value a;
row d += bits set in value a, per word; row d = value a, and note whether that changed it."""
ROTATION = 27
VALUE, INVERSE = 0xAA, 0x55  # tables: the first operand, its negation


@dataclass(frozen=True, eq=False)
class Program:
    """Operations in order. Values are numbered; a value with a row is read from memory and not computed."""

    what: Ints  # [ops] TABLE, LUCK, STORE, COUNT or FEED
    table: Ints  # [ops] bit v: operand i (a, b, c) has value v >> i & 1
    target: Ints  # [ops] a value or a row
    operands: Ints  # [ops, 3] values, -1: unused
    row: Ints  # [values] the memory row of a leaf, -1: computed
    segments: tuple[tuple[int, int, bool], ...]  # first and last operation + 1; a loop runs until no FEED changes
    rows: int  # rows the program uses; slots for intermediate values come after them

    @property
    def size(self) -> int:
        """How many operations it has."""
        return len(self.what)


def build_program(
    net: Network,
    stores: dict[int, Literal],
    counts: dict[int, Literal],
    rows: int,
    *,
    also: dict[int, Literal] | None = None,
    hasty: bool = False,
) -> Program:
    """Order the operations. stores: row -> new value at the end; counts: row -> bits to add to its words; `also`
    adds more bits, to the same rows or to others. `hasty`: see `cover`.

    What comes first is computed first. Ends and goals should: most of what they need is a position's that the rest
    needs too, and chess spills a third fewer values at a time.
    """
    added = [*counts.items(), *(also or {}).items()]
    outputs = [*(x for _, x in added), *stores.values(), *(x for f in net.fixpoints for x in f.new.tolist())]
    b = _Builder(net, outputs, hasty)
    segments: list[tuple[int, int, bool]] = []
    start = 0
    for f in net.fixpoints:
        b.need_all_below(f.lo)
        segments.append((start, b.size, False))
        start = b.size
        b.finish(FEED, list(zip(b.left[f.old >> 1].tolist(), f.new.tolist(), strict=True)))
        b.need_all_below(f.hi)
        b.read_again(start)
        segments.append((start, b.size, True))
        start = b.size
    b.finish(COUNT, added)
    ops = _with_stores(b, b.finish(STORE, list(stores.items())), start - 1)
    segments.append((start, len(ops), False))
    return _packed(b, ops, segments, rows)


class _Builder:
    """Operations while their order is being made: int32 [what, table, target, three operands]."""

    def __init__(self, net: Network, outputs: list[Literal], hasty: bool) -> None:
        chosen = cover(net, outputs, hasty=hasty)
        self.kind, self.left, right = net.arrays()
        self.used = chosen.used
        luck = self.kind == RANDOM
        self.operands = chosen.leaves
        self.operands[luck] = np.stack([self.left[luck] >> 1, right[luck] >> 1, np.full(luck.sum(), -1)], axis=1)
        n = len(self.kind)
        self.last_loop = net.fixpoints[-1].hi if net.fixpoints else 0
        self.flip = self._flipped(outputs)
        self.table = _with_flips(chosen.table, self.operands, self.flip).astype(np.int32)
        self.reads = np.full(n, -1, np.int32)  # of each leaf: the last operation that reads it
        self.done = np.zeros(3 * n, np.bool_)
        self.ops = np.empty((int(self.used.sum() + luck.sum()) + 2 * len(outputs), 6), np.int32)
        self.size = 0
        self._all_below = 0  # used nodes below are emitted

    def _flipped(self, outputs: list[Literal]) -> npt.NDArray[np.bool_]:
        """The gates that are made as their negations, as these and nothing else are outputs; other users do not mind."""
        wanted, flip = np.array(outputs, np.int64), np.zeros(len(self.kind), np.bool_)
        flip[wanted[wanted & 1 == 1] >> 1] = True
        flip[wanted[wanted & 1 == 0] >> 1] = False
        flip[self.operands[self.kind == RANDOM, :2]] = False
        flip[: self.last_loop] = flip[self.kind != AND] = False
        return flip

    @property
    def _arrays(self) -> tuple[Any, ...]:
        return self.kind, self.operands, self.table, self.reads, self.done, self.ops

    def need_all_below(self, hi: int) -> None:
        """Emit all used nodes below `hi` that are not emitted yet."""
        lo, self._all_below = self._all_below, max(self._all_below, hi)
        self.size = _need_all(lo + np.flatnonzero(self.used[lo:hi]), self.size, *self._arrays)

    def read_again(self, start: int) -> None:
        """What the operations since `start` read is read until the last of them: they are a loop."""
        _read_again(self.ops[start : self.size], self.size - 1, self.kind, self.reads)

    def finish(self, what: int, outputs: list[tuple[int, Literal]]) -> Ints:
        """Emit what (row, literal) pairs need; for a COUNT or FEED that operation too, for a STORE only its operation
        without a place is returned.
        """
        pairs = np.array(outputs, np.int32).reshape(-1, 2)
        pending = np.empty((len(pairs), 6), np.int32)
        self.size = _finish(what, pairs, pending, self.last_loop, self.flip, self.size, *self._arrays)
        return pending


def _with_flips(table: npt.NDArray[np.uint8], operands: Ints, flip: npt.NDArray[np.bool_]) -> npt.NDArray[np.uint8]:
    """The tables of all nodes, when some nodes are negated: as results and as operands."""
    table = table.copy()
    for i, low in enumerate((0x55, 0x33, 0x0F)):  # bits where operand i is not set
        users = (operands[:, i] >= 0) & flip[operands[:, i]]
        old, shift = table[users], 1 << i
        table[users] = (old & low) << shift | old >> shift & low
    table[flip] ^= 255
    return table


@kernel
def write(ops, i, what, how, target, a, b, c):  # type: ignore[no-untyped-def]
    """Row i of a list of operations."""
    ops[i, 0], ops[i, 1], ops[i, 2], ops[i, 3], ops[i, 4], ops[i, 5] = what, how, target, a, b, c


@kernel
def _emit(what, table, target, a, b, c, size, kind, reads, ops):  # type: ignore[no-untyped-def]
    """Append an operation; the number of operations afterwards."""
    write(ops, size, what, table, target, a, b, c)
    for x in ops[size, 3:]:
        if 0 <= x < len(kind) and kind[x] == LEAF:
            reads[x] = size
    return size + 1


@kernel
def _read_again(ops, last, kind, reads):  # type: ignore[no-untyped-def]
    for i in range(len(ops)):
        for x in ops[i, 3:]:
            if 0 <= x < len(kind) and kind[x] == LEAF:
                reads[x] = last


@kernel
def _need(root, size, stack, kind, operands, table, reads, done, ops):  # type: ignore[no-untyped-def]
    """Emit a node and all it needs that has not been emitted yet, depth first. stack: a list to work with."""
    stack.append(root)
    while len(stack):
        node = stack[-1]
        if done[node] or (kind[node] != AND and kind[node] != RANDOM):
            stack.pop()
            continue
        ready = True
        for i in range(2, -1, -1):
            x = operands[node, i]
            if x >= 0 and not done[x] and (kind[x] == AND or kind[x] == RANDOM):
                stack.append(x)
                ready = False
        if ready:
            stack.pop()
            done[node] = True
            a, b, c = operands[node]
            size = _emit(TABLE if kind[node] == AND else LUCK, table[node], node, a, b, c, size, kind, reads, ops)
    return size


@kernel
def _need_all(roots, size, kind, operands, table, reads, done, ops):  # type: ignore[no-untyped-def]
    """Emit these nodes; the number of operations afterwards."""
    stack = [0 for _ in range(0)]
    for root in roots:
        size = _need(root, size, stack, kind, operands, table, reads, done, ops)
    return size


@kernel
def _finish(what, pairs, pending, last_loop, flip, size, kind, operands, table, reads, done, ops):  # type: ignore[no-untyped-def]
    """Emit what outputs need, see `_Builder.finish`: pairs int32 [n, 2] of rows and literals."""
    n, stack = len(kind), [0 for _ in range(0)]
    for k in range(len(pairs)):
        row, x = pairs[k]
        node, value = x >> 1, x >> 1
        size = _need(node, size, stack, kind, operands, table, reads, done, ops)
        made = kind[node] == AND or kind[node] == RANDOM
        if x & 1 != flip[node] or not (made or (kind[node] == LEAF and what != STORE)):  # a value of its own
            value = n + x
            if not done[value]:
                done[value] = True
                a, b, c, t = node, -1, -1, INVERSE if x & 1 else VALUE
                if node == 0:
                    a, t = -1, 255 if x & 1 else 0
                elif kind[node] == AND and node >= last_loop:
                    a, b, c = operands[node]
                    t = table[node] ^ 255
                size = _emit(TABLE, t, value, a, b, c, size, kind, reads, ops)
        if what == STORE:
            write(pending, k, STORE, 0, row, value, -1, -1)
        else:
            size = _emit(what, 0, row, value, -1, -1, size, kind, reads, ops)
    return size


def _with_stores(b: _Builder, stores: Ints, earliest: int) -> Ints:
    """Put each store after the operation that makes its value and the last that reads the row's old value.

    Never inside a loop: not before operation `earliest`.
    """
    ops = b.ops[: b.size]
    made = np.full(len(b.done), -1, np.int64)
    maker = np.flatnonzero((ops[:, 0] == TABLE) | (ops[:, 0] == LUCK))
    made[ops[maker, 2]] = maker
    leaves = np.flatnonzero(b.kind == LEAF)
    read = np.full(1 + max(b.left[leaves].max(initial=0), stores[:, 2].max(initial=0)), -1, np.int64)
    np.maximum.at(read, b.left[leaves], b.reads[leaves])
    at = np.maximum(earliest, np.maximum(made[stores[:, 3]], read[stores[:, 2]]))
    return np.insert(ops, at + 1, stores, axis=0)


def _packed(b: _Builder, ops: Ints, segments: list[tuple[int, int, bool]], rows: int) -> Program:
    """Number the values densely, drop what nobody uses (a positive form whose negation was emitted instead)."""
    keep, ops, node = _tidied(ops, len(b.done))
    kind = np.append(b.kind, 0)[np.minimum(node, len(b.kind))]
    left = np.append(b.left, 0)[np.minimum(node, len(b.kind))]
    position = np.concatenate([[0], np.cumsum(keep)])
    return Program(
        what=ops[:, 0].copy(),
        table=ops[:, 1].copy(),
        target=ops[:, 2].copy(),
        operands=ops[:, 3:].copy(),
        row=np.where(kind == LEAF, left, -1).astype(np.int32),
        segments=tuple((int(position[lo]), int(position[hi]), loop) for lo, hi, loop in segments),
        rows=rows,
    )


@kernel
def _tidied(ops, names):  # type: ignore[no-untyped-def]
    """Which operations something needs, bool [ops]; these, with values numbered by their first occurrence; and the old
    name of each number.
    """
    keep, wanted = np.zeros(len(ops), np.bool_), np.zeros(names, np.bool_)
    for i in range(len(ops) - 1, -1, -1):
        what = ops[i, 0]
        if (what != TABLE and what != LUCK) or wanted[ops[i, 2]]:
            keep[i] = True
            for x in ops[i, 3:]:
                if x >= 0:
                    wanted[x] = True
    ops = ops[keep]
    number, old = np.full(names, -1, np.int32), np.empty(names, np.int32)
    count = 0
    for i in range(len(ops)):
        made = ops[i, 0] == TABLE or ops[i, 0] == LUCK
        for j in (3, 4, 5, 2):
            x = ops[i, j]
            if x < 0 or (j == 2 and not made):
                continue
            if number[x] < 0:
                number[x], old[count] = count, x
                count += 1
            ops[i, j] = number[x]
    return keep, ops, old[:count].copy()
