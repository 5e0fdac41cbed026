"""RAVE, GRAVE and HRAVE: the kernels beside the reference, after every simulation, with the numbers counted anew."""

from __future__ import annotations

from typing import Any

import pytest

from ggp.search.settings import SearchSettings
from tests.compiled import compiled
from tests.search_checks import INF, Pair, after_random_moves

GAMES = {
    "connect_four": 20, "hex_5x5": 10, "eight_puzzle": 0, "roshambo": 0, "tic_tac_toe_three_players": 0, "dice_race": 10,
    "bidding_tic_tac_toe": 0, "left_right": 0,
}  # fmt: skip
"""Games of every kind, and how many random steps to play before the search."""
WAYS: list[dict[str, Any]] = [
    {},
    {"rave_ref": 5, "c": 5.0},
    {"rave_ref": INF, "rave_weight": "visits"},
    {"first_play": 40, "playouts": 4},
]


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("number", range(len(WAYS)))
def test_the_kernels_do_what_the_reference_does(name: str, number: int) -> None:
    chosen: dict[str, Any] = {"rave": 30.0, "c": 20.0, **WAYS[number]}
    settings = SearchSettings(**chosen, solver=False)
    pair = Pair(compiled(name), settings, 3, after_random_moves(compiled(name), GAMES[name], 3))
    for _ in range(40):
        pair.step()
    pair.compare_values()
