"""Show a match position by position: redrawn in a terminal, one after the other in a file."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType, TracebackType
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.text import Text

from gdl import Ruleset, Term, kif
from ggp import boards
from ggp.boards.colours import styles
from ggp.boards.text import in_ascii, picture
from ggp.machines.machine import JointMove

_FRAMES = 8
"""Times a second that a terminal is drawn anew: the clock runs in tenths."""
_BAR = 20
"""Characters of the bar that shows what a player expects."""


@dataclass(frozen=True)
class Thought:
    """What stood behind a player's last move, as far as it is known."""

    seconds: float
    report: Mapping[str, Any] = field(default_factory=dict)
    """What the player told: expected goal, simulations."""


class Show:
    """Positions of one match on the screen."""

    def __init__(self, ruleset: Ruleset, headline: str, clock: float | None = None) -> None:
        """`clock` is the seconds that players have for a move; it runs in a terminal while a position is shown."""
        self._roles = ruleset.roles
        self._console = Console(highlight=False)
        self._schema = boards.board(ruleset)
        self._clock = self._due = clock
        self._since = 0.0
        self._frame = Text()
        self._before: Sequence[Term] | None = None
        self._print(Text(headline))
        self._live = Live(console=self._console, refresh_per_second=_FRAMES, get_renderable=self._now)

    def __enter__(self) -> Show:
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:  # fmt: skip
        self._due = None
        self._live.stop()

    def position(
        self, number: int, fluents: Sequence[Term], last: JointMove | None, notes: Sequence[str] = (), *,
        legal: Sequence[Sequence[Term]] = (), thoughts: Sequence[Thought] = (),
        over: bool = False, due: float | None = None,
    ) -> None:  # fmt: skip
        """Show a position, the joint move that led to it, what the players thought, and what else there is to say.

        `due`: seconds until the next position is due, where that is not the clock for a move.
        """
        board = self._schema.view(fluents, last_moves=last, legal=legal, before=self._before, over=over)
        colours = styles(self._roles)
        lines = [Text(f"step {number}")]
        for role, move in zip(self._roles, last or (), strict=False):
            lines[0].append("  ").append(role, colours[role]).append(f" {kif(move)}")
        lines += [Text(note, "bold red") for note in notes]
        lines += _thoughts(self._roles, thoughts, self._clock)
        lines.append(picture(board, self._console.width))
        self._before, self._since = fluents, time.monotonic()
        self._due = self._clock if due is None else due
        self._frame = self._readable(Text("\n").join(lines))
        if self._console.is_terminal:
            self._live.refresh()
        else:
            self._console.print(self._frame, soft_wrap=True)

    def close(self, text: str) -> None:
        """Say the last word, below the last position."""
        self._print(Text(text, "bold"))
        sys.stdout.flush()

    def _now(self) -> Text:
        """What a terminal shows at this moment."""
        if not self._console.is_terminal:
            return Text()  # positions are printed one after the other
        if self._due is None or not self._since:
            return self._frame
        used = time.monotonic() - self._since
        return Text.assemble(self._frame, "\n", (f"clock {used:.1f} of {self._due:g} s", "dim"))

    def _print(self, text: Text) -> None:
        self._console.print(self._readable(text), soft_wrap=True)

    def _readable(self, text: Text) -> Text:
        return text if self._console.encoding.startswith("utf") else in_ascii(text)


def print_board(board: boards.Board, console: Console | None = None) -> None:
    """Print one position: with colours in a terminal, as plain text elsewhere."""
    console = console or Console(highlight=False)
    text = picture(board, console.width)
    console.print(text if console.encoding.startswith("utf") else in_ascii(text), soft_wrap=True)


def _thoughts(roles: Sequence[str], thoughts: Sequence[Thought], clock: float | None) -> Iterator[Text]:
    """A line for each player that told what it expects."""
    colours = styles(roles)
    margin = max(map(len, roles))
    for role, thought in zip(roles, thoughts, strict=False):
        expected, simulations = thought.report.get("expected"), thought.report.get("simulations")
        if not isinstance(expected, int | float) or isinstance(expected, bool):
            continue
        filled = round(_BAR * min(max(expected, 0), 100) / 100)
        line = Text.assemble((role.ljust(margin), colours[role]), f" expects {expected:5.1f} ")
        line.append("█" * filled, colours[role]).append("░" * (_BAR - filled), "dim")
        if isinstance(simulations, int):
            line.append(f"  {simulations:,} simulations")
        line.append(f"  {thought.seconds:.1f} s" + ("" if clock is None else f" of {clock:g}"))
        yield line


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
