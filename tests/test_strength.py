"""`ggp strength`: what it plans, what it measures, and that it goes on where it was."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from ggp.cli import main
from ggp.core.errors import UsageError
from ggp.lab.positions import known_positions
from ggp.lab.strength import StrengthSettings, perform, plan, strength_report, timed
from tests.helpers import GAMES

SMALL = ["strength", "connect_four", "--positions", "2", "--seconds", "0.05", "--match-seconds", "0.02", "--workers", "1"]
GO_PROGRAM = f"gtp:{sys.executable}"
"""Any program: it is never asked, as no Go program plays connect four."""
SETTINGS = StrengthSettings(
    "ucd", (0.1, 1.0), ("connect_four",), 2, (("uct", "connect_four"), ("greedy", "nim")), 3, 0.5, 1
)


def test_plan() -> None:
    jobs = plan(SETTINGS)
    assert [job.key for job in jobs[:4]] == [
        "decisions/connect_four/0.1", "decisions/connect_four/1",
        "matches/connect_four/uct/000000/000/000-001", "matches/connect_four/uct/000001/000/000-001",
    ]  # fmt: skip
    assert len(jobs) == 2 + 3 + 3
    assert jobs[0].work["positions"] == [known.text() for known in known_positions()["connect_four"][:2]]
    assert jobs[2].work["pairs"]["players"] == ["ucd:seconds=0.5", "uct:seconds=0.5"]


def test_a_time_of_ones_own_is_refused() -> None:
    with pytest.raises(UsageError, match="it has no seconds of its own"):
        timed("ucd:seconds=3", 1)


def test_what_decisions_cost() -> None:
    """The first legal move costs what the file says of it."""
    texts = {"connect_four": (GAMES / "connect_four.kif").read_text()}
    known = known_positions()["connect_four"]
    work = {"game": "connect_four", "player": "legal", "positions": [k.text() for k in known], "seed": 1}
    assert perform(work, texts) == [max(k.goals) - k.goals[0] for k in known]


def test_report() -> None:
    values = {"decisions/connect_four/0.1": [0, 100], "decisions/connect_four/1": [0, 0]}
    pair = {"points": [1.0, 1.0], "goals": [100, 0], "unfinished": 0, "faults": [0, 0]}
    values["matches/connect_four/uct/000000/000/000-001"] = [pair]  # type: ignore[list-item]
    report = strength_report(SETTINGS, values)
    heads, rows = report.data["heads"], report.data["rows"]
    assert isinstance(heads, list) and isinstance(rows, list)
    assert [row[0] for row in rows] == ["connect_four", "nim", "all"]
    row = dict(zip(heads, rows[0], strict=True))
    assert (row["positions"], row["kept in 0.1 s %"], row["kept in 1 s %"]) == (2, 50.0, 100.0)
    assert (rows[0][5], rows[0][8]) == (50.0, 0.0)
    assert (row["score against uct %"], row["score against greedy %"]) == (100.0, None)
    assert rows[0][11] == rows[2][11] == 2
    assert rows[1][1:9] == [0, *[None] * 7]


def test_the_command_and_that_it_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    command = [*SMALL, "--player", "greedy", "--rival", "random", "--rival", GO_PROGRAM, "--json"]
    assert main(command) == 0
    first = capsys.readouterr()
    assert f"connect_four: {GO_PROGRAM} is left out: " in first.err
    result = json.loads(first.out)
    assert (result["done"], result["jobs"]) == (2, 2)
    assert result["rows"][0][:2] == ["connect_four", 2]
    lines = len((tmp_path / "results" / "strength" / "results.jsonl").read_text().splitlines())
    assert main([*command[:-1], "--to", "report"]) == 0
    assert capsys.readouterr().out.startswith("# Strength of greedy\n")
    assert (tmp_path / "report" / "strength-strength.csv").exists()
    assert len((tmp_path / "results" / "strength" / "results.jsonl").read_text().splitlines()) == lines


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nim", "--rounds", "0"], "nothing to measure: positions.toml has no positions of these games"),
        (["connect_four", "--player", GO_PROGRAM], f"connect_four: {GO_PROGRAM} is left out: "),
        (["nosuchgame"], "there is no game 'nosuchgame'"),
        (["--player", "localhost:9147"], "players over HTTP keep their own time"),
        (["--player", "ucd:seconds=1"], "no seconds of its own"),
        (["--rival", "udc"], "did you mean ucd"),
    ],
)
def test_what_makes_no_sense(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["strength", *words]) == 2
    assert message in capsys.readouterr().err
