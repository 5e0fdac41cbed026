"""Run the grounder in a process of its own, with a time and a memory limit, so that it can be killed."""

from __future__ import annotations

import ctypes
import pickle
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from threading import Event
from time import monotonic

from gdl.errors import GroundingError
from gdl.parser import parse
from gdl.program import GroundProgram
from gdl.ruleset import Ruleset

_OUT_OF_MEMORY = 3
"""Exit code of the child when it ran out of memory in Python; clingo's own failures end it in other ways."""
_MEMORY_SIGNS = ("bad_alloc", "MemoryError", "allocate memory")
_PR_SET_PDEATHSIG = 1
_LOOK_EVERY = 0.05
"""Seconds between looks at whether to stop."""


@dataclass(frozen=True)
class GroundLimits:
    """What grounding may use."""

    seconds: float = 120.0
    """Wall-clock time."""
    bytes: int = 4 << 30
    """Address space of the process."""
    rules: int = 3_000_000
    """Ground rules."""


def ground_here(ruleset: Ruleset) -> GroundProgram:
    """Ground in this process, without limits."""
    from gdl.grounding.flatten import flatten  # clingo is loaded only where it grounds
    from gdl.grounding.grounder import ground as run_clingo
    from gdl.grounding.split import split_rules

    return run_clingo(split_rules(flatten(ruleset.rules)))


def ground(
    ruleset: Ruleset,
    limits: GroundLimits | None = None,
    *,
    stop: Event | None = None,
    report: Callable[[str], None] = lambda _: None,
) -> GroundProgram:
    """The ground program. GroundingError names the limit that was met, or says why clingo refused.

    `stop` ends it from another thread; `report` is told of each stage.
    """
    limits = limits or GroundLimits()
    deadline = monotonic() + limits.seconds
    command = [sys.executable, "-m", "gdl.grounding.process", str(limits.bytes), str(limits.rules)]
    report("grounding")
    with tempfile.TemporaryFile() as source:
        # No pipe: it holds 64 KiB only, and `communicate` writes no more once its timeout has passed.
        source.write(ruleset.source.text.encode("utf-8", "surrogatepass"))
        source.seek(0)
        child = subprocess.Popen(
            command, stdin=source, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
        )
    with child:
        while True:
            try:
                out, complaint = child.communicate(timeout=_LOOK_EVERY)
                break
            except subprocess.TimeoutExpired:
                late = monotonic() > deadline
                if late or (stop is not None and stop.is_set()):
                    child.kill()
                    child.communicate()
                    why = f"takes more than {limits.seconds:g} s" if late else "was stopped"
                    raise GroundingError(f"grounding {why}") from None
            except BaseException:
                child.kill()
                raise
    if child.returncode != 0:
        raise _failure(child.returncode, complaint.decode(errors="replace"), limits)
    program = pickle.loads(out)
    assert isinstance(program, GroundProgram)
    report(f"grounded {len(program.names) - 1:,} atoms, {len(program.rules):,} rules")
    return program


def _failure(code: int, complaint: str, limits: GroundLimits) -> GroundingError:
    lines = complaint.strip().splitlines()
    last = lines[-1] if lines else f"exit code {code}"
    if code == _OUT_OF_MEMORY or code < 0 or any(sign in complaint for sign in _MEMORY_SIGNS):
        return GroundingError(f"grounding takes more than {limits.bytes / 2**30:g} GB")
    return GroundingError(last)


def _main(limit: int, rules: int) -> int:
    """The child: the description on standard input, the pickled program on standard output."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)  # nobody waits for the program of a parent that was killed
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    text = sys.stdin.buffer.read().decode("utf-8", "surrogatepass")
    try:
        program = ground_here(Ruleset(parse(text)))
        if len(program.rules) > rules:
            raise GroundingError(f"grounding gives {len(program.rules):,} rules, more than the limit of {rules:,}")
        sys.stdout.buffer.write(pickle.dumps(program, protocol=5))
    except GroundingError as error:
        print(" ".join(str(error).split()), file=sys.stderr)
        return 1
    except RecursionError:
        print("terms are nested too deep to be grounded", file=sys.stderr)
        return 1
    except MemoryError:
        return _OUT_OF_MEMORY
    return 0


if __name__ == "__main__":
    sys.exit(_main(int(sys.argv[1]), int(sys.argv[2])))
