"""Which playouts tell more: the measure, and what it says of games that are known."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ggp.core.errors import UsageError
from ggp.lanes.engine import Engine
from ggp.lanes.policies import POLICIES, Evidence
from ggp.machines.circuit import CircuitMachine
from ggp.match.builtin import make_player
from ggp.search.agreement import agreement
from ggp.search.batch import MatchResult
from ggp.search.duels import duel
from ggp.search.judging import judge, recall
from ggp.search.settings import SearchSettings
from ggp.search.verdict import Verdict, resolved
from tests.compiled import compiled


@pytest.fixture
def nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """What another test has found out is found out again."""
    monkeypatch.setenv("GGP_CACHE", "off")


def test_agreement_is_a_correlation_within_steps() -> None:
    steps = np.array([0, 0, 0, 2, 2, 2])
    goals = np.array([[0.0, 100.0], [100.0, 0.0], [50.0, 50.0]] * 2)
    assert agreement(goals * 0.1, goals, steps) == pytest.approx(1)
    assert agreement(-goals, goals, steps) == pytest.approx(-1)
    shifted = goals * 0.1 + np.where(steps == 0, 0.0, 90.0)[:, None]  # that all look better later is no news
    assert agreement(shifted, goals, steps) == pytest.approx(1)
    assert agreement(goals, np.full_like(goals, 50.0), steps) == 0


@pytest.mark.usefixtures("judged_briefly")
def test_decisive_playouts_tell_more_of_connect_four_and_no_more_of_chomp() -> None:
    assert judge(compiled("connect_four")).is_decisive
    assert not judge(compiled("chomp")).is_decisive


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "policy"), [("knightthrough", "decisive+mast"), ("breakthrough", "decisive+mast"), ("othello", "mast")]
)
def test_preferring_moves_pays(game: str, policy: str) -> None:
    assert judge(compiled(game)).policy == policy


@pytest.mark.usefixtures("nothing_is_kept")
def test_judging_ends_when_it_is_told_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ggp.search.judging.KNOWN", {})
    asked: list[None] = []

    def go_on() -> bool:
        asked.append(None)
        return len(asked) < 4

    verdict = judge(compiled("knightthrough"), go_on=go_on)
    assert verdict.policy == "uniform" and "no time" in str(verdict)
    assert 4 <= len(asked) < 10


@pytest.mark.usefixtures("nothing_is_kept")
def test_what_is_known_when_time_is_up_is_taken_and_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    known: dict[Engine, Verdict] = {}
    monkeypatch.setattr("ggp.search.judging.KNOWN", known)
    steps = [Verdict(0.4, 0.5), Verdict(0.4, 0.5, 60), Verdict(0.4, 0.5, 60, 70)]
    monkeypatch.setattr("ggp.search.judging._steps", lambda *_: iter(steps))
    answers, heard = iter([True, True, False]), list[Verdict]()
    assert judge(compiled("tic_tac_toe"), go_on=lambda: next(answers), tell=heard.append) == steps[1]
    assert heard == steps[:2] and not known


def test_a_verdict_says_what_it_stands_on() -> None:
    assert str(Verdict(0.4, 0.5, 44.4)) == (
        "decisive playouts: decisive ones tell more: agreement with results 0.500, uniform 0.400; "
        "preferring moves won 44 % of its matches"
    )
    assert str(Verdict(0.4, 0.5, 60, 62, 41)).endswith(
        "preferring moves won 60 %, GRAVE won 62 %, a learned value won 41 % of its matches"
    )
    assert str(Verdict(0.5, 0.5, 50)).startswith("uniform playouts: decisive ones tell no more")
    assert str(Verdict(preferring=60, blind="too wide")) == (
        "mast playouts: too wide; preferring moves won 60 % of its matches"
    )


@pytest.mark.parametrize(
    ("verdict", "policy", "c"),
    [
        (Verdict(0.4, 0.5, 50), "decisive", 80),
        (Verdict(0.4, 0.5, 60), "decisive+mast", 40),
        (Verdict(0.5, 0.5, 50), "uniform", 40),
        (Verdict(0.5, 0.5, 60), "mast", 40),
        (Verdict(0.1, 0.9, 90, unknown="nobody looked"), "uniform", 40),
    ],
)
def test_what_a_verdict_makes_of_settings(verdict: Verdict, policy: str, c: float) -> None:
    auto = SearchSettings(policy="auto", c=40)
    assert resolved(auto, verdict) == replace(auto, policy=policy, c=c)
    assert resolved(replace(auto, policy="decisive"), verdict).c == 40  # what was said is taken


@pytest.mark.parametrize(
    ("verdict", "knows", "c"),
    [
        (Verdict(0.4, 0.5, 60, 40, 50), {}, 40),
        (Verdict(0.4, 0.5, 50, 60, 50), {"rave": 100.0, "rave_ref": 50.0}, 10),
        (Verdict(0.4, 0.5, 60, 40, 70), {"value": 0.3}, 40),
        (Verdict(0.4, 0.5, 50, 60, 70), {"rave": 100.0, "rave_ref": 50.0, "value": 0.3}, 10),
        (Verdict(0.4, 0.5, 50, 60, 70, unknown="nobody looked"), {}, 40),
    ],
)
def test_what_a_search_should_know_beside(verdict: Verdict, knows: dict[str, float], c: float) -> None:
    auto = SearchSettings(policy="auto", c=40)
    assert verdict.knows == knows
    expected = replace(auto, policy=verdict.policy, c=c, **knows)  # type: ignore[arg-type]
    assert resolved(auto, verdict) == expected
    said = replace(auto, rave=7.0)
    assert (resolved(said, verdict).rave, resolved(said, verdict).value) == (7.0, 0.0)  # what was said is taken


def test_a_clear_duel_is_soon_over(monkeypatch: pytest.MonkeyPatch) -> None:
    played: list[int] = []

    def play(machine: object, sitting: list[tuple[SearchSettings, ...]], *_: object, **more: object) -> list[MatchResult]:
        played.append(len(sitting))
        return [MatchResult((100, 0) if seats[0].simulations == 100 else (0, 100), 5, True) for seats in sitting]

    monkeypatch.setattr("ggp.search.duels.play_matches", play)
    game, few = compiled("tic_tac_toe"), SearchSettings(simulations=2)
    assert duel(game, replace(few, simulations=100), few, lambda: True) == 100 and played == [24]
    assert duel(game, few, few, lambda: True) == 50 and played == [24, 24, 24]


def test_a_duel_is_won_by_who_searches_more_and_by_nobody_among_equals() -> None:
    game, few = compiled("tic_tac_toe"), SearchSettings(simulations=2)
    many = replace(few, simulations=100)
    assert duel(game, many, few, lambda: True) > 70 and duel(game, few, many, lambda: True) < 30
    assert 30 < duel(game, few, few, lambda: True) < 70


def test_a_duel_in_a_game_for_one_role_compares_matches() -> None:
    game, few = compiled("eight_puzzle"), SearchSettings(simulations=2, step_limit=100)
    assert 45 <= duel(game, few, few, lambda: True) <= 55


def test_other_words_are_refused() -> None:
    with pytest.raises(UsageError, match="policy must be"):
        SearchSettings(policy="perhaps")
    with pytest.raises(UsageError, match="policy must be"):
        make_player("ucd:policy=perhaps", 1)


def test_a_verdict_is_kept_with_its_program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GGP_CACHE", str(tmp_path))
    made = compiled("tic_tac_toe")
    one, other = (CircuitMachine(made.ruleset, made.program, Engine(made.circuit)) for _ in range(2))
    assert not recall(one.engine)
    verdict = judge(one)
    monkeypatch.setattr("ggp.search.judging._steps", None)  # nobody compares again
    assert recall(other.engine) and judge(other) == verdict and verdict.policy != "uniform"
    evidence = Evidence.PLAYED if "rave" in verdict.knows else POLICIES[verdict.policy].evidence
    first, again = (machine.engine.rollout(verdict.policy, evidence) for machine in (one, other))
    assert first[0].operations == again[0].operations
    assert pickle.dumps(first[1]) == pickle.dumps(again[1])
