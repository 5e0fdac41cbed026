"""Flat Monte Carlo on Prolog: few moves well, wins at once, in time, and with help where there is time for it."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Sequence
from typing import Any

import pytest

from gdl import load, parse_term
from gdl.terms import Symbol, Term, kif
from ggp.machines import PrologMachine
from ggp.machines.machine import Machine, Situation
from ggp.search import meantime
from ggp.search.meantime import Found, Meantime, Widening
from ggp.search.settings import SearchSettings
from tests.compiled import compiled
from tests.conftest import Open
from tests.helpers import GAMES


def played(widening: Widening, worth: dict[str, float], count: int) -> dict[str, int]:
    """How often each move is tried, if each playout gives what the move is worth."""
    for _ in range(count):
        arm = widening.next()
        assert arm is not None
        arm.playouts += 1
        arm.total += worth[kif(arm.move)]
    return {kif(arm.move): arm.playouts for arm in widening.arms}


def symbols(*names: str) -> list[Term]:
    return [Symbol(name) for name in names]


def test_another_move_is_tried_when_those_before_have_a_dozen_playouts() -> None:
    moves = symbols("a", "b", "c", "d")
    assert played(Widening(moves, 40.0), dict.fromkeys("abcd", 50.0), 23) == {"a": 12, "b": 11, "c": 0, "d": 0}
    assert played(Widening(moves, 40.0), dict.fromkeys("abcd", 50.0), 30) == {"a": 12, "b": 12, "c": 6, "d": 0}


def test_a_move_that_is_clearly_worse_needs_no_dozen() -> None:
    tried = played(Widening(symbols("a", "b", "c"), 40.0), {"a": 80.0, "b": 10.0, "c": 80.0}, 30)
    assert tried["b"] < 8 < 12 <= min(tried["a"], tried["c"])


def test_with_many_playouts_the_best_move_gets_most_of_them() -> None:
    widening = Widening(symbols("a", "b", "c"), 40.0)
    tried = played(widening, {"a": 30.0, "b": 70.0, "c": 40.0}, 600)
    assert tried["b"] > 400 and kif(widening.best().move) == "b"


def test_of_an_unknown_move_and_one_known_for_nothing_the_unknown_one_is_played() -> None:
    widening = Widening(symbols("a", "b"), 40.0)
    widening.arms[0].sure = 0.0
    assert kif(widening.best().move) == "b"
    widening.arms[1].sure = 0.0
    assert widening.next() is None


@pytest.fixture
def tic_tac_toe(prolog: Open) -> PrologMachine:
    return prolog(load(GAMES / "tic_tac_toe.kif"))


def choose(
    machine: Machine[Any],
    moves: Sequence[str] = (),
    *,
    simulations: int = 0,
    seconds: float | None = None,
    stop: threading.Event | None = None,
    player: Meantime | None = None,
) -> Found:
    """What is found in a position of tic-tac-toe, after some moves of both in turn."""
    position = machine.initial()
    for number, move in enumerate(moves):
        joint = (parse_term(move), Symbol("noop"))
        position = machine.next(position, joint if number % 2 == 0 else joint[::-1])
    player = player or Meantime(SearchSettings(simulations=simulations), 1, seed=1)
    return player.choose(
        machine,
        position,
        machine.situation(position),
        len(moves) % 2,
        deadline=None if seconds is None else time.monotonic() + seconds,
        stop=stop or threading.Event(),
    )


WIN = ("(mark 1 1)", "(mark 2 1)", "(mark 1 2)", "(mark 2 2)")


@pytest.mark.parametrize("kind", ["prolog", "circuit"])
def test_a_move_that_wins_at_once_is_played_at_once(kind: str, tic_tac_toe: PrologMachine) -> None:
    machine: Machine[Any] = tic_tac_toe if kind == "prolog" else compiled("tic_tac_toe")
    found = choose(machine, WIN, simulations=10)
    assert (kif(found.move), found.playouts, found.expected) == ("(mark 1 3)", 0, 100.0)


@pytest.mark.parametrize("kind", ["prolog", "circuit"])
def test_a_row_of_the_other_is_blocked(kind: str, tic_tac_toe: PrologMachine) -> None:
    machine: Machine[Any] = tic_tac_toe if kind == "prolog" else compiled("tic_tac_toe")
    found = choose(machine, ("(mark 1 1)", "(mark 2 2)", "(mark 1 2)"), simulations=600)
    assert kif(found.move) == "(mark 1 3)"
    assert found.playouts == 600 and 100 < found.visits < 600


def test_counted_playouts_give_the_same_twice(tic_tac_toe: PrologMachine) -> None:
    assert choose(tic_tac_toe, simulations=50) == choose(tic_tac_toe, simulations=50)


def test_the_deadline_is_met(tic_tac_toe: PrologMachine) -> None:
    begun = time.monotonic()
    found = choose(tic_tac_toe, seconds=0.5)
    assert time.monotonic() - begun < 5 and found.playouts > 10
    late = choose(tic_tac_toe, seconds=-1.0)
    assert late.playouts == 0 and kif(late.move).startswith("(mark")


def test_a_signal_ends_it(tic_tac_toe: PrologMachine) -> None:
    stop = threading.Event()
    timer = threading.Timer(0.2, stop.set)
    timer.start()
    begun = time.monotonic()
    choose(tic_tac_toe, seconds=60, stop=stop)
    assert time.monotonic() - begun < 30
    timer.join()


def test_a_second_process_helps_after_a_while(tic_tac_toe: PrologMachine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meantime, "_LONG", 0.1)
    monkeypatch.setattr(os, "getloadavg", lambda: (0.0, 0.0, 0.0))
    alone, player = (Meantime(SearchSettings(), threads, seed=1) for threads in (1, 2))
    choose(tic_tac_toe, seconds=0.3, player=alone)
    choose(tic_tac_toe, seconds=0.3, player=player)
    assert alone._starting is None and player._starting is not None
    until = time.monotonic() + 60
    while (helper := player._helper) is None and time.monotonic() < until:
        time.sleep(0.01)
    assert helper is not None
    helper.initial()  # it has loaded the rules
    number = helper._bridge.pid
    assert number not in (None, tic_tac_toe._bridge.pid)
    assert choose(tic_tac_toe, seconds=0.3, player=player).playouts > 10
    assert helper._bridge.pid == number, "it is no other one for every question"
    player.close()
    assert helper._bridge.pid is None and player._helper is None


def test_no_process_is_started_on_a_busy_machine(tic_tac_toe: PrologMachine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meantime, "_LONG", 0.0)
    monkeypatch.setattr(os, "getloadavg", lambda: (float(os.cpu_count() or 1), 0.0, 0.0))
    player = Meantime(SearchSettings(), 2, seed=1)
    choose(tic_tac_toe, seconds=0.1, player=player)
    assert player._starting is None


def test_a_machine_that_fails_ends_the_search_with_some_move(
    tic_tac_toe: PrologMachine, caplog: pytest.LogCaptureFixture
) -> None:
    tic_tac_toe._bridge.preparation.append("nonsense")
    tic_tac_toe.close()  # the next worker cannot be told what it must know
    position = tic_tac_toe.initial()
    legal = (tuple(symbols("a", "b")), tuple(symbols("noop")))
    found = Meantime(SearchSettings(simulations=5), 1, seed=1).choose(
        tic_tac_toe, position, Situation(False, legal, ()), 0, deadline=None, stop=threading.Event()
    )
    assert found.move in legal[0] and found.playouts == 0
    assert "ends early" in caplog.text
