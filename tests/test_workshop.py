"""The process that prepares playouts: its results, its end, and what is told when it fails."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from ggp.lanes.engine import Engine
from ggp.lanes.policies import Evidence
from ggp.search.judging import KNOWN, Game, found_of, judge
from ggp.search.settings import SearchSettings
from ggp.search.workshop import Workshop, WorkshopError
from tests.compiled import compiled

AUTO = SearchSettings(policy="auto")


def test_it_finds_what_this_process_would_find(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GGP_CACHE", str(tmp_path))  # what was found before is not told step by step
    machine = compiled("poker_small")
    workshop = Workshop()
    try:
        workshop.order(Game(machine.roles, machine.engine), AUTO)
        *steps, found = workshop.made()
        KNOWN.pop(machine.engine, None)
        verdict = judge(machine)  # what it has kept: how fast searches are is measured, and never the same
        assert found.verdict == verdict and found.policy == verdict.policy and found.is_last
        assert steps and not any(step.is_last for step in steps) and steps[0].verdict is not None
        assert not steps[0].verdict.results and not steps[0].verdict.knows_kind
        assert steps[1].verdict is not None and steps[1].verdict.knows_kind and not steps[1].verdict.results
        assert steps[2].verdict is not None and steps[2].verdict.results == verdict.results[:1]
        own = found_of(machine.engine, AUTO, verdict)
        assert [runner.rows for _, runner in found.programs.values()] == [r.rows for _, r in own.programs.values()] != []
        assert (found.value is None) == (own.value is None) == ("minimax" not in verdict.settings)
    finally:
        workshop.close()


def test_it_makes_what_settings_ask_for() -> None:
    machine = compiled("tic_tac_toe")
    workshop = Workshop()
    try:
        workshop.order(Game(machine.roles, Engine(machine.circuit)), SearchSettings(value=0.2, rave=50.0))
        (found,) = workshop.made()
        assert found.verdict is None and found.policy == "uniform" and Evidence.PLAYED in found.programs
        assert found.value is not None and found.value.weights.any()
    finally:
        workshop.close()


def test_its_death_is_an_error_with_its_code() -> None:
    machine = compiled("connect_four")
    workshop = Workshop()
    os.kill(workshop._process.pid, signal.SIGSTOP)  # before it can have made anything
    try:
        workshop.order(Game(machine.roles, Engine(machine.circuit)), AUTO)  # without programs: it fits into the pipe
        workshop.step_back()
        os.kill(workshop._process.pid, signal.SIGKILL)
        with pytest.raises(WorkshopError, match="ended with code -9"):
            next(workshop.made())
    finally:
        workshop.close()
    workshop.step_back()
