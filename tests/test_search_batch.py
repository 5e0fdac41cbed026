"""Searches in lockstep: seats of all settings side by side, each searching as it was told."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ggp.core.errors import UsageError
from ggp.search.batch import Searches, play_matches
from ggp.search.settings import SearchSettings, uct
from tests.compiled import compiled, compiled_text

PRIZE = """
(role me) (role you) (init (step 1)) (door 1) (door 2) (door 3) (door 4) (door 5) (door 6) (door 7) (door 8)
(<= (legal me left) (true (step 1))) (<= (legal me right) (true (step 1)))
(<= (legal me (open ?d)) (true (step 3)) (door ?d)) (<= (legal me wait) (true (step 2)))
(legal you wait)
(<= (next (step 2)) (true (step 1))) (<= (next (step 3)) (true (step 2))) (<= (next (step 4)) (true (step 3)))
(<= (next (went ?m)) (does me ?m) (true (step 1))) (<= (next (went ?m)) (true (went ?m)))
(<= (next won) (does me (open 8)))
(<= terminal (true (step 4)))
(<= (goal me 100) (true won)) (<= (goal me 0) (not (true won)))
(<= (goal you 0) (true won)) (<= (goal you 100) (not (true won)))
"""
"""Behind one of eight doors there is a prize, and a decisive playout opens that one."""


def search(settings: list[SearchSettings], seed: int = 1) -> Searches:
    """A search from the first position with each of the settings."""
    machine = compiled_text(PRIZE)
    found = Searches(machine, settings, len(settings), len(settings), seed)
    start = np.array([machine.circuit.initial] * len(settings))
    found.search(range(len(settings)), start, settings, range(len(settings)))
    return found


def settings(**more: Any) -> SearchSettings:
    return uct(**{"simulations": 200, "solver": False, "c": 1000.0, "depth": 1, **more})


def mean(found: Searches, number: int) -> float:
    moves = found.moves(number, 0)
    assert sum(move.visits for move in moves) == found.graph.head[number].done == 200
    return sum(move.mean * move.visits for move in moves) / 200


def test_each_seat_has_the_playouts_that_it_was_told() -> None:
    """Alone and among others, in any order: decisive ones win, uniform ones one of eight; cut ones count the middle."""
    wanted = [settings(), settings(policy="decisive"), settings(playouts=8), settings(policy="decisive", playouts=8),
              settings(step_limit=1)]  # fmt: skip
    for chosen in (wanted, list(reversed(wanted)), *([each] for each in wanted)):
        found = search(chosen)
        for number, each in enumerate(chosen):
            value = mean(found, number)
            if each.step_limit == 1:
                assert value == 50
            elif each.policy == "decisive":
                assert value == 100
            else:
                assert 4 < value < 24


def test_several_playouts_are_averaged_beside_searches_with_one() -> None:
    found = search([settings(simulations=200), settings(playouts=8)])
    for number, steps in ((0, 100.0), (1, 12.5)):
        totals = [move.mean * move.visits for move in found.moves(number, 0)]
        assert all(abs(total / steps - round(total / steps)) < 1e-6 for total in totals)
        assert number == 0 or any(abs(total / 100 - round(total / 100)) > 1e-6 for total in totals)


def test_flat_and_deep_searches_share_a_batch() -> None:
    found = search([settings(), settings(depth=1000)])
    flat, deep = found.graph.head[:2]["deepest"].tolist()
    assert flat == 1 and deep >= 3


KINDS = [
    SearchSettings(simulations=30),
    SearchSettings(simulations=30, policy="decisive"),
    SearchSettings(simulations=20, playouts=8, d1=float("inf"), c=10),
    SearchSettings(simulations=30, policy="decisive", playouts=4, step_limit=5),
    uct(simulations=25, depth=1, solver=False),
    SearchSettings(simulations=30, d1=0, d3=0, update="all", reuse=False),
]


@pytest.mark.parametrize("game", ["tic_tac_toe", "nim"])
def test_matches_of_all_kinds_are_the_same_every_time(game: str) -> None:
    machine = compiled(game)
    roles = len(machine.roles)
    seats = [[KINDS[(i + role * (1 + i // 6)) % len(KINDS)] for role in range(roles)] for i in range(18)]
    first, again = (play_matches(machine, seats, range(18), limit=20) for _ in range(2))
    assert first == again
    assert play_matches(machine, seats, range(100, 118), limit=20) != first


def test_what_means_nothing_in_a_batch_is_refused() -> None:
    machine = compiled("tic_tac_toe")
    auto, endless = SearchSettings(simulations=10, policy="auto"), SearchSettings()
    with pytest.raises(UsageError, match="policy=decisive or policy=uniform"):
        play_matches(machine, [(auto, auto)], [1])
    with pytest.raises(UsageError, match="need a number of simulations"):
        play_matches(machine, [(SearchSettings(simulations=10), endless)], [1])
