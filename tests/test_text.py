"""Boards as text."""

from __future__ import annotations

from functools import cache

import pytest

from gdl import load
from ggp.boards import board, render
from ggp.boards.schema import Schema
from ggp.boards.text import in_ascii, picture
from tests.helpers import GAMES, terms


@cache
def schema(name: str) -> Schema:
    return board(load(GAMES / f"{name}.kif"))


def lines(name: str, *fluents: str, width: int = 80) -> list[str]:
    return render(schema(name).view(terms(*fluents)), width).splitlines()


def test_a_board_says_whose_turn_it_is_and_what_is_beside_it() -> None:
    assert lines("english_draughts", "(piece 1 1 black king)", "(control white)", "(units 3)", "(tens 1)")[-4:] == [
        "1  K   ·   ·   ·",
        "   1 2 3 4 5 6 7 8",
        "k king",
        "count 13",
    ]


def test_capitals_are_explained_where_both_sides_are_there() -> None:
    shown = lines("english_draughts", "(piece 1 1 black man)", "(piece 2 2 white man)")
    assert shown[-1] == "m man, capitals black"


def test_grids_stand_beside_each_other_as_far_as_they_fit() -> None:
    wide, narrow = (lines("tic_tac_toe_3x3x3", "(marked 1 1 2 x)", width=width) for width in (80, 15))
    assert wide[0] == "1           2           3"
    assert wide[3] == "1  · · ·    1  x · ·    1  · · ·"
    assert [line for line in narrow if len(line) == 1] == ["1", "2", "3"]


def test_long_groups_are_broken_and_cut() -> None:
    values = [f"(pool {h} {c} round solid)" for h in ("tall", "short") for c in ("dark", "light")]
    broken = lines("quarto", *values, width=40)
    assert max(map(len, broken)) <= 40
    assert sum(line.count("solid") for line in broken) == 4
    many = [f"(other {n} is a fact)" for n in range(200)]
    assert lines("quarto", *many)[-1].endswith("more lines")


def test_runs_of_numbers_are_short() -> None:
    assert lines("stress_recursion", *(f"(wet {n})" for n in (301, 302, 303, 7))) == ["wet  7, 301–303"]


def test_nothing_holds() -> None:
    assert lines("roshambo") == ["(nothing holds)"]


def test_colours_where_they_are_wanted() -> None:
    shown = schema("connect_four").view(terms("(disc 1 1 red)", "(disc 2 1 yellow)"))
    plain, coloured = render(shown), render(shown, colour=True)
    assert "\x1b[" not in plain
    assert "\x1b[1;31mr" in coloured
    assert "\x1b[1;33my" in coloured


@pytest.mark.parametrize("name", ["merrills", "chess"])
def test_ascii_where_a_terminal_has_no_more(name: str) -> None:
    assert in_ascii(picture(schema(name).view([]))).plain.isascii()
