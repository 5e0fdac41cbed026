"""Counting in two colours is recognised in rules, and nothing else is taken for it."""

from __future__ import annotations

import itertools

import pytest

from ggp.circuits.paircounts import SMALLEST, PairCounts

Bodies = dict[int, list[tuple[int, ...]]]
SQUARES = 6


def black(k: int) -> int:
    return 2 * k + 1


def red(k: int) -> int:
    return 2 * k + 2


def clear(k: int) -> int:
    return 100 + k


def counting(squares: int) -> tuple[Bodies, dict[tuple[int, int, int], int]]:
    """Rules for the atoms (k, n, m): of the first k squares n are black and m are red."""
    numbers = itertools.count(1000)
    atom = {
        (k, n, m): next(numbers) for k in range(1, squares + 1) for n in range(k + 1) for m in range(k + 1) if n + m <= k
    }
    bodies: Bodies = {clear(k): [(-black(k), -red(k))] for k in range(squares)}
    for (k, n, m), head in atom.items():
        ways = [(black(k - 1), (k - 1, n - 1, m)), (red(k - 1), (k - 1, n, m - 1)), (clear(k - 1), (k - 1, n, m))]
        if k == 1:
            bodies[head] = [(case,) for case, before in ways if before == (0, 0, 0)]
        else:
            bodies[head] = [(case, atom[before]) for case, before in ways if before in atom]
    return bodies, atom


def recognised(bodies: Bodies) -> PairCounts:
    groups = [((black(k), red(k)), False) for k in range(SQUARES)]
    return PairCounts(bodies, [[head] for head in sorted(bodies)], groups)


def test_counts_of_enough_squares_are_recognised() -> None:
    bodies, atom = counting(SQUARES)
    found = recognised(bodies)
    for (k, n, m), head in atom.items():
        if k >= SMALLEST:
            assert found.of[head] == (frozenset(range(k)), n, m)
        else:
            assert head not in found.of
    assert found.first == {k: black(k) for k in range(SQUARES)}
    assert found.second == {k: red(k) for k in range(SQUARES)}


def spoiled(change: str) -> Bodies:
    bodies, atom = counting(SQUARES)
    head = atom[SQUARES, 2, 2]
    (_, before_black), (_, before_red), (_, before_clear) = bodies[head]
    last = SQUARES - 1
    changes: dict[str, list[tuple[int, ...]]] = {
        "a case is missing": [(black(last), before_black), (red(last), before_red)],
        "colours are mixed up": [(red(last), before_black), (black(last), before_red), (clear(last), before_clear)],
        "a negation": [(black(last), before_black), (red(last), before_red), (-clear(last), before_clear)],
        "a square again": [(black(0), before_black), (red(0), before_red), (clear(0), before_clear)],
        "a case more": [*bodies[head], (black(last), before_red)],
    }
    bodies[head] = changes[change]
    return bodies


@pytest.mark.parametrize(
    "change", ["a case is missing", "colours are mixed up", "a negation", "a square again", "a case more"]
)
def test_rules_that_nearly_count_are_not(change: str) -> None:
    _, atom = counting(SQUARES)
    found = recognised(spoiled(change))
    assert atom[SQUARES, 2, 2] not in found.of
    assert atom[SQUARES, 2, 1] in found.of


def test_without_squares_nothing_is_found() -> None:
    bodies, _ = counting(SQUARES)
    assert PairCounts(bodies, [[head] for head in sorted(bodies)], []).of == {}
