"""Searching players by name: what the names stand for, and what may be changed."""

from __future__ import annotations

import math

import pytest

from ggp.core.errors import UsageError
from ggp.search.presets import PRESETS, search_options, search_player


def test_no_options_are_the_preset() -> None:
    for name, preset in PRESETS.items():
        assert search_options(name, {})[0] == preset


def test_options_of_the_search_and_of_its_time() -> None:
    settings, thinking = search_options(
        "ucd", {"d1": "inf", "c": "30", "solver": "false", "seconds": "0.5", "memory": "1.5"}
    )
    assert (settings.d1, settings.c, settings.solver) == (math.inf, 30.0, False)
    assert (thinking.seconds, thinking.memory) == (0.5, 3 * 2**19)
    assert settings.policy == PRESETS["ucd"].policy


def test_counted_simulations_are_single_plain_playouts_unless_it_is_said() -> None:
    settings, _ = search_options("ucd", {"simulations": "100"})
    assert (settings.simulations, settings.playouts, settings.policy) == (100, 1, "uniform")
    assert search_options("ucd", {"simulations": "100", "policy": "decisive"})[0].policy == "decisive"


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"speed": "9"}, "player ucd: there is no option 'speed'"),
        ({"d1": "deep"}, "player ucd: d1=deep makes no sense"),
        ({"solver": "yes"}, "player ucd: solver=yes makes no sense"),
        ({"memory": "inf"}, "player ucd: memory=inf makes no sense"),
        ({"seconds": "0"}, "player ucd: seconds must be above 0"),
        ({"threads": "-1"}, "player ucd: threads must be above 0"),
        ({"seconds": "nan"}, "player ucd: seconds must be above 0"),
    ],
)
def test_options_that_make_no_sense(options: dict[str, str], complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        search_options("ucd", options)


def test_a_player_is_named_as_it_was_asked_for() -> None:
    assert search_player("uct", {"c": "20", "threads": "1"}, 1).name == "uct:c=20,threads=1"
    assert search_player("mc", {}, 1).name == "mc"
