"""Stepping back."""

from __future__ import annotations

import os
import subprocess
import sys

from ggp.priority import step_back
from tests.helpers import started


def test_another_process_steps_back() -> None:
    with started([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        before = os.getpriority(os.PRIO_PROCESS, process.pid)
        step_back(process.pid)
        assert os.getpriority(os.PRIO_PROCESS, process.pid) > before
        process.communicate("\n")
        step_back(process.pid)  # it has gone: nothing happens


def test_a_process_steps_back_by_itself() -> None:
    code = "import os; from ggp.priority import step_back; step_back(); print(os.getpriority(os.PRIO_PROCESS, 0))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) > os.getpriority(os.PRIO_PROCESS, 0)
