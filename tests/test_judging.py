"""Which playouts tell more: the measure, and what it says of games that are known."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

from ggp.core.errors import UsageError
from ggp.lanes.engine import Engine
from ggp.machines.circuit import CircuitMachine
from ggp.match.builtin import make_player
from ggp.search.judging import Verdict, agreement, judge, recall
from ggp.search.settings import SearchSettings
from tests.compiled import compiled


@pytest.fixture(autouse=True)
def _nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_decisive_playouts_tell_more_of_connect_four_and_knightthrough_and_no_more_of_chomp() -> None:
    assert judge(compiled("connect_four")).is_decisive
    assert judge(compiled("knightthrough")).is_decisive
    assert not judge(compiled("chomp")).is_decisive


def test_judging_ends_when_it_is_told_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ggp.search.judging.KNOWN", {})
    asked: list[None] = []

    def go_on() -> bool:
        asked.append(None)
        return len(asked) < 4

    verdict = judge(compiled("knightthrough"), go_on=go_on)
    assert not verdict.is_decisive and "no time" in str(verdict)
    assert 4 <= len(asked) < 10


def test_a_verdict_says_what_it_stands_on() -> None:
    assert str(Verdict(0.4, 0.5)) == (
        "decisive playouts: they tell more: agreement with results 0.500 decisive, 0.400 uniform"
    )
    assert str(Verdict(0.5, 0.5)).startswith("uniform playouts: decisive ones tell no more")
    assert not Verdict(0.1, 0.9, unknown="nobody looked").is_decisive


def test_other_words_are_refused() -> None:
    with pytest.raises(UsageError, match="policy must be"):
        SearchSettings(policy="perhaps")
    with pytest.raises(UsageError, match="policy must be"):
        make_player("ucd:policy=perhaps", 1)


def test_a_verdict_is_kept_with_the_decisive_program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GGP_CACHE", str(tmp_path))
    made = compiled("chomp")
    one, other = (CircuitMachine(made.ruleset, made.program, Engine(made.circuit)) for _ in range(2))
    assert not recall(one.engine)
    verdict = judge(one)
    monkeypatch.setattr("ggp.search.judging._compared", None)  # nobody compares again
    assert recall(other.engine) and judge(other) == verdict
    first, again = (machine.engine.rollout("decisive") for machine in (one, other))
    assert first[0].operations == again[0].operations
    assert pickle.dumps(first[1]) == pickle.dumps(again[1])
