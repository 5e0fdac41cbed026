"""A sum of products as gates: pull out the literal that most products share, again and again (a kernel).

What is inside a factor is a sum again. Sums wait on a stack of steps, their values on another, as in a calculator
that is told what to do in postfix notation: nothing recurses, however deep factors lie in one another.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ggp.circuits.gates import Gates, conjunction, distinct, land, sink
from ggp.core.arraytypes import Int, Longs, Row
from ggp.core.kernels import borrowing, kernel

_SUM, _AND, _OR, _FREE = 0, 1, 2, 3
"""Steps: put the value of a sum on the stack; AND the top with a literal; OR the upper two; forget sums dealt with."""
_DEEPEST = 200
"""Factors inside factors; sums that lie deeper are built as they are, so that work and space stay within bounds."""


@kernel
def grown(row: Row, size: Int) -> Row:
    """An array with the same beginning that holds so many entries."""
    if size <= len(row):
        return row
    larger = np.empty(max(size, 2 * len(row)), row.dtype)
    larger[: len(row)] = row
    return larger


@kernel
def plain_sum(gates: Gates, begin: Longs, end: Longs, items: Longs, row: Longs) -> Int:
    """One AND tree per product, one OR tree over them; products that begin after they end are left out."""
    terms = np.empty(len(begin), np.int64)
    made = 0
    for i in range(len(begin)):
        size = 0
        for k in range(begin[i], end[i]):
            row[size] = items[k]
            size += 1
        if begin[i] <= end[i]:
            terms[made] = conjunction(gates, row, size) ^ 1
            made += 1
    return np.int64(conjunction(gates, terms, made) ^ 1)


class _Sums(NamedTuple):
    """Sums that have been made so far: products are rows of literals, and a sum is some products on end."""

    items: Longs
    begin: Longs
    """Where each product begins in `items`."""
    end: Longs


@kernel
def factored_sum(gates: Gates, first: Longs, literals: Longs) -> Int:
    """Literal of a sum of products.

    first: int64 [products + 1], where each begins; literals: int64, each product's ascending and distinct.
    """
    products = len(first) - 1
    row = np.empty(len(literals) + 1, np.int64)
    if products < 2:
        return plain_sum(gates, first[:-1], first[1:], literals, row)
    pool = _Sums(literals.copy(), first[:-1].copy(), first[1:].copy())
    used: Int = len(literals)  # of the literals of the pool
    sums: Int = products  # of its products
    steps, values = np.empty((16, 4), np.int64), np.empty(16, np.int64)
    todo, high = _push(steps, 0, _SUM, 0, products, 0), 0
    while todo:
        todo -= 1
        kind, a, b, depth = steps[todo]
        if kind == _AND:
            values[high - 1] = land(gates, a, values[high - 1])
        elif kind == _OR:
            high -= 1
            values[high - 1] = land(gates, values[high - 1] ^ 1, values[high] ^ 1) ^ 1
        elif kind == _FREE:
            used, sums = a, b
        else:
            total, empty = _size(pool, a, b)
            kinds = 0 if empty else _literals(pool, a, b, row)
            if empty or b == 1 or kinds == total or depth >= _DEEPEST:  # nothing in common
                values = grown(values, high + 1)
                begin, end = pool.begin[a : a + b], pool.end[a : a + b]
                values[high] = 1 if empty else plain_sum(gates, begin, end, pool.items, row)
                high += 1
            else:
                pool = _Sums(grown(pool.items, used + total), grown(pool.begin, sums + b), grown(pool.end, sums + b))
                steps = _wider(steps, todo + 3 * max(kinds, b) + 3)
                used, sums, todo = _split(pool, a, b, row[:kinds].copy(), total, used, sums, steps, todo, depth)
    return int(values[0])


@kernel
def tidy_sum(gates: Gates, first: Longs, literals: Longs) -> Int:
    """The same of products whose literals may be in any order, and there twice; both arrays are used up."""
    used, low = 0, 0
    for i in range(len(first) - 1):
        n = distinct(literals[low : first[i + 1]], first[i + 1] - low)
        for k in range(n):
            literals[used + k] = literals[low + k]
        low = first[i + 1]
        used += n
        first[i + 1] = used
    return factored_sum(gates, first, literals[:used])


@kernel
def _wider(steps: Longs, size: Int) -> Longs:
    """Room for so many steps."""
    if size <= len(steps):
        return steps
    wider = np.empty((max(size, 2 * len(steps)), 4), np.int64)
    wider[: len(steps)] = steps
    return wider


@borrowing
def _push(steps: Longs, todo: int, kind: Int, a: Int, b: Int, depth: Int) -> int:
    """Put a step on the stack; how many there are."""
    steps[todo, 0], steps[todo, 1], steps[todo, 2], steps[todo, 3] = kind, a, b, depth
    return int(todo + 1)


@borrowing
def _size(pool: _Sums, lo: Int, n: Int) -> tuple[int, bool]:
    """How many literals products have, and whether one has none, so that the sum holds."""
    total, empty = np.int64(0), False
    for i in range(lo, lo + n):
        total += pool.end[i] - pool.begin[i]
        empty |= pool.begin[i] == pool.end[i]
    return int(total), empty


@borrowing
def _literals(pool: _Sums, lo: Int, n: Int, row: Longs) -> int:
    """Write the literals of products to a row, ascending and distinct; how many there are."""
    kinds = 0
    for i in range(lo, lo + n):
        for k in range(pool.begin[i], pool.end[i]):
            row[kinds] = pool.items[k]
            kinds += 1
    return distinct(row, kinds)


@kernel
def _split(
    pool: _Sums, lo: Int, n: Int, names: Longs, total: Int, used: Int, sums: Int, steps: Longs, todo: int, depth: Int
) -> tuple[Int, Int, int]:
    """Make smaller sums of a sum of n products, and push the steps that put them together again.

    names: the literals that occur; total: how often, all together. Returns how much of the pool and of the stack is used.
    """
    local, place = np.empty(total, np.int64), np.zeros(len(names) + 1, np.int64)
    t = 0
    for i in range(lo, lo + n):
        x = 0
        for k in range(pool.begin[i], pool.end[i]):  # both ascend
            x += np.searchsorted(names[x:], pool.items[k])
            local[t] = x
            place[x + 1] += 1
            t += 1
    count = place[1:].copy()
    todo = _push(steps, todo, _FREE, used, sums, 0)
    for x in range(len(names)):
        if count[x] == n:
            return _without_common(pool, lo, n, names, local, count, used, sums, steps, todo, depth)
        place[x + 1] += place[x]
    return _by_factors(pool, lo, n, names, local, place, count, used, sums, steps, todo, depth)


@kernel
def _without_common(
    pool: _Sums, lo: Int, n: Int, names: Longs, local: Longs, count: Longs, used: Int, sums: Int, steps: Longs, todo: int,
    depth: Int,
) -> tuple[Int, Int, int]:  # fmt: skip
    """What all products share is a factor of the whole; inside is a sum of what is left of each."""
    t, inside = 0, sums
    for i in range(lo, lo + n):
        pool.begin[sums] = used
        for k in range(pool.begin[i], pool.end[i]):
            if count[local[t]] < n:
                pool.items[used] = pool.items[k]
                used += 1
            t += 1
        pool.end[sums] = used
        sums += 1
    for x in range(len(names) - 1, -1, -1):
        if count[x] == n:
            todo = _push(steps, todo, _AND, names[x], 0, 0)
    todo = _push(steps, todo, _SUM, inside, n, depth + 1)
    return used, sums, todo


@kernel
def _by_factors(
    pool: _Sums, lo: Int, n: Int, names: Longs, local: Longs, place: Longs, count: Longs, used: Int, sums: Int,
    steps: Longs, todo: int, depth: Int,
) -> tuple[Int, Int, int]:  # fmt: skip
    """Pull out the literal that most products share, then that of most others, while two share one."""
    users, at = _users(pool, lo, n, local, place)
    heap, size = _heap(count)
    alive, left = np.ones(n, np.bool_), n
    pulled, insides = np.empty(n + 1, np.int64), np.empty(n + 2, np.int64)
    pulls = 0
    while size and left > 1:
        best, uses = heap[0] & 0xFFFFFFFF, heap[0] >> 32
        if uses != count[best]:  # some of its products are gone
            if count[best] > 1:
                heap[0] = count[best] << 32 | best
            else:
                size -= 1
                heap[0] = heap[size]
            sink(heap, 0, size)
            continue
        pulled[pulls], insides[pulls] = best, sums
        pulls += 1
        left -= uses
        for u in range(place[best], place[best + 1]):
            i = users[u]
            if alive[i]:
                alive[i] = False
                for t in range(at[i], at[i + 1]):
                    count[local[t]] -= 1
                used = _add(pool, sums, names, local[at[i] : at[i + 1]], best, used)
                sums += 1
    insides[pulls] = sums
    for i in range(n):
        if alive[i]:
            used = _add(pool, sums, names, local[at[i] : at[i + 1]], -1, used)
            sums += 1
    for _ in range(pulls - (left == 0)):
        todo = _push(steps, todo, _OR, 0, 0, 0)
    if left:
        todo = _push(steps, todo, _SUM, insides[pulls], left, depth)
    for p in range(pulls - 1, -1, -1):
        todo = _push(steps, todo, _AND, names[pulled[p]], 0, 0)
        todo = _push(steps, todo, _SUM, insides[p], insides[p + 1] - insides[p], depth + 1)
    return used, sums, todo


@kernel
def _users(pool: _Sums, lo: Int, n: Int, local: Longs, place: Longs) -> tuple[Longs, Longs]:
    """The products that have each literal, those of literal x from place[x] on; and where the literals of each begin."""
    users, fill, at = np.empty(len(local), np.int64), place.copy(), np.empty(n + 1, np.int64)
    t = 0
    for i in range(n):
        at[i] = t
        for _ in range(pool.begin[lo + i], pool.end[lo + i]):
            users[fill[local[t]]] = i
            fill[local[t]] += 1
            t += 1
    at[n] = t
    return users, at


@kernel
def _heap(count: Longs) -> tuple[Longs, int]:
    """The literals that more than one product has, most frequent first, as a heap; how many there are."""
    heap, size = np.empty(len(count), np.int64), 0
    for x in range(len(count)):
        if count[x] > 1:
            heap[size] = count[x] << 32 | x
            size += 1
    for k in range(size // 2 - 1, -1, -1):
        sink(heap, k, size)
    return heap, size


@borrowing
def _add(pool: _Sums, product: Int, names: Longs, local: Longs, without: Int, used: Int) -> Int:
    """Add a product but for one literal to the pool; how much of the pool is used."""
    pool.begin[product] = used
    for x in local:
        if x != without:
            pool.items[used] = names[x]
            used += 1
    pool.end[product] = used
    return used
