"""Values of atoms: a disjunction of sets says the same in its short form; leaves are what is known of them."""

from __future__ import annotations

from hypothesis import given

from ggp.circuits.graph import FALSE, TRUE
from ggp.circuits.multivalued.groups import Parts
from ggp.circuits.multivalued.values import SetValue, Values, disjunction
from ggp.circuits.solver import Care, Group
from tests.small_cubes import MARKS, PIECES, assignments, parts, small_groups
from tests.small_programs import program_of

GROUPS = small_groups()


@given(parts(least=1))
def test_a_disjunction_of_sets_is_what_it_says(own: Parts) -> None:
    value = disjunction(own, GROUPS)
    for row in assignments():
        if isinstance(value, int):
            assert row.holds_part(own) == {FALSE: False, TRUE: True}[value]
        else:
            assert isinstance(value, SetValue)
            assert row.holds_part(own) == row.holds_part(value.sets) ^ value.negative


def test_a_set_is_given_by_its_smaller_side_where_one_value_holds() -> None:
    assert disjunction(((PIECES, 0b011),), GROUPS) == SetValue(((PIECES, 0b100),), True)
    assert disjunction(((PIECES, 0b001),), GROUPS) == SetValue(((PIECES, 0b001),))
    assert disjunction(((PIECES, 0b111),), GROUPS) == TRUE
    assert disjunction(((MARKS, 0b11),), GROUPS) == SetValue(((MARKS, 0b11),))
    assert disjunction(((MARKS, 0),), GROUPS) == FALSE


def test_leaves_are_constant_or_values_of_their_group_or_variables() -> None:
    program = program_of("tic_tac_toe")
    atoms = [base.true for base in program.bases]
    values = Values(program, Care((Group((0, 1, 2), True),), never=(3,), always=(4,)))
    assert [values.of(atom) for atom in atoms[:6]] == [
        SetValue(((0, 1),)), SetValue(((0, 2),)), SetValue(((0, 4),)), FALSE, TRUE, 2 * 6,
    ]  # fmt: skip
    groups = values.groups
    assert sorted(groups.moves) == [1, 2]
    for j, pair in enumerate(program.inputs):
        assert values.of(pair.does) == SetValue((groups.place[1 + len(program.bases) + j],))
        assert groups.place[1 + len(program.bases) + j][0] == 1 + pair.role
    assert values.of(program.terminal) == FALSE  # not known yet


def test_a_role_waits_where_another_moves() -> None:
    program = program_of("tic_tac_toe")
    moves = tuple(j for j, pair in enumerate(program.inputs) if "noop" not in program.names[pair.does])
    values = Values(program, Care(moves=(moves,)))
    (group,) = values.groups.moves
    for pair in program.inputs:
        if "noop" in program.names[pair.does]:
            own = [j for j in moves if program.inputs[j].role != pair.role]
            others = sum(values.groups.place[1 + len(program.bases) + j][1] for j in own)
            assert values.of(pair.does) == SetValue(((group, others),))
