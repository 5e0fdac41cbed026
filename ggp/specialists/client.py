"""What the clients of both protocols have in common."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from ggp.players.player import Signal

START_SECONDS = 20.0
"""For a program to say who it is. Some read books and networks first."""
ANSWER_SECONDS = 10.0
"""For a command that asks for no thought."""


class Told(NamedTuple):
    """A move in the words of a protocol."""

    colour: str
    move: str


class Wanted(NamedTuple):
    """How long a program may think, and about what."""

    deadline: float
    """When it must have answered, on the clock of `time.monotonic`."""
    seconds: float | None
    """What it is told, if anything."""
    limits: Mapping[str, int]
    """UCI: depth and nodes."""
    stop: Signal | None


@dataclass(frozen=True)
class Answer:
    """A move in the words of the protocol, and what the program tells of it."""

    move: str
    report: Mapping[str, object] = field(default_factory=dict)


class Client(Protocol):
    """One game with one program."""

    @property
    def title(self) -> str:
        """What the program calls itself."""
        ...

    def choose(self, moves: Sequence[Told], colour: str, wanted: Wanted) -> Answer:
        """The move of a colour after these moves."""
        ...

    def close(self) -> None:
        """End the program."""
        ...


def soon() -> float:
    """When a command that asks for no thought must have been answered."""
    return time.monotonic() + ANSWER_SECONDS
