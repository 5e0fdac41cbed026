"""The process that prepares playouts: its results, its end, and what is told when it fails."""

from __future__ import annotations

import os
import signal

import pytest

from ggp.lanes.engine import Engine
from ggp.search.judging import Game, judge
from ggp.search.workshop import Workshop, WorkshopError
from tests.compiled import compiled


def test_it_finds_what_this_process_would_find() -> None:
    machine = compiled("tic_tac_toe")
    workshop = Workshop()
    try:
        workshop.order(Game(machine.roles, machine.engine), "auto")
        verdict, programs = workshop.made()
        assert verdict == judge(machine)
        own = machine.engine.programs(verdict.policy)
        assert [runner.rows for _, runner in programs.values()] == [runner.rows for _, runner in own.values()] != []
    finally:
        workshop.close()


def test_its_death_is_an_error_with_its_code() -> None:
    machine = compiled("connect_four")
    workshop = Workshop()
    os.kill(workshop._process.pid, signal.SIGSTOP)  # before it can have made anything
    try:
        workshop.order(Game(machine.roles, Engine(machine.circuit)), "auto")  # without programs: it fits into the pipe
        workshop.step_back()
        os.kill(workshop._process.pid, signal.SIGKILL)
        with pytest.raises(WorkshopError, match="ended with code -9"):
            workshop.made()
    finally:
        workshop.close()
    workshop.step_back()
