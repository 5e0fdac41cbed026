"""Statistics against published values."""

from __future__ import annotations

import math

import pytest

from ggp.core.errors import UsageError
from ggp.core.statistics import (
    mean,
    normal_quantile,
    percent,
    ratio_of_means,
    student_quantile,
    two_means,
    two_proportions,
    wilson,
)


@pytest.mark.parametrize(
    ("freedom", "quantile"), [(1, 12.706), (2, 4.303), (5, 2.571), (10, 2.228), (30, 2.042), (120, 1.980)]
)
def test_student_as_in_every_table(freedom: int, quantile: float) -> None:
    assert student_quantile(0.95, freedom) == pytest.approx(quantile, abs=5e-4)


def test_student_at_other_confidences() -> None:
    assert student_quantile(0.99, 10) == pytest.approx(3.169, abs=5e-4)
    assert student_quantile(0.90, 5) == pytest.approx(2.015, abs=5e-4)
    assert student_quantile(0.95, 10**6) == pytest.approx(normal_quantile(0.95), abs=1e-5)


def test_mean_of_the_sleep_data() -> None:
    """Student's own data, 1908: the additional sleep of ten patients, mean 1.58, interval 0.70 to 2.46."""
    found = mean([1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4])
    assert found.value == pytest.approx(1.58)
    assert (found.low, found.high) == pytest.approx((0.700, 2.460), abs=5e-4)
    assert found.error == pytest.approx(0.3890, abs=5e-5)
    assert found.count == 10


def test_one_value_tells_nothing_of_the_spread() -> None:
    found = mean([50.0])
    assert (found.value, found.low, found.high) == (50.0, -math.inf, math.inf)


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_as_in_newcombe_1998a(successes: int, trials: int, low: float, high: float) -> None:
    """R. G. Newcombe, Statistics in Medicine 17, 857-872, 1998, table I, method 3."""
    assert wilson(successes, trials) == pytest.approx((low, high), abs=5e-5)


def test_wilson_stays_within_0_and_1() -> None:
    assert wilson(7, 7)[1] == pytest.approx(1.0)
    assert wilson(0, 7)[0] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize(
    ("first", "trials", "second", "others", "low", "high"),
    [(56, 70, 48, 80, 0.0524, 0.3339), (9, 10, 3, 10, 0.1705, 0.8090), (5, 56, 0, 29, -0.0381, 0.1926)],
)
def test_difference_as_in_newcombe_1998b(
    first: int, trials: int, second: int, others: int, low: float, high: float
) -> None:
    """R. G. Newcombe, Statistics in Medicine 17, 873-890, 1998, table II, method 10."""
    found = two_proportions(first, trials, second, others)
    assert (found.low, found.high) == pytest.approx((low, high), abs=5e-5)


def test_pooled_test_as_worked_by_hand() -> None:
    """56/70 against 48/80: pooled 104/150, z = 0.2 / sqrt(0.69333·0.30667·(1/70 + 1/80)) = 2.650."""
    found = two_proportions(56, 70, 48, 80)
    assert found.z == pytest.approx(2.650, abs=5e-4)
    assert found.p == pytest.approx(0.0080, abs=5e-5)


def test_percent_of_wins_and_losses_is_wilson() -> None:
    found = percent([100.0] * 56 + [0.0] * 14)
    low, high = wilson(56, 70)
    assert found.value == 80.0
    assert (found.low, found.high) == pytest.approx((100 * low, 100 * high), abs=0.2)
    assert found.error == pytest.approx(100 * math.sqrt(0.8 * 0.2 / 69))


def test_percent_of_graded_goals_is_narrower() -> None:
    found = percent([80.0, 82.0, 81.0, 83.0] * 50)
    plain = mean([80.0, 82.0, 81.0, 83.0] * 50)
    assert found.value == 81.5
    assert (found.low, found.high) == pytest.approx((plain.low, plain.high), abs=0.01)


def test_percent_of_all_alike_is_no_point() -> None:
    found = percent([100.0] * 20)
    assert found.high == 100.0
    assert found.low == pytest.approx(100 - 16.11, abs=0.01)


def test_two_means() -> None:
    found = two_means(99.8, 0.3, 99.0, 0.4)
    assert found.value == pytest.approx(0.8)
    assert found.z == pytest.approx(1.6)
    assert (found.low, found.high) == pytest.approx((0.8 - 0.98, 0.8 + 0.98), abs=1e-4)
    assert two_means(1, 0, 1, 0).z == 0
    assert two_means(2, 0, 1, 0).p == 0


def test_nonsense_is_refused() -> None:
    with pytest.raises(UsageError, match="no values"):
        mean([])
    with pytest.raises(UsageError, match="3 of 2"):
        wilson(3, 2)
    with pytest.raises(UsageError, match="between 0 and 1"):
        normal_quantile(95)


def test_ratio_as_worked_by_hand() -> None:
    """Ratios 21/30; residuals 0.3, -0.1, -0.2: variance 0.07, error sqrt(0.07/3)/10."""
    found = ratio_of_means([7.0, 6.9, 7.1], [9.571428571428571, 10.0, 10.428571428571429])
    assert found.value == pytest.approx(0.7)
    assert found.error == pytest.approx(math.sqrt(0.07 / 3) / 10)
    assert (found.high - found.low) / 2 == pytest.approx(4.303 * found.error, rel=1e-3)
    with pytest.raises(UsageError, match="not all zero below"):
        ratio_of_means([1, 2], [0, 0])
