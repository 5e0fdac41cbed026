"""Sums of cubes made smaller: they say the same of every assignment, and cannot be merged further."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ggp.circuits.multivalued.cubes import ALWAYS, Cube, Cubes, merge, restrict
from tests.small_cubes import MARKS, MOVES, PIECES, assignments, cubes, parts, small_groups

GROUPS = small_groups()


@given(cubes())
def test_what_is_merged_says_the_same(own: Cubes) -> None:
    merged = merge(dict(own), GROUPS)
    assert len(merged) <= len(own)
    assert all(row.holds_one(own) == row.holds_one(merged) for row in assignments())


@given(cubes())
def test_nothing_is_left_to_merge(own: Cubes) -> None:
    merged = merge(own, GROUPS)
    assert list(merge(merged, GROUPS)) == list(merged)
    for group in (MOVES, PIECES, MARKS):
        rests = [cube.without(group) for cube in merged if cube.mask(group)]
        assert len(rests) == len(set(rests))
        assert not set(rests) & merged.keys()


def test_a_set_of_all_values_vanishes_only_where_one_of_them_holds() -> None:
    def two(group: int, one: int, other: int) -> Cubes:
        return dict.fromkeys([Cube(frozenset([20]), ((group, one),)), Cube(frozenset([20]), ((group, other),))])

    assert list(merge(two(PIECES, 1, 6), GROUPS)) == [Cube(frozenset([20]), ())]
    assert list(merge(two(MARKS, 1, 2), GROUPS)) == [Cube(frozenset([20]), ((MARKS, 3),))]


def test_moves_are_united_before_bases_and_at_the_place_of_the_first() -> None:
    rows = [((MOVES, 1), (PIECES, 1)), ((MARKS, 1),), ((MOVES, 2), (PIECES, 1)), ((MOVES, 1), (PIECES, 2))]
    merged = merge(dict.fromkeys(Cube(frozenset(), row) for row in rows), GROUPS)
    assert [cube.sets for cube in merged] == [((MOVES, 3), (PIECES, 1)), ((MARKS, 1),), ((MOVES, 1), (PIECES, 2))]


@given(parts(), parts(least=1))
def test_a_restricted_cube_is_the_conjunction(
    sets: tuple[tuple[int, int], ...], more: tuple[tuple[int, int], ...]
) -> None:
    group, mask = more[0]
    found = dict(sets)
    left = restrict(found, group, mask, GROUPS.all[group].full)
    narrowed = Cube(frozenset(), tuple(sorted(found.items())))
    assert left == (found[group] != 0)
    both = (Cube(frozenset(), sets), Cube(frozenset(), more[:1]))
    assert all(row.holds(narrowed) == all(map(row.holds, both)) for row in assignments())


@given(cubes(), st.sampled_from([MOVES, PIECES, MARKS]))
def test_a_cube_is_its_set_of_a_group_beside_the_rest(own: Cubes, group: int) -> None:
    for cube in own:
        mask, rest = cube.mask(group), cube.without(group)
        assert rest.mask(group) == 0
        assert (rest.beside((group, mask)) if mask else rest) == cube


def test_the_empty_cube_always_holds() -> None:
    assert all(row.holds(ALWAYS) for row in assignments())
