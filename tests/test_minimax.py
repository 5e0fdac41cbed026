"""Implicit minimax: the best that learned values promise below a move, beside the mean of its payoffs."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

from ggp.core.errors import UsageError
from ggp.search.kernels.layout import Graph, State
from ggp.search.kernels.minimax import take_over
from ggp.search.kernels.values import promise
from ggp.search.presets import search_options
from ggp.search.recycling import finish, recycle
from ggp.search.reference import ReferenceSearch
from ggp.search.search import Search
from ggp.search.settings import SearchSettings
from tests.compiled import compiled, weighted
from tests.search_checks import FastSearch, Pair, after_random_moves, compare_values

GAMES = {
    "connect_four": 20, "tic_tac_toe": 0, "kalah": 10, "hex_5x5": 8, "left_right": 0, "dice_race": 10,
    "bidding_tic_tac_toe": 2,
}  # fmt: skip
"""Games of every kind in which no position comes again, and how many random steps to play before the search."""


def _promise(g: Graph, y: int, role: int) -> float:
    return promise(g, 0, y, role)


def _take_over(g: Graph, x: int, y: int) -> bool:
    return take_over(g, 0, x, y)


taken_over: Any = numba.njit(_take_over)
promised: Any = numba.njit(_promise)  # not cached: numba would not notice that the kernels have changed


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("more", [{}, {"prior": 1.0}, {"rave": 30.0, "rave_ref": 5.0}])
def test_the_kernels_do_what_the_reference_does(name: str, more: dict[str, float]) -> None:
    """The same choices after every simulation, for which the reference recounts promises from their definition."""
    settings = SearchSettings(c=10, minimax=0.4, solver=False, **more)  # type: ignore[arg-type]
    machine = weighted(name)
    pair = Pair(machine, settings, 3, after_random_moves(machine, GAMES[name], 3))
    for _ in range(50):
        pair.step()
    pair.slow._promises.clear()
    for e, edge in pair.edges.items():
        assert edge.end is not None
        found = [promised(pair.fast.graph, pair.fast.graph.edge[e].dest, r) for r in range(len(machine.roles))]
        assert found == pytest.approx(pair.slow._promise(edge.end, pair.known), abs=1e-12)
    compare_values(pair.fast, pair.edges)


def test_where_nothing_was_learned_playouts_alone_decide() -> None:
    """As on Prolog."""
    machine = compiled("tic_tac_toe")
    found = [ReferenceSearch(machine, machine.initial(), SearchSettings(minimax=share), 1) for share in (0.0, 0.4)]
    for search in found:
        for _ in range(50):
            search.simulate()
    assert found[0].moves(0) == found[1].moves(0)


def test_without_it_nothing_is_promised_and_nothing_is_kept() -> None:
    fast = FastSearch(compiled("connect_four"), SearchSettings(), 1)
    fast.simulate(50)
    assert fast.graph.promise.shape[1] == 0


def test_what_is_proven_is_promised() -> None:
    """With the solver, promises are what a recount from the proofs and the learned values gives."""
    machine = weighted("tic_tac_toe")
    fast = FastSearch(machine, SearchSettings(minimax=0.3, playouts=8), 2, slots=8)
    fast.simulate(3000)
    graph, roles = fast.graph, len(machine.roles)
    lo, count = int(graph.head[0].node_lo), int(graph.head[0].nodes)
    wrong = 0
    for x in range(lo, lo + count):
        node = graph.node[x]
        if node.principal >= 0 and node.decider >= 0:
            below = [promised(graph, int(node.principal), r) for r in range(roles)]
            assert below == graph.promise[x, roles:].tolist() or promised(graph, x, 0) in (0.0, 50.0, 100.0)
            wrong += promised(graph, x, int(node.decider)) < below[node.decider]
    assert count > 500 and not wrong
    ends = [(int(graph.edge[e].origin), int(graph.edge[e].dest)) for e in fast.edges()]
    open_ends = [(x, y) for x, y in ends if y >= 0 and not graph.node[x].state & State.PROVEN]
    left = [(x, y) for x, y in open_ends if taken_over(graph, x, y)]
    assert open_ends and not left  # everything has been brought up to date


def test_promises_outlast_a_graph_that_is_recycled() -> None:
    machine = weighted("kalah")
    search = Search(machine, SearchSettings(minimax=0.3, solver=False), 1, memory=2**24)
    search.start(machine.initial())
    search.run(simulations=2000)
    tree = search.trees[0]
    graph = tree.graph
    root = int(graph.head[0].root)
    before = graph.promise[root].tolist(), search.moves(0)
    finish(recycle(graph, 0, root, tree.crew.scratch))
    root = int(graph.head[0].root)
    assert (graph.promise[root].tolist(), search.moves(0)) == before
    principal = int(graph.node[root].principal)
    assert principal >= 0 and np.isclose(promised(graph, principal, 0), graph.promise[root, len(machine.roles)])
    search.run(simulations=2000)


def test_it_is_an_option_of_players() -> None:
    assert search_options("ucd", {"minimax": "0.3"})[0].minimax == 0.3
    for text in ("-1", "2", "nan", "soon"):
        with pytest.raises(UsageError, match="minimax"):
            search_options("ucd", {"minimax": text})
