"""The library as `ggp games` lists it, where it is found, and what is said of an index that is broken."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import ggp
from gdl import UnreadableError
from ggp.cli import main
from ggp.commands.bench import HEADS
from ggp.core import library as module
from ggp.core.errors import UsageError
from ggp.core.library import folder, game_file, library
from tests.helpers import GAMES, ROOT, game_files


def listed(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> list[str]:
    """The names that `ggp games` lists."""
    assert main(["games", "--json", *arguments]) == code
    return [game["name"] for game in json.loads(capsys.readouterr().out)]


def test_all_games_are_there() -> None:
    assert folder() == GAMES
    assert [game.path for game in library()] == game_files()


def test_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["games", "--tag", "heaps"]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    lines = captured.out.splitlines()
    assert lines[0].split() == ["game", "roles", "kind", "title", "tags"]
    assert re.fullmatch(r"chomp +2  turns +Chomp 7x4 +heaps, small", lines[1])
    assert lines[2].startswith("nim ")
    assert lines[3:] == ["", f"2 of {len(game_files())} games in {GAMES}"]
    assert main(["games"]) == 0
    assert capsys.readouterr().out.endswith(f"\n{len(game_files())} games in {GAMES}\n")


def test_filters(capsys: pytest.CaptureFixture[str]) -> None:
    assert listed(capsys, "--roles", "6") == ["chinese_checkers_6"]
    assert listed(capsys, "--kind", "simultaneous", "--roles", "3") == ["battle_for_three"]
    assert "sudoku" in listed(capsys, "--kind", "one-player")
    assert listed(capsys, "--tag", "line", "--tag", "bidding") == ["bidding_tic_tac_toe"]
    assert listed(capsys, "CHESS", "at most") == ["chess_200"]
    assert listed(capsys, "Piet", "11x11") == ["hex_11x11"]
    everything = listed(capsys)
    assert sorted(n for k in ("turns", "simultaneous", "one-player", "chance") for n in listed(capsys, "--kind", k)) == (
        everything
    )


def test_json_says_all_that_the_index_says(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["games", "--json", "monty_hall"]) == 0
    (game,) = json.loads(capsys.readouterr().out)
    assert game == {
        "name": "monty_hall", "title": "Monty Hall", "roles": ["candidate", "random"], "kind": "chance",
        "source": "Steve Selvin, 1975; Michael Thielscher, AAAI 2010",
        "tags": ["gdl-ii", "hidden information", "small"], "length": "4", "perft": [3, 9, 12, 24],
        "path": str(GAMES / "monty_hall.kif"),
    }  # fmt: skip


def test_files_are_paths_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["games", "--files", "nim"]) == 0
    assert capsys.readouterr().out == f"{GAMES / 'nim.kif'}\n"


def test_nothing_fits(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["games", "no such game"]) == 1
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "ggp games: no game fits\n")
    assert listed(capsys, "no such game", code=1) == []
    assert main(["games", "--tag", "linne"]) == 2
    assert "no game has the tag 'linne'; known are: artificial, bidding, " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("index", "message"),
    [
        ("[nim\n", "index.toml: "),
        ("nim = 3\n", "index.toml: nim is no table"),
        ('[nim]\ntitle = "Nim"\n', r"index.toml: \[nim\]: kind must be a text"),
        ('[nim]\ntitle = "Nim"\nkind = "turns"\nsource = "x"\nroles = "a"\n', "roles must be a list"),
        (
            '[nim]\ntitle = "Nim"\nkind = "turn"\nsource = "x"\nroles = []\n',
            "there is no kind 'turn'; known are: turns, ",
        ),
    ],
)
def test_an_index_that_is_broken(index: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "index.toml").write_text(index, encoding="utf-8")
    with pytest.raises(UsageError, match=message):
        library(tmp_path)


def test_a_library_that_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(module, "__file__", str(tmp_path / "ggp" / "library.py"))
    with pytest.raises(UsageError, match=r"the library of games is missing: no index\.toml in "):
        folder()


def test_a_game_goes_by_its_name_and_a_file_in_the_folder_comes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert game_file("nim") == folder() / "nim.kif"
    (tmp_path / "nim").mkdir()
    assert game_file("nim") == folder() / "nim.kif"
    for name in ("chess.kif", "othello"):
        (tmp_path / name).write_text("")
    assert game_file("chess") == Path("chess.kif")
    assert game_file("othello") == Path("othello")
    for path in ("games/nim.kif", "nim.kif", str(tmp_path / "nim")):
        assert game_file(path) == Path(path)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("conect_four", "there is no game 'conect_four'; did you mean connect_four?"),
        ("Chess", "did you mean chess?"),
        ("solitaire_of_nobody", "there is no game 'solitaire_of_nobody'; `ggp games` lists the library"),
    ],
)
def test_a_name_of_no_game_is_told_with_the_nearest(name: str, message: str) -> None:
    with pytest.raises(UnreadableError) as caught:
        game_file(name)
    assert message in str(caught.value)


def test_lanes_of_a_game_by_its_name() -> None:
    lanes = ggp.Lanes("tic_tac_toe", width=64)
    assert lanes.legal().shape[0] == 64


BY_NAME = [
    ["check", "nim", "--plays", "0"], ["format", "nim", "--check"], ["show", "nim", "--dependencies"],
    ["scramble", "nim"], ["play-through", "tic_tac_toe"], ["perft", "tic_tac_toe", "--depth", "1"],
    ["why", "tic_tac_toe", "(legal x (mark 1 1))"], ["search", "tic_tac_toe", "--simulations", "10"],
    ["bench", "tic_tac_toe", "--seconds", "0.1"], ["match", "tic_tac_toe", "--player", "ucd:seconds=0.05,policy=uniform"],
    ["tournament", "tic_tac_toe", "--player", "legal", "--player", "greedy", "--rounds", "1", "--workers", "1"],
]  # fmt: skip


@pytest.mark.parametrize("command", BY_NAME, ids=lambda command: command[0])
def test_every_command_takes_a_game_by_its_name(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(command) == 0
    assert capsys.readouterr().err == ""
    assert main([*command[:1], "tic_tac_tow", *command[2:]]) == 2
    assert "did you mean tic_tac_toe?" in capsys.readouterr().err


def test_a_game_of_the_library_is_not_formatted_by_its_name_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["format", "--in-place", "nim"]) == 2
    assert "it is not changed by its name alone" in capsys.readouterr().err
    (tmp_path / "nim.kif").write_text("(p   a)\n")
    assert main(["format", "--in-place", "nim"]) == 0
    assert (tmp_path / "nim.kif").read_text() == "(p a)\n"


def test_a_wheel_brings_the_games_along(tmp_path: Path) -> None:
    """Built from a copy, unpacked elsewhere: games and templates are found there."""
    copy = tmp_path / "source"
    copy.mkdir()
    for name in ("gdl", "ggp", "games"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy / name)
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", str(tmp_path)]
    subprocess.run([*pip, str(copy)], check=True, capture_output=True, timeout=300)
    (wheel,) = tmp_path.glob("*.whl")
    installed = tmp_path / "installed"
    zipfile.ZipFile(wheel).extractall(installed)
    packages = {path.parent.relative_to(ROOT) for name in ("gdl", "ggp") for path in (ROOT / name).rglob("__init__.py")}
    assert {package for package in packages if not (installed / package / "__init__.py").exists()} == set()
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    for arguments in (["games", "--files"], ["new", "fresh"]):
        done = subprocess.run(
            [sys.executable, "-m", "ggp.cli", *arguments],
            capture_output=True, text=True, check=False, cwd=tmp_path, env=environment, timeout=60,
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, "")
        if arguments[0] == "games":
            assert done.stdout.splitlines() == [str(installed / "ggp" / "games" / f.name) for f in game_files()]
    assert (tmp_path / "fresh.kif").read_text(encoding="utf-8").startswith("; Fresh\n")


def test_the_table_in_the_docs_is_of_all_games_and_as_bench_prints_it() -> None:
    lines = (ROOT / "docs" / "bench.md").read_text(encoding="utf-8").splitlines()
    table = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    assert table[0] == list(HEADS)
    assert [row[0] for row in table[2:]] == [game.name for game in library()]
    assert {len(row) for row in table} == {len(HEADS)}
