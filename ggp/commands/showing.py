"""Show a match position by position: redrawn in a terminal, one after the other in a file."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.text import Text

from gdl import Ruleset, Term, kif
from ggp.board import find_board, render
from ggp.machines import Machine
from ggp.machines.machine import JointMove
from ggp.play import random_play

_PLIES = 60
"""Of the random play that shows what a game's positions look like."""


class Show:
    """Positions of one match on the screen."""

    def __init__(self, ruleset: Ruleset, machine: Machine[Any], headline: str) -> None:
        self._roles = ruleset.roles
        self._console = Console()
        self._board = find_board(machine.fluents(step.position) for step in random_play(machine, 0, _PLIES))
        self._console.print(Text(headline))
        self._live = Live(console=self._console, refresh_per_second=20, transient=False)

    def __enter__(self) -> Show:
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:  # fmt: skip
        self._live.stop()

    def position(self, number: int, fluents: Sequence[Term], last: JointMove | None, notes: Sequence[str] = ()) -> None:
        """Show a position, the joint move that led to it, and what else there is to say."""
        moves = "" if last is None else "  ".join(f"{r} {kif(m)}" for r, m in zip(self._roles, last, strict=True))
        lines = [f"step {number}  {moves}".rstrip(), *notes, render(self._board, fluents)]
        picture = Text("\n".join(lines))
        if self._console.is_terminal:
            self._live.update(picture)
        else:
            self._live.console.print(picture)

    def close(self, text: str) -> None:
        """Say the last word, below the last position."""
        self._console.print(Text(text))
        sys.stdout.flush()


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Let SIGTERM end a command as Ctrl-C does: everything is put away, players are told."""

    def end(number: int, _: FrameType | None) -> None:
        sys.exit(128 + number)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
