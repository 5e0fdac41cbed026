"""Merrills: mills, removal, flying, and the ways to lose, from positions set up for each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from gdl import load
from ggp.machines import PrologMachine
from tests.helpers import GAMES, terms, texts

ROLES = ("white", "black")


@pytest.fixture(scope="module")
def machine() -> Iterator[PrologMachine]:
    opened = PrologMachine(load(GAMES / "merrills.kif"))
    yield opened
    opened.close()


class Board:
    """A position: points such as a1, men still in hand, white to move. Who is not in hand or on the board is lost."""

    def __init__(
        self, machine: PrologMachine, white: str, black: str, hand: tuple[int, int] = (0, 0), *, mover: str = "white"
    ) -> None:
        men = [
            f"(man {p[0]} {p[1]} {role})" for role, own in zip(ROLES, (white, black), strict=True) for p in own.split()
        ]
        hands = [f"(hand {role} {n})" for role, n in zip(ROLES, hand, strict=True)]
        lost = [
            f"(lost {role} {9 - n - len(own.split())})" for role, n, own in zip(ROLES, hand, (white, black), strict=True)
        ]
        self.machine = machine
        self.position: Any = machine.position(terms(*men, *hands, *lost, f"(control {mover})", "(units 0)", "(tens 0)"))

    def moves(self, kind: str) -> set[str]:
        """The legal moves of a kind, as "a1 a4"."""
        found = set()
        for role in self.machine.situation(self.position).legal:
            for move in texts(role):
                name, *points = move.strip("()").split()
                if name == kind:
                    found.add(" ".join("".join(points[i : i + 2]) for i in range(0, len(points), 2)))
        return found

    def play(self, *moves: str) -> Board:
        """Make moves such as "place a1", "move a1 a4", "remove d7"."""
        for text in moves:
            kind, *points = text.split()
            assert " ".join(points) in self.moves(kind), text
            move = f"({kind} {' '.join(c for point in points for c in point)})"
            joint = terms(move, "noop") if self.holds("(control white)") else terms("noop", move)
            self.position = self.machine.next(self.position, joint)
        return self

    def holds(self, fluent: str) -> bool:
        return fluent in texts(self.machine.fluents(self.position))

    def men(self, role: str) -> set[str]:
        found = [f.strip("()").split() for f in texts(self.machine.fluents(self.position)) if f.startswith("(man")]
        return {x + y for _, x, y, owner in found if owner == role}

    @property
    def result(self) -> tuple[int, ...] | None:
        """The goals, if the game is over."""
        situation = self.machine.situation(self.position)
        return tuple(values[0] for values in situation.goals) if situation.terminal else None


# ---- placing and mills ------------------------------------------------------------------------------------------


def test_men_are_placed_one_by_one(machine: PrologMachine) -> None:
    board = Board(machine, "", "", (9, 9))
    assert len(board.moves("place")) == 24
    board.play("place a1", "place d2", "place g7")
    assert (board.men("white"), board.men("black")) == ({"a1", "g7"}, {"d2"})
    assert board.holds("(hand white 7)")
    assert board.holds("(hand black 8)")
    assert len(board.moves("place")) == 21
    assert board.moves("move") == set()


def test_a_mill_closed_by_placing_removes_a_man(machine: PrologMachine) -> None:
    board = Board(machine, "a1 d1", "b2 d2 e3", (3, 3)).play("place g1")
    assert board.holds("(control white)")
    assert board.moves("remove") == {"b2", "d2", "e3"}
    assert board.moves("place") == set()
    board.play("remove d2")
    assert board.men("black") == {"b2", "e3"}
    assert board.holds("(lost black 4)")
    assert board.holds("(control black)")
    assert board.moves("remove") == set()


def test_a_mill_closed_by_moving_removes_a_man_and_may_be_closed_again(machine: PrologMachine) -> None:
    board = Board(machine, "a1 d1 g4 b6", "b2 f2 e3 c5").play("move g4 g1", "remove b2")
    assert board.men("black") == {"f2", "e3", "c5"}
    board.play("move c5 d5", "move g1 g4")
    assert board.holds("(control black)")
    assert board.play("move d5 c5", "move g4 g1").moves("remove") == {"f2", "e3", "c5"}


@pytest.mark.parametrize("three", ["a1 d1 f2", "a1 b4 f4", "d3 e3 a4"])
def test_three_that_are_no_line_are_no_mill(three: str, machine: PrologMachine) -> None:
    *two, last = three.split()
    board = Board(machine, " ".join(two), "g7 d7", (4, 4)).play(f"place {last}")
    assert board.holds("(control black)")


@pytest.mark.parametrize("line", ["a1 d1 g1", "d1 d2 d3", "a4 b4 c4", "e4 f4 g4", "c3 c4 c5", "f2 f4 f6", "d5 d6 d7"])
def test_every_man_of_a_line_can_close_it(line: str, machine: PrologMachine) -> None:
    points = line.split()
    for last in points:
        own = [p for p in points if p != last]
        theirs = next(p for p in ("g7", "b2", "a7") if p not in points)
        assert Board(machine, " ".join(own), theirs, (4, 5)).play(f"place {last}").moves("remove") == {theirs}


def test_an_enemy_line_is_no_mill_of_mine(machine: PrologMachine) -> None:
    assert Board(machine, "a1", "d1 b2", (4, 4)).play("place g1").holds("(control black)")


def test_two_mills_at_once_remove_one_man(machine: PrologMachine) -> None:
    board = Board(machine, "a1 d1 g4 g7", "b2 f2 e3 c5", (2, 2)).play("place g1", "remove b2")
    assert board.holds("(control black)")
    assert len(board.men("black")) == 3


# ---- removal ----------------------------------------------------------------------------------------------------


def test_men_in_mills_are_safe_while_others_stand_outside(machine: PrologMachine) -> None:
    board = Board(machine, "a1 d1", "b2 d2 f2 e5", (3, 3)).play("place g1")
    assert board.moves("remove") == {"e5"}


def test_men_in_mills_are_removed_where_all_stand_in_mills(machine: PrologMachine) -> None:
    board = Board(machine, "a1 d1", "b2 d2 f2 b4 b6", (3, 3)).play("place g1")
    assert board.moves("remove") == {"b2", "d2", "f2", "b4", "b6"}
    assert board.play("remove b2").men("black") == {"d2", "f2", "b4", "b6"}


# ---- moving and flying ------------------------------------------------------------------------------------------


def test_men_walk_along_lines_to_empty_points(machine: PrologMachine) -> None:
    board = Board(machine, "a1 d2 c4 g7", "d3 f2 b4 a7")
    assert board.moves("move") == {
        "a1 a4", "a1 d1", "d2 b2", "d2 d1", "c4 c3", "c4 c5", "g7 d7", "g7 g4",
    }  # fmt: skip


def test_three_men_fly_and_four_do_not(machine: PrologMachine) -> None:
    board = Board(machine, "a1 d2 g7", "d3 f2 b4 a7")
    every = "a1 d1 g1 b2 d2 f2 c3 d3 e3 a4 b4 c4 e4 f4 g4 c5 d5 e5 b6 d6 f6 a7 d7 g7"
    empty = set(every.split()) - board.men("white") - board.men("black")
    assert board.moves("move") == {f"{man} {point}" for man in ("a1", "d2", "g7") for point in empty}
    board.play("move a1 g1")
    assert board.men("white") == {"g1", "d2", "g7"}
    assert board.moves("move") == {"d3 c3", "d3 e3", "f2 f4", "b4 a4", "b4 b2", "b4 b6", "b4 c4", "a7 a4", "a7 d7"}


def test_three_men_do_not_fly_while_one_is_in_hand(machine: PrologMachine) -> None:
    board = Board(machine, "a1 d2", "d3 f2 b4", (1, 1))
    assert board.moves("move") == set()
    assert len(board.moves("place")) == 19


def test_a_mill_may_be_closed_by_flying(machine: PrologMachine) -> None:
    assert Board(machine, "a1 d1 e5", "d3 f2 b4 a7").play("move e5 g1").moves("remove") == {"d3", "f2", "b4", "a7"}


# ---- the end ----------------------------------------------------------------------------------------------------


def test_who_has_two_men_left_has_lost(machine: PrologMachine) -> None:
    board = Board(machine, "a1 d1 g4 b6", "b2 f2 e3").play("move g4 g1")
    assert board.result is None
    assert board.play("remove b2").result == (100, 0)


def test_who_cannot_move_has_lost(machine: PrologMachine) -> None:
    """Black's six men in a corner have one way out, by f2, until white steps there."""
    board = Board(machine, "d3 a7 c4 g1 f4 b6", "a1 a4 d1 b4 d2 b2")
    assert board.result is None
    assert board.play("move f4 f2").result == (100, 0)


def test_three_men_are_never_stuck(machine: PrologMachine) -> None:
    board = Board(machine, "a4 d1 f6 f2", "a1 e3 d3", mover="white").play("move f6 f4")
    assert board.result is None
    assert any(move.startswith("a1 ") for move in board.moves("move"))


def test_two_hundred_plies_are_a_draw(machine: PrologMachine) -> None:
    board = Board(machine, "a1 d2 c4 g7", "d3 f2 b4 a7")
    clock = [f for f in texts(machine.fluents(board.position)) if not f.startswith(("(units", "(tens"))]
    board.position = machine.position(terms(*clock, "(units 9)", "(tens 19)"))
    assert board.result is None
    assert board.play("move a1 a4").result == (50, 50)
