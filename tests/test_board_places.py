"""Which arguments of a fluent say where something is."""

from __future__ import annotations

import pytest

from gdl import load
from ggp.boards.axes import chains
from ggp.boards.places import coordinates, is_key, narrowed
from ggp.boards.rules import Rules
from tests.helpers import GAMES, ruleset


def found(rules: Rules) -> dict[str, tuple[int, ...]]:
    known = chains(rules.static)
    return {kind[0]: coordinates(rules, kind, domains, known) for kind, domains in rules.fluents() if kind[1]}


@pytest.mark.parametrize(
    ("game", "fluent", "places"),
    [
        ("tic_tac_toe", "marked", (0, 1)),
        ("chess", "piece", (0, 1)),  # letters and numbers
        ("tron", "cycle", (1, 2)),  # after the owner
        ("sudoku", "cell", (0, 1)),  # the third argument is a number as well
        ("eight_puzzle", "tile", (0, 1)),
        ("tic_tac_toe_3x3x3", "marked", (0, 1, 2)),
        ("kalah", "seeds", (1, 0)),  # a row for each role; the count is no coordinate
        ("dice_race", "men", (1, 0)),
        ("dots_and_boxes", "line", (1, 2)),
        ("battle_for_three", "lives", ()),
        ("nim", "heap", ()),
        ("blocks_world", "on", ()),
        ("towers_of_hanoi", "on", ()),
        ("roshambo", "points", ()),
        ("stress_wide", "wheel", ()),
        ("chess", "castling", ()),
    ],
)
def test_coordinates_in_the_library(game: str, fluent: str, places: tuple[int, ...]) -> None:
    assert found(Rules.of(load(GAMES / f"{game}.kif")))[fluent] == places


REST = "(goal me 100) (<= terminal (true (over)))"


def test_one_argument_may_name_column_and_row() -> None:
    cells = " ".join(f"(init (cell {x}{y} b))" for x in "abc" for y in "12")
    rules = Rules.of(ruleset(f"(role me) {cells} (<= (legal me (go ?c)) (true (cell ?c b))) {REST}"))
    assert found(rules)["cell"] == (0,)


def test_rings_and_directions_are_rows_and_columns_where_moves_name_both() -> None:
    cells = " ".join(f"(init (pit {x} {y} b))" for x in ("inner", "outer") for y in ("north", "east", "south"))
    move = "(<= (legal me (go ?x ?y)) (true (pit ?x ?y b))) (<= (next (pit ?x ?y w)) (does me (go ?x ?y)))"
    assert found(Rules.of(ruleset(f"(role me) {cells} {move} {REST}")))["pit"] == (0, 1)


def test_a_key_is_different_in_every_fact() -> None:
    rows = [("1", "2", "x"), ("1", "3", "x")]
    assert is_key(rows, (0, 1))
    assert not is_key(rows, (0, 2))
    assert is_key([], (0,))


def test_letters_and_numbers_that_got_mixed_are_those_of_the_first_position() -> None:
    mixed = {*"abcdef", *"1234"}
    rows = [(x, y, "b") for x in "abcdef" for y in "1234"]
    assert narrowed([mixed, set("1234"), {"b", "w"}], rows, ()) == [set("abcdef"), set("1234"), {"b", "w"}]
    assert narrowed([mixed, set("1234"), {"b", "w"}], rows[:8], ()) == [mixed, set("1234"), {"b", "w"}]  # too few
