"""Playouts that look one move ahead, against the same looking ahead by hand."""

from __future__ import annotations

import random

import numpy as np
import pytest

from gdl import kif
from ggp.lanes.bank import Bank
from ggp.lanes.foresight import Foresight, TooWideError
from ggp.lanes.phases import find_phases
from ggp.machines.circuit import CircuitMachine, Position, packed
from ggp.machines.machine import JointMove
from tests.compiled import compiled, compiled_text

_LANES = 2048


def decisive_moves(machine: CircuitMachine, position: Position) -> list[JointMove]:
    """The joint moves that decisive roles may play where only one of them decides."""
    wins, safe, others = [], [], []
    legal = machine.situation(position).legal
    (mover,) = (role for role, moves in enumerate(legal) if len(moves) > 1)
    for move in legal[mover]:
        joint = tuple(move if role == mover else moves[0] for role, moves in enumerate(legal))
        after = machine.situation(machine.next(position, joint))
        if after.terminal and after.goals[mover] == (100,):
            wins.append(joint)
        elif after.terminal or not can_win(machine, machine.next(position, joint)):
            safe.append(joint)
        others.append(joint)
    return wins or safe or others


def can_win(machine: CircuitMachine, position: Position) -> bool:
    """Whether the role whose turn it is has a move that wins at once."""
    legal = machine.situation(position).legal
    for role, moves in enumerate(legal):
        for move in moves if kif(moves[0]) != "noop" else ():
            after = machine.situation(
                machine.next(position, tuple(move if r == role else options[0] for r, options in enumerate(legal)))
            )
            if after.terminal and after.goals[role] == (100,):
                return True
    return False


def ends_of_a_lap(machine: CircuitMachine, position: Position, steps: int) -> set[object]:
    """Where decisive play of some steps can lead: positions, or the goals of a game that has ended."""
    situation = machine.situation(position)
    if situation.terminal:
        return {tuple(goals[0] for goals in situation.goals)}
    if not steps:
        return {position}
    joint_moves = decisive_moves(machine, position)
    return {end for joint in joint_moves for end in ends_of_a_lap(machine, machine.next(position, joint), steps - 1)}


def positions_with_two_to_come(machine: CircuitMachine, count: int) -> list[Position]:
    """Positions at the start of a lap in which the next roles to move have a choice."""
    dice, period = random.Random(5), machine.engine.phases.period
    found: list[Position] = []
    while len(found) < count:
        position, line = machine.initial(), []
        while not machine.situation(position).terminal:
            line.append(position)
            position = machine.next(position, tuple(map(dice.choice, machine.situation(position).legal)))
        late = [p for i, p in enumerate(line[:-2]) if i % period == 0 and i > len(line) // 2]
        if late:
            found.append(dice.choice(late))
    return found


@pytest.mark.parametrize("game", ["tic_tac_toe", "connect_four", "knightthrough"])
def test_decisive_playouts_choose_among_decisive_moves_alone(game: str) -> None:
    machine = compiled(game)
    engine, rows = machine.engine, machine.engine.rows
    assert engine.offers("decisive")
    changed = 0
    for position in positions_with_two_to_come(machine, 4):
        bank, lanes = Bank(engine, _LANES, 3), np.arange(_LANES)
        bank.load(lanes, np.broadcast_to(machine.bits(position), (_LANES, machine.circuit.bases)))
        bank.run(engine.rollout("decisive")[1], 1)
        done = bank.memory[:, rows.done].copy().view(np.uint8).reshape(-1)
        ended = np.unpackbits(done, bitorder="little").astype(bool)
        goals, after = bank.goals(lanes), bank.save(lanes)
        seen: set[object] = {tuple(goals[i].tolist()) for i in lanes[ended]}
        for bits in {row.tobytes() for row in after[~ended]}:
            at = packed(np.frombuffer(bits, np.bool_))
            situation = machine.situation(at)  # a lane that came to its end in the lap's last step does not know it yet
            seen.add(tuple(g[0] for g in situation.goals) if situation.terminal else at)
        expected = ends_of_a_lap(machine, position, engine.phases.period)
        assert seen <= expected
        if len(expected) < _LANES // 20:
            assert seen == expected
        changed += len(expected) < len(ends_of_any_lap(machine, position, engine.phases.period))
    assert changed > 1  # else nothing was looked at that looking ahead changes


def ends_of_any_lap(machine: CircuitMachine, position: Position, steps: int) -> set[object]:
    """Where random play of some steps can lead."""
    situation = machine.situation(position)
    if situation.terminal:
        return {tuple(goals[0] for goals in situation.goals)}
    if not steps:
        return {position}
    ends: set[object] = set()
    (mover,) = (role for role, moves in enumerate(situation.legal) if len(moves) > 1)
    for move in situation.legal[mover]:
        joint = tuple(move if role == mover else moves[0] for role, moves in enumerate(situation.legal))
        ends |= ends_of_any_lap(machine, machine.next(position, joint), steps - 1)
    return ends


@pytest.mark.parametrize("game", ["othello", "hex_5x5", "roshambo"])
def test_where_foresight_is_too_dear_or_says_nothing_playouts_are_plain(game: str) -> None:
    engine = compiled(game).engine
    assert not engine.offers("decisive")


def test_positive_cycles_are_refused() -> None:
    circuit = compiled("hex_5x5").circuit
    with pytest.raises(TooWideError):
        Foresight(circuit, find_phases(circuit))


_TWICE = """
(role a) (role b) (init (step 1))
(succ 1 2) (succ 2 3) (succ 3 4) (succ 4 1) (first 1) (first 3)
(turn 1 a) (turn 2 a) (turn 3 b) (turn 4 b)
(<= (legal ?r x) (true (step ?n)) (turn ?n ?r))
(<= (legal ?r y) (true (step ?n)) (turn ?n ?r))
(<= (legal ?r noop) (role ?r) (true (step ?n)) (turn ?n ?s) (distinct ?r ?s))
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(<= (next (ready ?r)) (does ?r y) (true (step ?n)) (first ?n))
(<= (next (won ?r)) (does ?r y) (true (ready ?r)))
(<= over (true (won ?r)))
(<= terminal over)
(<= (goal ?r 100) (true (won ?r)))
(<= (goal ?r 0) (true (won ?s)) (role ?r) (distinct ?r ?s))
(<= (goal ?r 50) (role ?r) (not over))
"""


def test_a_role_that_moves_twice_does_not_shun_what_lets_it_win() -> None:
    engine = compiled_text(_TWICE).engine
    bank, lanes = Bank(engine, _LANES, 1), np.arange(_LANES)
    bank.run(engine.rollout("decisive")[1], 1)
    assert engine.offers("decisive")
    assert (
        0.4 < (bank.goals(lanes)[:, 0] == 100).mean() < 0.6
    )  # it gets ready in half of the lanes, and wins in all of those
