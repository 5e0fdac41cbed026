"""What the clients of both protocols have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from ggp.players.player import Signal


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
