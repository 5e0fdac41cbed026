"""A terminal for a process: what it prints is read, what people would type is typed."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
import time
from collections.abc import Sequence
from types import TracebackType

_TAKE = (
    "import fcntl, os, signal, sys, termios\n"
    "fcntl.ioctl(0, termios.TIOCSCTTY, 0)\n"
    "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    "os.execvp(sys.argv[1], sys.argv[1:])\n"
)
"""Makes the terminal the process's own, so that Ctrl-C reaches it, whatever the tests were started with."""
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[=>]|\r|\x07")


class Terminal:
    """`ggp`, or another program, in a pseudo-terminal of its own. Use it in a `with`: leaving it ends the process."""

    def __init__(
        self, arguments: Sequence[str], seconds: float = 60, program: Sequence[str] = (sys.executable, "-m", "ggp.cli")
    ) -> None:
        self._until = time.monotonic() + seconds
        self._master, slave = pty.openpty()
        self.raw = ""
        """All that was printed."""
        self._read_to = 0
        self._process = subprocess.Popen(
            [sys.executable, "-c", _TAKE, *program, *arguments],
            stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
            env={**os.environ, "TERM": "xterm", "COLUMNS": "80", "LINES": "24", "INPUTRC": "/dev/null"},
        )  # fmt: skip
        os.close(slave)

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:  # fmt: skip
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        os.close(self._master)

    @property
    def text(self) -> str:
        """All that was printed, without control codes."""
        return _CONTROL.sub("", self.raw)

    def until(self, wanted: str) -> str:
        """Wait until a text is printed; what was printed since the last text that was waited for."""
        while wanted not in self.text[self._read_to :]:
            if not self._read():
                raise AssertionError(f"{wanted!r} did not come; there was:\n{self.text[self._read_to :]}")
        end = self.text.index(wanted, self._read_to) + len(wanted)
        seen, self._read_to = self.text[self._read_to : end], end
        return seen

    def type(self, text: str) -> None:
        """Type characters; `\\n` is Enter, `\\x03` Ctrl-C, `\\x04` Ctrl-D."""
        os.write(self._master, text.encode())

    def code(self) -> int:
        """Wait for the end; the exit code."""
        while self._read():
            pass
        return self._process.wait(max(0.1, self._until - time.monotonic()))

    def _read(self) -> bool:
        left = self._until - time.monotonic()
        if left <= 0 or not select.select([self._master], [], [], left)[0]:
            return False
        try:
            data = os.read(self._master, 65536)
        except OSError:  # what Linux says when nobody has the terminal open any more
            return False
        self.raw += data.decode(errors="replace")
        return bool(data)
