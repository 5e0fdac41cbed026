"""Sharing pairs: the most frequent goes first, counts are kept right, the limit ends it."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from ggp.circuits.pairs import share_pairs


def share(rows: list[list[int]], limit: int = 10**6) -> tuple[list[list[int]], list[tuple[int, int]]]:
    """The rows afterwards, and the pairs."""
    first = np.cumsum([0, *map(len, rows)])
    items = np.array([x for row in rows for x in row], np.int32)
    ends, pairs, _ = share_pairs(first, items, 100, limit)
    return [items[lo:hi].tolist() for lo, hi in zip(first[:-1], ends, strict=True)], [tuple(p) for p in pairs.tolist()]


def by_hand(rows: list[set[int]]) -> list[tuple[int, int]]:
    """The pairs in turn, counted anew each time."""
    found: list[tuple[int, int]] = []
    while True:
        counts = Counter(pair for row in rows for pair in combinations(sorted(row), 2))
        best = min(((-count, pair) for pair, count in counts.items() if count > 1), default=None)
        if best is None:
            return found
        x, y = best[1]
        for row in rows:
            if x in row and y in row:
                row -= {x, y}
                row.add(100 + 2 * len(found))
        found.append((x, y))


@pytest.mark.parametrize("seed", range(60))
def test_the_pairs_that_counting_anew_finds(seed: int) -> None:
    generator = random.Random(seed)
    literals = range(2, generator.randint(8, 60))
    rows = [sorted(generator.sample(literals, generator.randint(1, min(9, len(literals))))) for _ in range(30)]
    left, pairs = share(rows)
    sets = [set(row) for row in rows]
    assert pairs == by_hand(sets)
    assert [set(row) for row in left] == sets


def test_the_limit_ends_it() -> None:
    rows = [[2, 4, 6, 8], [2, 4, 6, 8], [2, 4, 10]]
    assert share(rows, limit=0)[1] == []
    assert share(rows, limit=1)[1] == [(2, 4)]
