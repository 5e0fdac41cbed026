"""Positions as boards: pieces, owners, marks."""

from __future__ import annotations

from functools import cache

from gdl import load
from ggp.boards import board
from ggp.boards.model import Board, Cell, Item, Mark, Shape
from ggp.boards.schema import Schema
from tests.helpers import GAMES, ruleset, terms


@cache
def schema(name: str) -> Schema:
    return board(load(GAMES / f"{name}.kif"))


def cells(shown: Board) -> dict[str, Cell]:
    return {cell.id: cell for grid in shown.grids for cell in grid.cells}


def marks(shown: Board) -> dict[str, Mark]:
    return {name: cell.mark for name, cell in cells(shown).items() if cell.mark is not None}


def test_two_fluents_are_one_piece() -> None:
    shown = schema("chess").view(
        terms("(piece e 1 king)", "(colour e 1 white)", "(piece e 8 king)", "(colour e 8 black)")
    )
    assert cells(shown)["e 1"].items == (Item("piece", "king", "white", "K", ("(piece e 1 king)", "(colour e 1 white)")),)
    assert cells(shown)["e 8"].items[0].symbol == "k"


def test_several_fluents_in_one_cell_stay_apart() -> None:
    shown = schema("tron").view(terms("(wall 1 1)", "(cycle red 1 1)", "(wall 2 1)"))
    assert [(item.name, item.owner) for item in cells(shown)["1 1"].items] == [("cycle", "red"), ("wall", None)]
    assert [item.symbol for item in cells(shown)["2 1"].items] == ["#"]


def test_traits_make_one_piece() -> None:
    shown = schema("quarto").view(terms("(shows 1 1 tall)", "(shows 1 1 dark)"))
    (item,) = cells(shown)["1 1"].items
    assert (item.kind, len(item.facts)) == ("tall dark", 2)


def test_moves_mark_what_they_name() -> None:
    last = terms("(move 1 2 1 3)", "noop")
    assert marks(schema("breakthrough").view([], last_moves=last)) == {"1 2": Mark.FROM, "1 3": Mark.TO}


def test_where_moves_name_nothing_the_changes_are_marked() -> None:
    before, now = terms("(cycle red 1 1)"), terms("(cycle red 1 2)", "(wall 1 1)")
    shown = schema("tron").view(now, last_moves=terms("north", "south"), before=before)
    assert marks(shown) == {"1 1": Mark.TO, "1 2": Mark.TO}
    assert marks(schema("tron").view(now, last_moves=terms("north", "south"))) == {}
    assert marks(schema("tron").view([], before=before)) == {"1 1": Mark.FROM}


def test_many_changes_are_not_marked() -> None:
    before = terms(*(f"(wall {x} {y})" for x in range(1, 5) for y in range(1, 5)))
    assert marks(schema("tron").view([], before=before)) == {}


def test_rows_count_from_the_bottom_unless_directions_say_otherwise() -> None:
    assert schema("chess").view([]).grids[0].rows[0] == "8"
    assert schema("sokoban").view([]).grids[0].rows[0] == "1"
    assert cells(schema("chess").view([]))["a 8"].row == 0


def test_several_grids_have_names_and_places() -> None:
    grids = schema("tic_tac_toe_3x3x3").view([]).grids
    assert [(grid.name, grid.across, grid.down, len(grid.cells)) for grid in grids] == [
        ("1", 0, 0, 9), ("2", 1, 0, 9), ("3", 2, 0, 9),
    ]  # fmt: skip


def test_hexes_are_slanted() -> None:
    grids = [schema(name).view([]).grids[0] for name in ("hex_5x5", "havannah_4", "chess")]
    assert [(grid.shape, grid.slant) for grid in grids] == [(Shape.HEXES, -1), (Shape.HEXES, 1), (Shape.SQUARES, 0)]


def test_strokes_are_edges_and_the_last_is_marked() -> None:
    drawn = terms("(line across 1 1)", "(line down 1 1)")
    shown = schema("dots_and_boxes").view(drawn, last_moves=terms("(draw down 1 1)", "noop"))
    assert [(edge.start, edge.end, edge.mark) for edge in shown.grids[0].edges] == [
        ((0, 4), (1, 4), None), ((0, 3), (0, 4), Mark.TO),
    ]  # fmt: skip


def test_legal_moves_come_with_their_cells() -> None:
    shown = schema("tic_tac_toe").view([], legal=(terms("(mark 1 1)", "(mark 2 2)"), terms("noop")))
    assert [[done.target for done in moves] for moves in shown.legal] == [["1 1", "2 2"], [None]]


ENDLESS = """
(role me)
(succ 0 1) {chain}
(init (at 3 3))
(legal me east) (legal me stay)
(<= (free ?x ?y) (true (at ?x ?y)) (succ ?x ?z) (succ ?y ?z))
(<= (next (at ?x2 ?y)) (does me east) (true (at ?x ?y)) (succ ?x ?x2))
(<= (next (at ?x ?y2)) (does me stay) (true (at ?x ?y)) (succ ?y ?y2))
(goal me 0) (<= terminal (true (at 49 49)) (free 49 49))
"""


def test_of_a_board_that_may_be_too_large_the_part_in_use_is_shown() -> None:
    chain = " ".join(f"(succ {n} {n + 1})" for n in range(1, 50))
    endless = board(ruleset(ENDLESS.format(chain=chain)))
    grid = endless.view(terms("(at 5 2)")).grids[0]
    assert (grid.columns, grid.rows, len(grid.cells)) == (("3", "4", "5"), ("3", "2"), 6)
