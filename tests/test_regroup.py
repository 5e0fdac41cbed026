"""Sharing pairs and factoring: every output keeps its truth table, and what is shared is built once."""

from __future__ import annotations

import random

import pytest

from ggp.circuits.build import build_factored, build_naive
from ggp.circuits.graph import Graph, Net
from ggp.circuits.regroup import distribute, regroup
from ggp.circuits.work import Work
from tests.small_programs import disagreements, program_of, random_net, table


@pytest.mark.parametrize("seed", range(60))
def test_truth_tables_stay(seed: int) -> None:
    net = random_net(random.Random(seed), gates=30 + 3 * seed)
    wanted = table(net)
    for deep in (0, 6):
        assert table(regroup(net, Work(100_000), deep=deep)) == wanted
    assert table(regroup(net, Work(3))) == wanted  # stopped after the first pairs
    assert table(distribute(net)) == wanted


@pytest.mark.parametrize("name", ["hex_5x5", "sliding", "tic_tac_toe"])
def test_games_keep_their_meaning(name: str) -> None:
    net = build_naive(program_of(name))
    for made in (regroup(net, Work(1_000_000)), regroup(net, Work(1_000_000), deep=6), distribute(net)):
        assert list(disagreements(name, made)) == []


def test_the_pair_that_occurs_most_becomes_a_gate() -> None:
    graph = Graph(6)
    heads = [graph.land(graph.land(2, 2 * k), 4) for k in range(3, 7)]  # all hold leaves 1 and 2, in different trees
    net = Net(graph, 6, 0, heads, [], 0, [], [])
    assert net.size() == 8
    assert regroup(net, Work(1_000)).size() == 5


def test_a_common_factor_is_taken_out() -> None:
    graph = Graph(3)
    net = Net(graph, 3, 0, [graph.lor(graph.land(2, 4), graph.land(2, 6))], [], 0, [], [])
    assert net.size() == 3
    assert distribute(net).size() == 2


def test_factored_nets_are_no_larger_afterwards() -> None:
    for name in ("tic_tac_toe", "sliding"):
        net = build_factored(program_of(name))
        assert regroup(net, Work(1_000_000)).size() <= net.size()
