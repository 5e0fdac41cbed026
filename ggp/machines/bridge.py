"""The parent's end of a worker process: questions with a time limit, and a fresh worker after each accident."""

from __future__ import annotations

import math
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ggp.core.errors import (
    MachineError,
    MemoryLimitError,
    PrologMissingError,
    RulesError,
    TimeLimitError,
    WorkerDiedError,
)

INSTALL_ADVICE = "SWI-Prolog is missing. Install it (Debian, Ubuntu: sudo apt install swi-prolog-nox), then try again."

_WORKER = str(Path(__file__).with_name("worker.py"))
"""Run by its path: as a module it would import its package first, which a worker does without. `-P` keeps the modules
beside it from being found as top-level ones."""
_SHORTEST_START = 30.0
"""Seconds that a worker is given to start, however short the limit for a question is."""
_LONGEST_WAIT = 3600.0
"""Seconds of one wait for the worker; longer time limits wait again."""
_GRACE = 0.2
"""Seconds that a worker is given to come to an end, once it was told to."""
_LOOK = 0.02
"""Seconds between two looks at whether an answer is still wanted."""


@dataclass(frozen=True)
class Limits:
    """What a worker may use."""

    seconds: float = 60.0
    """Wall-clock time for one question, unless the question brings its own."""
    bytes: int = 4 << 30
    """Address space of the worker process."""


@dataclass(frozen=True)
class Patience:
    """How long a question is let run that gives what it has when it is told to end."""

    until: float = math.inf
    """On the clock of `time.monotonic`."""
    stopped: Callable[[], bool] | None = None
    """Whether the answer is not wanted any more."""

    @property
    def is_over(self) -> bool:
        """Whether to tell it to end."""
        return time.monotonic() >= self.until or (self.stopped is not None and self.stopped())

    @property
    def next_look(self) -> float:
        """Seconds until it has to be asked again."""
        left = max(0.0, self.until - time.monotonic())
        return left if self.stopped is None else min(left, _LOOK)


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

    def ask_while(self, request: str, patience: Patience) -> str:
        """The same for a request that may be told to end before it is done: `tries`."""
        with self._lock:
            if self.pid is None:
                self._start()
            return self._exchange(request, math.inf, patience)

    def prepare(self, request: str) -> str:
        """Ask, and ask every later worker the same first."""
        reply = self.ask(request)
        self.preparation.append(request)
        return reply

    def twin(self) -> Bridge:
        """A bridge to another worker, which is told the same first."""
        twin = Bridge(self.limits)
        twin.preparation = list(self.preparation)
        return twin

    def start(self) -> None:
        """Start the worker now rather than at the first question."""
        with self._lock:
            if self.pid is None:
                self._start()

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
            [sys.executable, "-P", _WORKER, str(self.limits.bytes)],
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

    def _exchange(self, request: str, seconds: float, patience: Patience | None = None) -> str:
        assert self._process is not None and self._process.stdin is not None
        deadline = time.monotonic() + seconds
        data = request.encode()
        try:
            self._process.stdin.write(len(data).to_bytes(4, "big") + data)
            if patience is not None:
                deadline = min(deadline, self._wait(patience))
            reply = self._receive(deadline)
        except TimeoutError:
            self.close()
            limit = f"its limit of {seconds:g} s" if patience is None else "it was let, and did not end when told to"
            raise TimeLimitError(f"the Prolog reasoner took longer than {limit}") from None
        except BrokenPipeError:
            raise self._death() from None
        if reply[0] == "-":
            raise _failure(reply[1:])
        return reply[1:]

    def _wait(self, patience: Patience) -> float:
        """Wait until the answer begins to come or the worker is gone; the deadline of the rest.

        When patience is over the worker is told to end, again and again: what comes before it has read the request, means
        nothing to it.
        """
        assert self._process is not None
        while not patience.is_over:
            if self._has_news(patience.next_look):
                return math.inf
        deadline = time.monotonic() + _GRACE
        while time.monotonic() < deadline and not self._has_news(0.0):
            with suppress(ProcessLookupError):  # it died: reading tells
                os.kill(self._process.pid, signal.SIGUSR1)
            self._has_news(_LOOK)
        return deadline

    def _has_news(self, seconds: float) -> bool:
        """Whether within some seconds there is something to read, or the end of it."""
        assert self._process is not None and self._process.stdout is not None
        return bool(select.select([self._process.stdout.fileno()], [], [], min(seconds, _LONGEST_WAIT))[0])

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
            if not self._has_news(left):
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
