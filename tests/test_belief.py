"""Particles: they agree with all that was seen, know our legal moves, and are found again when none is left."""

from __future__ import annotations

import random
import time

import pytest

from gdl import load
from ggp.machines import PrologMachine
from ggp.machines.machine import JointMove
from ggp.match.belief import Belief
from tests.conftest import Open
from tests.helpers import GAMES, terms

HIDDEN = ["kriegspiel_tic_tac_toe", "monty_hall", "poker_small"]


def open_game(prolog: Open, name: str) -> PrologMachine:
    return prolog(load(GAMES / f"{name}.kif"))


@pytest.mark.parametrize("name", HIDDEN)
def test_belief_knows_our_legal_moves_from_percepts_alone(name: str, prolog: Open) -> None:
    machine = open_game(prolog, name)
    for seed in range(3):
        for role, word in enumerate(machine.roles):
            if word != "random":
                _follow(machine, role, seed, size=100 if name == "monty_hall" else 20)


def _follow(machine: PrologMachine, role: int, seed: int, size: int) -> None:
    generator = random.Random(seed)
    belief = Belief(machine, role, seed, size)
    position = machine.initial()
    for _ in range(12):
        situation = machine.situation(position)
        if situation.terminal:
            break
        assert all(machine.situation(p).legal[role] == situation.legal[role] for p in belief.positions)
        joint = tuple(generator.choice(moves) for moves in situation.legal)
        seen = machine.sees(position, joint)[role]
        assert belief.apply_percepts(joint[role], seen, time.monotonic() + 10)
        position = machine.next(position, joint)
    assert size < 100 or position in belief.positions  # where there are many more particles than possible positions


def test_a_lost_particle_is_replaced_by_a_path_through_all_that_was_seen(prolog: Open) -> None:
    machine = open_game(prolog, "kriegspiel_tic_tac_toe")
    for seed in range(3):
        _follow(machine, 0, seed, size=1)


def test_joint_moves_leave_no_doubt(prolog: Open) -> None:
    machine = open_game(prolog, "kriegspiel_tic_tac_toe")
    belief = Belief(machine, 0, 1, 50)
    situation = machine.situation(machine.initial())
    joint: JointMove = tuple(moves[0] for moves in situation.legal)
    belief.apply_moves(joint)
    expected = machine.next(machine.initial(), joint)
    assert belief.positions == [expected]
    belief.place(machine.fluents(machine.initial()))
    assert belief.common() == [(machine.initial(), 1)]


def test_percepts_that_nothing_explains_are_told(prolog: Open) -> None:
    machine = open_game(prolog, "monty_hall")
    role = next(n for n, word in enumerate(machine.roles) if word != "random")
    belief = Belief(machine, role, 1, 10)
    own = machine.situation(machine.initial()).legal[role][0]
    assert not belief.apply_percepts(own, terms("(no such percept)"), time.monotonic() + 5)
    assert belief.positions
    before = time.monotonic()
    assert not belief.apply_percepts(own, terms("nothing"), time.monotonic() + 0.2)
    assert time.monotonic() - before < 2


def test_the_same_seed_gives_the_same_particles(prolog: Open) -> None:
    machine = open_game(prolog, "monty_hall")
    role = next(n for n, word in enumerate(machine.roles) if word != "random")
    found = []
    for _ in range(2):
        belief = Belief(machine, role, 7, 10)
        own = machine.situation(machine.initial()).legal[role][0]
        joint = tuple(
            own if r == role else moves[0] for r, moves in enumerate(machine.situation(machine.initial()).legal)
        )
        belief.apply_percepts(own, machine.sees(machine.initial(), joint)[role], time.monotonic() + 20)
        found.append(belief.positions)
    assert found[0] == found[1]
