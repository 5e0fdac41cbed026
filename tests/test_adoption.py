"""A search goes on with a better circuit of the same rules, and forgets nothing."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from gdl import load
from ggp.circuits.packing import from_words
from ggp.lanes.engine import Engine
from ggp.lanes.phases import find_phases
from ggp.machines.circuit import CircuitMachine
from ggp.search.graph import phase_of
from ggp.search.search import Search
from ggp.search.settings import SearchSettings
from tests.helpers import GAMES


@functools.cache
def tiers(game: str) -> tuple[CircuitMachine, ...]:
    return tuple(CircuitMachine.tiers(load(GAMES / f"{game}.kif")))


def begun(machine: CircuitMachine, simulations: int = 3000, **settings: object) -> Search:
    search = Search(machine, SearchSettings(**settings), 1, memory=2**24, threads=2)  # type: ignore[arg-type]
    search.start(machine.initial())
    search.run(simulations=simulations)
    return search


@pytest.mark.parametrize("game", ["connect_four", "breakthrough", "tic_tac_toe"])
def test_what_was_found_stays_and_more_is_found(game: str) -> None:
    first, best = tiers(game)
    search = begun(first, 300)
    before, nodes = [search.moves(role) for role in range(2)], [tree.stats().nodes for tree in search.trees]
    search.adopt(best)
    search.start(search.position)
    assert [search.moves(role) for role in range(2)] == before
    assert [tree.stats().nodes for tree in search.trees] == nodes
    search.run(simulations=300)
    assert sum(move.visits for move in search.moves(0)) > sum(move.visits for move in before[0])
    for tree in search.trees:
        graph = tree.graph
        lo = int(graph.head[0].node_lo)
        for node in range(lo, lo + int(graph.head[0].nodes)):
            bits = from_words(graph.position[node], best.circuit.bases)
            assert graph.node[node].phase == phase_of(best, bits)


def test_phases_are_told_anew_where_the_better_circuit_knows_more_of_them() -> None:
    first, best = tiers("breakthrough")
    period = best.engine.phases.period
    assert period > 1
    plain = first.with_engine(Engine(first.circuit, phases=find_phases(first.circuit, (1,))))
    search = begun(plain, 300)
    assert {int(x) for tree in search.trees for x in tree.graph.node[: tree.stats().nodes]["phase"]} == {0}
    search.adopt(best)
    assert {int(x) for tree in search.trees for x in tree.graph.node[: tree.stats().nodes]["phase"]} == {0, 1}
    search.run(simulations=300)


def test_a_game_is_solved_across_a_change() -> None:
    first, best = tiers("tic_tac_toe")
    search = begun(first, 2000, solver=True)
    assert not search.solved
    search.adopt(best)
    search.run(simulations=200_000)
    move = search.best(0)
    assert search.solved and move is not None and move.proven == 50


def test_the_best_line_of_a_puzzle_stays() -> None:
    first, best = tiers("eight_puzzle")
    search = begun(first, 2000)
    line = search.best_line()
    search.adopt(best)
    assert search.best_line() == line
    search.run(simulations=2000)
    assert line is None or search.best_line() is not None


def test_the_same_positions_and_moves_in_all_tiers() -> None:
    first, best = tiers("breakthrough")
    generator = np.random.default_rng(1)
    position = first.initial()
    for _ in range(60):
        here, there = first.situation(position), best.situation(position)
        assert here == there
        if here.terminal:
            break
        joint = tuple(moves[generator.integers(len(moves))] for moves in here.legal)
        assert first.next(position, joint) == best.next(position, joint)
        position = first.next(position, joint)
