"""How moves act on the board."""

from __future__ import annotations

from functools import cache

import pytest

from gdl import load, parse_term
from ggp.boards import board
from ggp.boards.schema import Schema
from tests.helpers import GAMES, ruleset


@cache
def schema(name: str) -> Schema:
    return board(load(GAMES / f"{name}.kif"))


@pytest.mark.parametrize(
    ("game", "role", "move", "cells"),
    [
        ("breakthrough", "white", "(move 1 2 1 3)", ("1 2", "1 3")),
        ("chess", "white", "(move e 2 e 4)", ("e 2", "e 4")),
        ("chess", "white", "(promote a 7 b 8 queen)", ("a 7", "b 8")),
        ("tic_tac_toe", "x", "(mark 2 3)", (None, "2 3")),
        ("tic_tac_toe_3x3x3", "x", "(mark 1 2 3)", (None, "1 2 3")),
        ("sudoku", "player", "(write 7 6 5)", (None, "7 6")),
        ("kalah", "north", "(sow 4)", (None, "4 north")),
        ("pentago", "red", "(place 6 1)", (None, "6 1")),
        ("connect_four", "red", "(drop 3)", (None, None)),
        ("tron", "red", "north", (None, None)),
        ("nim", "first", "(leave a 3)", (None, None)),
        ("breakthrough", "white", "(move 1 2 1 99)", (None, "1 2")),
    ],
)
def test_moves_of_the_library(game: str, role: str, move: str, cells: tuple[str | None, str | None]) -> None:
    found = schema(game).action(role, parse_term(move))
    assert ((found.source, found.target), found.move, found.role) == (cells, move, role)


def test_a_stroke_is_a_line() -> None:
    found = schema("dots_and_boxes").action("first", parse_term("(draw down 5 4)"))
    assert (found.source, found.target, found.line) == (None, None, ((4, 0), (4, 1)))


RULES = """
(role white) (role black)
(succ 1 2) (succ 2 3) (succ 3 4)
(file a) (file b) (file c) (file d) (rank 1) (<= (rank ?y) (succ ?x ?y))
(<= (init (at ?x 1 wp)) (file ?x)) (<= (init (at ?x 4 bp)) (file ?x))
(<= (legal white (go ?k ?x1 ?y1 ?x2 ?y2 ?x3 ?y3))
    (true (at ?x1 ?y1 ?k)) (file ?x2) (rank ?y2) (file ?x3) (rank ?y3))
(<= (legal black (go ?k ?x1 ?y1 ?x2 ?y2 ?x3 ?y3))
    (true (at ?x1 ?y1 ?k)) (file ?x2) (rank ?y2) (file ?x3) (rank ?y3))
(<= (next (at ?x2 ?y2 ?k)) (does ?r (go ?k ?x1 ?y1 ?x2 ?y2 ?x3 ?y3)))
(goal white 100) (goal black 0) (<= terminal (true (at a 4 wp)))
"""


def test_a_kind_before_the_cells_and_a_third_cell() -> None:
    found = board(ruleset(RULES)).action("white", parse_term("(go wp a 1 b 2 c 3)"))
    assert (found.source, found.target, found.more) == ("a 1", "b 2", ("c 3",))


def test_names_of_squares() -> None:
    cells = " ".join(f"(init (cell {x}{y} b))" for x in "abc" for y in "12")
    more = "(<= (legal me (go ?c ?d)) (true (cell ?c b)) (true (cell ?d b))) (goal me 0) (<= terminal (true over))"
    found = board(ruleset(f"(role me) {cells} {more}")).action("me", parse_term("(go a1 c2)"))
    assert (found.source, found.target) == ("a 1", "c 2")
