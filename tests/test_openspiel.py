"""Games in OpenSpiel: its own test of games, its algorithms, and what they rely on."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from ggp.core.errors import UsageError
from tests.helpers import TINY

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")

from ggp.envs.openspiel import Table, register  # noqa: E402 (only where there is one)

_NAMES = itertools.count()


def loaded(what: str, **options: Any) -> Any:
    """A game of OpenSpiel under a name of its own."""
    return pyspiel.load_game(register(what, f"test_{next(_NAMES)}", **options))


QUICK = ("tic_tac_toe", "poker_small")
SLOW = ("connect_four", "eight_puzzle", "roshambo", "dice_race", "kriegspiel_tic_tac_toe", "tron", "battle_for_three")


@pytest.mark.parametrize("name", [*QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in SLOW)])
def test_openspiel_finds_nothing_wrong(name: str) -> None:
    pyspiel.random_sim_test(loaded(name, limit=30), num_sims=2, serialize=False, verbose=False)


def test_equilibrium_of_poker_is_what_kuhn_found() -> None:
    """The first player loses 1/18 of a chip, which is half a unit of reward."""
    from open_spiel.python.algorithms import cfr, expected_game_score, exploitability

    game = loaded("poker_small")
    solver = cfr.CFRPlusSolver(game)
    for _ in range(15):
        solver.evaluate_and_update_policy()
    policy = solver.average_policy()
    assert exploitability.exploitability(game, policy) < 0.02
    value, other = expected_game_score.policy_value(game.new_initial_state(), [policy, policy])
    assert abs(value + 1 / 36) < 0.01 and abs(value + other) < 1e-9


def test_players_know_no_more_than_their_role() -> None:
    game = loaded("poker_small")
    cards: dict[str, set[str]] = {}
    for action in game.new_initial_state().legal_actions():
        state = game.new_initial_state().child(action)
        cards.setdefault(state.information_state_string(0), set()).add(state.information_state_string(1))
    assert len(cards) == 3 and all(len(others) == 2 for others in cards.values())
    at_once = loaded("roshambo")
    views = set()
    for action in at_once.new_initial_state().legal_actions():
        state = at_once.new_initial_state()
        state.apply_action(action)
        assert state.current_player() == 1
        views.add(state.information_state_string(1))
    assert views == {""}


def test_mcts_wins_and_a_copy_goes_its_own_way() -> None:
    from open_spiel.python.algorithms import mcts

    game = loaded("tic_tac_toe")
    assert game.get_type().information == pyspiel.GameType.Information.PERFECT_INFORMATION
    state = game.new_initial_state()
    board = [state.string_to_action(0, f"(mark {x} {y})") for x, y in ((1, 1), (2, 1), (2, 2), (1, 2))]
    for action in board:
        state.apply_action(action)
    evaluator = mcts.RandomRolloutEvaluator(2, np.random.RandomState(1))
    bot = mcts.MCTSBot(game, 2, 60, evaluator, random_state=np.random.RandomState(2))
    copy = state.clone()
    copy.apply_action(bot.step(state))
    assert copy.is_terminal() and copy.returns() == [1.0, -1.0] and not state.is_terminal()
    assert sum(state.observation_tensor(0)) == 5 and "x to move" in state.observation_string(0)


def test_what_was_not_so_in_the_plays_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    name = register(TINY, "test_tiny")
    with pytest.raises(UsageError, match="already"):
        register(TINY, name)
    monkeypatch.setattr(Table, "traits", (False, True))
    with pytest.raises(UsageError, match="choose at once"):
        loaded("roshambo").new_initial_state()
    state = loaded(TINY).new_initial_state()
    with pytest.raises(UsageError, match="not what others lose"):
        state.returns()
