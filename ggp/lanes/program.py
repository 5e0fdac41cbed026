"""A network in an order of execution: what the interpreter and the machine code are made from.

The order is depth first from the outputs, which keeps most values alive for a short time only; what a loop feeds back
is `spaced`, so that a round waits for itself less. State is updated in place: a row may be written as soon as nobody
will read its old value, so a store waits for the last reader.

All of it is kernels on flat arrays: the largest games have millions of operations. While they are ordered, a value is
named by its node, and the copy or negation of literal x by `nodes + x`.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ggp.core.arraytypes import Bools, Bytes, Int, Ints, Longs, Signs
from ggp.core.kernels import borrowing, kernel
from ggp.lanes.cover import cover
from ggp.lanes.network import AND, LEAF, RANDOM, Fixpoint, Literal, Literals, Network

TABLE, LUCK, STORE, COUNT, FEED = range(5)
"""What an operation does: value d = table(a, b, c); value d = rotate(a + b); row d = value a;
row d += bits set in value a, per word; row d = value a, and note whether that changed it."""
ROTATION = 27
VALUE, INVERSE = 0xAA, 0x55  # tables: the first operand, its negation
GAP = 8
"""Values that a loop feeds back between one and the next that is made of it, if it can be: each waits for what it is made
of, and where all are made of the one before, a round takes as long as all of them one after the other."""
_STEPS = 2_000_000
"""Looking for such an order takes so many steps at most; then the values stay in the order in which they come."""


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
    counted = _columns([*counts.items(), *(also or {}).items()])
    stored = _columns(list(stores.items()))
    fed = [_Outputs(net.arrays()[1][f.old >> 1], f.new) for f in net.fixpoints]
    b = _Builder(net, np.concatenate([out.literals for out in (counted, stored, *fed)]), hasty)
    segments: list[tuple[int, int, bool]] = []
    start = 0
    for f, out in zip(net.fixpoints, fed, strict=True):
        b.need_all_below(f.lo)
        segments.append((start, b.size, False))
        start = b.size
        b.finish(FEED, b.spaced(f, out))
        b.need_all_below(f.hi)
        b.read_again(start)
        segments.append((start, b.size, True))
        start = b.size
    b.finish(COUNT, counted)
    values = b.finish(STORE, stored)
    return b.laid_out(segments, start, stored.rows, values, rows)


class _Outputs(NamedTuple):
    """What is written where."""

    rows: Ints
    literals: Literals


def _columns(pairs: list[tuple[int, Literal]]) -> _Outputs:
    table = np.fromiter(itertools.chain.from_iterable(pairs), np.int64, 2 * len(pairs)).reshape(-1, 2)
    return _Outputs(table[:, 0].astype(np.int32), table[:, 1].copy())


class _Emission(NamedTuple):
    """What is known of nodes while their operations are emitted."""

    kind: Signs
    """[nodes]"""
    operands: Ints
    """[nodes, 3] -1: unused"""
    table: Bytes
    """[nodes]"""
    reads: Ints
    """[nodes] of each leaf: the last operation that reads it, and 1"""
    done: Bools
    """[3 * nodes] nodes that are emitted, and copies and negations of literals"""
    ops: Ints
    """The operations, with room for all: what, table, target, three operands"""
    stack: Ints
    """Room to work in: three operands for each node, and the first node"""


class _Builder:
    """Operations while their order is being made."""

    def __init__(self, net: Network, outputs: Literals, hasty: bool) -> None:
        chosen = cover(net, outputs, hasty=hasty)
        kind, self.left, right = net.arrays()
        n, self.used = len(kind), chosen.used
        luck = np.flatnonzero(kind == RANDOM)
        chosen.leaves[luck] = np.stack([self.left[luck] >> 1, right[luck] >> 1, np.full(len(luck), -1)], axis=1)
        self.emission = _Emission(
            kind=kind.astype(np.int8),
            operands=chosen.leaves,
            table=chosen.table,
            reads=np.zeros(n, np.int32),
            done=np.zeros(3 * n, np.bool_),
            ops=np.empty((int(self.used.sum()) + len(luck) + 2 * len(outputs), 6), np.int32),
            stack=np.empty(3 * n + 1, np.int32),
        )
        self.last_loop = net.fixpoints[-1].hi if net.fixpoints else 0
        self.flip = self._flipped(outputs)
        _flip(chosen.table, chosen.leaves, self.used, self.flip)
        self.size = 0
        self._all_below = 0  # used nodes below are emitted

    def _flipped(self, outputs: Literals) -> Bools:
        """The gates that are made as their negations, as these and nothing else are outputs; other users do not mind."""
        kind, operands = self.emission.kind, self.emission.operands
        flip = np.zeros(len(kind), np.bool_)
        flip[outputs[outputs & 1 == 1] >> 1] = True
        flip[outputs[outputs & 1 == 0] >> 1] = False
        flip[operands[kind == RANDOM, :2]] = False
        flip[: self.last_loop] = flip[kind != AND] = False
        return flip

    def need_all_below(self, hi: int) -> None:
        """Emit all used nodes below `hi` that are not emitted yet."""
        lo, self._all_below = self._all_below, max(self._all_below, hi)
        self.size = _need_all(lo + np.flatnonzero(self.used[lo:hi]), self.size, self.emission)

    def spaced(self, loop: Fixpoint, fed: _Outputs) -> _Outputs:
        """What a loop feeds back, in an order in which few values wait for those just before them."""
        if not len(fed.rows):  # what it found is read nowhere
            return fed
        kind, operands = self.emission.kind, self.emission.operands
        order = _spaced(fed.rows, fed.literals, loop.lo, loop.hi, kind, self.left, operands)
        return _Outputs(fed.rows[order], fed.literals[order])

    def read_again(self, start: int) -> None:
        """What the operations since `start` read is read until the last of them: they are a loop."""
        _read_again(self.emission.ops[start : self.size], self.size, self.emission.kind, self.emission.reads)

    def finish(self, what: int, outputs: _Outputs) -> Ints:
        """Emit what outputs need: their values. For a COUNT or FEED that operation too; stores have no place yet."""
        values = np.empty(len(outputs.rows), np.int32)
        self.size = _finish(what, *outputs, values, self.last_loop, self.flip, self.size, self.emission)
        return values

    def laid_out(
        self, segments: list[tuple[int, int, bool]], start: int, stored: Ints, values: Ints, rows: int
    ) -> Program:
        """The program, stores of values among the operations of its last segment, which begins at `start`."""
        e, ops = self.emission, self.emission.ops[: self.size]
        columns, row, place = _lay_out(ops, start, stored, values, e.kind, self.left, e.reads, len(e.done))
        parts = [(int(place[lo]), int(place[hi]), loop) for lo, hi, loop in segments]
        parts.append((int(place[start]), len(columns[0]), False))
        what, table, target, operands = columns
        return Program(what, table, target, operands, row, tuple(parts), rows)


@kernel
def _flip(table: Bytes, operands: Ints, used: Bools, flip: Bools) -> None:
    """The tables of nodes, when some nodes are negated: as operands and as results."""
    for n in range(len(table)):
        if not used[n]:
            continue
        found = np.int64(table[n])
        for i in range(3):
            x = operands[n, i]
            if x >= 0 and flip[x]:
                low = (0x55, 0x33, 0x0F)[i]  # bits where operand i is not set
                found = (found & low) << (1 << i) | found >> (1 << i) & low
        table[n] = found ^ 255 if flip[n] else found


@borrowing
def write(ops: Ints, i: Int, what: Int, how: Int, target: Int, a: Int, b: Int, c: Int) -> None:
    """Row i of a list of operations."""
    ops[i, 0], ops[i, 1], ops[i, 2], ops[i, 3], ops[i, 4], ops[i, 5] = what, how, target, a, b, c


@borrowing
def _emit(what: Int, table: Int, target: Int, leaves: tuple[Int, Int, Int], size: int, e: _Emission) -> int:
    """Append an operation; the number of operations afterwards."""
    write(e.ops, size, what, table, target, leaves[0], leaves[1], leaves[2])
    for x in leaves:
        if 0 <= x < len(e.kind) and e.kind[x] == LEAF:
            e.reads[x] = size + 1
    return size + 1


@kernel
def _made_of(
    rows: Ints, literals: Longs, lo: int, hi: int, kind: Signs, left: Ints, operands: Ints
) -> tuple[Longs, Longs, int]:
    """Of each value that a loop feeds back the ones that it is made of, as numbers of the consecutive rows that are fed.

    Where those of each value begin, all of them, and the steps that were made; these are more than `_STEPS` where it was
    given up.
    """
    count, first, steps = len(rows), rows.min(), 0
    start, found = np.zeros(count + 1, np.int64), [0 for _ in range(0)]
    seen, stack = np.full(hi - lo, -1, np.int32), np.empty(3 * (hi - lo) + 1, np.int64)
    for i in range(count):
        stack[0], high = literals[i] >> 1, 1
        while high:
            high -= 1
            node = stack[high]
            if node < lo or seen[node - lo] == i:
                continue
            seen[node - lo] = i
            steps += 1
            if kind[node] == LEAF and first <= left[node] < first + count:
                found.append(left[node] - first)
            elif kind[node] == AND:
                for x in operands[node]:
                    if x >= lo:
                        stack[high] = x
                        high += 1
        start[i + 1] = len(found)
        if steps > _STEPS:
            break
    return start, np.array(found), steps


@kernel
def _spaced(rows: Ints, literals: Longs, lo: int, hi: int, kind: Signs, left: Ints, operands: Ints) -> Longs:
    """The order of `_Builder.spaced`, as places: the first value that reads none of the last `GAP`, time and again; where
    all do, the one that read what is longest ago. The values are fed to consecutive rows.
    """
    count = len(rows)
    order, fed, waiting = np.arange(count), np.full(count, -GAP - 1), np.arange(count)
    start, found, steps = _made_of(rows, literals, lo, hi, kind, left, operands)
    place = np.argsort(rows)  # of each row that is fed
    for t in range(count):
        if steps > _STEPS:
            return order
        best, oldest = t, t
        for k in range(t, count):
            latest = -GAP - 1
            for j in range(start[waiting[k]], start[waiting[k] + 1]):
                latest = max(latest, fed[place[found[j]]])
            steps += start[waiting[k] + 1] - start[waiting[k]]
            if latest < oldest:
                best, oldest = k, latest
            if latest < t - GAP:
                break
        chosen = waiting[best]
        for k in range(best, t, -1):
            waiting[k] = waiting[k - 1]
        waiting[t], fed[chosen] = chosen, t
    return waiting


@kernel
def _read_again(ops: Ints, size: int, kind: Signs, reads: Ints) -> None:
    for i in range(len(ops)):
        for x in ops[i, 3:]:
            if 0 <= x < len(kind) and kind[x] == LEAF:
                reads[x] = size


@borrowing
def _need(root: Int, size: int, e: _Emission) -> int:
    """Emit a node and all it needs that has not been emitted yet, depth first."""
    stack, kind, operands, done = e.stack, e.kind, e.operands, e.done
    stack[0], high = root, 1
    while high:
        node = stack[high - 1]
        if done[node] or (kind[node] != AND and kind[node] != RANDOM):
            high -= 1
            continue
        ready = high
        for i in range(2, -1, -1):
            x = operands[node, i]
            if x >= 0 and not done[x] and (kind[x] == AND or kind[x] == RANDOM):
                stack[high] = x
                high += 1
        if high == ready:
            high -= 1
            done[node] = True
            leaves = operands[node, 0], operands[node, 1], operands[node, 2]
            size = _emit(TABLE if kind[node] == AND else LUCK, e.table[node], node, leaves, size, e)
    return size


@kernel
def _need_all(roots: Longs, size: int, e: _Emission) -> int:
    """Emit these nodes; the number of operations afterwards."""
    for root in roots:
        size = _need(root, size, e)
    return size


@kernel
def _finish(
    what: int, rows: Ints, literals: Literals, values: Ints, last_loop: int, flip: Bools, size: int, e: _Emission
) -> int:
    """Emit what outputs need, and set their values; see `_Builder.finish`."""
    kind, n = e.kind, len(e.kind)
    for k in range(len(rows)):
        x = literals[k]
        node, value = x >> 1, x >> 1
        size = _need(node, size, e)
        made = kind[node] == AND or kind[node] == RANDOM
        if x & 1 != flip[node] or not (made or (kind[node] == LEAF and what != STORE)):  # a value of its own
            value = n + x
            if not e.done[value]:
                e.done[value] = True
                a, b, c, t = node, np.int64(-1), np.int64(-1), np.int64(INVERSE if x & 1 else VALUE)
                if node == 0:
                    a, t = np.int64(-1), np.int64(255 if x & 1 else 0)
                elif kind[node] == AND and node >= last_loop:
                    a, b, c = np.int64(e.operands[node, 0]), np.int64(e.operands[node, 1]), np.int64(e.operands[node, 2])
                    t = np.int64(e.table[node]) ^ 255
                size = _emit(TABLE, t, value, (a, b, c), size, e)
        values[k] = value
        if what != STORE:
            size = _emit(what, 0, rows[k], (value, np.int64(-1), np.int64(-1)), size, e)
    return size


@kernel
def _lay_out(
    ops: Ints, start: int, stored: Ints, values: Ints, kind: Signs, left: Ints, reads: Ints, names: int
) -> tuple[tuple[Ints, Ints, Ints, Ints], Ints, Ints]:
    """The columns of a program, the row of each value, and how many operations are kept before each of the old ones.

    What nobody uses is dropped (a positive form whose negation was emitted instead), values are numbered by their first
    occurrence. Each store comes after the operation that makes its value and the last that reads the row's old value,
    and not before the operation `start`: never inside a loop.
    """
    keep, kept = _kept(ops, values, names)
    number, old, maker, place = _numbered(ops, keep, names)
    first, following = np.full(kept + 1, -1, np.int32), np.empty(len(stored), np.int32)  # stores before each operation
    read = _last_reads(stored, kind, left, reads)
    for k in range(len(stored) - 1, -1, -1):
        slot = place[max(start, maker[number[values[k]] - 1] + 1, read[stored[k]])]
        first[slot], following[k] = k, first[slot]

    total = kept + len(stored)
    what, table, target = np.empty(total, np.int32), np.zeros(total, np.int32), np.empty(total, np.int32)
    operands = np.full((total, 3), -1, np.int32)
    size = slot = 0
    for i in range(len(ops) + 1):
        if i < len(ops) and not keep[i]:
            continue
        k = first[slot]
        while k >= 0:
            what[size], target[size], operands[size, 0] = STORE, stored[k], number[values[k]] - 1
            size += 1
            k = following[k]
        slot += 1
        if i < len(ops):
            what[size], table[size], target[size] = ops[i, 0], ops[i, 1], ops[i, 2]
            operands[size, 0], operands[size, 1], operands[size, 2] = ops[i, 3], ops[i, 4], ops[i, 5]
            size += 1
    rows = np.empty(len(old), np.int32)
    for v in range(len(old)):
        rows[v] = left[old[v]] if old[v] < len(kind) and kind[old[v]] == LEAF else -1
    return (what, table, target, operands), rows, place


@kernel
def _kept(ops: Ints, values: Ints, names: int) -> tuple[Bools, int]:
    """Which operations somebody uses, and how many these are."""
    keep, wanted = np.zeros(len(ops), np.bool_), np.zeros(names, np.bool_)
    for x in values:
        wanted[x] = True
    kept = 0
    for i in range(len(ops) - 1, -1, -1):
        made = ops[i, 0] == TABLE or ops[i, 0] == LUCK
        if not made or wanted[ops[i, 2]]:
            keep[i] = True
            kept += 1
            for j in range(3, 6):
                if ops[i, j] >= 0:
                    wanted[ops[i, j]] = True
    return keep, kept


@kernel
def _numbered(ops: Ints, keep: Bools, names: int) -> tuple[Ints, Ints, Ints, Ints]:
    """Number the values in operations that are kept, by their first occurrence.

    Returns the number of each old name, from 1 on; the old name of each; which operation makes it; how many operations
    are kept before each.
    """
    number, old, maker = np.zeros(names, np.int32), np.empty(names, np.int32), np.empty(names, np.int32)
    place, count, at = np.empty(len(ops) + 1, np.int32), 0, 0
    for i in range(len(ops)):
        place[i] = at
        if not keep[i]:
            continue
        at += 1
        made = ops[i, 0] == TABLE or ops[i, 0] == LUCK
        for j in (3, 4, 5, 2):
            x = ops[i, j]
            if x < 0 or (j == 2 and not made):
                continue
            if number[x] == 0:
                old[count] = x
                count += 1
                number[x] = count
            ops[i, j] = number[x] - 1
        if made:
            maker[ops[i, 2]] = i
    place[len(ops)] = at
    return number, old[:count], maker, place


@kernel
def _last_reads(stored: Ints, kind: Signs, left: Ints, reads: Ints) -> Ints:
    """Of each row up to the highest one that is read or stored to: the last operation that reads it, and 1; or 0."""
    top = np.int64(0)
    for x in range(len(kind)):
        if kind[x] == LEAF:
            top = max(top, np.int64(left[x]))
    for row in stored:
        top = max(top, np.int64(row))
    read = np.zeros(top + 1, np.int32)
    for x in range(len(kind)):
        if kind[x] == LEAF:
            read[left[x]] = max(read[left[x]], reads[x])
    return read
