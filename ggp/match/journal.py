"""What the player writes down: one JSON object a line in a file, a line for people, and a status line in a terminal."""

from __future__ import annotations

import contextlib
import json
import sys
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

_CLEAR = "\r\x1b[K"
_WIDTH = 110
"""Characters of a status line: longer ones would wrap, and could not be erased."""


class Journal:
    """Takes notes from any thread."""

    def __init__(self, path: Path | None = None, verbose: bool = False, screen: IO[str] | None = None) -> None:
        self._screen = sys.stderr if screen is None else screen
        self._file = None if path is None else path.open("a", encoding="utf-8")
        self._verbose = verbose
        self._live = self._screen.isatty()
        self._status = ""
        self._lock = threading.Lock()

    def note(self, event: str, **details: object) -> None:
        """Something happened. `details` are JSON values."""
        now = datetime.now(UTC)
        with self._lock:
            if self._file is not None:
                line = {"time": now.isoformat(timespec="milliseconds"), "event": event, **details}
                try:
                    self._file.write(json.dumps(line) + "\n")
                    self._file.flush()
                except OSError as error:  # a full disk must not end a match
                    self._give_up(error)
            if self._verbose:
                told = " ".join(f"{name}={_short(value)}" for name, value in details.items())
                self._print(f"{now:%H:%M:%S} {event} {told}\n")

    def say(self, line: str) -> None:
        """A line that people shall see in any case."""
        with self._lock:
            self._print(f"{line}\n")

    def show(self, status: str) -> None:
        """What goes on right now: replaces the last status, in a terminal only."""
        with self._lock:
            if self._live and status != self._status:
                self._status = status[:_WIDTH]
                self._print("")

    def close(self) -> None:
        """Write no more."""
        with self._lock:
            self._status = ""
            if self._live:
                self._print("")
            if self._file is not None:
                with contextlib.suppress(OSError):
                    self._file.close()
                self._file = None

    def _give_up(self, error: OSError) -> None:
        self._print(f"ggp: the log cannot be written any more: {error.strerror or error}\n")
        assert self._file is not None
        with contextlib.suppress(OSError):
            self._file.close()
        self._file = None

    def _print(self, text: str) -> None:
        with contextlib.suppress(OSError, ValueError):  # a terminal that was closed must not end a match
            self._screen.write(f"{_CLEAR}{text}{self._status}" if self._live else text)
            self._screen.flush()


def _short(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    text = " ".join(text.split())
    return text if len(text) <= 160 else f"{text[:160]}..."
