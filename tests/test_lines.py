"""The best line is followed: what a player has found once it gets, and it does not think about what it knows."""

from __future__ import annotations

import logging
import time
from types import SimpleNamespace
from typing import Any

import pytest

from ggp.machines.machine import goal
from ggp.machines.plays import Ending
from ggp.match.builtin import make_player
from ggp.players.match import play_match
from ggp.players.player import Turn
from ggp.search.lines import Lines, played
from ggp.search.search import Search
from ggp.search.settings import SearchSettings
from ggp.search.trace import Line
from tests.compiled import compiled, compiled_text
from tests.test_trace import LOCK


@pytest.mark.parametrize("options", ["simulations=60,playouts=8", "simulations=60,playouts=8,policy=decisive,threads=2"])
def test_peg_solitaire_ends_with_what_was_found_and_no_less(options: str) -> None:
    machine = compiled("peg_solitaire")
    player = make_player(f"ucd:{options}", 1)
    position, expected, remembered = machine.initial(), [0.0], 0
    while not (situation := machine.situation(position)).terminal:
        move = player.choose(Turn(machine, position, situation, 0, None))
        report = player.report()
        if report.get("remembered"):
            remembered += 1
            expected.append(float(str(report["expected"])))
        position = machine.next(position, (move,))
    player.close()
    assert remembered >= 20
    assert expected == sorted(expected) and goal(situation.goals[0]) == expected[-1] > 0


def test_a_line_to_the_highest_goal_ends_the_search_and_is_played_at_once() -> None:
    machine = compiled_text(LOCK)
    player = make_player("ucd:seconds=20,policy=decisive", 1)
    begun = time.monotonic()
    moments, simulations = [], []
    for moment in play_match(machine, [player], 10):
        moments.append(moment)
        simulations.append(player.report().get("simulations"))
    player.close()
    assert moments[-1].ending is Ending.TERMINAL and moments[-1].goals == (100,)
    assert time.monotonic() - begun < 10, "one move alone has 20 s"
    assert simulations[1:].count(0) >= 5
    assert player.report()["proven"] is True


def test_a_pondering_player_remembers_and_stops_when_nothing_better_can_be_found() -> None:
    machine = compiled_text(LOCK)
    position = machine.initial()
    player = make_player("ucd:memory=64,policy=uniform", 1)
    begun = time.monotonic()
    turn = Turn(machine, position, machine.situation(position), 0, begun + 20)
    player.ponder(turn)
    move = player.choose(turn)
    player.close()
    assert time.monotonic() - begun < 10
    report = player.report()
    assert report["remembered"] and report["simulations"] == 0 and report["expected"] == 100
    assert isinstance(report["line"], list) and report["line"][0] == str(move) and len(report["line"]) == 6


def test_a_proven_best_is_sure_though_the_game_has_a_higher_goal() -> None:
    machine = compiled_text(LOCK.replace("(right 4 b)", "(right 4 z)"))  # which is no key
    search = Search(machine, SearchSettings(), 1, memory=2**24)
    search.start(machine.initial())
    search.run(simulations=20_000)
    lines = Lines()
    lines.remember(machine, search)
    known = lines.at(machine.initial())
    assert search.solved and known is not None and known.goal == 60
    assert known.sure


class Found:
    """A search that has found a line."""

    def __init__(self, position: bytes, line: Line | None) -> None:
        self.position, self.line = position, line
        self.solved = self.is_at_best = False

    def best_line(self) -> Line | None:
        return self.line


def inputs(*keys: str) -> tuple[int, ...]:
    machine = compiled_text(LOCK)
    numbers = {str(move): number for number, move in enumerate(machine.inputs)}
    return tuple(numbers[f"(turn {key})"] for key in keys)


def told(lines: Lines, line: Line | None, *, at: int = 0, of: tuple[int, ...] = ()) -> Any:
    """Have a line remembered from a position, the one before move `at` of some moves; what is known there."""
    machine = compiled_text(LOCK)
    position = machine.initial()
    for number in of[:at]:
        position = machine.next(position, (machine.inputs[number],))
    lines.remember(machine, Found(position, line))  # type: ignore[arg-type]
    return lines.at(position)


def test_a_better_line_replaces_one_and_a_worse_one_does_not() -> None:
    lines, some, best, bad = Lines(), inputs(*"aaacca"), inputs(*"bacbca"), inputs(*"aaaaaa")
    assert told(lines, Line(60, some)).goal == 60
    assert told(lines, Line(30, bad)).inputs == some
    assert told(lines, None, at=3, of=some).inputs == some[3:]
    assert told(lines, Line(100, best)).inputs == best
    assert told(lines, None, at=1, of=some) is None, "no longer on the line"


@pytest.mark.parametrize(
    ("goal", "keys", "wanted"),
    [(100, "aaacca", "leads to 60"), (60, "aaacc", "leads to -1"), (60, "aaaccaa", "leads to -1")],
    ids=["another goal", "too short", "too long"],
)
def test_a_line_that_leads_elsewhere_is_reported_and_not_followed(
    goal: int, keys: str, wanted: str, caplog: pytest.LogCaptureFixture
) -> None:
    lines = Lines()
    with caplog.at_level(logging.ERROR):
        assert told(lines, Line(goal, inputs(*keys))) is None
    assert wanted in caplog.text and "please report" in caplog.text


STUCK = """
(role me) (init (at 1)) (<= (legal me go) (true (at 1))) (<= (next (at 2)) (does me go))
(<= terminal (true (at 3))) (<= (goal me 70) (true (at 2))) (<= (goal me 0) (not (true (at 2))))
"""
"""After its only move nobody can move, though the game has not ended."""


def test_where_nobody_can_move_a_line_leads_to_no_end_and_nobody_is_blamed(caplog: pytest.LogCaptureFixture) -> None:
    machine = compiled_text(STUCK)
    assert played(machine, machine.initial(), (0,)) == ([machine.initial()], None)
    lines, search = Lines(), SimpleNamespace(position=machine.initial(), best_line=lambda: Line(70, (0,)), solved=False)
    lines.remember(machine, search)  # type: ignore[arg-type]
    assert lines.at(machine.initial()) is None and not caplog.text


def test_games_for_several_are_left_alone() -> None:
    machine = compiled("tic_tac_toe")
    lines, search = Lines(), Search(machine, SearchSettings(), 1, memory=2**24)
    search.start(machine.initial())
    search.run(simulations=50)
    lines.remember(machine, search)
    assert lines.at(machine.initial()) is None
