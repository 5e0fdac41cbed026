"""Copying a net: replaced gates, gates made otherwise, cycles, and what nobody needs."""

from __future__ import annotations

import random

import pytest

from ggp.circuits.build import build_naive
from ggp.circuits.graph import Graph, Net
from ggp.circuits.rebuild import rebuild
from tests.small_programs import disagreements, program_of, random_net, table


@pytest.mark.parametrize("seed", range(30))
def test_a_copy_says_the_same_and_has_no_dead_gates(seed: int) -> None:
    net = random_net(random.Random(seed))
    copy = rebuild(net)
    assert table(copy) == table(net)
    assert copy.size() == len(copy.graph) - 1 - copy.graph.leaves <= net.size()


@pytest.mark.parametrize("seed", range(30))
def test_equal_gates_may_stand_for_each_other(seed: int) -> None:
    generator = random.Random(seed)
    net = random_net(generator)
    graph = net.graph
    x = 2 * generator.randint(1 + graph.leaves, len(graph) - 1)
    graph.left.append(x)  # x and x, which no shortcut has seen
    graph.right.append(x)
    twin = len(graph) - 1
    net.next[0] = 2 * twin + 1
    assert table(rebuild(net, {twin: x})) == table(net)
    wrong = rebuild(net, {twin: x ^ 1})
    assert table(wrong)[-len(net.late)] == table(net)[-len(net.late)] ^ ((1 << (1 << graph.leaves)) - 1)


def test_gates_made_otherwise() -> None:
    graph = Graph(2)
    both = graph.land(2, 4)
    net = Net(graph, 2, 0, [both, both ^ 1], [], 0, [], [])
    either = rebuild(net, make=lambda fresh, gate, get: fresh.lor(get(2), get(4)) if gate == both >> 1 else None)
    assert table(either)[-2:] == [0b1110, 0b0001]


@pytest.mark.parametrize("order", [False, True])
def test_cycles_are_copied_with_their_groups(order: bool) -> None:
    net = build_naive(program_of("hex_5x5"))
    first = list(range(1 + net.graph.leaves, len(net.graph))) if order else []
    copy = rebuild(net, order=first)
    assert list(disagreements("hex_5x5", copy)) == []
    assert sum(map(len, copy.graph.groups)) == len(copy.graph.feedback) > 0
