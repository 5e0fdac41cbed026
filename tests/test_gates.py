"""Gates in arrays: the kernels build what `Graph` builds, gate by gate."""

from __future__ import annotations

import random

import numpy as np
import pytest

from ggp.circuits.gates import conjunction, distinct, graph_of, land, new_gates, sink
from ggp.circuits.graph import Graph
from ggp.core.errors import TooLargeError


@pytest.mark.parametrize("seed", range(20))
def test_the_same_gates_as_the_graph(seed: int) -> None:
    generator = random.Random(seed)
    leaves = generator.randint(2, 8)
    graph, gates = Graph(leaves), new_gates(leaves, 2000)
    literals = list(range(2 * (1 + leaves)))
    for _ in range(300):
        x, y = generator.choice(literals), generator.choice(literals)
        wanted = graph.land(x, y)
        assert land(gates, x, y) == wanted
        literals += [wanted, wanted ^ 1]
        row = generator.choices(literals, k=generator.randint(0, 7))
        assert conjunction(gates, np.array([*row, 0], np.int64), len(row)) == graph.conjunction(row)
    made = graph_of(gates, leaves, 2000, {}, [])
    assert (made.left, made.right) == (graph.left, graph.right)


def test_no_room_is_told() -> None:
    gates = new_gates(4, 2)
    row = np.array([2, 4, 6, 8], np.int64)
    conjunction(gates, row, 4)
    with pytest.raises(TooLargeError):
        graph_of(gates, 4, 100, {}, [])


def test_rows_are_sorted_and_repetitions_dropped() -> None:
    generator = random.Random(0)
    for size in range(60):
        numbers = [generator.randint(0, 40) for _ in range(size)]
        row = np.array(numbers, np.int64)
        assert row[: distinct(row, size)].tolist() == sorted(set(numbers))


def test_the_largest_comes_first_in_a_heap() -> None:
    heap = np.array([1, 9, 4], np.int64)
    sink(heap, 0, 3)
    assert heap.tolist() == [9, 1, 4]
