"""What a player is, and what it is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from gdl.terms import Term
from ggp.machines.machine import JointMove, Machine, Situation


class Signal(Protocol):
    """What may have come: a `threading.Event`, or one of several."""

    def is_set(self) -> bool:
        """Whether it has."""
        ...


@dataclass(frozen=True)
class Turn:
    """What a player is asked: a position, what is known of it, and for which role to choose."""

    machine: Machine[Any]
    position: Any
    situation: Situation
    role: int
    deadline: float | None = None
    """When the move must have been returned, on the clock of `time.monotonic`; None where only other limits count."""
    stop: Signal | None = None
    """Once set, the player returns as soon as it can."""
    history: Sequence[JointMove] | None = None
    """The joint moves that led here from the first position; None where nobody knows them."""

    @property
    def legal(self) -> tuple[Term, ...]:
        """The moves to choose from."""
        return self.situation.legal[self.role]


class Player(Protocol):
    """Chooses moves for one role of one match."""

    @property
    def name(self) -> str:
        """The name that matches and tables show."""
        ...

    def choose(self, turn: Turn) -> Term:
        """A legal move."""
        ...

    def ponder(self, turn: Turn) -> None:
        """Think about a position without choosing, until the deadline or `stop`; players that do not, return at once."""
        ...

    def report(self) -> Mapping[str, object]:
        """What stood behind the last choice, as JSON values: simulations, expected goal, …; empty for simple players."""
        ...

    def close(self) -> None:
        """Give back all resources. Closing twice does no harm."""
        ...
