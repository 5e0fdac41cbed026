"""Ground in this process what is surely small, and all else in a process of its own, with limits, that can be killed."""

from __future__ import annotations

import ctypes
import math
import os
import pickle
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Event
from typing import TYPE_CHECKING

from gdl.errors import GroundingError
from gdl.garbage import paused
from gdl.grounding.guard import Guard, TooLargeError, guarded
from gdl.program import GroundProgram
from gdl.ruleset import Ruleset

if TYPE_CHECKING:
    from gdl.grounding.rules import Rule

_OUT_OF_MEMORY = 3
"""Exit code of the child when it ran out of memory in Python; clingo's own failures end it in other ways."""
_MEMORY_SIGNS = ("bad_alloc", "MemoryError", "allocate memory")
_TOO_DEEP = "the rules are nested or chained too deep to be grounded"
_PR_SET_PDEATHSIG = 1
_LOOK_EVERY = 0.05
"""Seconds between looks at whether to stop."""
_WORDS_A_RULE = 32
_BYTES_A_WORD = 16
"""The child's tape is as long as its limits are: so many words a rule, but no more than this part of its memory."""
_WORDS_HERE, _WORK_HERE = 10_000_000, 4e7
"""What may be ground in this process: a million rules of usual length, some seconds at the very worst."""
_LITERALS_HERE = 5_000
"""Flat rules with more literals than this are split elsewhere, too."""


@dataclass(frozen=True)
class GroundLimits:
    """What grounding may use."""

    seconds: float = 120.0
    """Processor time, rounded up to whole seconds."""
    bytes: int = 4 << 30
    """Address space of the process."""
    rules: int = 3_000_000
    """Ground rules."""


@dataclass
class _Work:
    """Rules on their way to clingo."""

    rules: Sequence[Rule]
    is_split: bool = False

    @classmethod
    def of(cls, ruleset: Ruleset) -> _Work:
        """The flat rules of a ruleset."""
        from gdl.grounding.flatten import flatten

        return cls(flatten(ruleset.rules))

    def done(self) -> GroundProgram:
        """Ground; where that fails, what has been split remains so."""
        from gdl.grounding.grounder import ground as run_clingo  # clingo and numba are loaded only where they ground
        from gdl.grounding.split import split_rules

        with paused():
            if not self.is_split:
                self.rules = split_rules(self.rules)
                self.is_split = True
            return run_clingo(self.rules)

    def done_here(self) -> GroundProgram:
        """Ground, if that is surely small."""
        if sum(1 + len(rule.body) for rule in self.rules) > _LITERALS_HERE:
            raise TooLargeError
        with guarded(Guard(_WORDS_HERE, _WORK_HERE)):
            return self.done()


def ground_here(ruleset: Ruleset) -> GroundProgram:
    """Ground in this process; TooLargeError if that is not surely small.

    It is where three things hold, of the rules that are counted for the estimates and of the split rules alike. There
    are no more than 5,000 literals. Every variable has a known finite domain (so no recursion builds terms), and
    `work_bound`, which assumes the worst of every join, stays below 4e7 partial instances. And clingo writes no more
    than 10 million words of rules: it is ended in the middle if it does. So time and memory are bounded: some seconds,
    some hundred megabytes.
    """
    return _Work.of(ruleset).done_here()


def ground(
    ruleset: Ruleset,
    limits: GroundLimits | None = None,
    *,
    stop: Event | None = None,
    report: Callable[[str], None] = lambda _: None,
) -> GroundProgram:
    """The ground program. GroundingError names the limit that was met, or says why clingo refused.

    What is surely small is ground in this process. `stop` ends it from another thread; `report` is told of each stage.
    """
    limits = limits or GroundLimits()
    report("grounding")
    _check(stop)
    try:
        work = _Work.of(ruleset)
        try:
            program = work.done_here()
        except TooLargeError:
            program = _ground_apart(work, limits, stop)
    except RecursionError as error:
        raise GroundingError(_TOO_DEEP) from error
    if len(program.rules) > limits.rules:
        raise GroundingError(f"grounding gives {len(program.rules):,} rules, more than the limit of {limits.rules:,}")
    report(f"grounded {len(program.names) - 1:,} atoms, {len(program.rules):,} rules")
    return program


def _check(stop: Event | None) -> None:
    if stop is not None and stop.is_set():
        raise GroundingError("grounding was stopped")


def _ground_apart(work: _Work, limits: GroundLimits, stop: Event | None) -> GroundProgram:
    """In a process of its own."""
    words = min(_WORDS_A_RULE * limits.rules, limits.bytes // _BYTES_A_WORD)
    numbers = [limits.bytes, max(1, math.ceil(limits.seconds)), words]
    command = [sys.executable, "-m", "gdl.grounding.process", *map(str, numbers)]
    with tempfile.TemporaryFile() as source:
        # No pipe: it holds 64 KiB only, and `communicate` writes no more once its timeout has passed.
        pickle.dump(work, source, protocol=5)
        source.seek(0)
        child = subprocess.Popen(
            command,
            stdin=source,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},  # it multiplies nothing, and its buffers count as memory
        )
    with child:
        while True:
            try:
                out, complaint = child.communicate(timeout=_LOOK_EVERY)
                break
            except subprocess.TimeoutExpired:
                if stop is not None and stop.is_set():
                    child.kill()
                    child.communicate()
                    _check(stop)
            except BaseException:
                child.kill()
                raise
    if child.returncode != 0:
        raise _failure(child.returncode, complaint.decode(errors="replace"), limits)
    with paused():
        program = pickle.loads(out)
    assert isinstance(program, GroundProgram)
    return program


def _failure(code: int, complaint: str, limits: GroundLimits) -> GroundingError:
    lines = complaint.strip().splitlines()
    last = lines[-1] if lines else f"grounding ended with exit code {code}"
    if code == -signal.SIGXCPU:
        return GroundingError(f"grounding takes more than {limits.seconds:g} s of processor time")
    if code == _OUT_OF_MEMORY or code < 0 or any(sign in complaint for sign in _MEMORY_SIGNS):
        return GroundingError(f"grounding takes more than {limits.bytes / 2**30:g} GB")
    return GroundingError(last)


def _main(memory: int, seconds: int, words: int) -> int:
    """The child: pickled work on standard input, the pickled program on standard output."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)  # nobody waits for the program of a parent that was killed
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    try:
        work = pickle.load(sys.stdin.buffer)
        with guarded(Guard(words)):
            pickle.dump(work.done(), sys.stdout.buffer, protocol=5)
    except GroundingError as error:
        print(" ".join(str(error).split()), file=sys.stderr)
        return 1
    except RecursionError:
        print(_TOO_DEEP, file=sys.stderr)
        return 1
    except MemoryError:
        return _OUT_OF_MEMORY
    return 0


if __name__ == "__main__":
    from gdl.grounding.process import _main as main  # as the module that pickles name, not as `__main__`

    sys.exit(main(*map(int, sys.argv[1:])))
