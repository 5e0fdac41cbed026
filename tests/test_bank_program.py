"""Networks through cover, order, interpreter and machine code, against their plain evaluation."""

import numba as nb
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ggp.lanes.bank import Bank, aligned
from ggp.lanes.engine import Engine, prepare
from ggp.lanes.native import invoke
from ggp.lanes.network import RANDOM, Fixpoint, Network, add, majority, mux, xor
from ggp.lanes.program import FEED, GAP, Program, build_program
from ggp.lanes.tables import FORMS, TABLES, A, B, C, reorder
from ggp.lanes.ways import Way, usable
from tests import slow_circuit as reference
from tests.small_circuits import circuit

MASK = (1 << 64) - 1


def random_network(rng: np.random.Generator, leaves: int, nodes: int) -> tuple[Network, list[int]]:
    net = Network()
    literals = [net.leaf(i) for i in range(leaves)]
    for _ in range(nodes):
        # mostly recent operands, so that the values do not all stay alive; some far ones, so that some do
        recent = literals[-12:] if rng.random() < 0.7 else literals
        x, y, z = (int(v) ^ int(rng.integers(2)) for v in rng.choice(recent, 3))
        match int(rng.choice(5, p=[0.5, 0.15, 0.15, 0.15, 0.05])):
            case 0:
                made = net.land(x, y)
            case 1:
                made = int(xor(net.reserve(3), x, y))
            case 2:
                made = int(mux(net.reserve(3), x, y, z))
            case 3:
                made = int(majority(net.reserve(4), x, y, z))
            case _:
                made = int(add(net.reserve(1), RANDOM, x & ~1, y & ~1))
        literals.append(made if made > 1 else literals[-1])
    return net, literals


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 60), st.integers(1, 500))
def test_any_network(seed: int, leaves: int, nodes: int) -> None:
    """Rows are overwritten in place, swapped, inverted, set to constants and counted."""
    rng = np.random.default_rng(seed)
    net, literals = random_network(rng, leaves, nodes)
    pool = [0, 1, *literals, *(x ^ 1 for x in literals)]
    stores = {r: int(rng.choice(pool)) for r in range(leaves) if rng.random() < 0.8}
    counts = {leaves + i: int(rng.choice(literals)) ^ i % 2 for i in range(3)}
    program = build_program(net, stores, counts, leaves + 3)
    for way in usable():
        runner = prepare(program, way)
        memory = aligned((2, runner.rows, runner.words))
        memory[:] = rng.integers(0, 2**64, memory.shape, np.uint64)
        memory[:, leaves : leaves + 3] = 0
        before = memory.copy()
        runner.run(memory, 1)
        for block, w in ((0, 0), (0, runner.words - 1), (1, 3)):
            value = reference.network_values(net, {i: int(before[block, i, w]) for i in range(leaves)})
            for row in range(leaves):
                x = stores.get(row)
                want = int(before[block, row, w]) if x is None else value[x >> 1] ^ (MASK if x & 1 else 0)
                assert int(memory[block, row, w]) == want
            for row, x in counts.items():
                assert int(memory[block, row, w]) == (value[x >> 1] ^ (MASK if x & 1 else 0)).bit_count()


CELLS = 40


def row_of_cells() -> Program:
    """A loop: which cells of a row are joined to the first one. Rows: the cells that are free, then those joined."""
    net = Network()
    free = net.leaves(range(CELLS))
    start = len(net)
    joined = net.leaves(range(CELLS, 2 * CELLS))
    beside = [net.any([joined[j] for j in (i - 1, i + 1) if 0 <= j < CELLS]) for i in range(CELLS)]
    new = net.each_and(free, np.array([1, *beside[1:]]))
    net.fixpoints.append(Fixpoint(start, len(net), joined, new))
    return build_program(net, {2 * CELLS + i: int(x) for i, x in enumerate(joined)}, {}, 3 * CELLS)


def test_what_a_loop_feeds_back_does_not_wait_for_what_was_fed_just_before() -> None:
    program = row_of_cells()
    fed = (program.target[program.what == FEED] - CELLS).tolist()
    assert sorted(fed) == list(range(CELLS))
    waits = [cell for at, cell in enumerate(fed) if {cell - 1, cell + 1} & set(fed[max(0, at - GAP) : at])]
    assert len(waits) <= 1  # what is left at the end may have to wait; as they come, all but one do


def test_a_loop_may_feed_nothing_back() -> None:
    net = Network()
    start, nothing = len(net), np.array([], np.int64)
    free = net.leaf(0)
    net.fixpoints.append(Fixpoint(start, len(net), nothing, nothing))
    program = build_program(net, {1: free}, {}, 2)
    assert program.size and not (program.what == FEED).any()


@pytest.mark.parametrize("way", usable())
def test_a_loop_ends_when_nothing_changes(way: Way) -> None:
    runner = prepare(row_of_cells(), way)
    memory = aligned((1, runner.rows, runner.words))
    free = np.random.default_rng(1).random((CELLS, 64 * runner.words)) < 0.9
    memory[0, :CELLS] = np.packbits(free, axis=1, bitorder="little").view(np.uint64)
    runner.run(memory, 1)
    joined = np.ascontiguousarray(memory[0, 2 * CELLS : 3 * CELLS]).view(np.uint8)
    assert np.array_equal(np.unpackbits(joined, axis=1, bitorder="little"), np.logical_and.accumulate(free, axis=0))


def test_every_table_is_a_form() -> None:
    for table, (form, order, flips) in TABLES.items():
        x, y, z = ((A, B, C)[p] ^ (255 if flips >> i & 1 else 0) for i, p in enumerate(order))
        assert (FORMS[form](x, y, z) ^ (255 if flips & 8 else 0)) & 255 == table


def test_reorder() -> None:
    """reorder(t, order) reads operand order[i] as operand i."""
    for table in range(256):
        for order in ((0, 1, 2), (2, 0, 1), (1, 0, 2)):
            new = reorder(table, order)
            for v in range(8):
                bits = [v >> i & 1 for i in range(3)]
                w = sum(bits[p] << i for i, p in enumerate(order))
                assert new >> w & 1 == table >> v & 1


@pytest.mark.parametrize("way", [way for way in usable() if way.instructions])
def test_invoke_from_a_kernel(way: Way) -> None:
    """A numba kernel runs the same machine code."""

    @nb.njit(nogil=True)
    def kernel(address: int, memory: np.ndarray) -> None:
        for _ in range(3):
            invoke(address, memory, 2)  # type: ignore[call-arg]

    engine = Engine(circuit("tic_tac_toe"), way=way)
    a, b = (Bank(engine, 1024, 5) for _ in range(2))
    runner = engine.playout[1]
    for bank in (a, b):
        bank.run(runner, 0)  # makes room
    runner.run(a.memory, 6)
    kernel(runner.address, b.memory)  # type: ignore[attr-defined]
    assert (a.memory == b.memory).all()
