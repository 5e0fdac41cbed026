"""Become the command `ggp`, within limits: `python -m ggp.mcp.limited BYTES SECONDS ARGUMENT…`.

The limits stay when the process becomes another program, and its children inherit them.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys

_PR_SET_PDEATHSIG = 1
_FILE = 64 << 20
"""What a call may write into one file: a compiled game for the cache, say [bytes]."""


def _main(memory: int, seconds: int, arguments: list[str]) -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)  # nobody waits for the answer of a server that was killed
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_FSIZE, (_FILE, _FILE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.execv(sys.executable, [sys.executable, "-m", "ggp.cli", *arguments])


if __name__ == "__main__":
    _main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
