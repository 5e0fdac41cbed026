"""Deadlines: something is always kept in hand, whatever the clock, and more where the mind is wont to be late."""

from __future__ import annotations

import pytest

from ggp.match.clocks import due, share_used


@pytest.mark.parametrize(
    ("clock", "margin", "answer_after"),
    [(0, 1, 0.14), (1, 1, 0.7), (1, 0.1, 0.9), (2, 0.06, 1.94), (10, 1, 9), (30, 2, 28), (2, 5, 1.4)],
)
def test_the_margin_is_kept(clock: float, margin: float, answer_after: float) -> None:
    found = due(50.0, clock, margin)
    assert found.answer_by == pytest.approx(50 + answer_after)
    assert found.answer_by <= found.guess_by <= 50 + max(clock, 0.2)
    assert due(50.0, clock, margin, lag=0.1).decide_by == pytest.approx(found.answer_by - min(0.1, 0.3 * max(0.2, clock)))


def test_no_delay_takes_all_of_a_clock() -> None:
    assert due(0.0, 10, 1.0, lag=100.0).decide_by == pytest.approx(6.0)


def test_the_part_of_a_clock_that_was_searched() -> None:
    assert share_used({"seconds": 1.5}, 2) == {"used": 0.75}
    assert share_used({"forced": True}, 2) == {} == share_used({"seconds": 1.5}, 0)
