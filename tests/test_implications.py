"""What is left out beside a move follows from its legality."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ggp.circuits.multivalued.cubes import Cube, Cubes
from ggp.circuits.multivalued.implications import Implications, Implied, implied_by_each, implied_by_sum
from tests.small_cubes import MARKS, MOVES, PIECES, Assignment, assignments, cubes, parts, small_groups

GROUPS = small_groups()


def holds(implied: Implied, row: Assignment) -> bool:
    return implied.literals <= row.literals and all(row.values[group] & union for group, union in implied.unions.items())


@given(cubes().filter(bool))
def test_what_a_sum_implies_holds_with_it(own: Cubes) -> None:
    implied = implied_by_sum(list(own))
    assert all(holds(implied, row) for row in assignments() if row.holds_one(own))


@given(st.lists(cubes().filter(bool), min_size=1, max_size=3))
def test_what_each_implies_holds_with_any(sums: list[Cubes]) -> None:
    implied = implied_by_each([implied_by_sum(list(own)) for own in sums])
    assert all(holds(implied, row) for row in assignments() if any(row.holds_one(own) for own in sums))


def test_the_most_is_said() -> None:
    one = Cube(frozenset([20, 22]), ((PIECES, 1), (MARKS, 1)))
    other = Cube(frozenset([20]), ((PIECES, 2),))
    assert implied_by_sum([one, other]) == Implied(frozenset([20]), {PIECES: 3})
    assert implied_by_each([implied_by_sum([one]), implied_by_sum([other])]) == Implied(frozenset([20]), {PIECES: 3})


@given(st.lists(cubes().filter(bool), min_size=3, max_size=3), parts(), st.frozensets(st.integers(20, 23), max_size=2))
def test_a_cube_says_the_same_wherever_its_move_is_legal(
    legal: list[Cubes], sets: tuple[tuple[int, int], ...], plain: frozenset[int]
) -> None:
    legality = [{Cube(cube.plain, cube.without(MOVES).sets): None for cube in own} for own in legal]  # needs no move
    implications = Implications(GROUPS, {7 + bit: implied_by_sum(list(own)) for bit, own in enumerate(legality)})
    left, kept = set(plain), dict(sets)
    implications.drop(left, kept)
    cube, shorter = Cube(plain, sets), Cube(frozenset(left), tuple(sorted(kept.items())))
    assert shorter.plain <= plain and set(shorter.sets) <= set(sets)
    for row in assignments():
        if row.holds_one(legality[row.values[MOVES].bit_length() - 1]):
            assert row.holds(cube) == row.holds(shorter)


def test_what_legality_says_is_dropped() -> None:
    implications = Implications(GROUPS, {7: Implied(frozenset([20]), {PIECES: 1}), 8: Implied(frozenset([20]), {})})
    for mask, left in ((0b001, {MOVES: 1}), (0b011, {MOVES: 3, PIECES: 3})):
        plain, sets = {20}, {MOVES: mask, PIECES: 3}
        implications.drop(plain, sets)
        assert plain == set()
        assert sets == left
