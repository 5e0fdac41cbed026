"""The machine that starts on Prolog and hands over to the circuit."""

from __future__ import annotations

import pytest

from gdl import load
from gdl.grounding import GroundLimits
from ggp.errors import PrologMissingError
from ggp.machines import auto
from ggp.machines.auto import AutoMachine
from ggp.machines.circuit import CircuitMachine
from ggp.machines.prolog import PrologMachine
from tests.helpers import GAMES, terms, texts


def test_hands_over_in_mid_match_with_the_position_carried_across() -> None:
    machine = AutoMachine(load(GAMES / "tic_tac_toe.kif"))
    try:
        position = machine.next(machine.initial(), terms("(mark 2 2)", "noop"))
        assert machine.wait(120)
        after = machine.next(position, terms("noop", "(mark 1 1)"))
        assert isinstance(machine.engine, CircuitMachine)
        assert texts(after) == ["(control x)", "(marked 1 1 o)", "(marked 2 2 x)"]
        assert len(machine.situation(after).legal[0]) == 7
        assert [event.kind for event in machine.history] == ["circuit-ready"]
    finally:
        machine.close()


def test_prolog_stays_where_grounding_meets_its_limit() -> None:
    machine = AutoMachine(load(GAMES / "tic_tac_toe.kif"), ground_limits=GroundLimits(rules=5))
    try:
        assert machine.wait(120)
        assert isinstance(machine.engine, PrologMachine)
        assert len(machine.situation(machine.initial()).legal[0]) == 9
        assert [event.kind for event in machine.history] == ["circuit-refused"]
        assert "limit of 5" in machine.history[0].message
    finally:
        machine.close()


def test_prolog_stays_where_the_compiler_breaks(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> CircuitMachine:
        raise ZeroDivisionError

    monkeypatch.setattr(CircuitMachine, "compile", broken)
    machine = AutoMachine(load(GAMES / "nim.kif"))
    try:
        assert machine.wait(60)
        assert isinstance(machine.engine, PrologMachine)
        assert [event.kind for event in machine.history] == ["circuit-failed"]
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
        assert isinstance(machine.engine, CircuitMachine)
        assert told[0] == "grounding" and any(text.startswith("merge, ") for text in told) and told[-1] == ""
    finally:
        machine.close()


def test_what_is_not_ready_is_given_up() -> None:
    machine = AutoMachine(load(GAMES / "capture_the_king.kif"), patience=0.01)
    try:
        assert isinstance(machine.settle(), PrologMachine)
        assert machine.wait(60)
        assert isinstance(machine.engine, PrologMachine)
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
