"""First-play urgency: untried moves wait while others promise more."""

from __future__ import annotations

import math

import pytest

from ggp.core.errors import UsageError
from ggp.search.graph import edges_of
from ggp.search.presets import search_options
from ggp.search.search import Search
from ggp.search.settings import SearchSettings
from tests.compiled import compiled
from tests.search_checks import FastSearch, Pair, after_random_moves

GAMES = {
    "connect_four": 20, "hex_5x5": 10, "eight_puzzle": 0, "roshambo": 0, "tic_tac_toe_three_players": 0, "dice_race": 10,
    "bidding_tic_tac_toe": 0, "left_right": 0,
}  # fmt: skip
"""Games of every kind, and how many random steps to play before the search."""


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("first_play", [0.0, 45.0, 70.0])
def test_the_kernels_do_what_the_reference_does(name: str, first_play: float) -> None:
    settings = SearchSettings(d1=1, d2=0, d3=1, c=20, first_play=first_play, solver=False)
    pair = Pair(compiled(name), settings, 3, after_random_moves(compiled(name), GAMES[name], 3))
    for _ in range(40):
        pair.step()
    pair.compare_values()


def tried(first_play: float, simulations: int) -> int:
    """Moves of the first position of a wide game that a search has tried."""
    fast = FastSearch(compiled("hex_9x9"), SearchSettings(first_play=first_play, c=5, solver=False), 1)
    fast.simulate(simulations)
    return len(list(edges_of(fast.graph, fast.root)))


def test_fewer_moves_are_tried_the_less_they_are_worth() -> None:
    assert tried(math.inf, 81) == tried(math.inf, 60) + 21 == 81
    assert 1 <= tried(0.0, 200) <= tried(60.0, 200) < 81


def test_a_move_that_loses_is_left_for_an_untried_one() -> None:
    """Payoffs of lost games are below what is untried, so that the win is found whatever was tried first."""
    machine = compiled("tic_tac_toe")
    position = machine.initial()
    for move in ("(mark 1 1)", "(mark 2 1)", "(mark 1 2)", "(mark 2 2)"):
        situation = machine.situation(position)
        joint = [next((m for m in moves if str(m) == move), moves[0]) for moves in situation.legal]
        position = machine.next(position, tuple(joint))
    search = Search(machine, SearchSettings(first_play=60, solver=False, playouts=1), 1, memory=2**20)
    search.start(position)
    search.run(simulations=300)
    best = search.best(0)
    assert best is not None and str(machine.inputs[best.input]) == "(mark 1 3)"


def test_it_is_an_option_of_players() -> None:
    assert search_options("ucd", {"first_play": "55"})[0].first_play == 55
    assert search_options("ucd", {})[0].first_play == math.inf
    for text in ("-1", "nan", "soon"):
        with pytest.raises(UsageError, match="first_play"):
            search_options("ucd", {"first_play": text})
