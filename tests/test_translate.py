"""Ground programs as arrays, and the order in which their atoms are defined."""

from __future__ import annotations

import numpy as np
import pytest

from gdl.grounding.strata import components
from ggp.circuits.translate import components as by_kernel
from ggp.circuits.translate import depends, table_of
from tests.small_programs import program_of

NAMES = ["hex_5x5", "tic_tac_toe", "monty_hall", *map(str, range(10))]


@pytest.mark.parametrize("name", NAMES)
def test_the_arrays_hold_the_program(name: str) -> None:
    program = program_of(name)
    table = table_of(program)
    bodies: dict[int, list[tuple[int, ...]]] = {}
    for head, body in program.rules:
        bodies.setdefault(head, []).append(body)
    assert table.heads.tolist() == list(bodies)
    for row, head in enumerate(bodies):
        assert table.row[head] == row
        places = range(table.bodies[row], table.bodies[row + 1])
        assert [tuple(table.items[table.first[b] : table.first[b + 1]].tolist()) for b in places] == bodies[head]
    for j, pair in enumerate(program.inputs):
        assert table.input[pair.does] == j
        assert table.role[j] == pair.role
        assert table.starts[pair.role] <= j < table.starts[pair.role + 1]


@pytest.mark.parametrize("name", NAMES)
def test_components_are_those_of_the_dependency_graph(name: str) -> None:
    program = program_of(name)
    bodies: dict[int, list[tuple[int, ...]]] = {}
    for head, body in program.rules:
        bodies.setdefault(head, []).append(body)
    assert by_kernel(table_of(program)) == components(bodies)


@pytest.mark.parametrize("name", NAMES)
def test_what_an_atom_depends_on(name: str) -> None:
    program = program_of(name)
    wanted = {program.terminal}
    before: set[int] = set()
    while wanted != before:
        before = set(wanted)
        wanted.update(abs(x) for head, body in program.rules if head in before for x in body)
    assert set(np.flatnonzero(depends(table_of(program), [program.terminal])).tolist()) == wanted
