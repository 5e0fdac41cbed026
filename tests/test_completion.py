"""Completion: what can stand next, in shells that are really asked, and the manual page."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ggp.cli import main
from ggp.commands import COMMANDS
from ggp.commands.completing import FILES, words
from ggp.commands.completion import SCRIPTS
from ggp.commands.manual import page
from ggp.core.library import library
from ggp.search.presets import OPTIONS
from tests.terminal import Terminal


def texts(line: str) -> list[str]:
    return [word.text for word in words(line.split(" "))]


def test_commands_with_what_they_do() -> None:
    assert [word.text for word in words([""])] == list(COMMANDS)
    assert words(["tourn"])[0].note == COMMANDS["tournament"]
    assert texts("--v") == ["--version"]
    assert texts("nonsense ") == []


def test_games_are_those_of_the_library_and_files() -> None:
    assert texts("show ") == [*(game.name for game in library()), FILES.text]
    assert texts("tournament nim othel") == ["othello", FILES.text]
    assert texts("show nim chess") == []  # it takes one
    assert "line" in texts("games --tag ")


def test_options_once_each_and_those_that_may_come_again() -> None:
    assert "--player" in texts("match nim --")
    assert "--player" in texts("match nim --player ucd --")
    assert "--seed" not in texts("match nim --seed 3 --")
    assert texts("match nim --gdl2-form=p") == ["--gdl2-form=percepts"]
    assert texts("play --log ") == [FILES.text]
    assert texts("match nim --seed ") == []  # a number: nothing to offer, and no option can stand there
    assert [word.note for word in words(["bench", "--see"])] == ["seed of all chance (default: 1)"]


def test_players_their_options_and_what_these_can_be() -> None:
    players = texts("match nim --player ")
    assert {"ucd", "ucd:", "random", "human", "gtp:"} <= set(players)
    assert texts("match nim --player uct:") == [f"uct:{option.name}=" for option in OPTIONS]
    assert texts("play --player ucd:c=3,sol") == ["ucd:c=3,solver="]
    assert texts("play --player ucd:c=3,solver=") == ["ucd:c=3,solver=true", "ucd:c=3,solver=false"]
    assert "ucd:policy=mast" in texts("play --player ucd:policy=m")
    weights = [f"ucd:rave_weight={kind}" for kind in ("bonus", "error", "visits")]
    assert sorted(texts("play --player ucd:rave_weight=")) == weights
    assert texts("play --player random:") == []


def test_every_command_can_be_completed() -> None:
    for name in COMMANDS:
        assert {"--help"} <= set(texts(f"{name} --"))
        assert isinstance(texts(f"{name} "), list)


def test_the_command_prints_what_shells_ask_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "--words=match\tconnect_f"]) == 0
    assert capsys.readouterr().out == "connect_four\tConnect Four\n:files\n"
    assert main(["completion"]) == 2
    assert "name a shell: bash, zsh, fish; or man" in capsys.readouterr().err


SHELLS = {
    "bash": ["bash", "--norc", "--noprofile", "-i"],
    "zsh": ["zsh", "-f", "-i"],
    "fish": ["fish", "--no-config", "-i"],
}
BEGIN = {
    "bash": 'PS1="ready> "; eval "$(ggp completion bash)"',
    "zsh": 'PS1="ready> "; unsetopt zle_bracketed_paste; autoload -U compinit; compinit -D; eval "$(ggp completion zsh)"',
    "fish": "function fish_prompt; echo -n 'ready> '; end; function fish_greeting; end; ggp completion fish | source",
}


@pytest.fixture(params=sorted(SHELLS))
def shell(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    """A shell that completes `ggp`, in a folder with one game file and one record."""
    name: str = request.param
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed")
    program = tmp_path / "bin" / "ggp"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ggp.cli "$@"\n')
    program.chmod(0o755)
    (tmp_path / "my_own_game.kif").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("EDITOR", "emacs")  # zsh looks at it to choose keys
    with Terminal([], seconds=110, program=SHELLS[name]) as terminal:
        terminal.type(f"{BEGIN[name]}; echo be''gun\n")
        terminal.until("begun")
        terminal.until("ready> ")
        yield terminal


COMPLETED = {
    "ggp tourn\t": "ggp tournament",
    "ggp match connect_f\t": "ggp match connect_four",
    "ggp search nim --simul\t9": "ggp search nim --simulations 9",
    "ggp match nim --player ucd:first\t9": "ggp match nim --player ucd:first_play=9",
    "ggp match nim --player ucd:c=3,upd\tal\t.": "ggp match nim --player ucd:c=3,update=all .",
    "ggp check my_o\t.": "ggp check my_own_game.kif .",
}


def test_a_shell_completes(shell: Terminal) -> None:
    """A line is completed, and then made an argument of `echo` before it is run."""
    for typed, completed in COMPLETED.items():
        shell.type(f"{typed}\x01echo 'it is' \x05 end''ed\n")
        shown = shell.until("ended").rpartition("it is ")[2].removesuffix("ended")
        assert " ".join(shown.split()) == completed


def test_the_scripts_are_what_their_shells_understand() -> None:
    for name, script in SCRIPTS.items():
        if shutil.which(name):
            done = subprocess.run([name, "-n"], input=script, capture_output=True, text=True, check=False)
            assert (done.returncode, done.stderr) == (0, "")


def test_the_manual_has_all_commands_and_options() -> None:
    text = page()
    assert [line[9:-1] for line in text.splitlines() if line.startswith(".SS ")] == list(COMMANDS)
    assert "\\fB\\-\\-playclock S\\fR" in text


def test_the_manual_is_set_without_a_warning(tmp_path: Path) -> None:
    if shutil.which("man") is None:
        pytest.skip("man is not installed")
    path = tmp_path / "ggp.1"
    path.write_text(page(), encoding="utf-8")
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "100"}
    done = subprocess.run(
        ["man", "--warnings=w", "-l", path], capture_output=True, text=True, env=environment, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "a general game player" in done.stdout and "--playclock S" in done.stdout
