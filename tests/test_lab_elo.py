"""Elo differences and ratings against published values."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ggp.core.errors import UsageError
from ggp.core.statistics import normal_quantile
from ggp.lab.elo import elo_of_results, elo_of_score, expected_score, moments, rating_difference, ratings

NATURAL = math.log(10) / 400


@pytest.mark.parametrize(("score", "elo"), [(0.76, 200), (0.64, 100), (0.5, 0), (10 / 11, 400), (0.24, -200)])
def test_scores_and_differences(score: float, elo: float) -> None:
    assert elo_of_score(score) == pytest.approx(elo, abs=0.3)
    assert expected_score(elo) == pytest.approx(score, abs=5e-4)


def test_scores_without_a_finite_difference() -> None:
    assert (elo_of_score(0), elo_of_score(1)) == (-math.inf, math.inf)


@pytest.mark.parametrize(
    ("pairs", "elo", "half", "superiority"),
    [
        ([73, 79, 296, 91, 118], 27.02, 15.81, 99.96),
        ([46, 0, 0, 0, 46], 0.0, 72.0, 50.0),
        ([66, 79, 5, 0, 0], -303.61, 30.73, 0.0),
        ([19, 23, 269, 81, 108], 83.57, 16.15, 100.0),
        ([307, 619, 1202, 725, 353], 10.73, 6.70, 99.92),
        ([84, 124, 343, 125, 164], 33.40, 14.24, 100.0),
        ([12, 6, 25, 8, 9], -11.59, 56.66, 34.29),
        ([11, 1, 32, 8, 48], 149.26, 55.24, 100.0),
    ],
)
def test_pairs_as_fastchess_prints_them(pairs: list[int], elo: float, half: float, superiority: float) -> None:
    """Reports of the match runner fastchess in public release notes (the second line by hand: ½ ± 1.96·½/√92)."""
    found = elo_of_results(pairs)
    assert found.value == pytest.approx(elo, abs=0.006)
    assert (found.high - found.low) / 2 == pytest.approx(half, abs=0.006 if elo else 0.05)
    assert 100 * found.superiority == pytest.approx(superiority, abs=0.006)


def test_all_won_has_no_upper_end() -> None:
    found = elo_of_results([0, 0, 10])
    assert (found.value, found.superiority) == (math.inf, 1.0)


def test_moments() -> None:
    assert moments([1, 0, 1]) == (0.5, 0.25)
    with pytest.raises(UsageError, match="no counts"):
        moments([0, 0, 0])


def test_ratings_of_the_textbook_example() -> None:
    """The worked example of the encyclopedia article on the Bradley-Terry model: strengths with geometric mean 1."""
    points = np.array([[0, 2, 0, 1], [3, 0, 5, 0], [0, 3, 0, 1], [4, 0, 3, 0]], float)
    found = ratings(points)
    assert np.exp(np.array(found.values) * NATURAL) == pytest.approx([0.640, 1.043, 0.660, 2.270], abs=5e-4)
    assert found.virtual_draws == 0
    assert sum(found.values) == pytest.approx(0)


BASEBALL = {
    "Milwaukee": ([0, 7, 9, 7, 7, 9, 11], 1.5814, 0.3433),
    "Detroit": ([6, 0, 7, 5, 11, 9, 9], 1.4364, 0.3396),
    "Toronto": ([4, 6, 0, 7, 7, 8, 12], 1.2945, 0.3367),
    "New York": ([6, 8, 6, 0, 6, 7, 10], 1.2476, 0.3359),
    "Boston": ([6, 2, 6, 7, 0, 7, 12], 1.1077, 0.3339),
    "Cleveland": ([4, 4, 5, 6, 6, 0, 6], 0.6839, 0.3319),
    "Baltimore": ([2, 4, 1, 3, 1, 7, 0], 0.0, 0.0),
}
"""A. Agresti, Categorical Data Analysis: the American League of 1987; wins, ability and its standard error."""


def test_ratings_and_error_bars_of_the_american_league() -> None:
    points = np.array([wins for wins, _, _ in BASEBALL.values()], float)
    for team, (_, ability, error) in enumerate(BASEBALL.values()):
        value, half = rating_difference(points, team, 6)
        assert value * NATURAL == pytest.approx(ability, abs=5e-5)
        assert half * NATURAL / normal_quantile(0.95) == pytest.approx(error, abs=5e-5)


def test_two_players_agree_with_the_simple_formula() -> None:
    found = ratings(np.array([[0, 60.5], [39.5, 0]]))
    assert found.values[0] - found.values[1] == pytest.approx(elo_of_score(0.605))
    information = 100 * 0.605 * 0.395
    assert 2 * found.errors[0] * NATURAL == pytest.approx(normal_quantile(0.95) / math.sqrt(information))


def test_who_lost_everything_gets_a_draw() -> None:
    found = ratings(np.array([[0, 10], [0, 0]], float))
    assert found.virtual_draws == 1
    assert found.values[0] - found.values[1] == pytest.approx(elo_of_score(10.5 / 11))


def test_who_never_met_cannot_be_compared() -> None:
    points = np.zeros((4, 4))
    points[0, 1] = points[2, 3] = 1
    with pytest.raises(UsageError, match="never met"):
        ratings(points)
