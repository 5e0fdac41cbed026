"""Processes beside a match: stepping back, being ended, saying what they make."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

from ggp.core.beside import end, step_back
from tests.helpers import started


def test_another_process_steps_back() -> None:
    with started([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        before = os.getpriority(os.PRIO_PROCESS, process.pid)
        step_back(process.pid)
        assert os.getpriority(os.PRIO_PROCESS, process.pid) > before
        process.communicate("\n")
        step_back(process.pid)  # it has gone: nothing happens


def test_a_process_steps_back_by_itself() -> None:
    code = "import os; from ggp.core.beside import step_back; step_back(); print(os.getpriority(os.PRIO_PROCESS, 0))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) > os.getpriority(os.PRIO_PROCESS, 0)


def test_what_is_printed_does_not_come_between_results() -> None:
    code = "from ggp.core.beside import results\nwith results() as stream: print('noise'); stream.write(b'result')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("result", "noise\n")


def test_a_process_is_ended_with_its_pipes() -> None:
    with started([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        end(process)
        assert process.returncode == -signal.SIGKILL
        assert process.stdin is not None and process.stdin.closed and process.stdout is not None and process.stdout.closed
