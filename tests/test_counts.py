"""Counting circuits, and the rules that are recognised as counting."""

from __future__ import annotations

import random

import pytest

from ggp.circuits.counts import SMALLEST, Counter, Counts, population
from ggp.circuits.graph import Graph
from tests.small_programs import values


def leaves_of(n: int) -> list[int]:
    return [sum(1 << row for row in range(1 << n) if row >> i & 1) for i in range(n)]


@pytest.mark.parametrize("n", range(1, 9))
def test_the_digits_are_the_number_of_literals_that_hold(n: int) -> None:
    graph = Graph(n)
    digits = population(graph, [2 * (1 + i) for i in range(n)])
    found = values(graph, leaves_of(n), 1 << n)
    for row in range(1 << n):
        count = sum(((found[d >> 1] >> row & 1) ^ (d & 1)) << i for i, d in enumerate(digits))
        assert count == row.bit_count()


@pytest.mark.parametrize("seed", range(40))
def test_any_set_of_counts(seed: int) -> None:
    generator = random.Random(seed)
    n = generator.randint(1, 8)
    graph = Graph(n)
    counter = Counter(graph, [2 * (1 + i) for i in range(n)])
    mask = generator.randrange(1 << (n + 1))
    literal = counter.member(mask)
    found = values(graph, leaves_of(n), 1 << n)
    for row in range(1 << n):
        assert bool((found[literal >> 1] >> row & 1) ^ (literal & 1)) == bool(mask >> row.bit_count() & 1)


def counting(n: int, *, spoiled: bool = False) -> tuple[dict[int, list[tuple[int, ...]]], dict[tuple[int, int], int]]:
    """Rules by which atom (k, c) says that c of the first k leaves hold; leaves are the atoms 1 to n."""
    atom = {(k, c): 100 * k + c + 1000 for k in range(1, n + 1) for c in range(k + 1)}
    bodies: dict[int, list[tuple[int, ...]]] = {}
    for (k, c), head in atom.items():
        if k == 1:
            bodies[head] = [(1,) if c else (-1,)]
            continue
        bodies[head] = [(k, atom[k - 1, c - 1])] if c else []
        if c < k:
            bodies[head].append((-k, atom[k - 1, c]))
    if spoiled:
        bodies[atom[n, 1]][0] = (n, atom[n - 1, 1])
    return bodies, atom


def test_rules_that_count_are_recognised() -> None:
    bodies, atom = counting(6)
    found = Counts(bodies, [[head] for head in sorted(bodies)])
    for (k, c), head in atom.items():
        if k >= SMALLEST:
            number, count = found.of[head]
            assert (count, found.sets[number]) == (c, frozenset(range(1, k + 1)))


def test_rules_that_nearly_count_are_not() -> None:
    bodies, atom = counting(6, spoiled=True)
    found = Counts(bodies, [[head] for head in sorted(bodies)])
    assert atom[6, 1] not in found.of
    assert atom[6, 2] in found.of
