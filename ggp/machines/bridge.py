"""The parent's end of a worker process: questions with a time limit, and a fresh worker after each accident."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import threading
import time
from dataclasses import dataclass

from ggp.errors import MachineError, MemoryLimitError, PrologMissingError, RulesError, TimeLimitError, WorkerDiedError

INSTALL_ADVICE = "SWI-Prolog is missing. Install it (Debian, Ubuntu: sudo apt install swi-prolog-nox), then try again."

_SHORTEST_START = 30.0
"""Seconds that a worker is given to start, however short the limit for a question is."""
_LONGEST_WAIT = 3600.0
"""Seconds of one wait for the worker; longer time limits wait again."""


@dataclass(frozen=True)
class Limits:
    """What a worker may use."""

    seconds: float = 60.0
    """Wall-clock time for one question, unless the question brings its own."""
    bytes: int = 4 << 30
    """Address space of the worker process."""


class Bridge:
    """A worker process that is started when needed and replaced when it dies.

    `preparation` holds requests that are sent to every new worker first, so that a replacement knows what its predecessor
    knew. Questions may come from several threads; they are answered one at a time.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.preparation: list[str] = []
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    @property
    def pid(self) -> int | None:
        """The process number of the worker, if one is alive."""
        return self._process.pid if self._process is not None and self._process.poll() is None else None

    def ask(self, request: str, seconds: float | None = None) -> str:
        """The reply to a request. Raises a MachineError that says what went wrong; the next question works again."""
        with self._lock:
            if self.pid is None:
                self._start()
            return self._exchange(request, self.limits.seconds if seconds is None else seconds)

    def prepare(self, request: str) -> str:
        """Ask, and ask every later worker the same first."""
        reply = self.ask(request)
        self.preparation.append(request)
        return reply

    def close(self) -> None:
        """End the worker."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    pipe.close()

    def _start(self) -> None:
        self.close()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "ggp.machines.worker", str(self.limits.bytes)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C in a terminal is the parent's business
            bufsize=0,
        )
        try:
            greeting = self._receive(time.monotonic() + max(_SHORTEST_START, self.limits.seconds))
        except TimeoutError:
            self.close()
            raise TimeLimitError("the Prolog reasoner did not start in time") from None
        if greeting != "+ready":
            self.close()
            if "SwiPrologNotFound" in greeting or "No module named 'pyswip'" in greeting:
                raise PrologMissingError(INSTALL_ADVICE)
            raise PrologMissingError(f"SWI-Prolog cannot be loaded: {greeting[1:]}")
        try:
            for request in self.preparation:
                self._exchange(request, self.limits.seconds)
        except BaseException:
            self.close()  # a worker that knows half of the rules would give wrong answers
            raise

    def _exchange(self, request: str, seconds: float) -> str:
        assert self._process is not None and self._process.stdin is not None
        deadline = time.monotonic() + seconds
        data = request.encode()
        try:
            self._process.stdin.write(len(data).to_bytes(4, "big") + data)
            reply = self._receive(deadline)
        except TimeoutError:
            self.close()
            raise TimeLimitError(f"the Prolog reasoner took longer than its limit of {seconds:g} s") from None
        except BrokenPipeError:
            raise self._death() from None
        if reply[0] == "-":
            raise _failure(reply[1:])
        return reply[1:]

    def _receive(self, deadline: float) -> str:
        size = int.from_bytes(self._read(4, deadline), "big")
        return self._read(size, deadline).decode()

    def _read(self, count: int, deadline: float) -> bytes:
        """Exactly `count` bytes from the worker; TimeoutError after the deadline, WorkerDiedError if it is gone."""
        assert self._process is not None and self._process.stdout is not None
        descriptor = self._process.stdout.fileno()
        parts: list[bytes] = []
        while count:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            if not select.select([descriptor], [], [], min(left, _LONGEST_WAIT))[0]:
                continue
            part = os.read(descriptor, count)
            if not part:
                raise self._death()
            parts.append(part)
            count -= len(part)
        return b"".join(parts)

    def _death(self) -> MachineError:
        assert self._process is not None
        code = self._process.wait()
        self.close()
        how = f"killed by signal {-code}" if code < 0 else f"exit code {code}"
        return WorkerDiedError(f"the worker process of the Prolog reasoner ended while it was asked ({how})")


def _failure(text: str) -> MachineError:
    """The error that a reply of the worker stands for."""
    if "resource" in text or "memory" in text.lower():
        first = text.strip().splitlines()[0] if text.strip() else ""
        return MemoryLimitError(f"the Prolog reasoner ran out of memory, probably in an endless recursion: {first}")
    return RulesError(text.strip())
