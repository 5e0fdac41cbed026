"""Rows of all gates over samples, a bit for each sample."""

from __future__ import annotations

import random

import numpy as np
import pytest

from ggp.circuits.invariants import Samples
from ggp.circuits.signatures import arrays as operands
from ggp.circuits.signatures import evaluate_all, late_gates, signatures
from ggp.circuits.simulate import pack, padded, unpack
from tests.small_programs import random_net, values


@pytest.mark.parametrize("seed", range(20))
def test_each_bit_is_the_value_of_the_gate_in_its_sample(seed: int) -> None:
    net = random_net(random.Random(seed))
    n = net.graph.leaves
    bits = np.array([[row >> i & 1 for row in range(1 << n)] for i in range(n)], np.bool_)
    rows = unpack(evaluate_all(*operands(net), pack(bits)))
    wanted = values(net.graph, [int("".join("01"[b] for b in row[::-1]), 2) for row in bits.tolist()], 1 << n)
    assert [int("".join("01"[b] for b in row[::-1]), 2) for row in rows.tolist()] == wanted


@pytest.mark.parametrize("seed", range(20))
def test_gates_are_late_if_an_input_can_change_them(seed: int) -> None:
    """By structure: whatever an input does change is late."""
    net = random_net(random.Random(seed))
    n, width = net.graph.leaves, 1 << net.graph.leaves
    leaves = [sum(1 << row for row in range(width) if row >> i & 1) for i in range(n)]
    late = late_gates(net)
    without = values(net.graph, [*leaves[: net.bases], *([0] * net.inputs)], width)
    for gate, (one, other) in enumerate(zip(values(net.graph, leaves, width), without, strict=True)):
        assert late[gate] or one == other
    assert not late[: 1 + net.bases].any() and late[1 + net.bases : 1 + n].all()
    assert not any(late[x >> 1] for x in net.early)


@pytest.mark.parametrize("count", [1, 5, 63, 64, 65, 200])
def test_columns_are_repeated_up_to_whole_words(count: int) -> None:
    bits = np.random.default_rng(count).random((3, count)) < 0.5
    made = unpack(padded(bits))
    assert made.shape[1] % 64 == 0 and made.shape[1] - count < 64
    assert all((made[:, k] == bits[:, k % count]).all() for k in range(made.shape[1]))


def test_positions_without_a_move_are_in_one_bank_only() -> None:
    net = random_net(random.Random(1))
    rng = np.random.default_rng(1)
    moving = np.arange(100) % 3 > 0
    samples = Samples(rng.random((net.bases, 100)) < 0.5, moving, (rng.random((net.inputs, 100)) < 0.5) & moving)
    found = signatures(net, samples)
    first = slice(1, 1 + net.bases)
    assert (unpack(found.position)[first, :100] == samples.states).all()
    assert (unpack(found.move)[first, : moving.sum()] == samples.states[:, moving]).all()
    assert not unpack(found.position)[1 + net.bases : 1 + net.graph.leaves].any()
