"""Searches are made ready beside the match: nobody waits, and what is better takes the place of what there was."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gdl import load
from ggp.lanes.engine import Engine
from ggp.machines.auto import AutoMachine
from ggp.machines.circuit import CircuitMachine
from ggp.machines.machine import Machine
from ggp.match.builtin import make_player
from ggp.players.player import Turn
from ggp.search import preparation, verdict
from ggp.search.judging import Found, Game, judge
from ggp.search.player import SearchPlayer
from ggp.search.preparation import Either, Preparation
from ggp.search.search import Search
from ggp.search.settings import SearchSettings
from ggp.search.verdict import Verdict
from ggp.search.workshop import WorkshopError
from tests.compiled import compiled
from tests.helpers import GAMES
from tests.player_fakes import until

AUTO = SearchSettings(policy="auto")
DECISIVE = Verdict((verdict.DECISIVE,))


@pytest.fixture(autouse=True)
def _nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """What another test has found out is found out again."""
    monkeypatch.setenv("GGP_CACHE", "off")


def turn(machine: Machine[Any], position: Any, **limits: Any) -> Turn:
    return Turn(machine, position, machine.situation(position), 0, **limits)


def make(circuit: CircuitMachine, settings: SearchSettings) -> Search:
    return Search(circuit, settings, 1, memory=2**20)


def player(options: str = "memory=16") -> SearchPlayer:
    made = make_player(f"ucd:{options}", 1)
    assert isinstance(made, SearchPlayer)
    return made


class SlowWorkshop:
    """Judges when it is told to."""

    def __init__(self, verdict: Verdict) -> None:
        self.result, self.go_on, self.closed, self.nice = verdict, threading.Event(), False, False
        self.first: Verdict | None = None
        """What is told at once."""

    def order(self, game: Game, settings: SearchSettings) -> None:
        self.game = game

    def made(self) -> Iterator[Found]:
        if self.first is not None:
            programs = Engine(self.game.circuit).programs(self.first.policy)
            yield Found(self.first, self.first.policy, programs, None, is_last=False)
        self.go_on.wait(20)
        if self.closed:
            raise WorkshopError("it has ended")
        policy = self.result.policy
        yield Found(self.result, policy, Engine(self.game.circuit).programs(policy), None, True)

    def step_back(self) -> None:
        self.nice = True

    def close(self) -> None:
        self.closed = True
        self.go_on.set()


@pytest.fixture
def workshop(monkeypatch: pytest.MonkeyPatch) -> Callable[[Verdict], SlowWorkshop]:
    def install(verdict: Verdict) -> SlowWorkshop:
        made = SlowWorkshop(verdict)
        monkeypatch.setattr(preparation, "Workshop", lambda: made)
        return made

    return install


def fresh(game: str) -> CircuitMachine:
    """A machine whose playouts nobody has judged."""
    return CircuitMachine.compile(load(GAMES / f"{game}.kif"))


def test_a_real_workshop_judges_a_game() -> None:
    machine = fresh("poker_small")
    ready = Preparation(machine, AUTO, make)
    try:
        ready.wait(ready.done, time.monotonic() + 60, None)
        search, _ = ready.take()
        assert ready.done.is_set() and not ready.problem and ready.take() == (None, None)
        assert ready.verdict is not None and ready.verdict.results
        assert search is not None and search.settings.policy == ready.verdict.policy
        assert machine.engine.is_ready(ready.verdict.policy)
    finally:
        ready.close()


@pytest.mark.usefixtures("first_question")
def test_what_another_match_found_out_is_not_found_out_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GGP_CACHE", str(tmp_path))
    judged = fresh("chomp")
    found = judge(judged)
    machine = CircuitMachine(judged.ruleset, judged.program, Engine(judged.circuit))
    monkeypatch.setattr(preparation, "Workshop", None)
    ready = Preparation(machine, AUTO, make)
    try:
        ready.wait(ready.done, time.monotonic() + 20, None)
        assert ready.verdict == found and ready.take() is not None and not ready.problem
    finally:
        ready.close()


def test_no_move_waits_for_judging(workshop: Callable[[Verdict], SlowWorkshop]) -> None:
    slow = workshop(DECISIVE)
    machine, one = fresh("knightthrough"), player()
    try:
        one.ponder(turn(machine, machine.initial(), deadline=time.monotonic() + 1))
        assert one._search is not None and not slow.nice
        for _ in range(2):
            deadline = time.monotonic() + 0.8
            one.choose(turn(machine, machine.initial(), deadline=deadline))
            assert time.monotonic() < deadline and slow.nice
            assert one.report().get("policy", "uniform") == "uniform"  # none: a busy machine had no time to search
        slow.go_on.set()
        until(lambda: one._preparation is not None and one._preparation.done.is_set())
        for _ in range(5):
            one.choose(turn(machine, machine.initial(), deadline=time.monotonic() + 0.8))
            if "policy" in one.report():
                break
        assert one.report()["policy"] == "decisive"
    finally:
        one.close()


def test_a_start_clock_is_for_searching_as_soon_as_the_kind_of_game_is_known(
    workshop: Callable[[Verdict], SlowWorkshop],
) -> None:
    slow = workshop(DECISIVE)
    slow.first = replace(DECISIVE, knows_kind=True)
    machine, one, stop = fresh("knightthrough"), player(), threading.Event()
    asked = turn(machine, machine.initial(), deadline=time.monotonic() + 60, stop=stop)
    thinking = threading.Thread(target=one.ponder, args=(asked,))
    thinking.start()
    try:
        until(lambda: one._search is not None and one._search.visits > 1000)
        assert one._search is not None and one._search.settings.policy == "decisive"
        assert slow.nice and one._preparation is not None and not one._preparation.done.is_set()
        assert time.monotonic() < asked.deadline - 0.5 * 60  # type: ignore[operator]
    finally:
        stop.set()
        thinking.join(10)
        one.close()


def test_without_a_clock_judging_is_waited_for_a_while(
    workshop: Callable[[Verdict], SlowWorkshop], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ggp.search.player._PATIENCE", 0.5)
    slow = workshop(DECISIVE)
    machine, one = fresh("knightthrough"), player("memory=16,seconds=0.1")
    try:
        for policy in ("uniform", "decisive"):
            one.choose(turn(machine, machine.initial()))
            assert one.report()["policy"] == policy and slow.nice
            slow.go_on.set()
            until(lambda: one._preparation is not None and one._preparation.done.is_set())
    finally:
        one.close()


def test_pondering_changes_over_to_the_better_search(workshop: Callable[[Verdict], SlowWorkshop]) -> None:
    slow, stop = workshop(DECISIVE), threading.Event()
    machine, one = fresh("knightthrough"), player()
    try:
        one.ponder(turn(machine, machine.initial(), deadline=time.monotonic() + 1))
        thinking = threading.Thread(target=one.ponder, args=(turn(machine, machine.initial(), stop=stop),))
        thinking.start()
        slow.go_on.set()
        until(lambda: one._search is not None and one._search.settings.policy == "decisive")
        stop.set()
        thinking.join(5)
        assert not thinking.is_alive()
    finally:
        one.close()


def test_a_player_is_closed_while_its_workshop_works(workshop: Callable[[Verdict], SlowWorkshop]) -> None:
    slow, one, machine = workshop(Verdict()), player(), fresh("tic_tac_toe")
    one.ponder(turn(machine, machine.initial(), deadline=time.monotonic() + 0.5))
    one.close()
    assert slow.closed


def test_players_on_one_circuit_have_it_judged_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[SlowWorkshop] = []

    def workshop() -> SlowWorkshop:
        made.append(SlowWorkshop(DECISIVE))
        return made[-1]

    monkeypatch.setattr(preparation, "Workshop", workshop)
    machine = fresh("tic_tac_toe")
    first = Preparation(machine, AUTO, make)
    until(lambda: bool(made))
    second, third = (Preparation(machine, AUTO, make) for _ in range(2))
    try:
        third.close()  # who waits for another one can be closed
        made[0].go_on.set()
        for ready in (first, second):
            ready.wait(ready.done, time.monotonic() + 20, None)
            assert ready.verdict == DECISIVE and not ready.problem
        assert len(made) == 1
    finally:
        first.close()
        second.close()


def test_what_goes_wrong_is_told_and_the_search_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_workshop() -> None:
        raise OSError("no more processes")

    monkeypatch.setattr(preparation, "Workshop", no_workshop)
    machine, one = fresh("knightthrough"), player()
    try:
        one.choose(turn(machine, machine.initial(), deadline=time.monotonic() + 1))
        until(lambda: one._preparation is not None and one._preparation.done.is_set())
        one.choose(turn(machine, machine.initial(), deadline=time.monotonic() + 0.3))
        assert one.report()["engine"] == "circuit"
        assert one.report()["problem"] == "preparing a search failed: OSError: no more processes"
    finally:
        one.close()


def test_a_circuit_that_comes_in_the_middle_of_a_move_is_used_at_once() -> None:
    machine, one = AutoMachine(load(GAMES / "connect_four.kif")), player("memory=16,policy=uniform")
    try:
        one.choose(turn(machine, machine.initial(), deadline=time.monotonic() + 4))
        assert one.report()["engine"] == "circuit"
    finally:
        one.close()
        machine.close()


@pytest.mark.parametrize("options", ["seconds=0.3", "simulations=50"])
def test_who_has_limits_of_its_own_uses_the_start_clock_to_get_ready_only(options: str) -> None:
    machine, one = compiled("othello"), player(f"{options},memory=16,policy=uniform")
    try:
        begun = time.monotonic()
        one.ponder(turn(machine, machine.initial(), deadline=begun + 60))
        assert time.monotonic() < begun + 30
        begun = time.monotonic()
        one.choose(turn(machine, machine.initial(), deadline=begun + 30))
        assert time.monotonic() < begun + 10
    finally:
        one.close()


def test_one_of_several_signals() -> None:
    one, other = threading.Event(), threading.Event()
    either = Either((one, None, other))
    assert not either.is_set()
    other.set()
    assert either.is_set()
