"""Associativity: see trees of ANDs as many-input gates and build them again so that they share more.

`regroup` shares the pairs of literals that occur in most of them (`pairs`). `distribute` is the other half: (a b) or
(a c) becomes a (b or c) where the products have no other user.
"""

from __future__ import annotations

import numpy as np

from ggp.circuits.factor import tidy_sum
from ggp.circuits.gates import Gates, conjunction, new_gates
from ggp.circuits.graph import Net
from ggp.circuits.manyinput import Flat, Rows, flat, rebuilt, roots_of, rows_of, uses
from ggp.circuits.pairs import share_pairs
from ggp.circuits.work import Work
from ggp.core.arraytypes import Int, Ints, Longs
from ggp.core.kernels import borrowing, inlined, kernel


@kernel
def _start(net: Flat, gates: Gates, count: Ints) -> Ints:
    """New literals of the leaves, and of the feedback gates that are used; -1 for other gates."""
    new = np.full(len(net.left), -1, np.int32)
    fixed, state = gates[2], gates[4]
    for gate in range(1 + net.leaves):
        new[gate] = 2 * gate
    for gate in range(1 + net.leaves, len(new)):
        if net.fixed[gate] and count[gate]:
            new[gate] = 2 * state[0]
            fixed[state[0]] = True
            state[0] += 1
    return new


@inlined
def _moved(new: Ints, x: Int, work: Ints, high: int) -> tuple[Int, int]:
    """The new literal of an old one; if its gate is not built yet (and this is none), that is put on a stack."""
    if new[x >> 1] < 0:
        work[high] = x >> 1
        high += 1
    return new[x >> 1] ^ (x & 1), high


@kernel
def _with_pairs(net: Flat, gates: Gates, count: Ints, rows: Rows, ends: Longs, operands: Ints) -> Ints:
    """Build all rows, literals from 2 * len(net.left) on being pairs; the new literal of each old gate."""
    old = len(net.left)
    started = _start(net, gates, count)
    new = np.full(old + len(operands), -1, np.int32)
    new[:old] = started
    work = np.empty(len(rows.items) + 2 * len(operands) + len(new) + 2, np.int32)
    scratch = np.empty(len(rows.items) + 1, np.int64)
    for root in roots_of(net, count):
        work[0], high = root, 1
        while high:
            node = work[high - 1]
            if new[node] >= 0:
                high -= 1
                continue
            before, size = high, 0
            if node >= old:
                for side in range(2):
                    scratch[size], high = _moved(new, operands[node - old, side], work, high)
                    size += 1
            else:
                row = rows.row[node]
                for k in range(rows.first[row], ends[row]):
                    scratch[size], high = _moved(new, rows.items[k], work, high)
                    size += 1
            if high == before:
                new[node] = conjunction(gates, scratch, size)
                high -= 1
    return new[:old]


@inlined
def _product(rows: Rows, count: Ints, x: Int) -> int:
    """The row of a product that a literal stands for, if only one row reads it; else -1."""
    inner = rows.row[x >> 1]
    return int(inner) if x & 1 and inner >= 0 and count[x >> 1] == 1 else -1


@borrowing
def _have_common(rows: Rows, count: Ints, row: Int, seen: Ints) -> bool:
    """Whether a literal is in more than one product of a row. seen: zeros, and so again afterwards."""
    products = most = 0
    for k in range(rows.first[row], rows.first[row + 1]):
        inner = _product(rows, count, rows.items[k])
        if inner >= 0:
            products += 1
            for m in range(rows.first[inner], rows.first[inner + 1]):
                seen[rows.items[m]] += 1
                most = max(most, seen[rows.items[m]])
    for k in range(rows.first[row], rows.first[row + 1]):
        inner = _product(rows, count, rows.items[k])
        if inner >= 0:
            for m in range(rows.first[inner], rows.first[inner + 1]):
                seen[rows.items[m]] = 0
    return products > 1 and most > 1


@kernel
def _with_factors(net: Flat, gates: Gates, count: Ints, rows: Rows) -> Ints:
    """Build all rows, products that only one row reads factored; the new literal of each old gate."""
    new = _start(net, gates, count)
    work = np.empty(2 * len(rows.items) + len(new) + 2, np.int32)
    scratch = np.empty(len(rows.items) + 2, np.int64)
    literals, first = np.empty(len(rows.items) + 1, np.int64), np.empty(len(rows.items) + 2, np.int64)
    seen = np.zeros(2 * len(new), np.int32)
    for root in roots_of(net, count):
        work[0], high = root, 1
        while high:
            gate = work[high - 1]
            if new[gate] >= 0:
                high -= 1
                continue
            row, before = rows.row[gate], high
            factored = _have_common(rows, count, row, seen)
            size = made = used = 0
            first[0] = 0
            for k in range(rows.first[row], rows.first[row + 1]):
                inner = _product(rows, count, rows.items[k]) if factored else -1
                if inner >= 0:
                    for m in range(rows.first[inner], rows.first[inner + 1]):
                        literals[used], high = _moved(new, rows.items[m], work, high)
                        used += 1
                    made += 1
                    first[made] = used
                else:
                    scratch[size], high = _moved(new, rows.items[k], work, high)
                    size += 1
            if high > before:
                continue
            if factored:
                scratch[size] = tidy_sum(gates, first[: made + 1], literals[:used]) ^ 1
                size += 1
            new[gate] = conjunction(gates, scratch, size)
            high -= 1
    return new


def regroup(net: Net, work: Work, *, deep: int = 0) -> Net:
    """Share the pairs that occur most; small trees inside others are first dissolved, see `rows_of`."""
    old = flat(net)
    count = uses(old)
    rows = Rows(*rows_of(old, count, deep))
    ends, operands, spent = share_pairs(rows.first, rows.items, 2 * len(old.left), work.left)
    work.spend(spent)
    gates = new_gates(old.leaves, len(rows.items) + len(operands) + len(net.graph.feedback))
    return rebuilt(net, gates, _with_pairs(old, gates, count, rows, ends, operands), count)


def distribute(net: Net) -> Net:
    """Factor literals common to several products of one sum, where the products have one user."""
    old = flat(net)
    count = uses(old)
    rows = Rows(*rows_of(old, count, 0))
    gates = new_gates(old.leaves, 2 * len(rows.items) + len(net.graph.feedback))
    return rebuilt(net, gates, _with_factors(old, gates, count, rows), count)
