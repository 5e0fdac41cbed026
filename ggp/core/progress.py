"""Something to see while waiting: one line on standard error that says what is being done.

On a terminal the line stays where it is: the next one replaces it, and at the end it is gone. Elsewhere nothing is
written unless it is asked for; then every line is written once, below the others.
"""

from __future__ import annotations

import os
import shutil
import sys
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import TextIO, TypeAlias

Tell: TypeAlias = Callable[[str], None]
"""Is told what is being done now; an empty text when that is done."""

_TICK = 0.25
"""Seconds between two looks at the clock that the line shows."""
_WIPE = "\r\x1b[K"
_WIDTH = 80
"""Columns of a terminal that does not tell."""


def silent(text: str) -> None:
    """Tells nobody."""


class Status:
    """The line. It may be told from any thread."""

    def __init__(self, wanted: bool | None = None, stream: TextIO | None = None, whole: bool = False) -> None:
        """`wanted`: True also where there is no terminal, False nowhere. `whole`: the time shown is that of all texts."""
        self._stream = sys.stderr if stream is None else stream
        terminal = self._stream.isatty() and os.environ.get("TERM") != "dumb"
        self.live = terminal and wanted is not False
        """Whether there is a line that changes in place."""
        self.on = self.live or bool(wanted)
        """Whether anything is shown."""
        self._text, self._since, self._whole = "", time.monotonic(), whole
        self._lock, self._end = threading.Lock(), threading.Event()
        self._clock: threading.Thread | None = None

    @property
    def width(self) -> int:
        """Columns that a line may take."""
        try:
            return os.get_terminal_size(self._stream.fileno()).columns or _WIDTH
        except (OSError, ValueError, AttributeError):
            return shutil.get_terminal_size((_WIDTH, 24)).columns

    def show(self, text: str) -> None:
        """Show what is being done, in place of what was shown before; an empty text shows nothing."""
        with self._lock:
            if not self.on or text == self._text or self._end.is_set():
                return
            self._text = text
            if not self._whole:
                self._since = time.monotonic()
            if self.live:
                self._draw()
                self._tick()
            elif text:
                self._write(f"{text}\n")

    def about(self, subject: str) -> Tell:
        """Shows what is being done with something."""
        return lambda text: self.show(f"{subject}: {text}" if text else "")

    def say(self, text: str) -> None:
        """Write a line that stays, above the one that changes. It is written in any case."""
        with self._lock:
            self._write(f"{_WIPE}{text}\n" if self.live else f"{text}\n")
            if self.live:
                self._draw()

    def __enter__(self) -> Status:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._end.set()
        if self.live:
            with self._lock:
                self._text = ""
                self._draw()

    def _draw(self) -> None:
        """Put the line on the screen, with how long it has been true, as far as there is room for it."""
        taken = time.monotonic() - self._since
        clock = f" ({duration(taken)})" if self._text and taken >= 1 else ""
        self._write(_WIPE + self._text[: max(0, self.width - 1 - len(clock))] + clock)

    def _tick(self) -> None:
        """From the first line on, keep the time that it shows going."""
        if self._clock is None and not self._end.is_set():
            self._clock = threading.Thread(target=self._count, name="status line", daemon=True)
            self._clock.start()

    def _count(self) -> None:
        while not self._end.wait(_TICK):
            with self._lock:
                if self._text and not self._end.is_set():
                    self._draw()

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


class Rhythm:
    """When the next line is due: soon at first, then seldomer and seldomer; sooner where something has changed."""

    def __init__(self, first: float = 0.5, most: float = 60.0, now: float | None = None) -> None:
        """`first`, `most`: seconds to the first line, and between two lines at most."""
        self._first, self._most = first, most
        self._begun = self._last = time.monotonic() if now is None else now

    def due(self, changed: bool = False, now: float | None = None) -> bool:
        """Whether a line is due; if so, it is taken to be written now."""
        now = time.monotonic() if now is None else now
        gap = min(self._most, max(self._first, self._last - self._begun))
        if now - self._last < (gap / 3 if changed else gap):
            return False
        self._last = now
        return True


def duration(seconds: float) -> str:
    """Seconds in words: 42 s, 3 min 10 s, 2 h 5 min."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
