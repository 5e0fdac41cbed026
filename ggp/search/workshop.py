"""A process beside the match: what takes seconds is made there, so that no move waits for it.

It makes the programs of playouts by a policy and learns a value of positions (`valuing`); where the player is to choose,
it finds out what suits the game (see `judging`). Run as `python -m ggp.search.workshop`, by `Workshop`.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from typing import BinaryIO

from ggp.core import beside
from ggp.core.errors import GgpError
from ggp.search.judging import Found, Game, found_of, judge
from ggp.search.settings import AUTO, SearchSettings
from ggp.search.valuing import provide
from ggp.search.verdict import Verdict


class WorkshopError(GgpError):
    """The process has ended before it was done."""


class Workshop:
    """The process, as the match sees it. Its results are waited for in a thread that has the time."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "ggp.search.workshop"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C in a terminal is the match's business
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},  # one processor is enough to take from the search
        )

    def order(self, game: Game, settings: SearchSettings) -> None:
        """Tell it the game, and what is wanted for it; `made` gives what it makes."""
        assert self._process.stdin is not None
        try:
            with self._process.stdin as stream:
                pickle.dump((game, settings), stream, protocol=5)
        except OSError as error:
            raise WorkshopError(f"the process that prepares playouts has ended: {error.strerror}") from None

    def made(self) -> Iterator[Found]:
        """What it has found, and made, better and better."""
        assert self._process.stdout is not None
        is_last = False
        while not is_last:
            try:
                found: Found = pickle.load(self._process.stdout)
            except (EOFError, OSError, ValueError, pickle.UnpicklingError):
                code = self._process.wait()
                raise WorkshopError(f"the process that prepares playouts has ended with code {code}") from None
            yield found
            is_last = found.is_last

    def step_back(self) -> None:
        """Take processor time from nobody: a clock is running."""
        beside.step_back(self._process.pid)

    def close(self) -> None:
        """End it."""
        beside.end(self._process)


def main(orders: BinaryIO, results: BinaryIO) -> None:
    """Make what is asked for."""
    game, settings = pickle.load(orders)
    assert isinstance(game, Game)
    engine = game.engine

    def put(verdict: Verdict | None, *, is_last: bool = False) -> None:
        pickle.dump(found_of(engine, settings, verdict, is_last=is_last), results, protocol=5)
        results.flush()

    verdict = judge(game, tell=put) if settings.policy == AUTO else None
    provide(game, settings)
    put(verdict, is_last=True)


if __name__ == "__main__":
    with beside.results() as stream:
        main(sys.stdin.buffer, stream)
