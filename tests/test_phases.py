"""Phases: what is found is what slow three-valued simulation proves, and games keep to it."""

from __future__ import annotations

import random

import numpy as np
import pytest

from ggp.circuits.circuit import Circuit
from ggp.lanes.phases import GATES_PER_CHOICE, PERIODS, TYPICAL_LENGTH, UNKNOWN, find_phases
from tests import slow_circuit as reference
from tests.compiled import compiled_text
from tests.small_circuits import circuit

COUNTER = """
(role a) (role b) (init (step 0)) (init (turn a)) (init (calm))
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8) (succ 8 9)
(<= (legal ?r (go ?n)) (true (turn ?r)) (succ ?n ?m))
(<= (legal ?r wait) (role ?r) (not (true (turn ?r))))
(<= (legal ?r jump) (true (turn ?r)) (true (step 9)))
(<= (next (turn b)) (true (turn a)) (not (does a jump)))
(<= (next (turn a)) (true (turn b)))
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(<= (next (calm)) (true (calm)) (not (true (step 9))))
(<= (next (mark ?n)) (does ?r (go ?n)))
(<= terminal (true (mark 7)) (true (turn a)))
(<= (goal ?r 50) (role ?r))
"""
"""Whose turn it is, is known for ten steps, and not beyond."""


def three_valued(c: Circuit, bases: list[int]) -> tuple[list[int], int]:
    """The bases one step later, and what the step costs."""
    value = [0, *bases, *[UNKNOWN] * c.inputs, *[UNKNOWN] * c.size]
    inside = {g for lo, hi in c.loops.tolist() for g in range(lo, hi)}

    def read(x: int) -> int:
        return UNKNOWN if value[x >> 1] == UNKNOWN else value[x >> 1] ^ (x & 1)

    def gates(lo: int, hi: int) -> None:
        for g in range(lo, hi):
            if g not in inside:
                x, y = read(int(c.left[g])), read(int(c.right[g]))
                value[g] = 0 if 0 in (x, y) else 1 if (x, y) == (1, 1) else UNKNOWN

    gates(c.first, c.cut)
    choices = 0
    for lo, hi in zip(c.role_starts[:-1].tolist(), c.role_starts[1:].tolist(), strict=True):
        legal = [read(x) for x in c.legal[lo:hi].tolist()]
        possible = [j for j, x in enumerate(legal) if x != 0]
        only = len(possible) == 1 and legal[possible[0]] == 1
        for j, x in enumerate(legal):
            value[1 + c.bases + lo + j] = 0 if x == 0 else 1 if only else UNKNOWN
        choices += 0 if only else len(possible)
    gates(c.cut, c.gates)
    return [read(x) for x in c.next.tolist()], value[c.first :].count(UNKNOWN) + GATES_PER_CHOICE * choices


def proven(c: Circuit, period: int) -> tuple[list[list[int]], float]:
    """The largest pattern of a period, and its price."""
    states = [c.initial.astype(int).tolist()]
    for _ in range(period):
        states.append(three_valued(c, states[-1])[0])
    known = [list(state) for state in states[:period]]
    lost = {b for b in range(c.bases) if any(s[b] == UNKNOWN for s in states[:-1]) or states[0][b] != states[-1][b]}
    while True:
        for b in lost:
            for state in known:
                state[b] = UNKNOWN
        steps = [three_valued(c, state) for state in known]
        lost = {
            b
            for t, (after, _) in enumerate(steps)
            for b, x in enumerate(known[(t + 1) % period])
            if x not in (UNKNOWN, after[b])
        }
        if not lost:
            return known, sum(cost for _, cost in steps) / period * (1 + (period - 1) / 2 / TYPICAL_LENGTH)


@pytest.mark.parametrize("name", ["tic_tac_toe", "pentago", "hex_5x5", "eight_puzzle", "dice_race", "counter"])
def test_the_largest_patterns_are_found(name: str) -> None:
    c = compiled_text(COUNTER).circuit if name == "counter" else circuit(name)
    prices = []
    for period in PERIODS:
        known, price = proven(c, period)
        assert find_phases(c, (period,)).known.tolist() == known
        prices.append(price)
    assert find_phases(c).period == PERIODS[int(np.argmin(prices))]


@pytest.mark.parametrize(("name", "period"), [("tic_tac_toe", 2), ("pentago", 4), ("eight_puzzle", 1)])
def test_games_keep_to_the_pattern(name: str, period: int) -> None:
    c = circuit(name)
    phases = find_phases(c)
    assert phases.period == period
    dice, position = random.Random(1), c.initial.tolist()
    for t in range(40):
        value = reference.values(c, position)
        if reference.read(value, c.terminal):
            break
        known = phases.known[t % period]
        assert all(k in (UNKNOWN, int(x)) for k, x in zip(known, position, strict=True))
        moves = tuple(dice.choice(m) for m in reference.legal(c, value))
        value = reference.values(c, position, moves)
        position = [reference.read(value, x) for x in c.next]
