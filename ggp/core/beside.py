"""Processes beside a match: they say what they make, step back for those that somebody waits for, and are ended."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

_PR_SET_PDEATHSIG = 1
_NICE = 10
"""A tenth of the time of a core that another wants as well; all of one that nobody wants."""


def step_back(pid: int = 0) -> None:
    """Have a process, or this one, take processor time from nobody."""
    with contextlib.suppress(ProcessLookupError):
        os.setpriority(os.PRIO_PROCESS, pid, _NICE)
    with contextlib.suppress(OSError):  # where sessions share a core evenly, whatever the priorities within them
        Path(f"/proc/{pid or 'self'}/autogroup").write_text(str(_NICE), encoding="ascii")


def end(process: subprocess.Popen[Any]) -> None:
    """End a process that was started with pipes, and close them."""
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        assert stream is not None
        with contextlib.suppress(OSError):  # what was still to be sent has nobody to go to
            stream.close()


@contextlib.contextmanager
def results() -> Iterator[BinaryIO]:
    """Where this process says what it makes; the process ends with its parent."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    with os.fdopen(os.dup(1), "wb") as stream:
        os.dup2(2, 1)  # whatever is printed must not come between the results
        yield stream
