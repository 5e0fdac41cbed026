"""Lists of legal moves: how they are numbered, laid out, grouped, and found by what somebody types."""

from __future__ import annotations

import pytest

from ggp.human.movelist import MoveList, joint_spoken, spoken
from tests.helpers import terms


def listed(*moves: str) -> MoveList:
    return MoveList.of(terms(*moves))


def found(moves: MoveList, text: str) -> list[str]:
    return [spoken(move) for move in moves.matching(text)]


def squares(name: str, size: int) -> MoveList:
    return listed(*(f"({name} {x} {y})" for x in range(1, size + 1) for y in range(1, size + 1)))


def test_moves_are_numbered_in_the_order_of_their_numbers() -> None:
    moves = listed("(place 10 1)", "(place 2 1)", "pass", "(place 1 1)")
    assert [(n, spoken(move)) for n, move in moves.numbered.items()] == [
        (1, "pass"), (2, "place 1 1"), (3, "place 2 1"), (4, "place 10 1"),
    ]  # fmt: skip


def test_where_a_number_is_all_that_differs_it_is_the_number_of_the_list() -> None:
    moves = listed("(drop 5)", "(drop 3)", "resign_all", "(drop 7)")
    assert {n: spoken(move) for n, move in moves.numbered.items()} == {
        3: "drop 3", 5: "drop 5", 7: "drop 7", 8: "resign_all",
    }  # fmt: skip


@pytest.mark.parametrize(
    "moves", [("(drop 5)", "(take 5)"), ("(drop 5)", "(take 6)"), ("(drop 05)", "(drop 6)"), ("(drop a)", "(drop 6)")]
)
def test_numbers_that_do_not_tell_moves_apart_are_not_used(moves: tuple[str, ...]) -> None:
    assert list(listed(*moves).numbered) == [1, 2]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("mark 1 1", ["mark 1 1"]),
        ("(MARK 1, 1)", ["mark 1 1"]),
        ("mark 1", ["mark 1 1", "mark 1 10"]),
        ("mark 1 1 1", []),
        ("m 2", ["mark 2 1"]),
        ("2 1", ["mark 2 1"]),
        ("21", ["mark 2 1"]),
        ("k", []),
        ("no", ["noop"]),
        ("", []),
        ("()", []),
    ],
)
def test_a_text_finds_moves_by_its_strictest_reading(text: str, wanted: list[str]) -> None:
    assert found(listed("(mark 1 1)", "(mark 1 10)", "(mark 2 1)", "noop"), text) == wanted


def test_moves_of_chess_are_found_as_players_say_them() -> None:
    moves = listed("(move e 2 e 4)", "(move e 2 e 3)", "(move g 1 f 3)")
    assert found(moves, "e2e4") == found(moves, "e 2 e 4") == ["move e 2 e 4"]
    assert found(moves, "e2") == ["move e 2 e 3", "move e 2 e 4"]


def test_columns_fill_the_width_and_no_more() -> None:
    lines = squares("mark", 3).lines(40)
    assert lines == [
        "  1 mark 1 1  4 mark 2 1  7 mark 3 1",
        "  2 mark 1 2  5 mark 2 2  8 mark 3 2",
        "  3 mark 1 3  6 mark 2 3  9 mark 3 3",
    ]
    assert len(squares("mark", 3).lines(5)) == 9
    assert max(map(len, squares("place", 15).lines(80, whole=True))) <= 80


def test_hundreds_of_moves_are_grouped_by_how_they_begin() -> None:
    moves = squares("place", 15)
    lines = moves.lines(80)
    assert lines[0].startswith("  1-15  place 1 …  (15 moves)  ")
    assert lines[-1] == "  `moves place 1` lists the first of these, `moves all` every one"
    assert sum(line.count("moves)") for line in lines) == 15
    few = moves.lines(80, moves.matching("place 3"))
    assert "31 place 3 1" in few[0]
    assert len(moves.lines(80, whole=True)) == 57


def test_many_moves_that_begin_alike_nowhere_are_shown_one_by_one() -> None:
    assert len(listed(*(f"m{n}" for n in range(60))).lines(1)) == 60


def test_who_only_waits_is_left_out_unless_all_do() -> None:
    assert joint_spoken(["x", "o"], terms("noop", "(mark 1 1)")) == "o: mark 1 1"
    assert joint_spoken(["x", "o"], terms("noop", "noop")) == "x: noop  o: noop"
