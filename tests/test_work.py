"""Counted work: a part ends at its share of the whole, and what it spends is spent for the whole."""

from __future__ import annotations

from ggp.circuits.work import Work


def test_a_part_spends_for_the_whole() -> None:
    whole = Work(100)
    whole.spend(10)
    part = whole.until(0.5)
    assert part.left == 40
    part.spend(30)
    assert (part.left, whole.left) == (10, 60)
    part.spend(30)
    assert (part.left, whole.left, whole.spent) == (0, 30, 70)


def test_a_part_ends_with_the_whole_and_parts_have_parts() -> None:
    whole = Work(100)
    part = whole.until(0.8)
    inner = part.until(0.5)
    assert inner.left == 40
    whole.spend(90)
    assert (inner.left, part.left) == (10, 10)
    inner.spend(5)
    assert (whole.spent, part.spent) == (95, 5)
