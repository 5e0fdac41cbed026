"""Positions of known value are found in matches, and are what trying everything says of them."""

from __future__ import annotations

import functools
from typing import Any

import pytest

from ggp.lab.positions import advance, chooser, joint_move
from ggp.lab.solving import find, main
from ggp.machines.circuit import CircuitMachine
from ggp.machines.machine import goal
from tests.compiled import compiled


def value(machine: CircuitMachine, position: Any, role: int) -> int:
    """What a role gets if nobody errs, by trying everything; in games for two where one wins what the other loses."""

    @functools.cache
    def best(position: Any) -> int:
        situation = machine.situation(position)
        who = chooser(situation)
        if who is None:
            assert situation.terminal
            return goal(situation.goals[role])
        after = [advance(machine, position, joint_move(situation, who, move))[0] for move in situation.legal[who]]
        return (max if who == role else min)(map(best, after))

    return best(position)


def test_what_is_found_is_true_and_found_again() -> None:
    machine = compiled("tic_tac_toe")
    found = list(find(machine, 1, 5))
    assert len(found) == 1
    assert found == list(find(machine, 1, 5))
    for known in found:
        turn = known.turn(machine)
        after = []
        for move in turn.legal:
            joint = (move, turn.situation.legal[1][0]) if turn.role == 0 else (turn.situation.legal[0][0], move)
            after.append(value(machine, machine.next(turn.position, joint), turn.role))
        assert tuple(after) == known.goals
        assert known.chance <= 0.5


@pytest.mark.slow
def test_what_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    main(1, ["tic_tac_toe"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[3] == "tic_tac_toe = [" and lines[4].count(">") == 1 and lines[5] == "]"
