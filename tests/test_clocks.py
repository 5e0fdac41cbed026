"""Deadlines: something is always kept in hand, whatever the clock, and more where the mind was late."""

from __future__ import annotations

import pytest

from ggp.match.clocks import Lag, due


@pytest.mark.parametrize(
    ("clock", "margin", "answer_after"), [(0, 1, 0.14), (1, 1, 0.7), (1, 0.1, 0.9), (10, 1, 9), (30, 2, 28), (2, 5, 1.4)]
)
def test_the_margin_is_kept(clock: float, margin: float, answer_after: float) -> None:
    found = due(50.0, clock, margin, 0.3)
    assert found.answer_by == pytest.approx(50 + answer_after)
    assert found.answer_by <= found.guess_by <= 50 + max(clock, 0.2)
    assert due(50.0, clock, margin, 0.3, lag=0.1).decide_by == pytest.approx(
        found.answer_by - min(0.1, 0.3 * max(0.2, clock))
    )


def test_a_late_mind_is_asked_earlier() -> None:
    lag = Lag()
    quiet = lag.seconds
    lag.observe(-1.0)
    assert lag.seconds == quiet
    lag.observe(0.4)
    assert lag.seconds > 0.5
    for _ in range(50):
        lag.observe(-0.1)
    assert lag.seconds == quiet
    lag.observe(100.0)
    assert due(0.0, 10, 1.0, 0.3, lag.seconds).decide_by == pytest.approx(6.0)
