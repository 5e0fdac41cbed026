"""What is kept in hand for delays: more for those that come again, and for an accident once only."""

from __future__ import annotations

import pytest

from ggp.core.delays import Delays, Pace


def kept_after(*late: float) -> float:
    delays = Delays(0.03)
    for each in late:
        delays.observe(each)
    return delays.seconds


def test_who_is_in_time_keeps_the_least() -> None:
    assert kept_after() == kept_after(-1.0) == kept_after(*[-0.1] * 50) == 0.03


def test_a_delay_is_kept_in_hand_at_once() -> None:
    assert kept_after(0.4) > 0.5


@pytest.mark.parametrize("accident", [0.5, 9.4, 100.0])
def test_one_accident_costs_one_move(accident: float) -> None:
    """Also where it is the very first thing that is measured: what is loaded then takes a while."""
    assert kept_after(accident, 0.0) == kept_after(0.0, -1.0, accident, 0.0) == 0.03


def test_what_comes_again_is_kept_in_hand_for_a_while() -> None:
    now_and_then = [0.2, *[0.0] * 5] * 4
    assert kept_after(*now_and_then) > 0.3
    assert kept_after(*now_and_then, *[0.0] * 20) == 0.03


def pace_of(*rounds: float) -> float:
    pace = Pace()
    for taken in rounds:
        pace.observe(taken)
    return pace.seconds


def test_a_slow_first_round_is_not_taken_for_the_pace() -> None:
    assert pace_of() == 0
    assert pace_of(5.0) == 5
    assert pace_of(5.0, 0.01) == 0.01
    assert pace_of(0.01, 0.01, 5.0, 0.01) == pytest.approx(0.01)


def test_the_longest_rounds_but_one_are_expected_again_and_forgotten_slowly() -> None:
    assert pace_of(0.2, 0.1, 0.3) == pytest.approx(0.16)
    assert 0.05 < pace_of(0.2, 0.2, *[0.01] * 100) < 0.15
    assert pace_of(0.2, 0.2, *[0.01] * 1000) == pytest.approx(0.01, rel=0.2)
