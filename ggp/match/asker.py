"""What the checks of a player have in common: how it is asked, how patiently, and a small game to play."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from ggp.match.client import Address
from ggp.match.exchange import Exchange, exchange, post

Outcome: TypeAlias = tuple[bool, str]
"""Whether all was well, and what was seen."""
Check: TypeAlias = tuple[str, Callable[[], Outcome]]
"""A name, and what is to be tried."""

GAME = """
(role First) (role Second)
(init (Stones 12)) (init (Turn First))
(Other First Second) (Other Second First)
(Less 1 0) (Less 2 1) (Less 3 2) (Less 4 3) (Less 5 4) (Less 6 5)
(Less 7 6) (Less 8 7) (Less 9 8) (Less 10 9) (Less 11 10) (Less 12 11)
(<= (Minus ?n 1 ?m) (Less ?n ?m))
(<= (Minus ?n 2 ?k) (Less ?n ?m) (Less ?m ?k))
(<= (legal ?p (Take ?a)) (true (Turn ?p)) (true (Stones ?n)) (Minus ?n ?a ?m))
(<= (legal ?p Wait) (role ?p) (not (true (Turn ?p))))
(<= (next (Stones ?m)) (does ?p (Take ?a)) (true (Stones ?n)) (Minus ?n ?a ?m))
(<= (next (Turn ?q)) (true (Turn ?p)) (Other ?p ?q))
(<= (goal ?p 100) (Other ?p ?q) (true (Turn ?q)))
(<= (goal ?p 0) (true (Turn ?p)))
(<= terminal (true (Stones 0)))
"""
"""Who takes the last stone wins. Its spelling shows whether a player replies as it was asked: some servers mind case."""


@dataclass(frozen=True)
class ProbeSettings:
    """How patient a server would be."""

    start_clock: int = 5
    """Seconds."""
    play_clock: int = 5
    """Seconds. Players keep up to 4 s in hand, so that less makes them answer without thought."""
    allowance: float = 1.0
    """Seconds beyond the clocks."""
    quick: float = 3.0
    """Seconds for replies that need no thought."""
    megabytes: int = 5
    """Of the largest START."""


@dataclass(frozen=True)
class Asker:
    """Sends messages to one player."""

    address: Address
    settings: ProbeSettings

    def send(self, message: str, seconds: float | None = None) -> Exchange:
        """Send a message as most servers do."""
        return exchange(self.address, post(message), seconds or self.settings.quick)


def one_line(rules: str) -> str:
    """Rules as they stand in a message."""
    return " ".join(rules.split())


def status_text(got: Exchange) -> str:
    """The status of a reply in words."""
    return f"HTTP status {got.status}" if got.status else "no HTTP reply"
