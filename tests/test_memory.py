"""What a role remembers of a match, and what may follow from it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from gdl import Ruleset, load
from ggp.human.memory import Memory
from ggp.machines import PrologMachine
from ggp.match.seats import Scene
from ggp.match.telling import Happened
from tests.conftest import Open
from tests.helpers import GAMES, terms, texts

KRIEGSPIEL = [("(try 1 1)", "noop"), ("noop", "(try 2 2)"), ("(try 2 2)", "noop")]


@pytest.fixture(scope="module")
def kriegspiel() -> Ruleset:
    return load(GAMES / "kriegspiel_tic_tac_toe.kif")


def scenes(machine: PrologMachine, joints: Sequence[tuple[str, str]], hidden: bool) -> list[Scene]:
    position = machine.initial()
    found = [Scene(position, machine.situation(position), Happened(0, None, () if hidden else None))]
    for turn, joint in enumerate(joints, 1):
        moves = terms(*joint)
        seen = machine.sees(position, moves) if hidden else None
        position = machine.next(position, moves)
        found.append(Scene(position, machine.situation(position), Happened(turn, moves, seen)))
    return found


def test_a_role_knows_its_moves_and_what_it_saw_and_nothing_else(prolog: Open, kriegspiel: Ruleset) -> None:
    machine = prolog(kriegspiel)
    memory = Memory(machine, 0, 1)
    first, one, second, third = scenes(machine, KRIEGSPIEL, hidden=True)
    for scene in (first, one, second):
        memory.note(scene)
    assert memory.tale() == ["step 1  x: try 1 1  saw: marked_it", "step 2  x: noop  saw: your_turn"]
    fluents, count = memory.certain()
    assert count == 8
    assert texts(fluents) == ["(control x)", "(known 1 1 x)", "(marked 1 1 x)"]
    memory.note(third)
    assert memory.tale(2) == ["step 3  x: try 2 2  saw: occupied"]
    assert [position for position, _ in memory.known()] == [third.position]
    memory.note(second)
    assert memory.certain()[1] == 8
    memory.note(first)
    assert memory.tale() == []
    assert memory.certain() == (list(machine.fluents(first.position)), 1)


def test_where_joint_moves_are_told_the_position_is_known(prolog: Open) -> None:
    machine = prolog(load(GAMES / "tic_tac_toe.kif"))
    memory = Memory(machine, 1, 1)
    for scene in (told := scenes(machine, [("(mark 1 1)", "noop"), ("noop", "(mark 2 2)")], hidden=False)):
        memory.note(scene)
    assert memory.tale() == ["step 1  x: mark 1 1", "step 2  o: mark 2 2"]
    assert memory.known() == [(told[-1].position, 1)]


def test_what_nothing_explains_leaves_nothing_known(prolog: Open, kriegspiel: Ruleset) -> None:
    machine = prolog(kriegspiel)
    memory = Memory(machine, 0, 1)
    first, then = scenes(machine, KRIEGSPIEL[:1], hidden=True)
    impossible = Happened(1, then.happened.joint, (terms("occupied"), ()))
    memory.note(first)
    memory.note(Scene(then.position, then.situation, impossible))
    assert memory.known() == []
    assert memory.certain() == ([], 0)
