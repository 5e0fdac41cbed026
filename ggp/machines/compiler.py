"""The compiler as a process of its own: it takes no interpreter lock from a match, and steps back while clocks run.

It compiles in tiers (see `CircuitMachine.tiers`) and hands over each machine as soon as it is ready to search on.
"""

from __future__ import annotations

import contextlib
import pickle
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, BinaryIO, TypeAlias

from gdl.errors import GdlError
from gdl.grounding import GroundLimits
from gdl.loader import load
from gdl.ruleset import Ruleset
from gdl.source import Source
from ggp.core import beside
from ggp.core.errors import GgpError
from ggp.core.faults import report
from ggp.core.tiny import TINY
from ggp.lanes.engine import Engine
from ggp.lanes.policies import Evidence
from ggp.machines.circuit import CircuitMachine
from ggp.machines.kept import keep

PROGRAM = "import sys; from ggp.machines.compiler import serve; serve(ahead='ahead' in sys.argv)"
"""Not `-m`: messages go by the name of this module, not by `__main__`."""
_LAST_WORDS = 0.5
"""Seconds that a process may take to end after it has closed its streams."""


class CompilerError(GgpError):
    """The process has ended before it was done."""


@dataclass(frozen=True)
class Order:
    """What is to be compiled."""

    ruleset: Ruleset
    limits: GroundLimits | None


@dataclass(frozen=True)
class Stage:
    """What the compiler does now."""

    text: str


@dataclass(frozen=True)
class Refused:
    """Why there is no circuit, or none better."""

    why: str
    is_fault: bool = False
    """Whether that is a fault in ggp."""


Message: TypeAlias = Stage | Refused | CircuitMachine | Engine
"""The first circuit comes with all that is needed to play; a better one of the same program as its programs alone."""


class Compiler:
    """The process, as a match sees it."""

    def __init__(self, *, ahead: bool = False) -> None:
        """`ahead`: nobody waits for it yet, so there is time to load all that it will need."""
        self._process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, *(["ahead"] if ahead else [])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C in a terminal is the match's business
        )

    def order(self, ruleset: Ruleset, limits: GroundLimits | None = None) -> None:
        """Tell it what to compile; `messages` tells what comes of it."""
        assert self._process.stdin is not None
        text = replace(ruleset.source)  # copies: who owns the rules may work something out at this very moment
        own = Ruleset(replace(ruleset.description, source=text), ruleset.problems)
        try:
            with self._process.stdin as stream:
                pickle.dump(Order(own, limits), stream, protocol=5)
        except OSError:
            raise self._ended() from None

    def messages(self) -> Iterator[Message]:
        """What it tells, until it is done."""
        assert self._process.stdout is not None
        while True:
            try:
                message: Message | None = pickle.load(self._process.stdout)
            except (EOFError, OSError, ValueError, pickle.UnpicklingError):
                raise self._ended() from None
            if message is None:
                return
            yield message

    def kill(self) -> None:
        """End it, from any thread; who reads its messages learns that it has ended."""
        self._process.kill()

    def _ended(self) -> CompilerError:
        """How it has ended; it is killed if it only closed its streams, or said what means nothing."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_LAST_WORDS)
        self._process.kill()
        return CompilerError(f"the compiler has ended with code {self._process.wait()}")

    def step_back(self) -> None:
        """Take processor time from nobody: there is something to play with, and a clock is running."""
        beside.step_back(self._process.pid)

    def wait(self, seconds: float) -> None:
        """Wait until it has kept what it has made, or was killed; no longer than some seconds."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)

    def close(self) -> None:
        """End it, in the thread that read its messages."""
        beside.end(self._process)


_spare: list[Compiler] = []
_lock = threading.Lock()


def keep_spare() -> None:
    """Start a compiler ahead, so that a match does not wait for its imports. It ends with the thread that calls this."""
    with _lock:
        if not _spare:
            _spare.append(Compiler(ahead=True))


def take() -> Compiler:
    """A compiler: the spare one if there is one."""
    with _lock:
        return _spare.pop() if _spare else Compiler()


def main(orders: BinaryIO, results: BinaryIO) -> None:
    """Compile what is asked for."""
    order = pickle.load(orders)
    assert isinstance(order, Order)

    def send(message: Message | None) -> None:
        pickle.dump(message, results, protocol=5)
        results.flush()

    best: CircuitMachine | None = None
    try:
        for machine in CircuitMachine.tiers(order.ruleset, order.limits, tell=lambda text: send(Stage(text))):
            _make_searchable(machine)
            send(machine if best is None else machine.engine)
            best = machine
    except (GdlError, GgpError) as error:
        send(Refused(str(error)))
    except MemoryError:
        send(Refused("compiling takes more memory than there is"))
    except Exception as error:  # the match goes on, whatever the compiler does
        send(Refused(report(error), is_fault=True))
    else:
        send(None)
        assert best is not None
        keep(best)
        return
    send(None)


def _make_searchable(machine: CircuitMachine) -> None:
    """Make the programs that a search runs."""
    engine: Any = machine.engine
    _ = engine.tick, engine.look, engine.rollout()
    if len(machine.roles) == 1:
        engine.rollout(evidence=Evidence.LAST)


def serve(*, ahead: bool) -> None:
    """Be the process."""
    with contextlib.suppress(BrokenPipeError), beside.results() as stream:  # closing it writes what is left
        if ahead:
            for machine in CircuitMachine.tiers(load(Source(TINY, "<warm>"))):
                _make_searchable(machine)
        main(sys.stdin.buffer, stream)
