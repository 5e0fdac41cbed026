"""Laps of the lanes: random play from loaded positions of any phase, against the machine step by step."""

from __future__ import annotations

import math
import pickle
import random
from collections import Counter

import numpy as np
import pytest

from ggp.lanes.bank import Bank
from ggp.lanes.lap import SHORT_GAME, joined, playout_lap
from ggp.lanes.phases import UNKNOWN
from ggp.machines.circuit import CircuitMachine, Position, all_packed
from tests.compiled import compiled

_LANES = 4096


def played(machine: CircuitMachine, dice: random.Random) -> list[Position]:
    """The positions of a random play but the last."""
    found, position = list[Position](), machine.initial()
    while not machine.situation(position).terminal:
        found.append(position)
        legal = machine.situation(position).legal
        position = machine.next(position, tuple(map(dice.choice, legal)))
    return found


def chances(machine: CircuitMachine, position: Position, steps: int) -> Counter[object]:
    """How likely random play of some steps leads to which position, or to which goals if the game has ended."""
    situation = machine.situation(position)
    if situation.terminal:
        return Counter({tuple(goals[0] for goals in situation.goals): 1.0})
    if not steps:
        return Counter({position: 1.0})
    found: Counter[object] = Counter()
    joints = [()]
    for moves in situation.legal:
        joints = [(*joint, move) for joint in joints for move in moves]  # type: ignore[misc]
    for joint in joints:
        for end, chance in chances(machine, machine.next(position, joint), steps - 1).items():
            found[end] += chance / len(joints)  # type: ignore[assignment]
    return found


def after_a_lap(machine: CircuitMachine, position: Position, phase: int) -> Counter[object]:
    """Where the lanes are after one lap from a position of a phase, and how many."""
    engine, rows = machine.engine, machine.engine.rows
    bank, lanes = Bank(engine, _LANES, 3), np.arange(_LANES)
    bank.load(lanes, np.broadcast_to(machine.bits(position), (_LANES, machine.circuit.bases)))
    bank.memory[:, rows.waits : rows.waits + phase] = np.uint64(2**64 - 1)
    bank.run(engine.rollout()[1], 1)
    assert not bank.memory[:, rows.waits : rows.ended].any(), "nobody waits in the next lap"
    ended = np.unpackbits(bank.memory[:, rows.done].copy().view(np.uint8).reshape(-1), bitorder="little") > 0
    goals, after, known = bank.goals(lanes), bank.save(lanes), engine.phases.known[0]
    after[:, known != UNKNOWN] = known[known != UNKNOWN]  # rollouts need not write them
    ends: list[object] = [tuple(goal) for goal in goals[ended].tolist()]
    for at in all_packed(after[~ended]):
        situation = machine.situation(at)  # a lane that came to its end in the lap's last step does not know it yet
        ends.append(tuple(g[0] for g in situation.goals) if situation.terminal else at)
    return Counter(ends)


@pytest.mark.parametrize("game", ["tic_tac_toe", "connect_four", "tic_tac_toe_three_players", "dice_race", "roshambo"])
def test_rollouts_begin_at_any_phase_and_choose_evenly(game: str) -> None:
    machine, dice = compiled(game), random.Random(7)
    period = machine.engine.phases.period
    looked = 0
    for _ in range(3):
        line = played(machine, dice)
        for phase in range(period):
            position = dice.choice(line[phase::period])
            expected = chances(machine, position, period - phase)
            found = after_a_lap(machine, position, phase)
            assert found.keys() <= expected.keys() and found.total() == _LANES
            scatter = sum((found[end] - _LANES * p) ** 2 / (_LANES * p) for end, p in expected.items())
            assert scatter < len(expected) + 6 * math.sqrt(2 * len(expected)) + 6
            looked += len(expected) > 1
    assert looked > 2


def test_a_lap_in_another_process_has_no_program_and_knows_its_sizes() -> None:
    engine = compiled("nim").engine
    lap = playout_lap(engine.circuit, engine.phases)
    told = pickle.loads(pickle.dumps(lap))
    assert not hasattr(told, "program") and told.steps == engine.phases.period
    assert (told.operations, told.tables, told.gates) == (lap.operations, lap.tables, lap.gates)
    assert told.operations > told.tables > 0
    both = joined([told, lap])
    assert (both.steps, both.tables) == (2 * lap.steps, 2 * lap.tables)


def test_a_lap_is_refilled_as_is_cheaper_for_short_games() -> None:
    engine = compiled("tic_tac_toe").engine
    ways = [playout_lap(engine.circuit, engine.phases, eager) for eager in (True, False)]
    assert ways[0].gates != ways[1].gates
    chosen = playout_lap(engine.circuit, engine.phases)
    price = [lap.gates * (SHORT_GAME + idle) for idle, lap in enumerate(ways)]
    assert chosen.operations == ways[price.index(min(price))].operations
