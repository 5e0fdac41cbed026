"""Playouts as the search's evaluator, and the arrays that it works on."""

from __future__ import annotations

import pytest

from ggp.lanes.policies import POLICIES
from ggp.search.arrays import new_work
from ggp.search.graph import Size, new_graph
from ggp.search.playouts import LEARNERS, Evaluator, Playouts, eagerness_of, policy_of
from ggp.search.settings import SearchSettings
from tests.compiled import compiled
from tests.search_checks import FastSearch


@pytest.mark.parametrize(
    ("game", "policy", "played"),
    [("connect_four", "decisive", "decisive"), ("hex_5x5", "decisive", "uniform"), ("hex_5x5", "mast", "mast"),
     ("connect_four", "auto", "uniform")],
)  # fmt: skip
def test_the_policy_is_that_of_the_settings_where_the_game_offers_it(game: str, policy: str, played: str) -> None:
    assert policy_of(compiled(game).engine, SearchSettings(policy=policy)) == played


@pytest.mark.slow
def test_many_graphs_and_large_circuits_are_looked_at_sooner() -> None:
    small, large = compiled("connect_four").engine, compiled("chess_200").engine
    assert eagerness_of(small, 1).many > eagerness_of(large, 1).many
    assert eagerness_of(small, 8).few < eagerness_of(small, 1).few


def test_without_positions_there_is_nothing_to_do() -> None:
    fast = FastSearch(compiled("connect_four"), SearchSettings(playouts=8), 1, slots=16)
    evaluator: Evaluator = fast.crew.playouts
    assert not evaluator.advance()
    fast.simulate(100)
    assert fast.done == 100 and not evaluator.advance()


@pytest.mark.parametrize(("policy", "learns"), [("uniform", False), ("mast", True)])
def test_who_learns_has_a_learner(policy: str, learns: bool) -> None:
    fast = FastSearch(compiled("connect_four"), SearchSettings(policy=policy), 1)
    assert (fast.crew.playouts.learner is not None) is learns is (policy in LEARNERS)


def test_every_policy_with_parameters_has_somebody_who_sets_them() -> None:
    engine = compiled("connect_four").engine
    assert {policy for policy in POLICIES if engine.parameters(policy)} == set(LEARNERS)


def test_only_one_player_alone_has_lines_traced() -> None:
    for game, traced in (("eight_puzzle", True), ("connect_four", False)):
        playouts = FastSearch(compiled(game), SearchSettings(), 1).crew.playouts
        assert isinstance(playouts, Playouts) and (playouts.tracer is not None) is traced


def test_arrays_have_room_for_what_is_under_way() -> None:
    fast = FastSearch(compiled("connect_four"), SearchSettings(depth=30), 1, slots=16)
    slots, lanes = fast.crew.work.slots, fast.crew.work.lanes
    assert (len(slots.slot), slots.node.shape, slots.edge.shape) == (16, (16, 31), (16, 30))
    assert len(lanes.source) >= 16 and lanes.positions.shape[1] == fast.graph.position.shape[1]
    assert 64 * len(lanes.mask) >= len(lanes.play_source)
    graph = new_graph(compiled("roshambo"), [SearchSettings()], Size(10, 10, 100), [1])
    work = new_work(graph, fast.crew._growing, fast.crew._growing, 2, 5, -1)
    assert work.slots.payoff.shape == (2, graph.proof.shape[1])
