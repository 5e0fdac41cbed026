"""The pair of literals that occurs in most rows becomes a gate of its own, again and again: the single-cube part of
fast_extract in logic synthesis, as a kernel.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ggp.circuits.factor import grown
from ggp.core.arraytypes import Bools, Int, Ints, Longs
from ggp.core.kernels import borrowing, kernel

WIDE = 48
"""Pairs inside wider rows are not counted (they are still replaced)."""
_COMPARED = 20
"""So many users of a literal are compared with those of another for one unit of work."""


@borrowing
def _before(counts: Ints, keys: Longs, i: int, j: int) -> bool:
    """Is a pair of a heap more frequent than another, or as frequent and smaller?"""
    return bool(counts[i] > counts[j] or (counts[i] == counts[j] and keys[i] < keys[j]))


@borrowing
def _swap(counts: Ints, keys: Longs, i: int, j: int) -> None:
    counts[i], counts[j] = counts[j], counts[i]
    keys[i], keys[j] = keys[j], keys[i]


@borrowing
def _down(counts: Ints, keys: Longs, at: int, size: int) -> None:
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
def _up(counts: Ints, keys: Longs, at: int) -> None:
    """Restore the order of the heap above one place."""
    while at and _before(counts, keys, at, (at - 1) >> 1):
        _swap(counts, keys, at, (at - 1) >> 1)
        at = (at - 1) >> 1


@kernel
def _frequent(first: Longs, items: Ints, users: Longs) -> tuple[Ints, Longs]:
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


class _Users(NamedTuple):
    """Which rows have each literal: those of x are `where[start[x] : start[x] + width[x]]`, but for what is `gone`."""

    start: Longs
    width: Longs
    left: Longs
    """[literals] how many are not gone"""
    where: Ints
    gone: Bools


@kernel
def _users(first: Longs, items: Ints, literals: int) -> _Users:
    """The users of all literals, with room for those of pairs."""
    most = literals + len(items) + 2
    start, width, left = np.zeros(most, np.int64), np.zeros(most, np.int64), np.zeros(most, np.int64)
    for x in items:
        width[x] += 1
    used = 0
    for x in range(literals):
        start[x] = used
        used += width[x]
        left[x] = width[x]
    where, gone = np.empty(2 * len(items) + 1, np.int32), np.zeros(2 * len(items) + 1, np.bool_)
    fill = start[:literals].copy()
    for i in range(len(first) - 1):
        for k in range(first[i], first[i + 1]):
            where[fill[items[k]]] = i
            fill[items[k]] += 1
    return _Users(start, width, left, where, gone)


@borrowing
def _meet(u: _Users, few: Int, many: Int, found: Longs) -> int:
    """Where two literals are in the same row: places among the users of each, into found[:, 0] and [:, 1]; how often."""
    both = 0
    start, end = u.start[many], u.start[many] + u.width[many]
    for k in range(u.start[few], u.start[few] + u.width[few]):
        if u.gone[k]:
            continue
        lo, hi = start, end
        while lo < hi:
            middle = (lo + hi) >> 1
            if u.where[middle] < u.where[k]:
                lo = middle + 1
            else:
                hi = middle
        if lo < end and u.where[lo] == u.where[k] and not u.gone[lo]:
            found[both, 0], found[both, 1] = k, lo
            both += 1
    return both


@borrowing
def _forget(u: _Users, x: Int, fewer: Int) -> None:
    """So many users of a literal are gone; where these are more than are left, the list is made shorter."""
    u.left[x] -= fewer
    if 2 * u.left[x] < u.width[x]:
        kept = u.start[x]
        for k in range(u.start[x], u.start[x] + u.width[x]):
            if not u.gone[k]:
                u.where[kept] = u.where[k]
                u.gone[kept] = False
                kept += 1
        u.width[x] = u.left[x]


@borrowing
def _replace(
    items: Ints, lo: Int, hi: Int, x: Int, y: Int, fresh: Int, touched: Ints, met: Ints, seen: int
) -> tuple[Int, int]:
    """Replace a pair by a new literal in a row: where the row ends now, and how many literals were met beside the pair.

    met: these literals; touched: in how many rows each was met.
    """
    kept = lo
    for k in range(lo, hi):
        z = items[k]
        if z not in (x, y):
            items[kept] = z
            kept += 1
            if touched[z] == 0:
                met[seen] = z
                seen += 1
            touched[z] += 1
    items[kept] = fresh
    return kept + 1, seen


@kernel
def share_pairs(first: Longs, items: Ints, literals: int, limit: int) -> tuple[Longs, Ints, int]:
    """Share pairs among rows, in place, until the work is done or its limit is reached.

    first: int64 [rows + 1]; items: int32, ascending in each row; literals: pairs get even literals from there on.
    Returns where each row ends now, the two operands of each pair, and the work done.
    """
    ends, u, used = first[1:].copy(), _users(first, items, literals), len(items)
    counts, keys = _frequent(first, items, u.left)
    size = len(counts)
    for at in range(size // 2 - 1, -1, -1):
        _down(counts, keys, at, size)
    operands, pairs, spent = np.empty((len(items) // 2 + 1, 2), np.int32), 0, np.int64(0)
    found = np.empty((len(ends), 2), np.int64)
    touched, met = np.zeros(len(u.start), np.int32), np.empty(len(items) + 1, np.int32)
    while size and spent < limit:
        x, y = keys[0] >> 32, keys[0] & 0xFFFFFFFF
        few, many = (x, y) if u.width[x] <= u.width[y] else (y, x)
        spent += 1 + u.width[few] // _COMPARED
        both = _meet(u, few, many, found)
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
        u.start[fresh], u.width[fresh], u.left[fresh] = used, both, both
        seen = 0
        for c in range(both):
            row = u.where[found[c, 0]]
            u.gone[found[c, 0]] = u.gone[found[c, 1]] = True
            u.where[used] = row
            used += 1
            ends[row], seen = _replace(items, first[row], ends[row], x, y, fresh, touched, met, seen)
        _forget(u, x, both)
        _forget(u, y, both)
        spent += both + seen
        counts, keys = grown(counts, size + seen), grown(keys, size + seen)
        for z in met[:seen]:
            if touched[z] > 1:
                counts[size], keys[size] = touched[z], np.int64(z) << 32 | fresh  # pairs come after what they are made of
                _up(counts, keys, size)
                size += 1
            touched[z] = 0
    return ends, operands[:pairs], int(spent)
