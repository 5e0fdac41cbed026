"""Programs that end with us: however this process ends, the kernel sends them a signal (Linux)."""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence

_CODE = """
import ctypes, os, sys
library = ctypes.CDLL(None)
if hasattr(library, "prctl"):
    library.prctl(1, int(sys.argv[1]))  # PR_SET_PDEATHSIG
os.execvp(sys.argv[2], sys.argv[2:])
"""


def ends_with_us(command: Sequence[str], by: signal.Signals = signal.SIGTERM) -> list[str]:
    """The command that starts a program so that it is sent a signal when the thread that started it has ended."""
    return [sys.executable, "-S", "-c", _CODE, str(int(by)), *command]
