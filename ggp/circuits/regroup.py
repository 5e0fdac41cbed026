"""Associativity: see trees of ANDs as many-input gates and build them again so that they share more.

`regroup` shares the pairs of literals that occur in most of them (`pairs`). `distribute` is the other half: (a b) or
(a c) becomes a (b or c) where the products have no other user.
"""

from __future__ import annotations

import numpy as np

from ggp.circuits.factor import factored_sum
from ggp.circuits.gates import conjunction, distinct, new_gates
from ggp.circuits.graph import Net
from ggp.circuits.manyinput import Rows, flat, rebuilt, roots_of, rows_of, uses
from ggp.circuits.pairs import share_pairs
from ggp.circuits.work import Work
from ggp.core.kernels import kernel


@kernel
def _start(net, gates, count):  # type: ignore[no-untyped-def]
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


@kernel
def _with_pairs(net, gates, count, rows, ends, operands):  # type: ignore[no-untyped-def]
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
                    x = operands[node - old, side]
                    if new[x >> 1] < 0:
                        work[high] = x >> 1
                        high += 1
                    scratch[size] = new[x >> 1] ^ (x & 1)
                    size += 1
            else:
                row = rows.row[node]
                for k in range(rows.first[row], ends[row]):
                    x = rows.items[k]
                    if new[x >> 1] < 0:
                        work[high] = x >> 1
                        high += 1
                    scratch[size] = new[x >> 1] ^ (x & 1)
                    size += 1
            if high == before:
                new[node] = conjunction(gates, scratch, size)
                high -= 1
    return new[:old]


@kernel
def _with_factors(net, gates, count, rows):  # type: ignore[no-untyped-def]
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
            lo, hi = rows.first[row], rows.first[row + 1]
            products = most = 0
            for k in range(lo, hi):
                inner = rows.row[rows.items[k] >> 1]
                if rows.items[k] & 1 and inner >= 0 and count[rows.items[k] >> 1] == 1:
                    products += 1
                    for m in range(rows.first[inner], rows.first[inner + 1]):
                        seen[rows.items[m]] += 1
                        most = max(most, seen[rows.items[m]])
            for k in range(lo, hi):
                inner = rows.row[rows.items[k] >> 1]
                if rows.items[k] & 1 and inner >= 0 and count[rows.items[k] >> 1] == 1:
                    for m in range(rows.first[inner], rows.first[inner + 1]):
                        seen[rows.items[m]] = 0
            factored = products > 1 and most > 1
            size = made = used = 0
            first[0] = 0
            for k in range(lo, hi):
                x = rows.items[k]
                inner = rows.row[x >> 1]
                if factored and x & 1 and inner >= 0 and count[x >> 1] == 1:
                    for m in range(rows.first[inner], rows.first[inner + 1]):
                        y = rows.items[m]
                        if new[y >> 1] < 0:
                            work[high] = y >> 1
                            high += 1
                        literals[used] = new[y >> 1] ^ (y & 1)
                        used += 1
                    made += 1
                    first[made] = used
                else:
                    if new[x >> 1] < 0:
                        work[high] = x >> 1
                        high += 1
                    scratch[size] = new[x >> 1] ^ (x & 1)
                    size += 1
            if high > before:
                continue
            if factored:
                used, low = 0, 0
                for p in range(made):
                    n = distinct(literals[low : first[p + 1]], first[p + 1] - low)
                    for k in range(n):
                        literals[used + k] = literals[low + k]
                    low = first[p + 1]
                    used += n
                    first[p + 1] = used
                scratch[size] = factored_sum(gates, first[: made + 1], literals[:used]) ^ 1
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
