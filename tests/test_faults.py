"""What the user is told of errors: those of the user in a sentence, ours in one line and a file."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from gdl import GroundingError, UnreadableError, load
from gdl.errors import DescriptionError
from ggp.cli import main
from ggp.core import faults
from ggp.core.errors import TimeLimitError, UsageError
from ggp.machines.circuit import CircuitMachine
from tests.helpers import GAMES


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where reports go in these tests."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (UsageError("no such player"), 2, "ggp: no such player"),
        (UnreadableError("a: gone"), 2, "ggp: a: gone"),
        (GroundingError("too large"), 3, "ggp: too large"),
        (DescriptionError(()), 1, ""),
        (TimeLimitError("too slow"), 3, "ggp: too slow"),
        (FileNotFoundError(2, "No such file", "a.kif"), 2, "ggp: a.kif: No such file"),
        (MemoryError(), 3, "ggp: there is not enough memory for running the command"),
    ],
)
def test_errors_that_are_meant_for_the_user(error: Exception, code: int, message: str, place: Path) -> None:
    assert faults.explain(error) == (code, message)
    assert list(place.iterdir()) == []


def test_a_fault_of_ours_is_one_line_and_a_file(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("division\nby zero")

    monkeypatch.setenv("GGP_CACHE", "off")
    monkeypatch.setattr("ggp.circuits.compile.build_factored", broken)
    assert main(["show", str(GAMES / "tic_tac_toe.kif"), "--machine", "circuit"]) == 3
    (file,) = place.iterdir()
    expected = "a fault in ggp while compiling the circuit: ZeroDivisionError: division by zero"
    assert capsys.readouterr().err == f"ggp: {expected}; please report it with {file}\n"
    text = file.read_text(encoding="utf-8")
    assert text.startswith(expected)
    assert "Traceback (most recent call last)" in text and "in broken" in text
    assert "\ncommand: " in text and "\nggp 0." in text and file.name.startswith("ggp-fault-")


def test_the_stage_is_that_of_the_innermost_of_our_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    for place, stage in [
        ("ggp.machines.circuit.Compilation", "asking the machine"),
        ("gdl.grounding.process._Work.done_here", "grounding the rules"),
    ]:
        with monkeypatch.context() as patch:
            patch.setattr(place, broken)
            with pytest.raises(ZeroDivisionError) as caught:
                CircuitMachine.compile(load(GAMES / "nim.kif"))
            assert faults.stage(caught.value) == stage
    assert faults.stage(ZeroDivisionError()) == "running the command"


def test_a_file_that_cannot_be_written_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/nowhere")
    assert faults.report(ValueError()).endswith(
        "ValueError; please report it (its details could not be written: No such file or directory)"
    )


IN_A_THREAD = """
import sys, tempfile, threading
from ggp import cli
from ggp.commands import line

def run(arguments):
    thread = threading.Thread(target=lambda: [].pop())
    thread.start()
    thread.join()
    return 0

tempfile.tempdir = {place!r}
line.run = run
sys.exit(cli.main())
"""


def test_a_fault_in_a_thread_is_one_line_as_well(place: Path) -> None:
    code = IN_A_THREAD.format(place=str(place))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    (file,) = place.iterdir()
    expected = "ggp: a fault in ggp while running the command: IndexError: pop from empty list; please report it with"
    assert (done.returncode, done.stderr) == (0, f"{expected} {file}\n")
