"""The and-inverter graph: its shortcuts never change a value."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggp.circuits.graph import FALSE, TRUE, Graph
from ggp.core.errors import TooLargeError
from tests.small_programs import values

LEAVES = 5
ROWS = 1 << LEAVES
EVERY = (1 << ROWS) - 1
INPUTS = [sum(1 << row for row in range(ROWS) if row >> i & 1) for i in range(LEAVES)]


@given(st.integers(0, 2**32), st.integers(1, 120))
def test_every_gate_has_the_value_of_its_formula(seed: int, steps: int) -> None:
    generator = random.Random(seed)
    graph = Graph(LEAVES)
    made = [(0, 0), *((2 * (1 + i), INPUTS[i]) for i in range(LEAVES))]  # literal, and its truth table
    for _ in range(steps):
        chosen = [generator.choice(made[-8:] + made[:LEAVES]) for _ in range(3)]
        (x, p), (y, q), (z, r) = ((a ^ 1, b ^ EVERY) if generator.random() < 0.5 else (a, b) for a, b in chosen)
        kinds = {
            "land": ((x, y), p & q),
            "lor": ((x, y), p | q),
            "mux": ((x, y, z), p & q | (p ^ EVERY) & r),
            "conjunction": (([x, y, z],), p & q & r),
            "disjunction": (([x, y, z],), p | q | r),
        }
        kind = generator.choice(list(kinds))
        arguments, wanted = kinds[kind]
        made.append((getattr(graph, kind)(*arguments), wanted))
    found = values(graph, INPUTS, ROWS)
    for literal, wanted in made:
        assert found[literal >> 1] ^ (EVERY if literal & 1 else 0) == wanted


def test_what_is_equal_is_one_gate() -> None:
    graph = Graph(3)
    assert graph.land(2, 4) == graph.land(4, 2)
    assert graph.land(graph.land(2, 4), 2) == graph.land(2, 4)
    assert graph.land(2, 3) == FALSE
    assert graph.lor(2, 3) == TRUE
    assert len(graph) == 1 + 3 + 1


def test_a_graph_that_grows_too_large_is_refused() -> None:
    graph = Graph(8, limit=10)
    with pytest.raises(TooLargeError):
        graph.conjunction([2 * gate for gate in range(1, 9)])
