"""The table of positions: open addressing, whole positions are compared."""

from __future__ import annotations

import numpy as np

from ggp.core.kernels import borrowing
from ggp.search.kernels.layout import Graph, Words


@borrowing
def _hash(words: Words) -> int:
    """Of a position, for the table."""
    h = np.uint64(0x9E3779B97F4A7C15)
    for i in range(len(words)):
        h = (h ^ words[i]) * np.uint64(0xD6E8FEB86659FD93)
        h ^= h >> np.uint64(32)
    return int(np.int64(h))


@borrowing
def find(g: Graph, k: int, words: Words) -> int:
    """The node of a position in graph k, or -1. Whole positions are compared."""
    lo, mask = g.head[k].table_lo, g.head[k].table_mask
    at = _hash(words) & mask
    while True:
        x: int = g.table[lo + at]
        if x < 0:
            return -1
        same = True
        for i in range(len(words)):
            same = same and g.position[x, i] == words[i]
        if same:
            return x
        at = (at + 1) & mask


@borrowing
def enter(g: Graph, k: int, x: int) -> None:
    """Put a node into the table, under its position, which is not there yet."""
    lo, mask = g.head[k].table_lo, g.head[k].table_mask
    at = _hash(g.position[x]) & mask
    while g.table[lo + at] >= 0:
        at = (at + 1) & mask
    g.table[lo + at] = x
