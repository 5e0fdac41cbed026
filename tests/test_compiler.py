"""The compiler's process: what it hands over, and how it ends."""

from __future__ import annotations

import os
import pickle
import threading
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from gdl import load
from gdl.grounding import GroundLimits
from ggp.core.cache import cache
from ggp.lanes.bank import Bank
from ggp.lanes.engine import Engine
from ggp.machines import compiler
from ggp.machines.circuit import CircuitMachine
from ggp.machines.compiler import Compiler, CompilerError, Order, Refused, Stage, main
from ggp.machines.kept import find
from tests.helpers import GAMES


@pytest.fixture(autouse=True)
def _own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GGP_CACHE", str(tmp_path))


@pytest.fixture
def process() -> Iterator[Compiler]:
    made = Compiler()
    yield made
    made.close()


def done_here(order: object) -> list[Any]:
    """What is told of an order, by this process."""
    results = BytesIO()
    main(BytesIO(pickle.dumps(order)), results)
    results.seek(0)
    found = []
    while (message := pickle.load(results)) is not None:
        found.append(message)
    return found


def test_a_circuit_comes_soon_and_then_a_better_one(process: Compiler) -> None:
    ruleset = load(GAMES / "breakthrough.kif")
    process.order(ruleset)
    messages = list(process.messages())
    stages = [message.text for message in messages if isinstance(message, Stage)]
    assert stages[0] == "grounding" and any(text.startswith("invariants") for text in stages)
    first, best = [message for message in messages if not isinstance(message, Stage)]
    assert isinstance(first, CircuitMachine) and isinstance(best, Engine)
    assert {"tick", "look"} <= vars(first.engine).keys() & vars(best).keys()
    assert first.engine.is_ready("uniform") and best.is_ready("uniform")
    assert best.circuit.size < first.circuit.size
    better = first.with_engine(best)
    position = first.initial()
    assert first.situation(position) == better.situation(position)
    assert len(first.situation(position).legal[0]) == 22
    Bank(best, 64, seed=1).tick()
    process.wait(60)
    kept = find(ruleset, exact=True)
    assert kept is not None and kept.circuit.size == best.circuit.size


def test_what_cannot_be_ground_is_refused(process: Compiler) -> None:
    process.order(load(GAMES / "tic_tac_toe.kif"), GroundLimits(rules=5))
    *_, last = process.messages()
    assert isinstance(last, Refused) and "limit of 5" in last.why and not last.is_fault


def test_a_killed_compiler_has_ended(process: Compiler) -> None:
    process.order(load(GAMES / "chess_200.kif"))
    messages = process.messages()
    next(messages)
    threading.Timer(0.2, process.kill).start()
    with pytest.raises(CompilerError, match="code -9"):
        list(messages)


def test_an_order_to_a_compiler_that_has_ended(process: Compiler) -> None:
    process.kill()
    process.wait(10)

    def ask() -> None:
        process.order(load(GAMES / "chess_200.kif"))
        list(process.messages())

    with pytest.raises(CompilerError):
        ask()


def test_faults_are_told_and_nothing_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))

    made = CircuitMachine.compile(load(GAMES / "nim.kif"))

    def broken(*_: object, **__: object) -> Iterator[CircuitMachine]:
        yield made
        raise ZeroDivisionError

    monkeypatch.setattr(CircuitMachine, "tiers", broken)
    first, refused = done_here(Order(load(GAMES / "nim.kif"), None))
    assert isinstance(first, CircuitMachine) and isinstance(refused, Refused) and refused.is_fault
    assert cache().content().entries == 0


def test_memory_that_runs_out_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def greedy(*_: object, **__: object) -> Iterator[CircuitMachine]:
        raise MemoryError
        yield

    monkeypatch.setattr(CircuitMachine, "tiers", greedy)
    (refused,) = done_here(Order(load(GAMES / "nim.kif"), None))
    assert refused == Refused("compiling takes more memory than there is")


def test_the_compiler_steps_back_when_it_is_told_to(process: Compiler) -> None:
    pid = process._process.pid
    assert os.getpriority(os.PRIO_PROCESS, pid) == os.getpriority(os.PRIO_PROCESS, 0)
    process.step_back()
    assert os.getpriority(os.PRIO_PROCESS, pid) > os.getpriority(os.PRIO_PROCESS, 0)


def test_one_compiler_is_kept_ahead() -> None:
    compiler.keep_spare()
    compiler.keep_spare()
    first, second = compiler.take(), compiler.take()
    try:
        assert first is not second
        first.order(load(GAMES / "nim.kif"))
        assert any(isinstance(message, Engine) for message in first.messages())
    finally:
        first.close()
        second.close()


def test_rules_may_be_ordered_while_others_work_with_them(process: Compiler, monkeypatch: pytest.MonkeyPatch) -> None:
    ruleset = load(GAMES / "nim.kif")
    assert ruleset.roles and ruleset.source.place(0)  # worked out, and kept
    orders: list[Order] = []
    monkeypatch.setattr("pickle.dump", lambda order, *_, **__: orders.append(order))
    process.order(ruleset)
    own = orders[0].ruleset
    assert own == ruleset and set(vars(own)) == {"description", "problems"}
    assert set(vars(own.source)) == {"text", "name", "encoding"} < set(vars(ruleset.source))
