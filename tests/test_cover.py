"""Three-input tables instead of gates: each table in use has the value of the gate that it stands for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggp.lanes.cover import Cover, cover
from ggp.lanes.network import AND, LEAF, Network, majority, xor
from tests import slow_circuit as reference
from tests.test_bank_program import random_network

ROWS = 64


def table_values(net: Network, made: Cover, leaves: dict[int, int]) -> list[int]:
    """The values of all nodes by tables, leaves and random words given; a gate without a table has no value."""
    found: list[int] = [-1] * len(net)
    kind = net.arrays()[0].tolist()
    for node in range(len(net)):
        if kind[node] != AND:
            found[node] = leaves.get(node, 0)
        elif made.used[node]:
            inputs = [found[x] for x in made.leaves[node].tolist() if x >= 0]
            assert -1 not in inputs
            found[node] = sum(
                (int(made.table[node]) >> sum((x >> row & 1) << i for i, x in enumerate(inputs)) & 1) << row
                for row in range(ROWS)
            )
    return found


@given(st.integers(0, 2**32), st.integers(1, 12), st.integers(1, 150))
def test_tables_have_the_values_of_the_gates(seed: int, count: int, nodes: int) -> None:
    rng = np.random.default_rng(seed)
    net, literals = random_network(rng, count, nodes)
    outputs = [int(x) ^ int(rng.integers(2)) for x in rng.choice(literals, 5)]
    wanted = reference.network_values(net, {row: int.from_bytes(rng.bytes(ROWS // 8), "little") for row in range(count)})
    made, kind = cover(net, outputs), net.arrays()[0].tolist()
    found = table_values(net, made, {node: word for node, word in enumerate(wanted) if kind[node] != AND})
    assert all(found[x >> 1] == wanted[x >> 1] for x in outputs)
    assert all(value in (-1, wanted[node]) for node, value in enumerate(found))
    assert made.tables <= sum(net.arrays()[0] == AND)


def test_a_full_adder_is_two_tables() -> None:
    net = Network()
    a, b, c = (net.leaf(i) for i in range(3))
    room = net.reserve(16)
    half, carry = int(xor(room, a, b)), int(majority(room, a, b, c))
    made = cover(net, [int(xor(room, half, c)), carry])
    assert sum(net.arrays()[0] == AND) > 6
    assert made.tables == 2
    assert sorted(made.table[made.used].tolist()) in ([0x17, 0x69], [0x17, 0x96], [0x69, 0xE8], [0x96, 0xE8])


@pytest.mark.parametrize("hasty", [False, True])
def test_a_long_chain_is_one_table_for_each_two_gates(hasty: bool) -> None:
    """No node of a chain but the last is used twice, so that every choice could change all that is below."""
    net, links = Network(), 2000
    leaves = [net.leaf(row) for row in range(2 * links + 1)]
    x = leaves[0]
    for i in range(links):
        x = net.lor(net.land(x, leaves[2 * i + 1]), leaves[2 * i + 2])
    made = cover(net, [x], hasty=hasty)
    assert made.tables == links
    words = {row: int.from_bytes(np.random.default_rng(row).bytes(ROWS // 8), "little") for row in range(len(leaves))}
    wanted, kind = reference.network_values(net, words), net.arrays()[0].tolist()
    found = table_values(net, made, {node: word for node, word in enumerate(wanted) if kind[node] != AND})
    assert found[x >> 1] == wanted[x >> 1]


def test_what_no_output_needs_is_not_covered() -> None:
    net = Network()
    a, b = net.leaf(0), net.leaf(1)
    wanted = net.land(a, b)
    xor(net.reserve(3), a, b)
    made = cover(net, [wanted, a])
    assert np.flatnonzero(made.used).tolist() == [wanted >> 1]
    assert made.table[wanted >> 1] & 0xF == 0x8
    assert net.arrays()[0][a >> 1] == LEAF
