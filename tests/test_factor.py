"""The kernel for sums of products: what Python's says, gate by gate, and nothing recurses."""

from __future__ import annotations

import random

import numpy as np
import pytest

from ggp.circuits.factor import factored_sum
from ggp.circuits.gates import Gates, new_gates
from ggp.circuits.graph import Graph
from tests.factoring import factored_sum as by_hand
from tests.small_programs import values


def build(gates: Gates, products: list[list[int]]) -> int:
    """The kernel's literal."""
    rows = [sorted(set(product)) for product in products]
    first = np.cumsum([0, *map(len, rows)])
    return int(factored_sum(gates, first, np.array([x for row in rows for x in row], np.int64)))


@pytest.mark.parametrize("seed", range(60))
def test_the_same_gates_as_by_hand(seed: int) -> None:
    generator = random.Random(seed)
    leaves = generator.randint(2, 12)
    graph, gates = Graph(leaves), new_gates(leaves, 4000)
    for _ in range(10):
        literals = [2 * gate + generator.randint(0, 1) for gate in range(1, 1 + leaves)]
        most = generator.randint(1, leaves)
        products = [generator.sample(literals, generator.randint(1, most)) for _ in range(generator.randint(0, 12))]
        wanted = by_hand(graph, products)
        assert build(gates, products) == wanted
    size = int(gates[4][0])
    assert (gates[0][:size].tolist(), gates[1][:size].tolist()) == (graph.left, graph.right)


def test_the_empty_sum_and_the_empty_product() -> None:
    assert build(new_gates(2, 9), []) == 0
    assert build(new_gates(2, 9), [[2, 4], []]) == 1


def test_factors_deep_inside_one_another() -> None:
    deep = 300
    products = [[2 * (1 + j) for j in range(i + 1)] + [2 * (1 + deep + i)] for i in range(deep)]
    gates = new_gates(2 * deep, deep * deep)
    made = build(gates, products)
    graph = Graph(2 * deep)
    size = int(gates[4][0])
    graph.left, graph.right = gates[0][:size].tolist(), gates[1][:size].tolist()
    rows = 64
    generator = random.Random(1)
    leaves = [0 if generator.random() < 0.01 else (1 << rows) - 1 for _ in range(deep)]
    leaves += [generator.getrandbits(rows) & generator.getrandbits(rows) for _ in range(deep)]
    wanted, all_before = 0, (1 << rows) - 1
    for i in range(deep):
        all_before &= leaves[i]
        wanted |= all_before & leaves[deep + i]
    found = values(graph, leaves, rows)
    assert found[made >> 1] ^ ((1 << rows) - 1 if made & 1 else 0) == wanted
