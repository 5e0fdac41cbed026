"""One grid as lines."""

from __future__ import annotations

from ggp.boards.grid_text import grid_lines
from ggp.boards.model import Cell, Edge, Grid, Item, Mark, Shape

AXIS = ("1", "2", "3")
ROWS = ("3", "2", "1")


def item(symbol: str, kind: str | None = None, owner: str | None = None) -> Item:
    return Item("at", kind, owner, symbol, ())


def grid(holding: dict[tuple[int, int], str], marks: dict[tuple[int, int], Mark] | None = None) -> Grid:
    marks = marks or {}
    cells = [
        Cell(f"{x} {y}", x, y, (item(holding[x, y]),) if (x, y) in holding else (), mark=marks.get((x, y)))
        for y in range(3)
        for x in range(3)
    ]
    return Grid("", AXIS, ROWS, tuple(cells))


def text(shown: Grid) -> list[str]:
    return [line.plain for line in grid_lines(shown, lambda _: "")]


def test_cells_in_rows_and_columns() -> None:
    assert text(grid({(0, 0): "x", (2, 2): "oo"})) == [
        "3  x  ·  ·",
        "2  ·  ·  ·",
        "1  ·  ·  oo",
        "   1  2  3",
    ]


def test_marks_of_the_last_move() -> None:
    assert text(grid({(1, 1): "x"}, {(1, 1): Mark.TO, (0, 1): Mark.FROM, (2, 0): Mark.TO}))[:2] == [
        "3  · ·[·]",
        "2 (·|x]·",
    ]


def test_hexes_are_shifted_row_by_row() -> None:
    shown = grid({(0, 0): "x"})
    right = Grid("", AXIS, ROWS, shown.cells, Shape.HEXES, 1)
    left = Grid("", AXIS, ROWS, shown.cells, Shape.HEXES, -1)
    assert text(right) == ["3  x · ·", "2   · · ·", "1    · · ·", "     1 2 3"]
    assert text(left) == ["3    x · ·", "2   · · ·", "1  · · ·", "   1 2 3"]


def test_lines_between_distant_neighbours() -> None:
    corners = tuple(cell for cell in grid({}).cells if cell.column != 1 and cell.row != 1)
    links = (("0 0", "2 0"), ("0 0", "0 2"), ("2 0", "2 2"), ("0 2", "2 2"))
    assert text(Grid("", AXIS, ROWS, corners, links=links))[:3] == ["3  ·───·", "2  │   │", "1  ·───·"]


def test_edges_lie_between_the_cells() -> None:
    edges = (Edge((0, 0), (1, 0), item("")), Edge((1, 1), (1, 2), item(""), Mark.TO), Edge((3, 2), (3, 3), item("")))
    assert text(Grid("", AXIS, ROWS, grid({(1, 1): "x"}).cells, edges=edges, has_edges=True)) == [
        "  ·─· · ·",
        "3",
        "  · · · ·",
        "2   ┃x",
        "  · · · ·",
        "1       │",
        "  · · · ·",
        "   1 2 3",
    ]


def test_numbers_below_a_piece_are_left_out_and_the_same_sign_is_shown_once() -> None:
    items = (item("r", None, "red"), item("17", "17"), item("r", None, "red"))
    assert text(Grid("", ("1",), ("1",), (Cell("1 1", 0, 0, items),)))[0] == "1  r"


def test_what_always_lies_there_is_seen_beside_what_stands_there() -> None:
    lying = (Item("storage", None, None, "s", ()),)
    cells = (Cell("1 1", 0, 0, (item("b"),), lying), Cell("2 1", 1, 0, (), lying))
    assert text(Grid("", ("1", "2"), ("1",), cells))[0] == "1  bs s"
