"""The machine that starts on Prolog and hands over to the circuit."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from gdl import load
from gdl.grounding import GroundLimits
from gdl.ruleset import Ruleset
from gdl.source import Source
from ggp.core.errors import PrologMissingError
from ggp.lanes.engine import Engine
from ggp.machines import auto, compiler
from ggp.machines.auto import AutoMachine
from ggp.machines.circuit import CircuitMachine
from ggp.machines.prolog import PrologMachine
from tests.compiled import compiled
from tests.helpers import GAMES, terms, texts


def test_hands_over_in_mid_match_with_the_position_carried_across() -> None:
    machine = AutoMachine(load(GAMES / "tic_tac_toe.kif"))
    try:
        position = machine.next(machine.initial(), terms("(mark 2 2)", "noop"))
        assert machine.wait(120)
        after = machine.next(position, terms("noop", "(mark 1 1)"))
        assert isinstance(machine.current, CircuitMachine)
        assert texts(after) == ["(control x)", "(marked 1 1 o)", "(marked 2 2 x)"]
        assert len(machine.situation(after).legal[0]) == 7
        assert [event.kind for event in machine.history] in (["circuit-ready"], ["circuit-ready", "circuit-better"])
    finally:
        machine.close()


def test_machines_of_one_engine_are_from_the_start_what_they_will_be() -> None:
    circuit = compiled("tic_tac_toe")
    with closing(PrologMachine(circuit.ruleset)) as prolog:
        for machine in (circuit, prolog):
            machine.step_back()
            assert machine.wait(0) and machine.current is machine and list(machine.history) == []
        assert prolog.compiled() is None
    assert circuit.compiled() is circuit and circuit.compiled(than=circuit) is None
    assert circuit.compiled(than=circuit.twin()) is circuit


@pytest.fixture(autouse=True)
def nothing_is_known(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GGP_CACHE", str(tmp_path))


def test_a_game_that_was_compiled_before_is_there_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    first = AutoMachine(load(GAMES / "tic_tac_toe.kif"))
    try:
        assert first.wait(60)
    finally:
        first.close()
    monkeypatch.setattr(compiler, "take", lambda: pytest.fail("nothing is to be compiled"))
    renamed = (GAMES / "tic_tac_toe.kif").read_text().replace("marked", "drawn").replace("noop", "aye")
    machine = AutoMachine(load(Source(renamed)), patience=60, scrambled=True)
    try:
        assert isinstance(machine.current, CircuitMachine)
        assert len(machine.situation(machine.initial()).legal[0]) == 9
    finally:
        machine.close()


class SlowCompiler:
    """Hands over the second circuit when it is told to, and the first one as well if it is not to begin at once."""

    def __init__(self, begins: bool = True) -> None:
        self.begin = threading.Event()
        if begins:
            self.begin.set()
        self.go_on, self.killed, self.steps_back = threading.Event(), False, False

    def order(self, ruleset: Ruleset, limits: object) -> None:
        self.ruleset = ruleset

    def messages(self) -> Iterator[CircuitMachine | Engine]:
        self.begin.wait(60)
        first, best = CircuitMachine.tiers(self.ruleset)
        yield first
        self.go_on.wait(60)
        yield best.engine

    def wait(self, seconds: float) -> None:
        pass

    def step_back(self) -> None:
        self.steps_back = True

    def kill(self) -> None:
        self.killed = True
        self.go_on.set()

    close = kill


def test_a_better_circuit_takes_the_place_of_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = SlowCompiler()
    monkeypatch.setattr(compiler, "take", lambda: slow)
    machine = AutoMachine(load(GAMES / "breakthrough.kif"))
    try:
        first = machine.compiled(60)
        assert first is not None and machine.current is first and machine.compiled(0, than=first) is None
        position = machine.initial()
        assert not slow.steps_back
        machine.step_back()
        assert slow.steps_back
        slow.go_on.set()
        best = machine.compiled(60, than=first)
        assert best is not None and best.circuit.size < first.circuit.size
        assert (best.bases, best.inputs) == (first.bases, first.inputs)
        assert machine.wait(60) and machine.compiled(0, than=best) is None
        assert len(machine.situation(position).legal[0]) == 22
        assert machine.current is best
        assert [event.kind for event in machine.history] == ["circuit-ready", "circuit-better"]
    finally:
        machine.close()


def test_a_better_circuit_is_given_up_with_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = SlowCompiler()
    monkeypatch.setattr(compiler, "take", lambda: slow)
    machine = AutoMachine(load(GAMES / "nim.kif"))
    try:
        first = machine.compiled(60)
        assert machine.settle() is first and slow.killed
        assert machine.wait(60) and machine.current is first
    finally:
        machine.close()


def test_prolog_stays_where_grounding_meets_its_limit() -> None:
    machine = AutoMachine(load(GAMES / "tic_tac_toe.kif"), ground_limits=GroundLimits(rules=5))
    try:
        assert machine.wait(120)
        assert isinstance(machine.current, PrologMachine)
        assert len(machine.situation(machine.initial()).legal[0]) == 9
        assert [event.kind for event in machine.history] == ["circuit-refused"]
        assert "limit of 5" in machine.history[0].message
    finally:
        machine.close()


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("import sys; sys.exit(7)", "there is no circuit: the compiler has ended with code 7"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "the compiler has ended with code -9"),
        ("print('what?', flush=True); input()", "the compiler has ended with code"),
    ],
)
def test_prolog_stays_where_the_compiler_breaks(monkeypatch: pytest.MonkeyPatch, program: str, why: str) -> None:
    monkeypatch.setattr(compiler, "PROGRAM", program)
    machine = AutoMachine(load(GAMES / "nim.kif"))
    try:
        assert machine.wait(60)
        assert isinstance(machine.current, PrologMachine)
        assert [event.kind for event in machine.history] == ["circuit-failed"]
        assert why in machine.history[0].message
    finally:
        machine.close()


def test_plays_without_prolog(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object) -> PrologMachine:
        raise PrologMissingError("SWI-Prolog is missing.")

    monkeypatch.setattr(auto, "PrologMachine", missing)
    machine = AutoMachine(load(GAMES / "tic_tac_toe.kif"))
    try:
        assert len(machine.situation(machine.initial()).legal[0]) == 9
        assert [event.kind for event in machine.history] == ["prolog-missing", "circuit-ready"]
    finally:
        machine.close()


def test_waits_for_the_circuit_where_it_has_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auto, "PrologMachine", lambda *_: pytest.fail("Prolog is not needed"))
    told: list[str] = []
    machine = AutoMachine(load(GAMES / "tic_tac_toe.kif"), patience=120, tell=told.append)
    try:
        assert isinstance(machine.current, CircuitMachine)
        assert (
            told[:2] == ["starting the compiler", "grounding"]
            and any(text.startswith("merge, ") for text in told)
            and told[-1] == ""
        )
    finally:
        machine.close()


def test_prolog_is_started_when_patience_is_over_and_not_before(monkeypatch: pytest.MonkeyPatch) -> None:
    slow, started = SlowCompiler(begins=False), list[float]()

    def prolog(*arguments: Any) -> PrologMachine:
        started.append(time.monotonic())
        return PrologMachine(*arguments)

    monkeypatch.setattr(compiler, "take", lambda: slow)
    monkeypatch.setattr(auto, "PrologMachine", prolog)
    begun = time.monotonic()
    machine = AutoMachine(load(GAMES / "nim.kif"), patience=0.5)
    try:
        assert len(started) == 1 and started[0] - begun >= 0.5
        assert isinstance(machine.current, PrologMachine)
    finally:
        slow.begin.set()
        machine.close()


def test_what_is_not_ready_is_given_up() -> None:
    machine = AutoMachine(load(GAMES / "capture_the_king.kif"), patience=0.01)
    try:
        assert isinstance(machine.settle(), PrologMachine)
        assert machine.wait(60)
        assert isinstance(machine.current, PrologMachine)
        assert machine.history == []
    finally:
        machine.close()


def test_says_so_where_nothing_can_play(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object) -> PrologMachine:
        raise PrologMissingError("SWI-Prolog is missing.")

    monkeypatch.setattr(auto, "PrologMachine", missing)
    machine = AutoMachine(load(GAMES / "tic_tac_toe.kif"), ground_limits=GroundLimits(rules=5))
    try:
        with pytest.raises(PrologMissingError, match="limit of 5"):
            machine.initial()
    finally:
        machine.close()


def test_closing_stops_the_compiler() -> None:
    machine = AutoMachine(load(GAMES / "capture_the_king.kif"))
    machine.close()
    assert machine.wait(60)
