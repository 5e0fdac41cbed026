"""How cells lie to each other."""

from __future__ import annotations

from itertools import product

from ggp.boards.shapes import geometry

AXIS = ("1", "2", "3")


def steps(*moves: tuple[int, int]) -> list[tuple[str, ...]]:
    """All pairs of cells that are one of the moves apart."""
    cells = list(product(range(3), repeat=2))
    pairs = [((x, y), (x + dx, y + dy)) for x, y in cells for dx, dy in moves if (x + dx, y + dy) in cells]
    return [tuple(AXIS[n] for n in (*a, *b)) for a, b in pairs]


def test_three_directions_and_their_opposites_are_hexes() -> None:
    assert geometry({("step", 4): steps((1, 0), (0, 1), (1, 1))}, AXIS, AXIS, None).slant == 1
    assert geometry({("step", 4): steps((1, 0), (0, -1), (1, -1))}, AXIS, AXIS, None).slant == -1
    assert geometry({("step", 4): steps((1, 0), (0, 1))}, AXIS, AXIS, None).slant == 0
    assert geometry({("step", 4): steps((1, 0), (0, 1), (1, 1), (1, -1))}, AXIS, AXIS, None).slant == 0


def named(**moves: tuple[int, int]) -> dict[tuple[str, int], list[tuple[str, ...]]]:
    return {("leads", 5): [(name, *row) for name, move in moves.items() for row in steps(move)]}


def test_directions_tell_which_way_is_up() -> None:
    up = geometry(named(north=(0, 1), south=(0, -1), east=(1, 0)), AXIS, AXIS, None)
    assert (up.rows_down, up.mirrored, up.swapped) == (False, False, False)
    down = geometry(named(up=(0, -1), down=(0, 1), right=(1, 0)), AXIS, AXIS, None)
    assert (down.rows_down, down.mirrored, down.swapped) == (True, False, False)
    rows_first = geometry(named(south=(1, 0), east=(0, 1)), AXIS, AXIS, None)
    assert (rows_first.rows_down, rows_first.mirrored, rows_first.swapped) == (True, False, True)


def test_a_relation_that_names_the_end_of_a_step_first_is_read_the_other_way() -> None:
    found = geometry(named(north=(0, -1), east=(-1, 0)), AXIS, AXIS, None)
    assert (found.rows_down, found.mirrored) == (False, False)


def test_lines_join_distant_neighbours_on_a_board_with_holes() -> None:
    cells = {("1", "1"), ("3", "1"), ("1", "3"), ("1", "2")}
    rows = [("1", "1", "3", "1"), ("1", "1", "1", "2"), ("1", "2", "1", "3"), ("3", "1", "1", "1")]
    found = geometry({("line", 4): rows}, AXIS, AXIS, cells).links
    assert sorted(found) == [(("1", "1"), ("1", "2")), (("1", "1"), ("3", "1")), (("1", "2"), ("1", "3"))]
    over_a_cell = [("1", "1", "1", "3")]
    assert geometry({("line", 4): over_a_cell}, AXIS, AXIS, cells).links == ()
