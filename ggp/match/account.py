"""What a game master is told of an answer: what stood behind the move, and what happened on the way to it."""

from __future__ import annotations

from typing import Any

from ggp.match.crew import Note

_WORTH_TELLING = (
    "child-died", "child-failed", "disagreement", "given-up", "illegal", "late", "mind-stuck", "player-failed",
    "refused", "silent",
)  # fmt: skip
"""Events that a game master's record should hold."""
_MOST_EVENTS = 20


class Account:
    """Passes on the notes of a match, and keeps those that a game master should know of until the next answer."""

    def __init__(self, match: str, note: Note) -> None:
        self.last: dict[str, Any] = {}
        """What stood behind the last answer."""
        self._match = match
        self._tell = note
        self._events: list[str] = []

    def note(self, event: str, **details: Any) -> None:
        """Something happened."""
        if event in _WORTH_TELLING and len(self._events) < _MOST_EVENTS:
            self._events.append(event)
        self._tell(event, match=self._match, **details)

    def answered(self, how: str, report: dict[str, Any]) -> None:
        """An answer was found: from where it is, and what the player reports."""
        self.last = {"how": how, **report, **({"events": self._events} if self._events else {})}
        self._events = []
