"""What suits a game: how ideas are tried, what is kept of that, and what it says of games that are known."""

from __future__ import annotations

import pickle
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from ggp.core.errors import UsageError
from ggp.lanes.engine import Engine
from ggp.lanes.policies import POLICIES as PROGRAMS
from ggp.lanes.policies import Evidence
from ggp.machines.circuit import CircuitMachine
from ggp.match.builtin import make_player
from ggp.search.batch import MatchResult
from ggp.search.duels import Result, Speeds, duel, speeds
from ggp.search.judging import judge, recall
from ggp.search.settings import SearchSettings
from ggp.search.verdict import (
    BLIND,
    BOTH,
    DECISIVE,
    GRAVE,
    MAST,
    MINIMAX,
    PLAIN,
    Idea,
    Verdict,
    resolved,
)
from tests.compiled import compiled


@pytest.fixture
def nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """What another test has found out is found out again."""
    monkeypatch.setenv("GGP_CACHE", "off")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "policy"), [("connect_four", "decisive+mast"), ("knightthrough", "decisive+mast"), ("othello", "mast")]
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
    assert verdict == Verdict((BOTH,))
    assert 4 <= len(asked) <= 10


@pytest.mark.usefixtures("nothing_is_kept")
def test_what_is_known_when_time_is_up_is_taken_and_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    known: dict[Engine, Verdict] = {}
    monkeypatch.setattr("ggp.search.judging.KNOWN", known)
    steps = [Verdict((), ((BOTH, 44),)), Verdict((MAST,), ((BOTH, 44), (MAST, 60))), Verdict((MAST, GRAVE))]
    monkeypatch.setattr("ggp.search.judging._steps", lambda *_: iter(steps))
    answers, heard = iter([True, True, False]), list[Verdict]()
    assert judge(compiled("tic_tac_toe"), go_on=lambda: next(answers), tell=heard.append) == steps[1]
    assert heard == steps[:2] and not known


def test_a_verdict_says_what_it_stands_on() -> None:
    assert str(Verdict()) == "uniform playouts: there are no others"
    assert str(Verdict((MAST, GRAVE))) == (
        "mast playouts: expected of games of its kind: playouts that prefer moves, GRAVE"
    )
    assert str(Verdict(unknown="nobody looked")) == "uniform playouts: nobody looked"
    tried = Verdict((BOTH,)).with_result(MAST, 44).with_result(MINIMAX, 66)
    assert tried.taken == (BOTH, MINIMAX)
    assert str(tried) == (
        "decisive+mast playouts: playouts that prefer moves won 44 %, the best that a learned value promises won "
        "66 % of quick matches; expected of games of its kind: decisive playouts that prefer moves"
    )


@pytest.mark.parametrize(
    ("won", "stays", "joins"), [(30, False, False), (40, True, False), (60, True, False), (70, True, True)]
)
def test_what_was_expected_stays_unless_it_loses(won: float, *, stays: bool, joins: bool) -> None:
    assert Verdict((MAST, GRAVE)).with_result(GRAVE, won).taken == ((MAST, GRAVE) if stays else (MAST,))
    assert Verdict((MAST,)).with_result(GRAVE, won).taken == ((MAST, GRAVE) if joins else (MAST,))


def test_any_ideas_in_any_order_make_settings_that_go_together() -> None:
    for count in range(5):
        for taken in permutations((MAST, GRAVE, MINIMAX, PLAIN, DECISIVE, BLIND), count):
            verdict = Verdict((BOTH, *taken))
            made = resolved(SearchSettings(policy="auto"), verdict)
            assert {name: getattr(made, name) for name in verdict.settings} == verdict.settings


@pytest.mark.parametrize(
    ("taken", "changes"),
    [
        ((), {"policy": "uniform"}),
        ((DECISIVE,), {"policy": "decisive", "c": 80}),
        ((BOTH,), {"policy": "decisive+mast", "prior": 1.0}),
        ((BOTH, MAST), {"policy": "mast", "prior": 1.0}),
        ((BOTH, DECISIVE), {"policy": "decisive", "c": 80}),
        ((DECISIVE, GRAVE), {"policy": "decisive", "c": 10, "rave": 100.0, "rave_ref": 50.0}),
        ((MAST, GRAVE), {"policy": "mast", "c": 5, "rave": 100.0, "rave_ref": 50.0}),
        ((BOTH, PLAIN, MINIMAX), {"policy": "uniform", "minimax": 0.3}),
        ((BOTH, GRAVE, MAST), {"policy": "mast", "c": 5, "rave": 100, "rave_ref": 50, "prior": 0}),
        ((MAST, GRAVE, MINIMAX), {"policy": "mast", "c": 5, "rave": 100.0, "rave_ref": 50.0, "minimax": 0.3}),
    ],
)
def test_what_a_verdict_makes_of_settings(taken: tuple[Idea, ...], changes: dict[str, Any]) -> None:
    auto = SearchSettings(policy="auto", c=40)
    assert resolved(auto, Verdict(taken)) == replace(auto, **changes)
    assert resolved(replace(auto, policy="decisive"), Verdict(taken)) == replace(auto, policy="decisive")
    said = replace(auto, rave=7.0)  # what was said is taken
    assert (resolved(said, Verdict(taken)).rave, resolved(said, Verdict(taken)).value) == (7.0, 0.0)


def test_ideas_that_do_not_go_with_what_was_said_are_left_out() -> None:
    said = SearchSettings(policy="auto", groups="near")
    assert resolved(said, Verdict((BOTH, GRAVE, MAST))) == replace(said, policy="mast")


@pytest.mark.parametrize(
    "said", [{"prior": 2.0}, {"value": 0.3}, {"minimax": 0.3}, {"rave": 7.0}, {"update": "all", "d1": 0, "d3": 0}]
)
def test_an_idea_that_is_left_out_changes_nothing(said: dict[str, Any]) -> None:
    settings = SearchSettings(policy="auto", **said)
    assert resolved(settings, Verdict((BOTH, GRAVE))) == resolved(settings, Verdict((BOTH,)))


class Duels:
    """Duels whose results are known beforehand, by the idea."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, results: dict[str, float]) -> None:
        self.played: list[str] = []
        self.as_played: list[bool] = []
        self.steps = 10.0
        self.simulations: list[int] = []

        def play(_: object, one: SearchSettings, other: SearchSettings, go_on: object, *, as_played: bool) -> Result:
            idea = "minimax" if one.minimax > other.minimax else one.policy
            if one.policy == other.policy and one.minimax == other.minimax:
                assert one.prior < other.prior
                idea = "blind"
            assert one.simulations == other.simulations // 2  # what it has time for
            self.played.append(idea)
            self.as_played.append(as_played)
            self.simulations.append(other.simulations)
            return Result(results.get(idea, 30.0), self.steps)

        monkeypatch.setattr("ggp.search.judging.duel", play)
        monkeypatch.setattr("ggp.search.judging.speeds", lambda *_: Speeds(0.5, 1e-5))
        monkeypatch.setattr("ggp.search.judging.KNOWN", {})


def test_ideas_are_tried_one_on_top_of_the_other(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GGP_CACHE", str(tmp_path))
    duels = Duels(monkeypatch, {"mast": 54.0, "blind": 68.0})
    heard: list[Verdict] = []
    verdict = judge(compiled("pawn_whopping"), tell=heard.append)
    tried = (PLAIN, 30.0), (BLIND, 68.0), (MAST, 54.0)
    assert verdict.results == tried and verdict.taken == (BOTH, BLIND)
    assert heard[:2] == [Verdict((BOTH,)), Verdict((BOTH,), knows_kind=True)] and len(heard) == 5
    assert heard[3] == Verdict((BOTH, BLIND), tried[:2], knows_kind=True)
    assert duels.played == ["uniform", "blind", "mast"]


def test_grave_is_expected_where_places_are_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GGP_CACHE", str(tmp_path))
    duels, heard = Duels(monkeypatch, {}), list[Verdict]()
    assert judge(compiled("hex_5x5"), tell=heard.append).taken == (MAST, GRAVE)
    assert heard[:2] == [Verdict((MAST,)), Verdict((MAST, GRAVE), knows_kind=True)] and duels.played == ["uniform"]


def test_values_are_expected_to_help_where_they_tell_results(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GGP_CACHE", str(tmp_path))
    duels, heard = Duels(monkeypatch, {"minimax": 50.0, "uniform": 33.0}), list[Verdict]()
    assert judge(compiled("crisscross"), tell=heard.append).taken == (BOTH, MINIMAX)
    assert heard[1] == Verdict((BOTH, PLAIN, MINIMAX), knows_kind=True) and duels.played[:2] == ["minimax", "uniform"]


@pytest.mark.parametrize("results", [{}, {"decisive": 66.0}])
def test_decisive_playouts_alone_are_tried_where_uniform_ones_won(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, results: dict[str, float]
) -> None:
    monkeypatch.setenv("GGP_CACHE", str(tmp_path))
    duels = Duels(monkeypatch, {"uniform": 66.0, **results})
    found = judge(compiled("tic_tac_toe"))
    assert found.policy == ("decisive" if results else "uniform")
    assert duels.played == ["uniform", "mast", "decisive"]


def test_where_matches_are_long_they_have_fewer_simulations(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GGP_CACHE", str(tmp_path))
    duels = Duels(monkeypatch, {"decisive+mast": 60.0})
    duels.steps = 120.0
    judge(compiled("tic_tac_toe"))
    assert duels.simulations[:2] == [694, 347]  # of 24 matches of 60 moves, then 120, 10 µs each
    assert duels.as_played[:2] == [True, True]


def test_where_memory_is_short_duels_are_in_lockstep(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GGP_CACHE", str(tmp_path))
    monkeypatch.setattr("ggp.search.judging._ROWS", 10)
    duels = Duels(monkeypatch, {})
    judge(compiled("tic_tac_toe"))
    assert set(duels.simulations) == {300} and not any(duels.as_played)


def test_what_takes_too_long_is_left_to_the_next_match(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GGP_CACHE", str(tmp_path))
    duels = Duels(monkeypatch, {"decisive+mast": 60.0})
    with monkeypatch.context() as patch:
        patch.setattr("ggp.search.judging._MOST", 0.0)
        assert judge(compiled("chomp")) == Verdict((BOTH,)) and not duels.played
    assert len(judge(compiled("chomp")).results) == 3 and duels.played


def test_judging_goes_on_where_another_match_ended(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GGP_CACHE", str(tmp_path))
    duels = Duels(monkeypatch, {"decisive+mast": 64.0})
    game = compiled("chomp")
    assert judge(game, go_on=lambda: len(duels.played) < 2).taken == (BOTH,) and len(duels.played) == 2
    assert judge(game).taken == (BOTH,)
    assert duels.played == ["uniform", "blind", "blind", "mast"]


def test_a_clear_duel_is_soon_over(monkeypatch: pytest.MonkeyPatch) -> None:
    played: list[int] = []

    def play(machine: object, sitting: list[tuple[SearchSettings, ...]], *_: object, **more: object) -> list[MatchResult]:
        played.append(len(sitting))
        return [MatchResult((100, 0) if seats[0].simulations == 100 else (0, 100), 5, True) for seats in sitting]

    monkeypatch.setattr("ggp.search.duels.play_matches", play)
    game, few = compiled("tic_tac_toe"), SearchSettings(simulations=2)
    assert duel(game, replace(few, simulations=100), few, lambda: True) == (100, 5) and played == [12]
    assert duel(game, few, few, lambda: True).won == 50 and played == [12] * 3


def test_a_search_with_less_to_do_is_faster() -> None:
    game, plain = compiled("connect_four"), SearchSettings(simulations=300, playouts=8)
    grave = replace(plain, rave=100.0, rave_ref=50.0)
    assert speeds(game, grave, plain).share < 0.9 and speeds(game, plain, grave).share == 1
    assert speeds(game, plain, plain).share > 0.6 and 0 < speeds(game, plain, plain).seconds < 0.01


def test_a_duel_is_won_by_who_searches_more_and_by_nobody_among_equals() -> None:
    game, few = compiled("tic_tac_toe"), SearchSettings(simulations=2)
    many = replace(few, simulations=100)
    assert duel(game, many, few, lambda: True).won > 70 and duel(game, few, many, lambda: True).won < 30
    assert 30 < duel(game, few, few, lambda: True).won < 70


def test_a_duel_in_a_game_for_one_role_compares_matches() -> None:
    game, few = compiled("eight_puzzle"), SearchSettings(simulations=2, step_limit=100)
    assert 45 <= duel(game, few, few, lambda: True).won <= 55


def test_other_words_are_refused() -> None:
    with pytest.raises(UsageError, match="policy must be"):
        SearchSettings(policy="perhaps")
    with pytest.raises(UsageError, match="policy must be"):
        make_player("ucd:policy=perhaps", 1)


def test_a_verdict_is_kept_with_its_program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GGP_CACHE", str(tmp_path))
    monkeypatch.setattr("ggp.search.judging._MOST_SIMULATIONS", 100)
    monkeypatch.setattr("ggp.search.judging._FEWEST", 100)
    made = compiled("tic_tac_toe")
    one, other = (CircuitMachine(made.ruleset, made.program, Engine(made.circuit)) for _ in range(2))
    assert not recall(one.engine)
    verdict = judge(one)
    monkeypatch.setattr("ggp.search.judging._steps", None)  # nobody compares again
    assert recall(other.engine) and judge(other) == verdict
    evidence = Evidence.PLAYED if "rave" in verdict.settings else PROGRAMS[verdict.policy].evidence
    first, again = (machine.engine.rollout(verdict.policy, evidence) for machine in (one, other))
    assert first[0].operations == again[0].operations
    assert pickle.dumps(first[1]) == pickle.dumps(again[1])
