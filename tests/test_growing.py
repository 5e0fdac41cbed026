"""A graph whose gates are made by kernels is the graph that Python makes, gate by gate, however often it grows."""

from __future__ import annotations

import random

import pytest

from ggp.circuits import growing
from ggp.circuits.graph import FALSE, TRUE, Graph
from ggp.circuits.growing import GrowingGraph
from ggp.core.errors import TooLargeError
from tests.factoring import factored_sum


@pytest.mark.parametrize("seed", range(40))
def test_the_same_gates_as_by_hand(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growing, "_ROOM", 2)
    generator = random.Random(seed)
    leaves = generator.randint(2, 10)
    by_hand, made = Graph(leaves), GrowingGraph(leaves)
    known = [2 * gate for gate in range(1 + leaves)]
    for _ in range(60):
        literals = [generator.choice(known) ^ generator.randint(0, 1) for _ in range(generator.randint(2, 12))]
        products = [generator.choices(literals, k=generator.randint(0, 4)) for _ in range(generator.randint(0, 6))]
        kind = generator.randint(0, 4)
        if kind == 0:
            wanted, found = by_hand.land(*literals[:2]), made.land(*literals[:2])
        elif kind == 1:
            wanted, found = by_hand.conjunction(literals), made.conjunction(literals)
        elif kind == 2:
            wanted, found = by_hand.disjunction(literals), made.disjunction(literals)
        elif kind == 3:
            wanted, found = factored_sum(by_hand, products), made.sum(products)
        else:
            wanted, found = by_hand.placeholder(), made.placeholder()
        assert found == wanted
        known.append(found)
    finished = made.finished()
    assert len(made) == len(by_hand)
    assert (finished.left, finished.right, finished.feedback) == (by_hand.left, by_hand.right, by_hand.feedback)


def test_nothing_to_do() -> None:
    graph = GrowingGraph(2)
    assert (graph.conjunction([]), graph.disjunction([])) == (TRUE, FALSE)
    assert (graph.sum([]), graph.sum([[2], []])) == (FALSE, TRUE)


def test_a_limit_ends_it() -> None:
    graph = GrowingGraph(40, limit=50)
    for i in range(2, 13):
        graph.land(2 * i, 2 * i + 3)
    with pytest.raises(TooLargeError):
        graph.finished()
    with pytest.raises(TooLargeError):
        graph.land(2, 4)
