"""The first command that plays or searches compiles all kernels, and says so; later ones do not."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from ggp.cli import main
from ggp.commands import COMMANDS, COMPILING, perft
from ggp.core import firstuse


@pytest.fixture
def nothing_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As for `firstuse`; numba itself goes on using what it has."""
    monkeypatch.setattr(firstuse, "_folders", lambda: (Path("/dev/null/kernels"), tmp_path / "kernels"))


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The programs that were started, each of which fails; commands themselves do nothing."""
    programs: list[list[str]] = []
    monkeypatch.setattr(perft, "run", lambda options: 0)

    def run(program: list[str], **more: Any) -> subprocess.CompletedProcess[bytes]:
        programs.append(program)
        return subprocess.CompletedProcess(program, 7)

    monkeypatch.setattr(subprocess, "run", run)
    return programs


@pytest.mark.usefixtures("nothing_compiled")
def test_what_was_compiled_is_compiled_for_later_processes() -> None:
    assert not firstuse.compiled()
    firstuse.mark()
    assert firstuse.compiled()


@pytest.mark.usefixtures("nothing_compiled")
def test_another_numba_compiles_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    firstuse.mark()
    monkeypatch.setattr(firstuse, "version", lambda package: f"{package} of tomorrow")
    assert not firstuse.compiled()


def test_where_nothing_can_be_kept_nobody_waits_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", "/dev/null/kernels")
    assert firstuse.compiled()
    firstuse.mark()  # and nothing is said of it


@pytest.mark.usefixtures("nothing_compiled")
def test_the_first_command_says_what_is_waited_for(started: list[list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["perft", "nim", "--depth", "1"]) == 0
    told = capsys.readouterr().err.splitlines()
    assert told == [
        "ggp: compiling for this machine, which is done once and takes a minute or two …",
        "ggp: that failed (exit code 7); what is needed is compiled on the way",
    ]
    assert len(started) == 1 and "ggp.commands.warm" in started[0][-1]


@pytest.mark.usefixtures("nothing_compiled")
@pytest.mark.parametrize("command", ["games --json", "perft nim --depth 1 --machine prolog"])
def test_what_needs_no_kernels_does_not_wait(
    command: str, started: list[list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(command.split()) == 0
    assert (started, capsys.readouterr().err) == ([], "")


def test_the_second_command_does_not_wait(started: list[list[str]]) -> None:
    assert firstuse.compiled()  # the suite says so when it begins
    assert main(["perft", "nim", "--depth", "1"]) == 0
    assert started == []


def test_all_of_them_are_commands() -> None:
    assert COMMANDS.keys() >= COMPILING
