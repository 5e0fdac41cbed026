"""GTP, version 2: the Go text protocol (G. Farneback, 2002), as a client speaks it.

Commands are numbered. An answer is `=` or `?`, the number, a text of any lines, and an empty line; `?` is a refusal.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from ggp.core.errors import SpecialistError
from ggp.players.player import Signal
from ggp.specialists.client import Answer, Told, Wanted
from ggp.specialists.pipe import Pipe

_NEEDED = ("clear_board", "genmove", "play")
"""Commands that no program can do without."""


class RefusedError(SpecialistError):
    """The program says that it cannot do what it was told."""


class Gtp:
    """A program on a board that was set up by commands."""

    def __init__(self, pipe: Pipe, setup: Sequence[str], deadline: float) -> None:
        self._pipe, self._setup = pipe, setup
        self._number = 0
        self._made: list[Told] | None = None
        """The moves on the program's board; None where nobody knows."""
        version = self.ask("protocol_version", deadline)
        if version != "2":
            raise pipe.strange(version, "version 2 of the protocol")
        self.title = f"{self.ask('name', deadline)} {self.ask('version', deadline)}".strip()
        known = set(self.ask("list_commands", deadline).split())
        for command in (*_NEEDED, *(line.split()[0] for line in setup)):
            if command not in known:
                raise pipe.error(f"does not know the command {command}, which this game needs")
        for line in setup:
            self.ask(line, deadline)

    def ask(self, command: str, deadline: float, stop: Signal | None = None) -> str:
        """The answer to a command; RefusedError where the program says no."""
        self._number += 1
        self._pipe.send(f"{self._number} {command}")
        line = ""
        while not line.strip():
            line = self._pipe.line(deadline, stop)
        head, _, text = line.partition(" ")
        if head not in (f"={self._number}", f"?{self._number}"):
            raise self._pipe.strange(line, f"an answer to command {self._number}, {command}")
        lines = [text]
        while line := self._pipe.line(deadline, stop):
            lines.append(line)
        answer = "\n".join(lines).strip()
        if head[0] == "?":
            raise RefusedError(f"{self._pipe.name} refuses {command}: {answer or 'it does not say why'}")
        return answer

    def choose(self, moves: Sequence[Told], colour: str, wanted: Wanted) -> Answer:
        """The move of a colour after these moves. It stands on the program's board then, as the protocol has it."""
        self._catch_up(moves, wanted.deadline)
        self._made = None  # until the answer is here
        if wanted.seconds is not None:
            self.ask(f"time_settings 0 {max(1, int(wanted.seconds))} 1", wanted.deadline)
        move = self.ask(f"genmove {colour}", wanted.deadline, wanted.stop)
        self._made = [*moves, Told(colour, move)]
        return Answer(move)

    def close(self) -> None:
        """End the program."""
        with contextlib.suppress(SpecialistError):  # it has ended already
            self._pipe.send("quit")
        self._pipe.close()

    def _catch_up(self, moves: Sequence[Told], deadline: float) -> None:
        """Make the moves on the program's board that are not there yet; from the first one on where others are."""
        made, self._made = self._made, None
        if made is None or not _same(made, moves[: len(made)]):
            self.ask("clear_board", deadline)
            made = []
        for number, (colour, move) in enumerate(moves[len(made) :], start=len(made) + 1):
            try:
                self.ask(f"play {colour} {move}", deadline)
            except RefusedError as error:
                raise SpecialistError(f"{error}; it is move {number} of the match, which the rules here allow") from None


def _same(made: Sequence[Told], moves: Sequence[Told]) -> bool:
    """Whether moves are the same, in capitals or not."""
    return [(c.lower(), m.lower()) for c, m in made] == [(c.lower(), m.lower()) for c, m in moves]
