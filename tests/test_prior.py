"""What is expected of moves that were never tried: the mean of their node, and how much they are liked in playouts."""

from __future__ import annotations

import numpy as np
import pytest

from ggp.core.errors import UsageError
from ggp.search.graph import edges_of, inputs_of
from ggp.search.kernels.weighing import expected
from ggp.search.presets import search_options
from ggp.search.settings import SearchSettings
from tests.compiled import compiled
from tests.search_checks import FastSearch, Pair, after_random_moves
from tests.test_first_play import GAMES


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("liking", [0.0, 15.0])
def test_the_kernels_do_what_the_reference_does(name: str, liking: float) -> None:
    settings = SearchSettings(d1=1, d2=0, d3=1, c=20, prior=1.5, solver=False)
    pair = Pair(compiled(name), settings, 3, after_random_moves(compiled(name), GAMES[name], 3))
    drawn = np.random.default_rng(7).integers(-4, 5, pair.fast.graph.liking.shape)  # some moves are liked the same
    pair.fast.graph.liking[:] = liking * drawn
    for _ in range(40):
        pair.step()
    pair.compare_values()


def test_a_move_is_expected_to_be_as_good_as_the_others_and_as_it_is_liked() -> None:
    assert expected(SearchSettings(prior=4.0), 55.0, -3.0, 10.0) == 55 - 3 + 10 / 2


def tried(prior: float, liking: float = 0.0) -> list[int]:
    """The moves of the first position of a wide game that 100 simulations have tried, one liked more than the others."""
    fast = FastSearch(compiled("hex_9x9"), SearchSettings(prior=prior, c=5, solver=False), 1)
    fast.graph.liking[0, 40] = liking
    fast.simulate(100)
    return [inputs_of(fast.graph, e)[0] for e in edges_of(fast.graph, fast.root)]


def test_fewer_moves_are_tried_and_what_is_liked_comes_second() -> None:
    assert len(tried(0.0)) == 81 and 2 < len(tried(1.0)) < 60
    assert 40 in tried(1.0, 20.0)[:2]  # the first is any: the lanes that listed the moves have played it


def test_playouts_that_prefer_moves_say_how_much_each_is_liked() -> None:
    fast = FastSearch(compiled("connect_four"), SearchSettings(prior=1.0, policy="mast", playouts=8), 1, slots=16)
    assert not fast.graph.liking.any()
    fast.simulate(500)
    middle, edge = (next(i for i, move in enumerate(fast.machine.inputs) if str(move) == f"(drop {n})") for n in (4, 1))
    assert fast.graph.liking[0, middle] > 1 > -1 > fast.graph.liking[0, edge]


def test_it_is_an_option_of_players() -> None:
    assert search_options("ucd", {"prior": "2"})[0].prior == 2 and search_options("ucd", {})[0].prior == 0
    for text in ("-1", "nan", "inf", "soon"):
        with pytest.raises(UsageError, match="prior"):
            search_options("ucd", {"prior": text})
    for name, value in (("first_play", "50"), ("rave", "30"), ("groups", "near")):
        with pytest.raises(UsageError, match="prior goes neither with"):
            search_options("ucd", {"prior": "1", name: value})
