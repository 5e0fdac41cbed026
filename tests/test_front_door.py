"""The player that people meet, over HTTP with its clocks, is the one that was measured in process."""

from __future__ import annotations

import json
import statistics
from pathlib import Path
from typing import Any

import pytest

from ggp.cli import main
from ggp.machines import kept
from ggp.match.record import read_record
from ggp.search.judging import judge
from tests.compiled import compiled
from tests.helpers import GAMES

GAME = "connect_four"


def reports(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, Any]]:
    """What the first player tells of its moves in a match of ten steps at most."""
    command = ["match", str(GAMES / f"{GAME}.kif"), "--player", "ucd:memory=64", "--player", "greedy", "--json"]
    assert main([*command, "--steps", "10", *arguments]) in (0, 1)
    result = json.loads(capsys.readouterr().out)
    assert result["faults"] == []
    return [step[0] for step in read_record(Path(result["record"])).more["x-reports"]]


@pytest.fixture
def policy(first_question: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """How roles should choose in playouts, as far as one question says; a busy machine asks longer than a start clock.

    It stands in a folder of its own beside the circuit that it is about, where no other test keeps another circuit.
    """
    monkeypatch.setenv("GGP_CACHE", str(tmp_path / "cache"))
    machine = compiled(GAME)
    kept.keep(machine)
    return judge(machine).policy


@pytest.mark.timeout(120)
def test_the_start_clock_prepares_and_every_play_clock_is_searched(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, policy: str
) -> None:
    told = reports(capsys, "--http", "--startclock", "6", "--playclock", "1", "--scramble", "--record", str(tmp_path))
    assert {report["how"] for report in told} == {"mind"}
    searched = [report for report in told if not report.get("forced")]
    assert len(searched) >= 3 and {report["engine"] for report in searched} == {"circuit"}
    assert searched[-1]["policy"] == policy
    assert all(report["used"] > 0.5 or report["proven"] for report in searched)
    unproven = [report["used"] for report in searched if not report["proven"]]
    assert unproven and statistics.median(unproven) > 0.75
    first = searched[0]
    assert first["visits"] > 2 * first["simulations"]  # the search has begun in the start clock


@pytest.mark.timeout(120)
def test_a_player_of_this_process_uses_the_start_clock_as_well(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, policy: str
) -> None:
    told = reports(capsys, "--startclock", "4", "--playclock", "0.5", "--record", str(tmp_path))
    searched = [report for report in told if not report.get("forced")]
    assert {report["engine"] for report in searched} == {"circuit"}
    assert policy in {report["policy"] for report in searched}, searched
    assert searched[0]["visits"] > searched[0]["simulations"]
