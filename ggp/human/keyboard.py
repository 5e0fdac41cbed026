"""Reading lines from whoever sits at the terminal, or from a pipe, until a deadline.

At a terminal, lines are edited and completed by readline where Python has it. From a pipe they are read one by one and
shown as they were typed, without any control of a screen.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

try:
    import readline
except ImportError:  # a Python that was built without it: lines are typed without help
    readline = None  # type: ignore[assignment]

Complete = Callable[[str], list[str]]
"""What a line that was begun may become."""
_CLEAR = "\x1b[2J\x1b[3J\x1b[H"
"""The screen and what was scrolled out of it."""
_SHORTEST = 0.001


class TimeUpError(Exception):
    """Nobody typed a line in time."""


class Keyboard:
    """The standard input and output."""

    def __init__(self) -> None:
        self.is_terminal = _is_terminal(sys.stdin) and _is_terminal(sys.stdout)
        self._may_clear = self.is_terminal and os.environ.get("TERM", "dumb") != "dumb"
        self._complete: Complete = lambda _: []
        self._found: list[str] = []
        if sys.stdin is not None and hasattr(sys.stdin, "reconfigure"):
            sys.stdin.reconfigure(errors="replace")  # what is no text is no move, and no reason to fail
        if self.is_terminal and readline is not None:
            readline.set_completer_delims("")
            readline.set_completer(self._completion)
            is_libedit = "libedit" in (readline.__doc__ or "")
            readline.parse_and_bind("bind ^I rl_complete" if is_libedit else "tab: complete")

    @property
    def width(self) -> int:
        """Characters of a line."""
        return shutil.get_terminal_size((80, 24)).columns

    def say(self, text: str = "") -> None:
        """Show a text."""
        print(text, flush=True)

    def ask(self, prompt: str, complete: Complete, seconds: float | None, secret: bool = False) -> str:
        """A line; TimeUpError if none came within `seconds`, EOFError if none will ever come.

        What came from a pipe is repeated, unless it is `secret`; what was typed can be recalled, unless it is that.
        """
        self._complete = complete
        try:
            with _alarm(seconds):
                line = _typed(prompt) if self.is_terminal else _read_line(prompt, secret)
        except (TimeUpError, EOFError):
            self.say()
            raise
        if secret and self.is_terminal and readline is not None:
            readline.clear_history()  # the next person has an arrow key, too
        return line

    def forget_typing(self) -> None:
        """Drop what was typed for a question that is no longer asked."""
        if self.is_terminal:
            import termios

            termios.tcflush(sys.stdin, termios.TCIFLUSH)

    def hide(self) -> None:
        """Make a terminal empty: what stands there is not for whoever looks next."""
        if self._may_clear:
            print(_CLEAR, end="", flush=True)
        elif self.is_terminal:
            print("\n" * shutil.get_terminal_size((80, 24)).lines, flush=True)

    def _completion(self, text: str, number: int) -> str | None:
        if number == 0:
            self._found = self._complete(text)
        return self._found[number] if number < len(self._found) else None


def _is_terminal(stream: object) -> bool:
    isatty = getattr(stream, "isatty", None)
    return bool(isatty is not None and isatty())


def _typed(prompt: str) -> str:
    try:
        return input(prompt)
    except BrokenPipeError:
        raise
    except OSError:  # the terminal has gone
        raise EOFError from None


def _read_line(prompt: str, secret: bool) -> str:
    print(prompt, end="", flush=True)
    try:
        line = sys.stdin.readline() if sys.stdin is not None else ""
    except OSError:  # whatever was there to be read has gone
        line = ""
    if not line:
        raise EOFError
    if not _is_terminal(sys.stdin):  # a terminal has shown it
        print("" if secret else line.rstrip("\r\n"), flush=True)
    return line


@contextmanager
def _alarm(seconds: float | None) -> Iterator[None]:
    """Raise TimeUpError in here after so many seconds: a signal ends the wait for a line, wherever it is read."""
    if seconds is None:
        yield
        return

    def ring(_: int, __: FrameType | None) -> None:
        raise TimeUpError

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, max(_SHORTEST, seconds))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
