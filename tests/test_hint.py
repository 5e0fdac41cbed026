"""What a hint says: the move to play first, by its number in the list, what is proven, and the line that is expected."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from ggp.human.hint import Hint, think
from ggp.human.movelist import MoveList
from ggp.machines.circuit import CircuitMachine, Position
from tests.compiled import compiled
from tests.helpers import terms

pytestmark = pytest.mark.usefixtures("judged_briefly")
PLAYED = (("(mark 2 2)", "noop"), ("noop", "(mark 1 1)"), ("(mark 1 2)", "noop"))


@pytest.fixture(scope="module")
def machine() -> Iterator[CircuitMachine]:
    made = compiled("tic_tac_toe")
    yield made
    made.close()


def after(machine: CircuitMachine, reply: str) -> Position:
    """A position where x has two in the middle row, and o has replied somewhere."""
    position = machine.initial()
    for joint in (*PLAYED, ("noop", reply)):
        position = machine.next(position, terms(*joint))
    return position


def hint(machine: CircuitMachine, *positions: tuple[Position, int]) -> tuple[Hint, MoveList]:
    moves = MoveList.of(machine.situation(positions[0][0]).legal[0])
    return think(machine, positions, 0, 0.1, 0, 1), moves


def test_the_best_move_comes_first_with_its_number_its_proof_and_the_line(machine: CircuitMachine) -> None:
    found, moves = hint(machine, (after(machine, "(mark 1 3)"), 1))
    headline, best, *_ = lines = found.lines(moves, 80)
    assert headline.startswith("hint: ") and "Prolog" not in headline
    number = next(number for number, move in moves.numbered.items() if move == terms("(mark 3 2)")[0])
    assert best.split()[:4] == [str(number), "mark", "3", "2"]
    assert best.endswith("expected goal 100, proven")
    assert lines[-1] == "  line: x: mark 3 2"


def test_several_positions_are_weighed_and_no_line_is_told(machine: CircuitMachine) -> None:
    blocked, open_ = after(machine, "(mark 3 2)"), after(machine, "(mark 3 3)")
    found, moves = hint(machine, (open_, 9), (blocked, 1))
    lines = found.lines(moves, 80)
    assert " in 2 positions that agree with what you know" in lines[0]
    assert "mark 3 2" in lines[1]
    assert not any("line:" in line or "proven" in line for line in lines)
    rare, _ = hint(machine, (blocked, 9), (open_, 1))
    assert "mark 3 2" not in rare.lines(MoveList.of(machine.situation(blocked).legal[0]), 80)[1]


def test_a_hint_is_no_wider_than_the_screen(machine: CircuitMachine) -> None:
    found, moves = hint(machine, (machine.initial(), 1))
    expected = [line for line in found.lines(moves, 40) if not line.strip()[:1].isdigit()]
    assert len(expected) > 2
    assert max(map(len, expected)) <= 40


def test_a_search_that_found_nothing_says_so() -> None:
    nothing: Any = SimpleNamespace(engine="circuit", tables={0: []}, line=[], simulations=0, seconds=0.1)
    assert Hint(("x",), 0, [nothing], [1]).lines(MoveList.of(terms("a", "b")), 80) == [
        "hint: no simulation was finished in that time"
    ]
