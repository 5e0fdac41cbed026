"""A network in an order of execution: what the interpreter and the machine code are made from.

The order is depth first from the outputs, which keeps most values alive for a short time only. State is
updated in place: a row may be written as soon as nobody will read its old value, so a store waits for the
last reader.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ggp.banks.cover import Cover, cover
from ggp.banks.network import AND, LEAF, RANDOM, Literal, Network

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


@dataclass
class _Builder:
    """Operations while their order is being made."""

    net: Network
    chosen: Cover
    ops: list[tuple[int, int, int, tuple[int, int, int]]] = field(default_factory=list)
    reads: dict[int, int] = field(default_factory=dict)  # leaf node -> number of the last operation that reads it
    done: set[int] = field(default_factory=set)

    def emit(self, what: int, table: int, target: int, operands: tuple[int, int, int]) -> None:
        for x in operands:
            if x >= 0 and self.net.kind[x] == LEAF:
                self.reads[x] = len(self.ops)
        self.ops.append((what, table, target, operands))

    def operands(self, node: int) -> tuple[int, int, int]:
        if self.net.kind[node] == RANDOM:
            return self.net.left[node] >> 1, self.net.right[node] >> 1, -1
        a, b, c = self._leaves[node]
        return a, b or -1, c or -1

    def __post_init__(self) -> None:
        self._leaves: list[list[int]] = self.chosen.leaves.tolist()
        self._table: list[int] = self.chosen.table.tolist()

    def need(self, root: int) -> None:
        """Emit a node and all it needs that has not been emitted yet, depth first."""
        stack = [root]
        kind, done = self.net.kind, self.done
        while stack:
            node = stack[-1]
            if node in done or kind[node] not in (AND, RANDOM):
                stack.pop()
                continue
            operands = self.operands(node)
            missing = [x for x in operands if x >= 0 and x not in done and kind[x] in (AND, RANDOM)]
            if missing:
                stack.extend(reversed(missing))
                continue
            stack.pop()
            done.add(node)
            self.emit(TABLE if kind[node] == AND else LUCK, self._table[node], node, operands)


def build_program(
    net: Network,
    stores: dict[int, Literal],
    counts: dict[int, Literal],
    rows: int,
    *,
    also: dict[int, Literal] | None = None,
) -> Program:
    """Order the operations. stores: row -> new value at the end; counts: row -> bits to add to its words; `also`
    adds more bits, to the same rows or to others.
    """
    added = [*counts.items(), *(also or {}).items()]
    outputs = [*(x for _, x in added), *stores.values(), *(x for f in net.fixpoints for x in f.new)]
    chosen = cover(net, outputs)
    b = _Builder(net, chosen)
    segments: list[tuple[int, int, bool]] = []
    start = 0
    for f in net.fixpoints:
        _emit_segment(b, f.lo)
        segments.append((start, len(b.ops), False))
        start = len(b.ops)
        _emit_segment(b, f.hi)
        for old, new in zip(f.old, f.new, strict=True):
            b.emit(FEED, 0, net.left[old >> 1], (_signed(b, new), -1, -1))
        for x in list(b.reads):
            if b.reads[x] >= start:  # read again in the next round
                b.reads[x] = len(b.ops) - 1
        segments.append((start, len(b.ops), True))
        start = len(b.ops)
    pending: list[tuple[int, int]] = []  # row, value
    for row, x in added:
        b.need(x >> 1)
        b.emit(COUNT, 0, row, (_signed(b, x), -1, -1))
    for row, x in stores.items():
        b.need(x >> 1)
        pending.append((row, _signed(b, x, copy=True)))
    ops = _place_stores(b, pending, start - 1)
    segments.append((start, len(ops), False))
    return _pack(b, ops, tuple(segments), rows)


def _emit_segment(b: _Builder, hi: int) -> None:
    """All used nodes below `hi` that are not emitted yet."""
    for node in range(hi):
        if b.chosen.used[node] and node not in b.done:
            b.need(node)


def _signed(b: _Builder, x: Literal, copy: bool = False) -> int:
    """The value of a literal: for a negation a value of its own; `copy` also makes one for a leaf."""
    node = x >> 1
    kind = b.net.kind[node]
    if not x & 1 and (kind in (AND, RANDOM) or (kind == LEAF and not copy)):
        return node
    fresh = -2 - x  # a name that no node has
    if fresh not in b.done:
        b.done.add(fresh)
        if node == 0:
            b.emit(TABLE, 255 if x & 1 else 0, fresh, (-1, -1, -1))
        elif kind == AND and x & 1 and node >= (b.net.fixpoints[-1].hi if b.net.fixpoints else 0):
            b.emit(TABLE, b._table[node] ^ 255, fresh, b.operands(node))
        else:
            b.emit(TABLE, INVERSE if x & 1 else VALUE, fresh, (node, -1, -1))
    return fresh


def _place_stores(
    b: _Builder, pending: list[tuple[int, int]], earliest: int
) -> list[tuple[int, int, int, tuple[int, int, int]]]:
    """Put each store after the operation that makes its value and the last that reads the row's old value.

    Never inside a loop: not before operation `earliest`.
    """
    leaf_of_row = {b.net.left[n]: n for n in range(len(b.net)) if b.net.kind[n] == LEAF}
    made = {op[2]: i for i, op in enumerate(b.ops) if op[0] in (TABLE, LUCK)}
    after: dict[int, list[tuple[int, int]]] = {}
    for row, value in pending:
        at = max(earliest, made[value], b.reads.get(leaf_of_row.get(row, -1), -1))
        after.setdefault(at, []).append((row, value))
    ops = []
    for i, op in enumerate(b.ops):
        ops.append(op)
        ops.extend((STORE, 0, row, (value, -1, -1)) for row, value in after.get(i, ()))
    return ops


def _pack(
    b: _Builder,
    ops: list[tuple[int, int, int, tuple[int, int, int]]],
    segments: tuple[tuple[int, int, bool], ...],
    rows: int,
) -> Program:
    """Number the values densely, drop what nobody uses (a positive form whose negation was emitted
    instead).
    """
    alive: set[int] = set()
    keep = np.zeros(len(ops), bool)
    for i in range(len(ops) - 1, -1, -1):
        what, _, target, operands = ops[i]
        if what in (STORE, COUNT, FEED) or target in alive:
            keep[i] = True
            alive.update(x for x in operands if x != -1)
    number: dict[int, int] = {}
    row: list[int] = []

    def name(x: int) -> int:
        if x == -1:
            return -1
        if x not in number:
            number[x] = len(row)
            row.append(b.net.left[x] if x >= 0 and b.net.kind[x] == LEAF else -1)
        return number[x]

    packed: list[list[int]] = []
    for i in np.flatnonzero(keep).tolist():
        w, t, d, abc = ops[i]
        used = [name(x) for x in abc]
        packed.append([w, t, name(d) if w in (TABLE, LUCK) else d, *used])
    columns = np.array(packed, np.int32).reshape(-1, 6)
    position = np.concatenate([[0], np.cumsum(keep)])
    return Program(
        what=columns[:, 0].copy(),
        table=columns[:, 1].copy(),
        target=columns[:, 2].copy(),
        operands=columns[:, 3:].copy(),
        row=np.array(row, np.int32),
        segments=tuple((int(position[lo]), int(position[hi]), loop) for lo, hi, loop in segments),
        rows=rows,
    )
