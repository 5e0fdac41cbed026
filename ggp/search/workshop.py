"""A process beside the match: what takes seconds is made there, so that no move waits for it.

It makes the programs of playouts by a policy, and where the player is to choose one, finds out which tells more of the
game (see `judging`). Run as `python -m ggp.search.workshop`, by `Workshop`.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from typing import BinaryIO

from ggp.core import beside
from ggp.core.errors import GgpError
from ggp.search.judging import Game, Programs, Verdict, judge
from ggp.search.settings import AUTO


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
        )

    def order(self, game: Game, policy: str) -> None:
        """Tell it the game and the policy; `made` gives what it makes."""
        assert self._process.stdin is not None
        try:
            with self._process.stdin as stream:
                pickle.dump((game, policy), stream, protocol=5)
        except OSError as error:
            raise WorkshopError(f"the process that prepares playouts has ended: {error.strerror}") from None

    def made(self) -> tuple[Verdict | None, Programs]:
        """The verdict, if it was to be judged; and the programs of the policy, or of that which was found best."""
        assert self._process.stdout is not None
        try:
            made: tuple[Verdict | None, Programs] = pickle.load(self._process.stdout)
        except (EOFError, OSError, ValueError, pickle.UnpicklingError):
            code = self._process.wait()
            raise WorkshopError(f"the process that prepares playouts has ended with code {code}") from None
        return made

    def step_back(self) -> None:
        """Take processor time from nobody: a clock is running."""
        beside.step_back(self._process.pid)

    def close(self) -> None:
        """End it."""
        beside.end(self._process)


def main(orders: BinaryIO, results: BinaryIO) -> None:
    """Make what is asked for."""
    game, policy = pickle.load(orders)
    assert isinstance(game, Game)
    verdict = judge(game) if policy == AUTO else None
    programs = game.engine.programs(policy if verdict is None else verdict.policy)
    pickle.dump((verdict, programs), results, protocol=5)
    results.flush()


if __name__ == "__main__":
    with beside.results() as stream:
        main(sys.stdin.buffer, stream)
