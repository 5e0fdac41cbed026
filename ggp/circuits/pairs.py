"""The pair of literals that occurs in most rows becomes a gate of its own, again and again: the single-cube part of
fast_extract in logic synthesis, as a kernel.
"""

from __future__ import annotations

import numpy as np

from ggp.circuits.factor import grown
from ggp.core.kernels import borrowing, kernel

WIDE = 48
"""Pairs inside wider rows are not counted (they are still replaced)."""
_COMPARED = 20
"""So many users of a literal are compared with those of another for one unit of work."""


@borrowing
def _before(counts, keys, i, j):  # type: ignore[no-untyped-def]
    """Is a pair of a heap more frequent than another, or as frequent and smaller?"""
    return counts[i] > counts[j] or (counts[i] == counts[j] and keys[i] < keys[j])


@borrowing
def _swap(counts, keys, i, j):  # type: ignore[no-untyped-def]
    counts[i], counts[j] = counts[j], counts[i]
    keys[i], keys[j] = keys[j], keys[i]


@borrowing
def _down(counts, keys, at, size):  # type: ignore[no-untyped-def]
    """Restore the order of the heap below one place."""
    while True:
        child = 2 * at + 1
        if child >= size:
            return
        if child + 1 < size and _before(counts, keys, child + 1, child):
            child += 1
        if not _before(counts, keys, child, at):
            return
        _swap(counts, keys, child, at)
        at = child


@borrowing
def _up(counts, keys, at):  # type: ignore[no-untyped-def]
    """Restore the order of the heap above one place."""
    while at and _before(counts, keys, at, (at - 1) >> 1):
        _swap(counts, keys, at, (at - 1) >> 1)
        at = (at - 1) >> 1


@kernel
def _frequent(first, items, users):  # type: ignore[no-untyped-def]
    """The pairs that occur in more than one row, and in how many: counts and keys, (smaller << 32 | larger).

    Most pairs occur once. They are sorted out by counters that several pairs may share.
    """
    total = 0
    for i in range(len(first) - 1):
        width = first[i + 1] - first[i]
        if width <= WIDE:
            total += width * (width - 1) // 2
    size = 1 << 10
    while size < 4 * total and size < 1 << 26:
        size *= 2
    counters = np.zeros(size, np.uint8)
    keys, found = np.empty(16, np.int64), 0
    for collect in (False, True):
        for i in range(len(first) - 1):
            if first[i + 1] - first[i] > WIDE:
                continue
            for a in range(first[i], first[i + 1]):
                x = np.int64(items[a])
                if users[x] < 2:
                    continue
                for b in range(a + 1, first[i + 1]):
                    if users[items[b]] < 2:
                        continue
                    key = x << 32 | np.int64(items[b])
                    slot = ((key * 0x5851F42D4C957F2D) >> 20) & (size - 1)
                    if not collect:
                        counters[slot] = min(2, counters[slot] + 1)
                    elif counters[slot] == 2:
                        keys = grown(keys, found + 1)
                        keys[found] = key
                        found += 1
    keys = np.sort(keys[:found])
    counts, kept, i = np.empty(found // 2, np.int32), 0, 0
    while i < found:
        j = i
        while j < found and keys[j] == keys[i]:
            j += 1
        if j - i > 1:
            counts[kept], keys[kept] = j - i, keys[i]
            kept += 1
        i = j
    return counts[:kept], keys[:kept]


@kernel
def share_pairs(first, items, literals, limit):  # type: ignore[no-untyped-def]
    """Share pairs among rows, in place, until the work is done or its limit is reached.

    first: int64 [rows + 1]; items: int32, ascending in each row; literals: pairs get even literals from there on.
    Returns where each row ends now, the two operands of each pair, and the work done.
    """
    rows, total = len(first) - 1, len(items)
    ends = first[1:].copy()
    most = literals + total + 2
    start, width, users = np.zeros(most, np.int64), np.zeros(most, np.int64), np.zeros(most, np.int64)
    for x in items:
        width[x] += 1
    used = 0
    for x in range(literals):
        start[x] = used
        used += width[x]
        users[x] = width[x]
    where, gone = np.empty(2 * total + 1, np.int32), np.zeros(2 * total + 1, np.bool_)
    fill = start[:literals].copy()
    for i in range(rows):
        for k in range(first[i], first[i + 1]):
            where[fill[items[k]]] = i
            fill[items[k]] += 1
    counts, keys = _frequent(first, items, users)
    size = len(counts)
    for at in range(size // 2 - 1, -1, -1):
        _down(counts, keys, at, size)
    operands = np.empty((total // 2 + 1, 2), np.int32)
    pairs = spent = 0
    common, at_x, at_y = np.empty(rows, np.int32), np.empty(rows, np.int64), np.empty(rows, np.int64)
    touched, met = np.zeros(most, np.int32), np.empty(total + 1, np.int32)
    while size and spent < limit:
        x, y = keys[0] >> 32, keys[0] & 0xFFFFFFFF
        few, many = (x, y) if width[x] <= width[y] else (y, x)
        spent += 1 + width[few] // _COMPARED
        both = 0
        for k in range(start[few], start[few] + width[few]):
            if gone[k]:
                continue
            lo, hi = start[many], start[many] + width[many]
            while lo < hi:
                middle = (lo + hi) >> 1
                if where[middle] < where[k]:
                    lo = middle + 1
                else:
                    hi = middle
            if lo < start[many] + width[many] and where[lo] == where[k] and not gone[lo]:
                common[both], at_x[both], at_y[both] = where[k], k, lo
                both += 1
        if both != counts[0] and both > 1:
            counts[0] = both
            _down(counts, keys, 0, size)
            continue
        size -= 1
        counts[0], keys[0] = counts[size], keys[size]
        _down(counts, keys, 0, size)
        if both < 2:
            continue
        fresh = literals + 2 * pairs
        operands[pairs, 0], operands[pairs, 1] = x, y
        pairs += 1
        start[fresh], width[fresh], users[fresh] = used, both, both
        seen = 0
        for c in range(both):
            row = common[c]
            gone[at_x[c]] = gone[at_y[c]] = True
            where[used] = row
            used += 1
            kept = first[row]
            for k in range(first[row], ends[row]):
                z = items[k]
                if z not in (x, y):
                    items[kept] = z
                    kept += 1
                    if touched[z] == 0:
                        met[seen] = z
                        seen += 1
                    touched[z] += 1
            items[kept] = fresh
            ends[row] = kept + 1
        for z in (x, y):
            users[z] -= both
            if 2 * users[z] < width[z]:
                kept = start[z]
                for k in range(start[z], start[z] + width[z]):
                    if not gone[k]:
                        where[kept] = where[k]
                        gone[kept] = False
                        kept += 1
                width[z] = users[z]
        spent += both + seen
        for m in range(seen):
            z = np.int64(met[m])
            if touched[z] > 1:
                counts, keys = grown(counts, size + 1), grown(keys, size + 1)
                counts[size], keys[size] = touched[z], z << 32 | fresh  # pairs come after all they are made of
                _up(counts, keys, size)
                size += 1
            touched[z] = 0
    return ends, operands[:pairs], spent
