"""`ggp new`: what it writes is a game without a fault that plays to its end, and it never harms a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from gdl import load
from gdl.layout import layout
from ggp.cli import main
from ggp.commands.new import KINDS
from ggp.commands.writing import write_new
from ggp.machines.circuit import CircuitMachine
from ggp.machines.plays import Ending, random_play
from tests.conftest import Open


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_written_is_a_game(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], prolog: Open) -> None:
    path = tmp_path / "my_game2.kif"
    assert main(["new", "my_game2", "--kind", kind, "--folder", str(tmp_path)]) == 0
    assert capsys.readouterr().out == f"{path}: written; next: ggp check {path}, ggp play-through {path}\n"
    text = path.read_text(encoding="utf-8")
    assert text.startswith("; My game2\n;\n")
    assert text == layout(text)
    assert main(["check", "--strict", str(path)]) == 0
    ruleset = load(path)
    goals = set()
    for machine in (prolog(ruleset), CircuitMachine.compile(ruleset)):
        for seed in range(40):
            *_, last = random_play(machine, seed, 50)
            assert last.ending is Ending.TERMINAL
            goals.add(last.goals)
    assert len(goals) > 1
    assert {sum(values) for values in goals} <= ({100} if len(ruleset.roles) == 2 else {0, 100})


def test_the_default_is_two_players_in_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["new", "duel"]) == 0
    assert load("duel.kif").roles == ("first", "second")
    assert "ggp check duel.kif" in capsys.readouterr().out


def test_a_file_that_is_there_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.kif"
    path.write_text("precious")
    assert main(["new", "mine", "--folder", str(tmp_path)]) == 2
    assert capsys.readouterr().err == f"ggp: {path} is there already; it stays as it is\n"
    assert path.read_text() == "precious"


def test_what_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(UnicodeEncodeError):
        write_new(tmp_path / "half.kif", "half \ud800")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["", "My", "1game", "my-game", "a b", "../up", "a/b", "game.kif", "spiél", "_x", "a\n"])
def test_names_that_make_no_sense(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", name, "--folder", str(tmp_path)]) == 2
    assert "is no name for a game: it needs lower-case letters" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "nowhere" / "game.kif"
    assert main(["new", "game", "--folder", str(path.parent)]) == 2
    assert capsys.readouterr().err == f"ggp: {path}: No such file or directory\n"
