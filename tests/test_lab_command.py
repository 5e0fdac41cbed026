"""`ggp experiment` from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ggp.cli import main
from ggp.lab import plots
from ggp.lab.store import FILE

SMALL = [
    word
    for change in ("depth=6", "games=4", "runs=5", "simulations=50", "games_per_job=2", "combinations=0.3", "combine=0.3")
    for word in ("--set", change)
]


def ggp(*words: str | Path) -> int:
    return main([str(word) for word in words])


def p_game(tmp_path: Path, *words: str) -> int:
    return ggp(
        "experiment",
        "p-game",
        *words[:1],
        *SMALL,
        *words[1:],
        "--results",
        tmp_path / "results",
        "--to",
        tmp_path / "to",
        "--workers",
        "1",
    )


def test_all_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert ggp("experiment") == 0
    assert {line.split()[0] for line in capsys.readouterr().out.splitlines()} >= {"hex", "p-game", "leftright"}


def test_plan_tells_settings_and_jobs(capsys: pytest.CaptureFixture[str]) -> None:
    assert ggp("experiment", "hex", "plan", "--set", "matches=20") == 0
    out = capsys.readouterr().out
    assert "  matches = 20\n" in out
    assert "  d1 = 0,1,2,inf\n" in out
    assert "2 jobs:" in out
    assert ggp("experiment", "hex", "plan", "--set", "matches=20", "--json") == 0
    assert len(json.loads(capsys.readouterr().out)["jobs"]) == 2


def test_run_then_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert p_game(tmp_path) == 0
    out = capsys.readouterr().out
    assert "p-game: 2 of 2 jobs done" in out
    written = {path.name: path.read_bytes() for path in (tmp_path / "to").iterdir()}
    assert {"p-game.md", "p-game-figure2.csv", "p-game-errors.svg"} <= set(written)
    assert p_game(tmp_path, "report", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["done"], told["jobs"]) == (2, 2)
    assert {path.name: path.read_bytes() for path in (tmp_path / "to").iterdir()} == written
    run = json.loads(written["p-game-run.json"])
    assert run["done"] == 2
    assert run["simulations"] % (5 * 50) == 0
    assert "simulations a second of each" in out


def test_a_report_of_what_was_never_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert p_game(tmp_path, "report") == 2
    assert "ggp: there are no results in" in capsys.readouterr().err


def test_a_report_that_lacks_results_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert p_game(tmp_path, "run") == 0
    path = tmp_path / "results" / FILE
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:2]))
    assert p_game(tmp_path, "report") == 1
    assert "the report lacks 1 of 2 jobs" in capsys.readouterr().err


def test_without_matplotlib(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plots, "available", lambda: False)
    assert p_game(tmp_path) == 0
    assert "plots need matplotlib" in capsys.readouterr().err
    assert not list((tmp_path / "to").glob("*.svg"))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["experiment", "hexx"], "there is no experiment 'hexx'; known are contextual, ggp-tables, go6"),
        (["experiment", "hex", "play"], "there is no step 'play'; steps are plan, run, report"),
        (["experiment", "hex", "plan", "--set", "size=3"], "'size=3': settings of hex are games=…"),
        (["experiment", "hex", "plan", "--set", "matches=few"], "matches=few: not a number where 400 stands"),
        (["experiment", "nowhere.toml"], "nowhere.toml: no such file"),
        (
            ["experiment", "p-game", "run", "--cluster", "tcp://127.0.0.1:9"],
            "no Dask scheduler answers at tcp://127.0.0.1:9",
        ),
    ],
)
def test_mistakes_are_told(
    words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ggp.lab.pool._PATIENCE", 1)
    monkeypatch.chdir(tmp_path)
    assert ggp(*words) == 2
    assert message in capsys.readouterr().err


def test_other_settings_do_not_go_into_the_same_results(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert p_game(tmp_path, "run") == 0
    assert p_game(tmp_path, "run", "--set", "seed=2") == 2
    assert "begun with other settings (seed: 1 there, 2 here); name another folder" in capsys.readouterr().err
