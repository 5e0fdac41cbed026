"""Positions as boards."""

from __future__ import annotations

import pytest

from gdl import Term, load
from ggp.board import board_lines, find_board, render
from ggp.play import random_play
from tests.conftest import Open
from tests.helpers import GAMES, terms

CROSS = terms("(cell 1 1 x)", "(cell 1 2 b)", "(cell 1 3 o)", "(cell 2 1 b)", "(cell 2 2 x)", "(cell 2 3 b)",
              "(cell 3 1 b)", "(cell 3 2 b)", "(cell 3 3 o)", "(control x)")  # fmt: skip


def test_a_board_with_its_highest_row_first() -> None:
    assert render(find_board([CROSS]), CROSS).splitlines() == [
        "3  o . o",
        "2  . x .",
        "1  x . .",
        "   1 2 3",
        "(control x)",
    ]


def test_letters_go_across_and_numbers_up() -> None:
    position = terms("(at 1 a king)", "(at 2 a queen)", "(at 3 b king)", "(at 3 c knight)")
    board = find_board([position])
    assert board is not None
    assert board_lines(board, position)[0] == ["3  .  ki kn", "2  qu .  .", "1  ki .  .", "   a  b  c"]


@pytest.mark.parametrize(
    "position",
    [
        terms("(cell 1 1 king)", "(cell 1 1 queen)", "(cell 2 2 king)", "(cell 3 3 queen)"),  # a cell twice
        terms("(score red 10)", "(score blue 20)"),  # words are no axis
        terms("(cell 1 1 x)", "(cell 2 2 x)"),  # too small
        terms("(cell 1 (f 1) x)", "(cell 2 (f 2) x)", "(cell 3 (f 3) x)"),
        terms("(control x)", "done"),
        (),
    ],
    ids=str,
)
def test_what_is_no_board_is_a_list(position: tuple[Term, ...]) -> None:
    assert find_board([position]) is None
    assert render(None, position) == (" ".join(map(str, position)) or "(nothing holds)")


def test_the_largest_board_is_shown() -> None:
    small = [f"(spot {x} {y} a)" for x in (1, 2) for y in (1, 2, 3)]
    large = [f"(cell {x} {y} a)" for x in (1, 2, 3) for y in (1, 2, 3)]
    board = find_board([terms(*small, *large)])
    assert board is not None
    assert board.function == "cell"


def test_a_cell_unseen_before_is_no_accident() -> None:
    board = find_board([CROSS])
    assert board is not None
    lines, others = board_lines(board, terms("(cell 9 9 x)", "(cell 1 1 o)", "other"))
    assert lines[2] == "1  o . ."
    assert others == list(terms("other"))


@pytest.mark.parametrize(("name", "size"), [("tic_tac_toe", (3, 3)), ("connect_four", (7, 6)), ("othello", (8, 8))])
def test_boards_of_games(name: str, size: tuple[int, int], prolog: Open) -> None:
    machine = prolog(load(GAMES / f"{name}.kif"))
    board = find_board([machine.fluents(step.position) for step in random_play(machine, 0, 60)])
    assert board is not None
    assert (len(board.columns), len(board.rows)) == size
