"""Groups that samples suggest: exclusive in all of them, found by name or by cover, and mended where few clash."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gdl.program import Base, GroundProgram
from ggp.circuits.candidates import candidate_groups, without_subsets
from ggp.circuits.solver import Group
from ggp.circuits.work import Work
from tests.small_programs import program_of, rows_of


def program_with(fluents: list[str]) -> GroundProgram:
    program = program_of("tic_tac_toe")
    return replace(program, bases=tuple(Base(fluent, 0, 0) for fluent in fluents))


def groups_of(fluents: list[str], samples: list[set[str]]) -> dict[frozenset[str], bool]:
    states = np.array([[fluent in sample for sample in samples] for fluent in fluents])
    found = candidate_groups(program_with(fluents), states, Work(1_000_000))
    return {frozenset(fluents[i] for i in group.members): group.exact for group in found}


@pytest.mark.parametrize("name", ["sliding", "tic_tac_toe", "nim", "eight_puzzle"])
def test_what_is_suggested_holds_in_all_samples(name: str) -> None:
    program = program_of(name)
    rows = rows_of(name)
    states = np.array([[i in row.bases for row in rows] for i in range(len(program.bases))])
    found = candidate_groups(program, states, Work(1_000_000))
    assert found
    for group in found:
        held = states[list(group.members)].sum(axis=0)
        assert held.max() <= 1
        assert group.exact == bool(held.min() == 1)


def test_by_name() -> None:
    samples = [{"(at 1 a)", "(at 2 b)"}, {"(at 1 b)", "(at 2 b)"}, {"(at 2 a)"}]
    found = groups_of(["(at 1 a)", "(at 1 b)", "(at 2 a)", "(at 2 b)"], samples)
    assert any(group >= {"(at 1 a)", "(at 1 b)"} for group in found)
    assert found[frozenset(["(at 2 a)", "(at 2 b)"])] is True


def test_by_cover() -> None:
    """Unlike names, but one of them always holds."""
    found = groups_of(["(p 1)", "(q a b)", "r", "(s 1 2 3)"], [{"(p 1)"}, {"(q a b)", "(s 1 2 3)"}, {"r"}])
    assert found == {frozenset(["(p 1)", "(q a b)", "r"]): True}


def test_a_stray_is_dropped() -> None:
    steps = [f"(step {i})" for i in range(8)]
    samples = [{step, *(["(step 7)"] if i % 2 else [])} for i, step in enumerate(steps[:7])]
    assert groups_of(steps, samples)[frozenset(steps[:7])] is True
    assert groups_of(steps[:3], [set(steps[:3])]) == {}


def test_smaller_groups_inside_larger_ones_say_nothing_new() -> None:
    large, small, exact = Group((1, 2, 3), False), Group((1, 2), False), Group((2, 3), True)
    assert without_subsets([small, exact, large]) == (large, exact)
