"""Many disjunctions of leaves at once: each is built as it was asked for, and common parts are built once."""

from __future__ import annotations

import random

import pytest

from ggp.circuits.graph import Graph, Net
from ggp.circuits.masks import bits_of, mask_of
from ggp.circuits.orsets import build_sets, share
from tests.small_programs import outputs

LEAVES = 12


def asked(masks: list[int]) -> Net:
    """A net that asks for a disjunction for each mask (bit g: gate g), and for the negation of each."""
    graph = Graph(LEAVES)
    literals = [graph.placeholder() for _ in masks]
    net = Net(graph, LEAVES, 0, [*literals, *(x ^ 1 for x in literals)], [], 0, [], [])
    return build_sets(net, dict(zip(literals, masks, strict=True)))


@pytest.mark.parametrize("seed", range(50))
def test_every_set_is_the_disjunction_of_its_leaves(seed: int) -> None:
    generator = random.Random(seed)
    masks = [
        mask_of(generator.sample(range(1, LEAVES + 1), generator.randint(1, LEAVES)))
        for _ in range(generator.randint(1, 12))
    ]
    net = asked(masks)
    assert not net.graph.feedback
    width = 1 << LEAVES
    leaves = [sum(1 << row for row in range(width) if row >> i & 1) for i in range(LEAVES)]
    found = outputs(net, leaves, width)[1:]
    every = (1 << width) - 1
    for number, mask in enumerate(masks):
        wanted = 0
        for gate in bits_of(mask):
            wanted |= leaves[gate - 1]
        assert found[number] == wanted
        assert found[len(masks) + number] == wanted ^ every


@pytest.mark.parametrize("seed", range(50))
def test_definitions_expand_to_the_masks(seed: int) -> None:
    generator = random.Random(seed)
    masks = sorted({mask_of(generator.sample(range(1, 40), generator.randint(1, 25))) for _ in range(15)})
    definitions, roots = share(masks)

    def expand(element: int) -> set[int]:
        return set().union(*map(expand, definitions[element])) if element in definitions else {element}

    assert {mask: expand(roots[mask]) for mask in masks} == {mask: set(bits_of(mask)) for mask in masks}


def test_a_common_part_is_built_once() -> None:
    common = mask_of([1, 2, 3, 4, 5, 6])
    net = asked([common | mask_of([7]), common | mask_of([8]), common | mask_of([9, 10])])
    assert net.size() == 5 + 1 + 1 + 2
