"""Many disjunctions of leaves at once: each is built as it was asked for, and common parts are built once."""

from __future__ import annotations

import random

import pytest

from ggp.circuits.graph import Graph, Net
from ggp.circuits.orsets import build_sets, share
from tests.small_programs import outputs

LEAVES = 12


def asked(sets: list[tuple[int, ...]]) -> Net:
    """A net that asks for the disjunction of each set of leaves, and for the negation of each."""
    graph = Graph(LEAVES)
    literals = [graph.placeholder() for _ in sets]
    net = Net(graph, LEAVES, 0, [*literals, *(x ^ 1 for x in literals)], [], 0, [], [])
    return build_sets(net, dict(zip(literals, sets, strict=True)))


@pytest.mark.parametrize("seed", range(50))
def test_every_set_is_the_disjunction_of_its_leaves(seed: int) -> None:
    generator = random.Random(seed)
    sets = [
        tuple(sorted(generator.sample(range(1, LEAVES + 1), generator.randint(1, LEAVES))))
        for _ in range(generator.randint(1, 12))
    ]
    net = asked(sets)
    assert not net.graph.feedback
    width = 1 << LEAVES
    leaves = [sum(1 << row for row in range(width) if row >> i & 1) for i in range(LEAVES)]
    found = outputs(net, leaves, width)[1:]
    every = (1 << width) - 1
    for number, gates in enumerate(sets):
        wanted = 0
        for gate in gates:
            wanted |= leaves[gate - 1]
        assert found[number] == wanted
        assert found[len(sets) + number] == wanted ^ every


@pytest.mark.parametrize("seed", range(50))
def test_definitions_expand_to_the_sets(seed: int) -> None:
    generator = random.Random(seed)
    sets = sorted({tuple(sorted(generator.sample(range(1, 40), generator.randint(1, 25)))) for _ in range(15)})
    definitions, roots = share(sets)

    def expand(element: int) -> set[int]:
        return set().union(*map(expand, definitions[element])) if element in definitions else {element}

    assert {leaves: expand(roots[leaves]) for leaves in sets} == {leaves: set(leaves) for leaves in sets}


def test_a_common_part_is_built_once() -> None:
    common = (1, 2, 3, 4, 5, 6)
    net = asked([(*common, 7), (*common, 8), (*common, 9, 10)])
    assert net.size() == 5 + 1 + 1 + 2
