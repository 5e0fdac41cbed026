"""The sequential probability ratio test: stop a match between two players as soon as its question is decided.

The question: is the first player stronger by `elo1` (H1) or only by `elo0` (H0)? The generalised test compares the most
likely distributions of results with the expected scores of H0 and of H1, so draws and pairs of matches (which are not
independent of each other) need no model of their own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from ggp.core.errors import UsageError
from ggp.lab.elo import expected_score, moments

_UNSEEN = 1e-3
"""Stands for a result that never came up, so that it has a likelihood."""


class Verdict(Enum):
    """What a sequential test says."""

    UNDECIDED = "undecided"
    H0 = "H0: not stronger"
    H1 = "H1: stronger"


@dataclass(frozen=True)
class Sprt:
    """A test and its error rates."""

    elo0: float = 0.0
    """Elo difference of H0."""
    elo1: float = 20.0
    """Elo difference of H1."""
    alpha: float = 0.05
    """How often H1 is accepted though H0 is true, 0 to 1."""
    beta: float = 0.05
    """How often H0 is accepted though H1 is true, 0 to 1."""

    def __post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise UsageError(f"elo0 must be below elo1, not {self.elo0:g} and {self.elo1:g}")
        if not (0 < self.alpha < 1 and 0 < self.beta < 1 and self.alpha + self.beta < 1):
            raise UsageError(f"alpha and beta must be above 0 and less than 1 together, not {self.alpha} and {self.beta}")

    @property
    def bounds(self) -> tuple[float, float]:
        """H0 is accepted at the lower log-likelihood ratio, H1 at the upper."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def verdict(self, counts: Sequence[float]) -> Verdict:
        """What these counts of results decide; see `log_likelihood_ratio`."""
        if not sum(counts):
            return Verdict.UNDECIDED
        low, high = self.bounds
        ratio = log_likelihood_ratio(counts, expected_score(self.elo0), expected_score(self.elo1))
        return Verdict.H0 if ratio <= low else Verdict.H1 if ratio >= high else Verdict.UNDECIDED

    def ratio(self, counts: Sequence[float]) -> float:
        """The log-likelihood ratio of these counts; 0 without any."""
        if not sum(counts):
            return 0.0
        return log_likelihood_ratio(counts, expected_score(self.elo0), expected_score(self.elo1))


def log_likelihood_ratio(counts: Sequence[float], score0: float, score1: float) -> float:
    """How much better an expected score of `score1` explains the counts than `score0` does (natural logarithm).

    Counts go from all points lost to all points won in equal steps: three for losses, draws and wins; five for pairs.
    """
    moments(counts)  # refuses what are no counts
    seen = [count or _UNSEEN for count in counts]
    return sum(seen) * (_log_likelihood(seen, score1) - _log_likelihood(seen, score0))


def _log_likelihood(counts: Sequence[float], score: float) -> float:
    """The mean log-likelihood of the counts under the most likely distribution whose mean is `score`.

    With Lagrange multipliers that distribution is p / (1 + x·(a - score)), where x makes its mean right.
    """
    steps, total = len(counts) - 1, sum(counts)
    away = [i / steps - score for i in range(steps + 1)]
    shares = [count / total for count in counts]

    def excess(x: float) -> float:
        return sum(p * a / (1 + x * a) for p, a in zip(shares, away, strict=True))

    low, high = -1 / away[-1], -1 / away[0]
    for _ in range(200):
        middle = (low + high) / 2
        if excess(middle) > 0:
            low = middle
        else:
            high = middle
    x = (low + high) / 2
    return sum(p * math.log(p / (1 + x * a)) for p, a in zip(shares, away, strict=True))
