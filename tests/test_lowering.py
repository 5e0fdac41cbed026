"""Programs in operations on two inputs: the same results, in as few operations as there can be for one table."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ggp.lanes.interpreter import interpret
from ggp.lanes.lowering import AND, AND_NOT, FALSE, OR, TRUE, XOR, Term, lowered, ways
from ggp.lanes.program import INVERSE, STORE, TABLE, VALUE, Program, build_program
from ggp.lanes.tables import FORMS, TABLES, A, B, C
from tests.test_bank_program import random_network


def fewest() -> dict[int, int]:
    """Of each table the fewest operations on two inputs, negations free. Tables are up to negation, with bit 0 clear."""

    def clear(table: int) -> int:
        return table ^ 255 if table & 1 else table

    found = dict.fromkeys((0, *map(clear, (A, B, C))), 0)
    known = {frozenset(map(clear, (A, B, C)))}
    for size in range(1, 5):
        more = set[frozenset[int]]()
        for tables in known:
            for x, y in itertools.combinations(sorted(tables), 2):
                for made in {clear(t) for t in (x & y, x & ~y, ~x & y, x | y, x ^ y)} - tables - {0}:
                    found.setdefault(made, size)
                    more.add(tables | {made})
        known = more if size < 4 else set()
    return {table: found[clear(table)] for table in range(256)}


def test_the_ways_of_every_form_are_right_and_short() -> None:
    least = fewest()
    for form in range(1, len(FORMS)):
        table = FORMS[form](A, B, C) & 255
        for way in ways(form):
            assert len(way.steps) == least[table], form
            assert value(way) == table, form
    assert max(least.values()) == 4 and set(least) == set(TABLES)


def value(way: Term) -> int:
    """The table that a way computes."""
    values = [A, B, C]
    for kind, left, right in way.steps:
        x, y = (values[literal >> 1] ^ 255 * (literal & 1) for literal in (left, right))
        values.append({AND: x & y, XOR: x ^ y}[kind])
    return values[way.literal >> 1] ^ 255 * (way.literal & 1)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 60), st.integers(1, 500))
def test_any_program(seed: int, leaves: int, nodes: int) -> None:
    """Rows are overwritten in place, swapped, inverted, set to constants and counted."""
    rng = np.random.default_rng(seed)
    net, literals = random_network(rng, leaves, nodes)
    pool = [0, 1, *literals, *(x ^ 1 for x in literals)]
    stores = {row: int(rng.choice(pool)) for row in range(leaves) if rng.random() < 0.8}
    counts = {leaves + i: int(rng.choice(literals)) ^ i % 2 for i in range(3)}
    program = build_program(net, stores, counts, leaves + 3)
    small = lowered(program)
    assert set(small.table[small.what == TABLE].tolist()) <= {FALSE, TRUE, VALUE, INVERSE, AND, AND_NOT, OR, XOR}
    before = rng.integers(0, 2**64, (1, leaves + 3, 16), np.uint64)
    assert (after(program, before) == after(small, before)).all()


def after(program: Program, rows: np.ndarray) -> np.ndarray:
    """What two laps leave in the rows."""
    runner = interpret(program)
    memory = np.zeros((1, runner.rows, runner.words), np.uint64)
    memory[:, : rows.shape[1]] = rows
    runner.run(memory, 2)
    return memory[:, : rows.shape[1]]


@pytest.mark.parametrize(("table", "operations"), [(0xE8, 4), (0xCA, 3), (0x96, 2), (0x88, 1)])
def test_what_a_table_becomes(table: int, operations: int) -> None:
    """A majority, a choice, a parity of three; both of two."""
    made = lowered(_of_tables([table]))
    assert int((made.what == TABLE).sum()) == operations


def test_tables_share_what_they_have_in_common() -> None:
    """A full adder has five operations: of the sum two, of the carry three more."""
    made = lowered(_of_tables([0x96, 0xE8]))
    assert int((made.what == TABLE).sum()) == 5


def _of_tables(tables: list[int]) -> Program:
    """Tables of rows 0, 1 and 2, stored to rows 3 and on."""
    n = len(tables)
    what, target = [TABLE] * n + [STORE] * n, [3 + i for i in range(n)] * 2
    operands = [(0, 1, 2)] * n + [(3 + i, -1, -1) for i in range(n)]
    return Program(
        np.array(what, np.int32),
        np.array([*tables, *[0] * n], np.int32),
        np.array(target, np.int32),
        np.array(operands, np.int32),
        np.array([0, 1, 2, *[-1] * n], np.int32),
        ((0, 2 * n, False),),
        3 + n,
    )
