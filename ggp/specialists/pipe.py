"""A program at the other end of a pipe: lines in, lines out, each with a deadline.

Whatever the program does, nobody waits for it without end: it may be slow, die, send garbage or read nothing, and each is
an error that says so. It is in a group of its own, so that Ctrl-C is for us, and ends when we end.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence

from ggp.core.children import ends_with_us
from ggp.core.errors import SpecialistError
from ggp.players.player import Signal

_LOOK_EVERY = 0.05
"""Seconds between looks at whether the answer is still wanted."""
_LONGEST_LINE = 1 << 20
"""Bytes; the longest lines of engines, their lists of commands apart, have a thousand."""
_PATIENCE = 0.5
"""Seconds that a program has to end when it was asked to."""
_SHOWN = 80
"""Characters of a strange line that an error message shows."""


class Pipe:
    """A running program. Errors begin with its name."""

    def __init__(self, name: str, command: Sequence[str]) -> None:
        self.name = name
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the process)
        self._process = subprocess.Popen(
            ends_with_us(command, signal.SIGKILL),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, bufsize=0, start_new_session=True,
        )  # fmt: skip
        assert self._process.stdin is not None and self._process.stdout is not None
        self._to, self._from = self._process.stdin, self._process.stdout
        os.set_blocking(self._to.fileno(), False)
        self._read = b""

    @property
    def pid(self) -> int:
        """Of the process."""
        return self._process.pid

    def send(self, line: str) -> None:
        """Send a line; SpecialistError if the program has ended, or does not read what it is sent."""
        data = line.encode() + b"\n"
        try:
            written = self._to.write(data)
        except (BrokenPipeError, ConnectionError):
            raise self._ended() from None
        if written != len(data):
            raise self.error("does not read what it is told")

    def line(self, deadline: float, stop: Signal | None = None) -> str:
        """The next line; SpecialistError if there is none by the deadline, none to come, or none wanted any more."""
        while True:
            left = deadline - time.monotonic()
            if left <= 0:  # also where lines never cease
                raise self.error("did not answer in time")
            if stop is not None and stop.is_set():
                raise self.error("was asked to stop before it had answered")
            if b"\n" in self._read:
                break
            if len(self._read) > _LONGEST_LINE:
                raise self.error("sends a line without end")
            if select.select([self._from], [], [], min(left, _LOOK_EVERY))[0]:
                data = os.read(self._from.fileno(), 1 << 16)
                if not data:
                    raise self._ended()
                self._read += data
        line, _, self._read = self._read.partition(b"\n")
        return line.decode(errors="replace").rstrip("\r")

    def error(self, what: str) -> SpecialistError:
        """The error that the program does this or that."""
        return SpecialistError(f"{self.name} {what}")

    def strange(self, line: str, wanted: str) -> SpecialistError:
        """The error that a line means nothing."""
        shown = line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"
        return self.error(f"says {shown!r} instead of {wanted}")

    def close(self) -> None:
        """End the program: kindly at first. Closing twice does no harm."""
        self._to.close()
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._from.close()
        self._errors.close()

    def _ended(self) -> SpecialistError:
        """The error that the program has ended, with its last words."""
        try:
            code: int | None = self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:  # it has closed its end of the pipe, and lives
            code = None
        self._errors.seek(max(0, self._errors.seek(0, os.SEEK_END) - 4096))
        last = self._errors.read().decode(errors="replace").strip().splitlines()[-1:]
        how = "has closed its output" if code is None else f"has ended with code {code}"
        return self.error(": ".join([how, *last]))
