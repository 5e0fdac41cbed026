"""Ctrl-C ends a command within a second, with the exit code 130 and without a traceback, whatever it is doing.

Python raises KeyboardInterrupt in the main thread, between two of its instructions. That alone is not enough: kernels and
libraries may stay away for long, an import that is interrupted half-way may end in any error, and what is put away at the
end may take its time. So a thread is told of the signal by the interpreter itself (`signal.set_wakeup_fd`), and ends the
process when its time is over, or at once when Ctrl-C comes again. Children see by themselves that their parent is gone.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import select
import signal
import sys
import threading
import time
from types import FrameType, TracebackType
from typing import Any, NoReturn

CODE = 130
"""The exit code of a command that was interrupted."""
_GRACE = 0.8
"""Seconds to put everything away."""
_MOMENT = 0.05
"""Seconds in which the main thread may have the last word."""
_come, _said = threading.Event(), threading.Event()


def watch() -> None:
    """Begin: until `running`, Ctrl-C ends this process at once.

    A process that was started in the background with SIGINT ignored goes on ignoring it; servers change that.
    """
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    threading.Thread(target=_guard, args=(reading,), name="Ctrl-C", daemon=True).start()
    sys.unraisablehook = _unraisable
    sys.excepthook = _unhandled
    if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
        signal.signal(signal.SIGINT, _at_once)


def running() -> None:
    """The command itself begins, which may have something to put away: from now on Ctrl-C raises KeyboardInterrupt."""
    if signal.getsignal(signal.SIGINT) is _at_once:
        signal.signal(signal.SIGINT, interrupt)


def interrupt(number: int, frame: FrameType | None) -> NoReturn:  # noqa: ARG001 (what handlers are called with)
    """The handler of a command that runs."""
    _come.set()
    raise KeyboardInterrupt


def have_come() -> bool:
    """Whether Ctrl-C was pressed while a command ran. An import that it breaks off half-way may end in any error."""
    return _come.is_set()


def say() -> None:
    """Tell that the command was interrupted."""
    _said.set()
    print("\nggp: interrupted", file=sys.stderr, flush=True)


def leave(code: int) -> NoReturn:
    """End the process now that everything is put away: threads that are still at work are not waited for."""
    if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
        signal.signal(signal.SIGINT, _at_once)
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):  # whoever read it has gone, or never was there
            stream.flush()
    atexit._run_exitfuncs()
    os._exit(code)


def _at_once(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 (what handlers are called with)
    say()
    os._exit(CODE)


def _guard(reading: int) -> None:
    """Wait for the first Ctrl-C, then for the second or for the end of the time."""
    while signal.SIGINT not in os.read(reading, 64):
        pass
    until = time.monotonic() + _GRACE
    while (left := until - time.monotonic()) > 0:
        ready, _, _ = select.select([reading], [], [], left)
        if ready and signal.SIGINT in os.read(reading, 64):
            break
    time.sleep(_MOMENT)
    if not _said.is_set():
        os.write(2, b"\nggp: interrupted\n")
    os._exit(CODE)


def _unhandled(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Modules in C print what breaks off their imports before they hand it on: nobody need read of an interruption."""
    if not (_come.is_set() and issubclass(kind, KeyboardInterrupt)):
        sys.__excepthook__(kind, error, trace)


def _unraisable(what: Any) -> None:
    """Where an interruption cannot be raised (in a call from C, in a finalizer) nobody need read of it."""
    if not isinstance(what.exc_value, KeyboardInterrupt):
        sys.__unraisablehook__(what)
