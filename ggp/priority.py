"""Stepping back: a process whose work nobody waits for leaves the processors to those that somebody waits for."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

_NICE = 10
"""A tenth of the time of a core that another wants as well; all of one that nobody wants."""


def step_back(pid: int = 0) -> None:
    """Have a process, or this one, take processor time from nobody."""
    with contextlib.suppress(ProcessLookupError):
        os.setpriority(os.PRIO_PROCESS, pid, _NICE)
    with contextlib.suppress(OSError):  # where sessions share a core evenly, whatever the priorities within them
        Path(f"/proc/{pid or 'self'}/autogroup").write_text(str(_NICE), encoding="ascii")
