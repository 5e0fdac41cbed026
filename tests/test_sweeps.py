"""The order in which a loop is swept: short chains, from where news comes, and the same least fixpoint."""

from __future__ import annotations

import random

import pytest

from ggp.circuits import sweeps
from ggp.circuits.build import build_factored
from ggp.circuits.emit import emit
from ggp.circuits.graph import Graph
from ggp.circuits.sweeps import sweep_order
from tests.small_programs import program_of


def field(edges: list[tuple[int, int]], count: int, first: list[int]) -> tuple[Graph, list[int], set[int]]:
    """Places that are reached from those beside them, where there is a stone, and the `first` from an edge as well."""
    graph = Graph(2 * count)
    heads = [graph.placeholder() >> 1 for _ in range(count)]
    for i, head in enumerate(heads):
        reached = 2 * (1 + count + i) if i in first else 0
        for a, b in edges:
            if i in (a, b):
                other = 2 * heads[a + b - i]
                reached = graph.land(reached ^ 1, other ^ 1) ^ 1
        graph.feedback[head] = graph.land(2 * (1 + i), reached)
    return graph, heads, set(range(1 + graph.leaves, len(graph)))


def chain(order: list[int], edges: list[tuple[int, int]], heads: list[int]) -> int:
    """The most places of which each is defined after one beside it."""
    place = {head: i for i, head in enumerate(order)}
    longest: dict[int, int] = {}
    for head in order:
        i = heads.index(head)
        beside = [heads[a + b - i] for a, b in edges if i in (a, b)]
        longest[head] = 1 + max((longest[x] for x in beside if place[x] < place[head]), default=0)
    return max(longest.values())


def square(size: int) -> list[tuple[int, int]]:
    found = [(i, i + 1) for i in range(size * size) if (i + 1) % size]
    return found + [(i, i + size) for i in range(size * size - size)]


def test_a_row_of_places_is_no_chain() -> None:
    edges = [(i, i + 1) for i in range(19)]
    graph, heads, inside = field(edges, 20, list(range(20)))
    order = sweep_order(graph, heads, inside)
    assert sorted(order) == heads and chain(order, edges, heads) == 2 < chain(heads, edges, heads) == 20


@pytest.mark.parametrize("size", [5, 8])
def test_on_a_board_news_goes_on_and_chains_are_shorter(size: int) -> None:
    edges = square(size)
    graph, heads, inside = field(edges, size * size, list(range(size)))
    order = sweep_order(graph, heads, inside)
    assert sorted(order) == heads and chain(order, edges, heads) < chain(heads, edges, heads)
    rows = [heads.index(head) // size for head in order]
    assert [row // 2 for row in rows] == sorted(row // 2 for row in rows), "two distances at a time"


def test_what_is_never_reached_comes_last() -> None:
    graph, heads, inside = field([(0, 1), (2, 3)], 4, [2])
    assert set(sweep_order(graph, heads, inside)[:2]) == set(heads[2:])


def test_a_loop_that_takes_too_long_to_look_at_stays_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    graph, heads, inside = field(square(4), 16, [0])
    monkeypatch.setattr(sweeps, "_STEPS", 20)
    assert sweep_order(graph, heads, inside) == heads


def test_any_order_comes_to_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """A whole circuit: all of its values are the same, whatever order its loops have."""
    program = program_of("hex_5x5")
    made = [emit(program, build_factored(program))]
    for seed in range(3):
        monkeypatch.setattr(
            "ggp.circuits.emit.sweep_order", lambda _, heads, __, s=seed: random.Random(s).sample(heads, len(heads))
        )
        made.append(emit(program, build_factored(program)))
    assert len({tuple(circuit.left.tolist()) for circuit in made}) > 1
    assert len({circuit.size for circuit in made}) == 1
