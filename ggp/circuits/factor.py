"""A sum of products as gates: pull out the literal that most products share, again and again (a kernel).

What is inside a factor is a sum again. Sums wait on a stack of steps, their values on another, as in a calculator
that is told what to do in postfix notation: nothing recurses, however deep factors lie in one another.
"""

from __future__ import annotations

import numpy as np

from ggp.circuits.gates import conjunction, distinct, land, sink
from ggp.core.kernels import kernel

_SUM, _AND, _OR, _FREE = 0, 1, 2, 3
"""Steps: put the value of a sum on the stack; AND the top with a literal; OR the upper two; forget sums dealt with."""
_DEEPEST = 200
"""Factors inside factors; sums that lie deeper are built as they are, so that work and space stay within bounds."""


@kernel
def grown(row, size):  # type: ignore[no-untyped-def]
    """An array with the same beginning that holds so many entries."""
    if size <= len(row):
        return row
    larger = np.empty(max(size, 2 * len(row)), row.dtype)
    larger[: len(row)] = row
    return larger


@kernel
def plain_sum(gates, begin, end, items, row):  # type: ignore[no-untyped-def]
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


@kernel
def factored_sum(gates, first, literals):  # type: ignore[no-untyped-def]
    """Literal of a sum of products.

    first: int64 [products + 1], where each begins; literals: int64, each product's ascending and distinct.
    """
    products = len(first) - 1
    row = np.empty(len(literals) + 1, np.int64)
    if products < 2:
        return plain_sum(gates, first[:-1], first[1:], literals, row)
    items = literals.copy()
    begin, end = first[:-1].copy(), first[1:].copy()
    used, sums = len(literals), products  # of items, of begin and end
    steps = np.empty((16, 4), np.int64)
    values = np.empty(16, np.int64)
    steps[0, 0], steps[0, 1], steps[0, 2], steps[0, 3] = _SUM, 0, products, 0
    todo, high = 1, 0
    while todo:
        todo -= 1
        kind, a, b, depth = steps[todo]
        if kind == _AND:
            values[high - 1] = land(gates, a, values[high - 1])
            continue
        if kind == _OR:
            high -= 1
            values[high - 1] = land(gates, values[high - 1] ^ 1, values[high] ^ 1) ^ 1
            continue
        if kind == _FREE:
            used, sums = a, b
            continue
        values = grown(values, high + 1)
        lo, n, total, empty = a, b, 0, False
        for i in range(lo, lo + n):
            total += end[i] - begin[i]
            empty |= begin[i] == end[i]
        if empty:
            values[high] = 1
            high += 1
            continue
        kinds = 0
        for i in range(lo, lo + n):
            for k in range(begin[i], end[i]):
                row[kinds] = items[k]
                kinds += 1
        kinds = distinct(row, kinds)
        if n == 1 or kinds == total or depth >= _DEEPEST:  # nothing in common
            values[high] = plain_sum(gates, begin[lo : lo + n], end[lo : lo + n], items, row)
            high += 1
            continue
        names = row[:kinds].copy()
        local = np.empty(total, np.int64)
        place = np.zeros(kinds + 1, np.int64)
        t = 0
        for i in range(lo, lo + n):
            x = 0
            for k in range(begin[i], end[i]):  # both ascend
                x += np.searchsorted(names[x:], items[k])
                local[t] = x
                place[x + 1] += 1
                t += 1
        count = place[1:].copy()
        items, begin, end = grown(items, used + total), grown(begin, sums + n), grown(end, sums + n)
        before, free_sums = used, sums
        common = 0
        for x in range(kinds):
            if count[x] == n:
                common += 1
        if common:  # what all products share is a factor of the whole
            t = 0
            for i in range(lo, lo + n):
                begin[sums] = used
                for k in range(begin[i], end[i]):
                    if count[local[t]] < n:
                        items[used] = items[k]
                        used += 1
                    t += 1
                end[sums] = used
                sums += 1
            if todo + common + 2 > len(steps):
                wider = np.empty((2 * len(steps) + common, 4), np.int64)
                wider[:todo] = steps[:todo]
                steps = wider
            steps[todo, 0], steps[todo, 1], steps[todo, 2] = _FREE, before, free_sums
            todo += 1
            for x in range(kinds - 1, -1, -1):
                if count[x] == n:
                    steps[todo, 0], steps[todo, 1] = _AND, names[x]
                    todo += 1
            steps[todo, 0], steps[todo, 1], steps[todo, 2], steps[todo, 3] = _SUM, free_sums, n, depth + 1
            todo += 1
            continue
        for x in range(kinds):
            place[x + 1] += place[x]
        users, fill, at = np.empty(total, np.int64), place.copy(), np.empty(n + 1, np.int64)
        t = 0
        for i in range(n):
            at[i] = t
            for _ in range(begin[lo + i], end[lo + i]):
                users[fill[local[t]]] = i
                fill[local[t]] += 1
                t += 1
        at[n] = t
        heap, size = np.empty(kinds, np.int64), 0
        for x in range(kinds):
            if count[x] > 1:
                heap[size] = count[x] << 32 | x
                size += 1
        for k in range(size // 2 - 1, -1, -1):
            sink(heap, k, size)
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
                if not alive[i]:
                    continue
                alive[i] = False
                begin[sums] = used
                for t in range(at[i], at[i + 1]):
                    count[local[t]] -= 1
                    if local[t] != best:
                        items[used] = names[local[t]]
                        used += 1
                end[sums] = used
                sums += 1
        insides[pulls] = sums
        for i in range(n):
            if alive[i]:
                begin[sums] = used
                for t in range(at[i], at[i + 1]):
                    items[used] = names[local[t]]
                    used += 1
                end[sums] = used
                sums += 1
        if todo + 3 * pulls + 3 > len(steps):
            wider = np.empty((2 * len(steps) + 3 * pulls, 4), np.int64)
            wider[:todo] = steps[:todo]
            steps = wider
        steps[todo, 0], steps[todo, 1], steps[todo, 2] = _FREE, before, free_sums
        todo += 1
        for _ in range(pulls - (left == 0)):
            steps[todo, 0] = _OR
            todo += 1
        if left:
            steps[todo, 0], steps[todo, 1], steps[todo, 2], steps[todo, 3] = _SUM, insides[pulls], left, depth
            todo += 1
        for p in range(pulls - 1, -1, -1):
            steps[todo, 0], steps[todo, 1] = _AND, names[pulled[p]]
            todo += 1
            n = insides[p + 1] - insides[p]
            steps[todo, 0], steps[todo, 1], steps[todo, 2], steps[todo, 3] = _SUM, insides[p], n, depth + 1
            todo += 1
    return values[0]
