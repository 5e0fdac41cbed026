"""A program at the other end of a pipe ends with whoever started it, and takes nobody's time."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ggp.core.children import ends_with_us
from ggp.core.errors import SpecialistError
from ggp.specialists.pipe import Pipe
from tests.helpers import ROOT, started

STUBBORN = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(60)"


def is_there(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_the_command_is_run_as_it_stands() -> None:
    done = subprocess.run(ends_with_us(["echo", "a  b", "-c"]), capture_output=True, text=True, check=True)
    assert done.stdout == "a  b -c\n"


def test_lines_go_both_ways() -> None:
    pipe = Pipe("cat", ["cat"])
    pipe.send("ä line")
    pipe.send("another\r")
    assert [pipe.line(time.monotonic() + 5) for _ in range(2)] == ["ä line", "another"]
    pipe.close()
    pipe.close()
    assert not is_there(pipe.pid)


def test_a_program_that_goes_on_is_killed() -> None:
    pipe = Pipe("stubborn", [sys.executable, "-S", "-c", STUBBORN])
    assert pipe.line(time.monotonic() + 5) == "up"
    pipe.close()
    assert not is_there(pipe.pid)


def test_who_does_not_read_is_told_of() -> None:
    pipe = Pipe("sleep", ["sleep", "60"])
    with pytest.raises(SpecialistError, match=r"^sleep does not read what it is told$"):
        pipe.send("x" * 1_000_000)
    pipe.close()


def test_a_program_that_has_ended_is_told_of_with_its_last_words() -> None:
    pipe = Pipe("sh", ["sh", "-c", "echo one; echo two >&2; echo three >&2; exit 4"])
    assert pipe.line(time.monotonic() + 5) == "one"
    with pytest.raises(SpecialistError, match=r"^sh has ended with code 4: three$"):
        pipe.line(time.monotonic() + 5)
    with pytest.raises(SpecialistError, match="has ended with code 4"):
        pipe.send("hello")
    pipe.close()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells children of their parent's end")
def test_a_program_ends_when_its_owner_is_killed() -> None:
    owner = (
        "import time, sys; from ggp.specialists.pipe import Pipe\n"
        f"pipe = Pipe('stubborn', [sys.executable, '-S', '-c', {STUBBORN!r}]); pipe.line(time.monotonic() + 5)\n"
        "print(pipe.pid, flush=True); time.sleep(60)"
    )
    with started([sys.executable, "-c", owner], stdout=subprocess.PIPE, cwd=ROOT) as process:
        assert process.stdout is not None
        pid = int(process.stdout.readline())
        assert is_there(pid)
        os.kill(process.pid, signal.SIGKILL)
    deadline = time.monotonic() + 10
    while is_there(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not is_there(pid)
