"""What comes back from a player that was sent a message: a reply, or why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Limits:
    """What a reply may cost."""

    size: int = 1 << 20
    """Bytes of the whole reply, headers not counted."""


@dataclass(frozen=True)
class Reply:
    """What a player answered."""

    text: str
    seconds: float
    """From the first byte sent to the last one read."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """By their names in lower case."""


class ClientError(Exception):
    """A player did not answer as it should; the message says why."""

    def __init__(self, message: str, reached: bool = True) -> None:
        super().__init__(message)
        self.reached = reached
        """False if there was not even a connection."""


class LateError(ClientError):
    """There was no complete reply when the deadline had come."""


class BrokenError(ClientError):
    """The connection failed, or what came back is no reply."""
