"""What is proved of all reachable positions is true of them, and what only the samples suggest is not claimed."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from gdl.grounding import ground_here
from gdl.program import GroundProgram
from ggp.circuits.build import build_factored
from ggp.circuits.compile import roles_of
from ggp.circuits.emit import emit
from ggp.circuits.invariants import Forecast, Samples, joint_moves, prove, sample
from ggp.circuits.solver import Care, Group
from ggp.circuits.work import Work
from tests.helpers import ruleset
from tests.small_programs import care_of, program_of, rows_of

NAMES = ["sliding", "tic_tac_toe", "nim", "eight_puzzle", "bidding_tic_tac_toe", "dice_race", *map(str, range(30))]


def check(name: str, care: Care) -> None:
    """Everything that is claimed holds in every row."""
    for row in rows_of(name):
        for group in care.groups:
            held = len(row.bases & set(group.members))
            assert held == 1 if group.exact else held <= 1, group
        assert not row.bases & set(care.never)
        assert row.bases >= set(care.always)
        for moves in care.moves:
            assert len(row.inputs & set(moves)) == 1


@pytest.mark.parametrize("name", NAMES)
def test_what_is_proved_is_true(name: str) -> None:
    check(name, care_of(name))


@pytest.mark.parametrize("name", ["sliding", "tic_tac_toe", "nim", "eight_puzzle"])
def test_few_samples_suggest_much_that_is_not_claimed(name: str) -> None:
    program = program_of(name)
    net = build_factored(program)
    initial = np.isin(np.arange(len(program.bases)), sorted(program.initial))[:, None]
    moves = np.zeros((len(program.inputs), 1), np.bool_)
    moves[sorted(rows_of(name)[0].inputs)] = True
    samples = Samples(initial, np.ones(1, np.bool_), moves)
    check(name, prove(net, roles_of(program), samples, program, Work(2_000_000)))


def test_one_piece_to_a_cell_and_the_turn_are_found() -> None:
    program = program_of("sliding")
    care = care_of("sliding")
    groups = {frozenset(program.bases[i].fluent for i in group.members): group.exact for group in care.groups}
    for cell, kinds in itertools.product("1234", [["king", "man", "none"]]):
        assert groups[frozenset(f"(at {cell} {kind})" for kind in kinds)]
    assert groups[frozenset(["(control black)", "(control white)"])]
    assert len(care.moves) == 1
    assert {program.inputs[j].move for j in set(range(len(program.inputs))) - set(care.moves[0])} == {"noop"}


TURNS = """
(role a) (role b) (init (turn a)) (follows a b) (follows b nobody) (move noop) (move one) (move two)
(<= (legal ?r noop) (role ?r) (true (turn ?q)) (distinct ?q ?r) (distinct ?q nobody))
(<= (legal ?r one) (true (turn ?r)) (role ?r)) (<= (legal ?r two) (true (turn ?r)) (role ?r))
(<= (next (turn ?q)) (true (turn ?p)) (follows ?p ?q)) (<= (next (turn a)) (true (turn nobody)) (does a one))
(goal a 50) (goal b 50) (<= terminal (true (turn end)))
"""


@pytest.mark.parametrize(("third", "proved"), [("", True), ("noop", False), ("one", False)])
def test_taking_turns_is_claimed_only_where_it_is_proved(third: str, proved: bool) -> None:
    """In the samples just one role moves at a time; in a third position, unless it is the end, both wait or both move."""
    rule = f"(<= (legal ?r {third}) (role ?r) (true (turn nobody)))" if third else "(<= terminal (true (turn nobody)))"
    program = ground_here(ruleset(TURNS + rule))
    moves = [{"a": "one", "b": "noop"}, {"a": "noop", "b": "one"}, {"a": "noop", "b": "two"}, {"a": "two", "b": "noop"}]
    done = np.array([[m[program.roles[p.role]] == p.move for m in moves] for p in program.inputs])
    turn = [["(turn a)"], ["(turn b)"], ["(turn b)"], ["(turn a)"]]
    states = np.array([[base.fluent in held for held in turn] for base in program.bases])
    net = build_factored(program)
    found = joint_moves(
        net, roles_of(program), Samples(states, np.ones(4, np.bool_), done), Care((one_turn(program),)), Work(1_000_000)
    )
    assert bool(found) == proved


def one_turn(program: GroundProgram) -> Group:
    return Group(tuple(i for i, base in enumerate(program.bases) if base.fluent.startswith("(turn")), True)


def test_samples_are_positions_and_moves_of_playouts() -> None:
    program = program_of("tic_tac_toe")
    samples = sample(emit(program, build_factored(program)), words=1, steps=12, keep=200, seed=1, work=Work(1_000_000))
    assert 100 < samples.count <= 200
    assert samples.moving.any() and not samples.moving.all()
    for lo, hi in roles_of(program):
        done = samples.moves[lo:hi].sum(axis=0)
        assert (done == samples.moving).all()
    marks = samples.states[2:].sum(axis=0)  # without the two of control
    assert marks.min() == 0 and marks.max() >= 5


@pytest.mark.parametrize(("standing", "hopeless"), [(10, False), (300, True)])
def test_an_induction_is_given_up_when_it_would_cost_far_more_than_is_left(standing: int, hopeless: bool) -> None:
    work = Work(1000)
    forecast = Forecast(work)
    for cost in (200, 10, 10, 10, 10, 10, 10, 10):
        assert not forecast.is_due
        work.spend(cost)
        forecast.asked()
    assert forecast.is_due
    assert forecast.is_hopeless(standing) == hopeless, "730 are left, and a question but the dearest took 10"
    work.spend(500)
    for _ in range(8):
        forecast.asked()
    assert not forecast.is_due, "so near to the end it is tried"
