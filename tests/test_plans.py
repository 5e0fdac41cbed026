"""Boards without their pieces."""

from __future__ import annotations

import pytest

from gdl import load
from ggp.boards.layers import Plan
from ggp.boards.plans import plans
from ggp.boards.rules import Rules
from tests.helpers import GAMES


def found(name: str) -> tuple[Plan, ...]:
    return plans(Rules.of(load(GAMES / f"{name}.kif")))


@pytest.mark.parametrize(
    ("game", "layers"),
    [
        ("chess", {"piece", "colour"}),
        ("tron", {"cycle", "wall"}),
        ("sokoban", {"box", "keeper"}),
        ("amazons_8x8", {"amazon", "arrow", "active"}),
        ("knights_tour", {"knight", "visited"}),
        ("dots_and_boxes", {"owner"}),
    ],
)
def test_fluents_of_the_same_cells_are_one_board(game: str, layers: set[str]) -> None:
    (plan,) = found(game)
    assert {layer.kind[0] for layer in plan.layers} == layers


@pytest.mark.parametrize(
    ("game", "count"),
    [("merrills", 24), ("peg_solitaire", 33), ("havannah_4", 37), ("english_draughts", 32), ("sokoban", 22)],
)
def test_only_cells_that_there_are(game: str, count: int) -> None:
    (plan,) = found(game)
    assert plan.cells is not None
    assert len(plan.cells) == count


@pytest.mark.parametrize("game", ["roshambo", "nim", "monty_hall", "poker_small", "blocks_world"])
def test_games_without_a_board(game: str) -> None:
    assert found(game) == ()


def test_kind_and_owner_of_a_piece_may_be_two_fluents() -> None:
    assert {kind for kind, _ in found("chess")[0].halves} == {"piece", "colour"}
    assert found("tron")[0].halves == frozenset()


def test_letters_go_across_and_roles_are_rows() -> None:
    chess, kalah = found("chess")[0], found("kalah")[0]
    assert "".join(chess.axes[chess.column]) == "abcdefgh"
    assert kalah.axes[kalah.row] == ("south", "north")


def test_what_always_lies_there() -> None:
    assert found("sokoban")[0].ground == {("4", "4"): (("storage", None),), ("4", "5"): (("storage", None),)}


def test_hexes_and_lines() -> None:
    assert [found(name)[0].geometry.slant for name in ("hex_5x5", "havannah_4", "chess")] == [-1, 1, 0]
    assert len(found("merrills")[0].geometry.links) == 32


def test_several_boards_are_counted_by_the_coordinate_that_is_left() -> None:
    (plan,) = found("tic_tac_toe_3x3x3")
    assert (plan.column, plan.row, plan.boards) == (0, 1, (2,))
