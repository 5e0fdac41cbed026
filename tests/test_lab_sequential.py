"""The sequential test against closed formulas, published runs and its own promises."""

from __future__ import annotations

import math
import random

import pytest

from ggp.core.errors import UsageError
from ggp.lab.elo import expected_score, moments
from ggp.lab.sequential import Sprt, Verdict, log_likelihood_ratio


def test_bounds_of_wald() -> None:
    """A. Wald, 1945: log(β/(1-α)) and log((1-β)/α); 2.94 at 5 % is printed by all chess testing tools."""
    low, high = Sprt(alpha=0.05, beta=0.05).bounds
    assert (low, high) == pytest.approx((-2.944, 2.944), abs=5e-4)
    low, high = Sprt(alpha=0.01, beta=0.1).bounds
    assert (low, high) == pytest.approx((math.log(0.1 / 0.99), math.log(0.9 / 0.01)))


@pytest.mark.parametrize(("losses", "wins"), [(50, 50), (30, 70), (1, 99), (7, 2)])
def test_without_draws_it_is_the_ratio_of_two_coins(losses: int, wins: int) -> None:
    found = log_likelihood_ratio([losses, wins], 0.5, 0.6)
    assert found == pytest.approx(wins * math.log(0.6 / 0.5) + losses * math.log(0.4 / 0.5))


@pytest.mark.parametrize(
    ("pairs", "elo0", "elo1", "printed"),
    [
        ([73, 79, 296, 91, 118], 0, 10, 2.95),
        ([307, 619, 1202, 725, 353], 0, 5, 2.95),
        ([578, 1352, 1985, 1283, 564], 0, 5, -2.96),
        ([84, 124, 343, 125, 164], 0, 1, 0.54),
        ([40, 67, 295, 123, 54], 0, 10, 2.95),
        ([598, 1553, 2651, 1569, 648], 0, 5, 0.74),
    ],
)
def test_pairs_as_fastchess_prints_them(pairs: list[int], elo0: float, elo1: float, printed: float) -> None:
    """Its hypotheses are normalised Elo: a score away from ½ in units of the spread of one match."""
    spread = math.sqrt(2 * moments(pairs)[1])
    scores = [0.5 + elo * NORMALISED * spread for elo in (elo0, elo1)]
    assert log_likelihood_ratio(pairs, *scores) == pytest.approx(printed, rel=0.02)


NORMALISED = math.log(10) / 800


def test_near_the_truth_it_is_the_normal_approximation() -> None:
    """M. Van den Bergh: N·(s1 - s0)·(2·mean - s0 - s1) / (2·variance)."""
    counts = [2400, 5000, 2600]
    mean, variance = moments(counts)
    s0, s1 = expected_score(0), expected_score(10)
    normal = sum(counts) * (s1 - s0) * (2 * mean - s0 - s1) / (2 * variance)
    assert log_likelihood_ratio(counts, s0, s1) == pytest.approx(normal, rel=0.01)


def test_it_is_the_best_that_constrained_distributions_can_do() -> None:
    """Against a search through all distributions (a, 1-a-b, b) with the given mean."""
    counts = [20, 50, 30]

    def best(score: float) -> float:
        values = []
        for step in range(1, 20000):
            win = step / 20000
            loss = 1 - 2 * score + win
            draw = 1 - win - loss
            if min(win, loss, draw) > 0:
                values.append(20 * math.log(loss) + 50 * math.log(draw) + 30 * math.log(win))
        return max(values)

    assert log_likelihood_ratio(counts, 0.5, 0.6) == pytest.approx(best(0.6) - best(0.5), abs=1e-4)


def test_nothing_played_is_undecided_and_one_sided_results_decide() -> None:
    test = Sprt(0, 50)
    assert test.verdict([0, 0, 0, 0, 0]) is Verdict.UNDECIDED
    assert test.ratio([0, 0, 0]) == 0
    assert test.verdict([0, 0, 0, 0, 30]) is Verdict.H1
    assert test.verdict([30, 0, 0, 0, 0]) is Verdict.H0


def _run(test: Sprt, score: float, seed: int) -> tuple[Verdict, int]:
    """Pairs of independent matches without draws, until decided."""
    generator = random.Random(seed)
    counts = [0] * 5
    while (verdict := test.verdict(counts)) is Verdict.UNDECIDED and sum(counts) < 3000:
        counts[2 * (generator.random() < score) + 2 * (generator.random() < score)] += 1
    return verdict, sum(counts)


def test_error_rates_hold() -> None:
    """40 tests where H0 is true and 40 where H1 is: few are wrong."""
    test = Sprt(0, 60)
    under0 = [_run(test, 0.5, seed)[0] for seed in range(40)]
    under1 = [_run(test, expected_score(60), seed)[0] for seed in range(40)]
    assert under0.count(Verdict.H1) <= 5
    assert under1.count(Verdict.H0) <= 5
    assert Verdict.UNDECIDED not in under0 + under1


def test_much_stronger_is_found_quickly() -> None:
    verdict, pairs = _run(Sprt(0, 60), 0.9, 1)
    assert verdict is Verdict.H1
    assert pairs < 60


def test_nonsense_is_refused() -> None:
    with pytest.raises(UsageError, match="elo0 must be below elo1"):
        Sprt(10, 10)
    with pytest.raises(UsageError, match="alpha and beta"):
        Sprt(alpha=0.6, beta=0.6)
