"""A process beside the match: what takes seconds is made there, so that no move waits for it.

It makes the programs of playouts by a policy, and where the player is to choose one, finds out which tells more of the
game (see `judging`). Run as `python -m ggp.search.workshop`, by `Workshop`.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from typing import Any, BinaryIO

from ggp.core import beside
from ggp.core.errors import GgpError
from ggp.lanes.engine import Runner
from ggp.lanes.lap import Lap
from ggp.lanes.policies import Evidence
from ggp.search.judging import JUDGED, Game, Verdict, judge
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
        """Tell it the game and the policy; `programs`, and `verdict` if it is to be judged, give what it makes."""
        assert self._process.stdin is not None
        try:
            with self._process.stdin as stream:
                pickle.dump((game, policy), stream, protocol=5)
        except OSError as error:
            raise WorkshopError(f"the process that prepares playouts has ended: {error.strerror}") from None

    def programs(self) -> dict[Evidence, tuple[Lap, Runner]]:
        """The programs of the policy (of that which is judged); none where they would take too many operations."""
        made: dict[Evidence, tuple[Lap, Runner]] = self._result()
        return made

    def verdict(self) -> Verdict:
        """Which playouts tell more."""
        verdict = self._result()
        assert isinstance(verdict, Verdict)
        return verdict

    def step_back(self) -> None:
        """Take processor time from nobody: a clock is running."""
        beside.step_back(self._process.pid)

    def close(self) -> None:
        """End it."""
        beside.end(self._process)

    def _result(self) -> Any:
        assert self._process.stdout is not None
        try:
            return pickle.load(self._process.stdout)
        except (EOFError, OSError, ValueError, pickle.UnpicklingError):
            code = self._process.wait()
            raise WorkshopError(f"the process that prepares playouts has ended with code {code}") from None


def main(orders: BinaryIO, results: BinaryIO) -> None:
    """Make what is asked for."""
    game, policy = pickle.load(orders)
    assert isinstance(game, Game)
    _send(game.engine.programs(JUDGED if policy == AUTO else policy), results)
    if policy == AUTO:
        _send(judge(game), results)


def _send(made: object, results: BinaryIO) -> None:
    pickle.dump(made, results, protocol=5)
    results.flush()


if __name__ == "__main__":
    with beside.results() as stream:
        main(sys.stdin.buffer, stream)
