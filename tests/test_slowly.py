"""The reference under a clock: in time, even if it knows of no simulation how long it takes."""

from __future__ import annotations

import time

import pytest

from ggp.search.reference import RandomPlay, ReferenceSearch
from ggp.search.settings import SearchSettings
from ggp.search.slowly import search_slowly
from tests.compiled import compiled


class Slow(RandomPlay):
    """Dice whose playouts take as long as they have steps."""

    limits: list[int]

    def playout(self, position: object) -> list[float]:
        self.limits.append(self.limit)
        time.sleep(0.002 * self.limit)
        return [50.0] * len(self.machine.roles)


@pytest.fixture
def slow() -> tuple[ReferenceSearch, Slow]:
    game, settings = compiled("tic_tac_toe"), SearchSettings()
    dice = Slow(game, settings, 1)
    dice.limits = []
    return ReferenceSearch(game, game.initial(), settings, 1, dice), dice


def test_playouts_grow_as_far_as_time_suffices(slow: tuple[ReferenceSearch, Slow]) -> None:
    search, dice = slow
    begun = time.monotonic()
    done = search_slowly(search, dice, deadline=begun + 0.5)
    assert done == len(dice.limits) >= 3 and time.monotonic() - begun < 5
    assert dice.limits[:3] == [2, 4, 8] and max(dice.limits) < 1000


def test_one_simulation_is_made_however_short_the_time(slow: tuple[ReferenceSearch, Slow]) -> None:
    search, dice = slow
    assert search_slowly(search, dice, deadline=time.monotonic() - 1) == 1


def test_counted_simulations_are_whole_and_each_is_told(slow: tuple[ReferenceSearch, Slow]) -> None:
    search, dice = slow
    dice.limit = 3
    told: list[int] = []
    assert search_slowly(search, dice, simulations=4, watch=told.append) == 4
    assert dice.limits == [3] * 4 and told == [1, 2, 3, 4]
