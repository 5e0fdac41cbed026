"""The Prolog machine against the naive evaluator: on random games, on the project's games, on small rulesheets."""

from __future__ import annotations

import random
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from gdl import Ruleset, load
from ggp.machines import Machine
from ggp.machines.plays import random_play
from tests.conftest import Open
from tests.helpers import GAMES, ruleset, rulesheets, texts
from tests.naive import Evaluator
from tests.random_games import random_game


def compare(rules: Ruleset, machine: Machine[Any], seed: int, steps: int) -> int:
    """Compare everything along a random play; returns how many positions were compared."""
    naive = Evaluator(rules)
    before: tuple[Any, Any] | None = None
    count = 0
    assert texts(machine.fluents(machine.initial())) == naive.initial()
    for step in islice(random_play(machine, seed, steps), steps):
        fluents = machine.fluents(step.position)
        where = f"step {step.number} of the play with seed {seed}"
        if before is not None:
            assert texts(fluents) == naive.next(*before), where
        terminal, legal, goals = naive.situation(fluents)
        assert step.situation.terminal == terminal, where
        assert [texts(moves) for moves in step.situation.legal] == legal, where
        assert [list(values) for values in step.situation.goals] == goals, where
        if step.joint is not None:
            before = (fluents, step.joint)
            if rules.has_hidden_information:
                assert [texts(seen) for seen in machine.sees(step.position, step.joint)] == naive.sees(*before), where
        count += 1
    return count


@pytest.mark.parametrize("seed", [*range(12), *(pytest.param(s, marks=pytest.mark.slow) for s in range(12, 300))])
def test_random_games(seed: int, prolog: Open) -> None:
    text = random_game(random.Random(seed))
    rules = ruleset(text)
    machine = prolog(rules)
    assert sum(compare(rules, machine, play, 6) for play in range(3)) >= 3


SMALL = [
    "bidding_tic_tac_toe", "blocks_world", "chomp", "eight_puzzle", "hex_5x5", "knights_tour", "kriegspiel_tic_tac_toe",
    "lights_out", "monty_hall", "n_queens", "nim", "prisoners_dilemma", "roshambo", "tic_tac_toe",
    "tic_tac_toe_three_players", "towers_of_hanoi", "tron",
]  # fmt: skip


@pytest.mark.parametrize("name", SMALL)
def test_the_projects_small_games(name: str, prolog: Open) -> None:
    rules = load(GAMES / f"{name}.kif")
    assert compare(rules, prolog(rules), 1, 6) >= 2


SHEETS = [
    "ticTacToe", "onestep", "switches", "coins", "montyhall", "meier", "nim3", "gt_centipede", "dresden-gt_attrition",
    "dresden-maze", "blocks2player", "bender-Hanoi", "knightsTour", "kriegTTT_5x5",
]  # fmt: skip


@pytest.mark.parametrize("path", rulesheets(only=SHEETS))
def test_small_rulesheets(path: Path, prolog: Open) -> None:
    rules = load(path)
    assert compare(rules, prolog(rules), 2, 5) >= 1
