"""Players of ours as HTTP processes, started for a match and ended with it."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ggp.core.children import ends_with_us
from ggp.core.errors import UsageError

_SECONDS = 60.0
"""For a player to listen. Imports take a second; a machine under load takes longer."""
_PATIENCE = 5.0
"""Seconds that a player has to end when it is asked to."""
_LISTENS = re.compile(r"https?://[^\s/]+:(\d+)|\bport (\d+)")


class OwnPlayer:
    """One process of `ggp play`. Its output goes to a file, so that it never waits for somebody to read it."""

    def __init__(self, arguments: Sequence[str], log: Path) -> None:
        self._log = log
        with log.open("wb") as stream:
            self._process = subprocess.Popen(
                ends_with_us([sys.executable, "-m", "ggp.cli", "play", "--port", "0", *arguments]),
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C is for us; the player is told by ABORT
            )

    @property
    def pid(self) -> int:
        """Of the process that listens."""
        return self._process.pid

    def url(self) -> str:
        """Where it listens; waits until it does."""
        deadline = time.monotonic() + _SECONDS
        while time.monotonic() < deadline:
            found = _LISTENS.search(self._output())
            if found is not None:
                return f"http://127.0.0.1:{found[1] or found[2]}"
            if self._process.poll() is not None:
                raise UsageError(f"a player ended with code {self._process.returncode}: {self._last_words()}")
            time.sleep(0.02)
        raise UsageError(f"a player did not listen within {_SECONDS:g} s: {self._last_words()}")

    def end(self) -> None:
        """Ask it to end. `wait` must follow."""
        self._process.terminate()

    def wait(self) -> None:
        """Wait until it has ended; kill it if it does not."""
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _output(self) -> str:
        return self._log.read_text(encoding="utf-8", errors="replace")

    def _last_words(self) -> str:
        lines = self._output().strip().splitlines()
        return lines[-1] if lines else "it said nothing"


@contextmanager
def own_players(arguments: Sequence[Sequence[str]]) -> Iterator[list[OwnPlayer]]:
    """Start players, one for each list of arguments of `ggp play`; all are ended at last, whatever happens."""
    started: list[OwnPlayer] = []
    with tempfile.TemporaryDirectory(prefix="ggp-players-") as folder:
        try:
            for number, each in enumerate(arguments):
                started.append(OwnPlayer(each, Path(folder) / f"{number}.log"))
            yield started
        finally:
            for player in started:
                player.end()
            for player in started:
                player.wait()
