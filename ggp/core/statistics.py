"""Means, proportions and their intervals, as pure functions.

A confidence of 0.95 means: of 100 such intervals, 95 are expected to hold the true value.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

from ggp.core.errors import UsageError

CONFIDENCE = 0.95
"""The confidence of intervals where none is asked for."""


@dataclass(frozen=True)
class Estimate:
    """An estimated value with its interval."""

    value: float
    error: float
    """Standard error."""
    low: float
    high: float
    count: int
    """How many observations it rests on."""


@dataclass(frozen=True)
class Difference:
    """What two proportions differ by: first minus second."""

    value: float
    low: float
    high: float
    z: float
    """In standard errors, if both were the same."""
    p: float
    """How likely a difference at least so large is, if both were the same."""


def normal_quantile(confidence: float) -> float:
    """How many standard errors an interval of that confidence reaches to either side."""
    if not 0 < confidence < 1:
        raise UsageError(f"a confidence lies between 0 and 1, not at {confidence}")
    return NormalDist().inv_cdf(0.5 + confidence / 2)


def mean(values: Sequence[float], confidence: float = CONFIDENCE) -> Estimate:
    """The mean with Student's interval; a single value has an infinite one."""
    count = len(values)
    if not count:
        raise UsageError("no values, no mean")
    middle = math.fsum(values) / count
    if count == 1:
        return Estimate(middle, math.inf, -math.inf, math.inf, 1)
    error = math.sqrt(math.fsum((x - middle) ** 2 for x in values) / (count - 1) / count)
    reach = student_quantile(confidence, count - 1) * error
    return Estimate(middle, error, middle - reach, middle + reach, count)


def percent(goals: Sequence[float], confidence: float = CONFIDENCE) -> Estimate:
    """The mean of goals 0 to 100 with an interval that stays within 0 to 100, and is not a point where all are alike.

    Wilson's interval for the number of observations that would give this variance to a yes-or-no question.
    """
    plain = mean(goals, confidence)
    share = plain.value / 100
    if plain.count > 1 and plain.error > 0 and 0 < share < 1:
        alike = share * (1 - share) / (plain.error / 100) ** 2
        low, high = wilson(share * alike, alike, confidence)
    else:
        low, high = wilson(share * plain.count, plain.count, confidence)
    error = 0.0 if plain.count == 1 else plain.error
    return Estimate(plain.value, error, 100 * low, 100 * high, plain.count)


def wilson(successes: float, trials: float, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Wilson's interval for a proportion; half successes (draws) are allowed."""
    if trials <= 0 or not 0 <= successes <= trials * (1 + 1e-12):
        raise UsageError(f"{successes} of {trials} is no proportion")
    z = normal_quantile(confidence)
    share = min(1.0, successes / trials)
    centre = share + z * z / (2 * trials)
    reach = z * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    scale = 1 + z * z / trials
    return max(0.0, (centre - reach) / scale), min(1.0, (centre + reach) / scale)


def two_proportions(
    first: float, trials: float, second: float, others: float, confidence: float = CONFIDENCE
) -> Difference:
    """Compare two proportions: Newcombe's interval of the difference, and the pooled z test."""
    p, q = first / trials, second / others
    low1, high1 = wilson(first, trials, confidence)
    low2, high2 = wilson(second, others, confidence)
    pooled = (first + second) / (trials + others)
    error = math.sqrt(pooled * (1 - pooled) * (1 / trials + 1 / others))
    z = (p - q) / error if error else 0.0
    return Difference(
        p - q,
        p - q - math.hypot(p - low1, high2 - q),
        p - q + math.hypot(high1 - p, q - low2),
        z,
        2 * NormalDist().cdf(-abs(z)),
    )


def two_means(
    first: float, error: float, second: float, other_error: float, confidence: float = CONFIDENCE
) -> Difference:
    """Compare two means of many observations with known standard errors."""
    together = math.hypot(error, other_error)
    reach = normal_quantile(confidence) * together
    value = first - second
    z = value / together if together else math.copysign(math.inf, value) if value else 0.0
    return Difference(value, value - reach, value + reach, z, 2 * NormalDist().cdf(-abs(z)))


def student_quantile(confidence: float, freedom: int) -> float:
    """How many standard errors Student's interval reaches to either side."""
    if not 0 < confidence < 1:
        raise UsageError(f"a confidence lies between 0 and 1, not at {confidence}")
    tail = 1 - confidence
    low, high = 0.0, 1.0
    while _student_tails(high, freedom) > tail:
        high *= 2
    while high - low > 1e-13 * high:
        middle = (low + high) / 2
        if _student_tails(middle, freedom) > tail:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _student_tails(t: float, freedom: int) -> float:
    """How likely Student's t is beyond t ≥ 0 on either side."""
    return _beta_share(freedom / (freedom + t * t), freedom / 2, 0.5)


def _beta_share(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function."""
    if x in {0.0, 1.0}:
        return x
    if x > (a + 1) / (a + b + 2):
        return 1 - _beta_share(1 - x, b, a)
    scale = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    return math.exp(scale) * _beta_fraction(x, a, b) / a


def _beta_fraction(x: float, a: float, b: float) -> float:
    """The continued fraction of the incomplete beta function, by Lentz's method."""
    above, below = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    value = below
    for m in range(1, 1000):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            below = 1 / (1 + term * below)
            above = 1 + term / above
            value *= above * below
        if abs(above * below - 1) < 1e-15:
            break
    return value


def ratio_of_means(above: Sequence[float], below: Sequence[float], confidence: float = CONFIDENCE) -> Estimate:
    """The mean of paired values above over that of those below, with the interval of the usual ratio estimator."""
    count = len(above)
    bottom = math.fsum(below)
    if count != len(below) or count < 2 or not bottom:
        raise UsageError("a ratio needs pairs of values, at least two, and not all zero below")
    ratio = math.fsum(above) / bottom
    scatter = math.fsum((a - ratio * b) ** 2 for a, b in zip(above, below, strict=True)) / (count - 1)
    error = math.sqrt(scatter / count) / abs(bottom / count)
    reach = student_quantile(confidence, count - 1) * error
    return Estimate(ratio, error, ratio - reach, ratio + reach, count)
