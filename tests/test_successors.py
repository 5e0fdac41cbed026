"""Factoring the sums of many heads: the terms that are taken out are those that the bracket says."""

from __future__ import annotations

from hypothesis import given

from ggp.circuits.multivalued.cubes import Cube, Cubes
from ggp.circuits.multivalued.successors import factored, terms
from tests.small_cubes import MOVES, PIECES, Assignment, assignments, cubes

BRACKET = 30


@given(cubes())
def test_terms_are_the_cubes_of_few_moves_and_more(own: Cubes) -> None:
    found = terms(own, MOVES, 2)
    taken = [rest.beside((MOVES, mask)) for rest, mask in found.items()]
    small = [
        cube for cube in own if 0 < cube.mask(MOVES).bit_count() <= 2 and cube.without(MOVES) != Cube(frozenset(), ())
    ]
    assert all(row.holds_one(taken) == row.holds_one(small) for row in assignments())


def test_a_sum_keeps_what_its_bracket_does_not_say() -> None:
    here, there, alone = Cube(frozenset([20]), ()), Cube(frozenset(), ((PIECES, 1),)), Cube(frozenset([22]), ())
    own = dict.fromkeys([here.beside((MOVES, 1)), alone, there.beside((MOVES, 2)), there.beside((MOVES, 7))])
    taken = {here: 1, there: 2}
    assert list(factored(own, taken, MOVES, BRACKET)) == [
        alone, there.beside((MOVES, 7)), Cube(frozenset([BRACKET]), ((MOVES, 3),)),
    ]  # fmt: skip


def test_a_bracket_of_its_own_terms_changes_nothing() -> None:
    """For one head the bracket is the sum of its terms: it holds where one of them does."""
    here, there = Cube(frozenset([20]), ()), Cube(frozenset(), ((PIECES, 1),))
    own = dict.fromkeys([here.beside((MOVES, 1)), there.beside((MOVES, 2))])
    short = factored(own, terms(own, MOVES, 1), MOVES, BRACKET)
    for row in assignments():
        known = Assignment(row.values, row.literals | ({BRACKET} if row.holds_one(own) else set()))
        assert known.holds_one(short) == row.holds_one(own)
