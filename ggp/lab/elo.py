"""Elo differences from scores, and ratings of many players (the Bradley–Terry model) with error bars.

An Elo difference d means an expected score of 1 / (1 + 10^(-d/400)); a draw counts as half a win.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ggp.core.errors import UsageError
from ggp.core.statistics import CONFIDENCE, normal_quantile

_SCALE = 400 / math.log(10)

Points = NDArray[np.float64]
"""Points [i, j] that player i took from player j: 1 for a win, a half for a draw."""


@dataclass(frozen=True)
class EloDifference:
    """How much stronger one player is than another, in Elo; infinite where it won or lost everything."""

    value: float
    low: float
    high: float
    superiority: float
    """How likely it is that the first is the stronger (normal approximation), 0 to 1."""


@dataclass(frozen=True)
class Ratings:
    """Ratings of players that played each other; their mean is 0."""

    values: tuple[float, ...]
    errors: tuple[float, ...]
    """Half widths of the intervals, against the mean of all."""
    virtual_draws: float
    """Draws that were added between each two players that met, because somebody won or lost everything."""


def expected_score(difference: float) -> float:
    """The score 0 to 1 that an Elo difference stands for."""
    return 1 / (1 + 10 ** (-difference / 400))


def elo_of_score(score: float) -> float:
    """The Elo difference that a score 0 to 1 stands for."""
    if score <= 0:
        return -math.inf
    return math.inf if score >= 1 else _SCALE * math.log(score / (1 - score))


def elo_of_results(counts: Sequence[float], confidence: float = CONFIDENCE) -> EloDifference:
    """The difference from how often each result came up, from all points lost to all points won, in equal steps.

    Three counts are losses, draws and wins; five are pairs of matches with 0, ½, 1, 1½ and 2 points.
    """
    mean, variance = moments(counts)
    error = math.sqrt(variance / sum(counts))
    reach = normal_quantile(confidence) * error
    superiority = 0.5 * (1 + math.erf((mean - 0.5) / error / math.sqrt(2))) if error else 0.5 * (1 + _sign(mean - 0.5))
    return EloDifference(elo_of_score(mean), elo_of_score(mean - reach), elo_of_score(mean + reach), superiority)


def moments(counts: Sequence[float]) -> tuple[float, float]:
    """The mean and the variance of a result, scaled to 0 to 1."""
    total = sum(counts)
    if len(counts) < 2 or total <= 0 or min(counts) < 0:
        raise UsageError(f"{list(counts)} are no counts of results")
    steps = len(counts) - 1
    mean = sum(i * n for i, n in enumerate(counts)) / steps / total
    return mean, sum(n * (i / steps - mean) ** 2 for i, n in enumerate(counts)) / total


def ratings(points: Points, confidence: float = CONFIDENCE) -> Ratings:
    """The most likely ratings. Where none are finite, one draw is added between each two players that met.

    Every player must have met the others, directly or through third ones.
    """
    points = np.asarray(points, np.float64)
    played = (points + points.T) > 0
    if not _reaches_all(played):
        raise UsageError("some players never met, not even through others: their ratings cannot be compared")
    virtual = 0.0 if _reaches_all(points > 0) and _reaches_all(points.T > 0) else 1.0
    strengths = _most_likely(points + virtual / 2 * played)
    covariance = _covariance(points + virtual / 2 * played, strengths)
    reach = normal_quantile(confidence)
    return Ratings(
        tuple((_SCALE * strengths).tolist()),
        tuple((_SCALE * reach * np.sqrt(np.diag(covariance))).tolist()),
        virtual,
    )


def rating_difference(points: Points, first: int, second: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """The rating of one player minus that of another, and the half width of its interval."""
    strengths = _most_likely(points)
    covariance = _covariance(points, strengths)
    variance = covariance[first, first] + covariance[second, second] - 2 * covariance[first, second]
    reach = normal_quantile(confidence) * math.sqrt(variance)
    return _SCALE * float(strengths[first] - strengths[second]), _SCALE * reach


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)


def _reaches_all(edges: NDArray[np.bool_]) -> bool:
    """Whether the first player reaches all others along edges."""
    seen, front = {0}, [0]
    while front:
        at = front.pop()
        new = [int(i) for i in np.flatnonzero(edges[at]) if int(i) not in seen]
        seen.update(new)
        front += new
    return len(seen) == len(edges)


def _most_likely(points: Points) -> NDArray[np.float64]:
    """Newton's method on the log-likelihood, which is concave; strengths (natural logarithms) with mean 0."""
    count = len(points)
    games = points + points.T
    strengths = np.zeros(count)
    for _ in range(200):
        expected = 1 / (1 + np.exp(strengths[None, :] - strengths[:, None]))
        slope = (points - games * expected).sum(axis=1)
        step = np.linalg.solve(_information(games, expected) + np.ones((count, count)), slope)
        strengths += step * min(1.0, 2.0 / max(float(np.abs(step).max()), 1e-300))
        if np.abs(step).max() < 1e-12:
            break
    centred: NDArray[np.float64] = strengths - strengths.mean()
    return centred


def _information(games: Points, expected: Points) -> NDArray[np.float64]:
    """Fisher's information of the strengths; its rows sum to 0."""
    weights = games * expected * (1 - expected)
    matrix: NDArray[np.float64] = np.diag(weights.sum(axis=1)) - weights
    return matrix


def _covariance(points: Points, strengths: NDArray[np.float64]) -> NDArray[np.float64]:
    """The covariance of the strengths if their mean is held at 0."""
    expected = 1 / (1 + np.exp(strengths[None, :] - strengths[:, None]))
    inverse: NDArray[np.float64] = np.linalg.pinv(_information(points + points.T, expected)).astype(np.float64)
    return inverse
