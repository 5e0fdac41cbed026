"""Which playouts tell more: the measure, and what it says of games that are known."""

from __future__ import annotations

import time

import numpy as np
import pytest

from ggp.errors import UsageError
from ggp.players import Turn, make_player
from ggp.search.judging import agreement, careful_tells_more
from ggp.search.settings import SearchSettings
from tests.search_checks import compiled


def test_agreement_is_a_correlation_within_steps() -> None:
    steps = np.array([0, 0, 0, 2, 2, 2])
    goals = np.array([[0.0, 100.0], [100.0, 0.0], [50.0, 50.0]] * 2)
    assert agreement(goals * 0.1, goals, steps) == pytest.approx(1)
    assert agreement(-goals, goals, steps) == pytest.approx(-1)
    shifted = goals * 0.1 + np.where(steps == 0, 0.0, 90.0)[:, None]  # that all look better later is no news
    assert agreement(shifted, goals, steps) == pytest.approx(1)
    assert agreement(goals, np.full_like(goals, 50.0), steps) == 0


def test_careful_playouts_tell_more_of_connect_four_and_knightthrough_and_no_more_of_chomp() -> None:
    assert careful_tells_more(compiled("connect_four"), seed=1)
    assert careful_tells_more(compiled("knightthrough"), seed=1)
    assert not careful_tells_more(compiled("chomp"), seed=1)


def test_judging_ends_when_it_is_told_to() -> None:
    asked: list[None] = []

    def go_on() -> bool:
        asked.append(None)
        return len(asked) < 4

    assert not careful_tells_more(compiled("knightthrough"), seed=1, go_on=go_on)
    assert 4 <= len(asked) < 10


def test_a_player_judges_where_it_has_time_to() -> None:
    machine = compiled("knightthrough")
    position = machine.initial()
    situation = machine.situation(position)
    said = []
    for deadline in (None, time.monotonic() + 0.5):
        player = make_player("ucd:seconds=0.1", 1)
        player.choose(Turn(machine, position, situation, 0, deadline))
        said.append(player.report()["careful"])
        player.close()
    assert said == [True, False]


def test_other_words_are_refused() -> None:
    with pytest.raises(UsageError, match="careful must be"):
        SearchSettings(careful="perhaps")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="careful must be"):
        make_player("ucd:careful=perhaps", 1)
