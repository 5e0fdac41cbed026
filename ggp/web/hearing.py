"""What people choose and wish for: heard on the threads of their requests, awaited on the thread of the match."""

from __future__ import annotations

import threading
import time

from gdl.terms import Term
from ggp.core.errors import UsageError
from ggp.match.faults import Fault, FaultKind
from ggp.match.seats import Answer


class Hearing:
    """Listens to the people of a match."""

    def __init__(self, seconds: float | None) -> None:
        """`seconds`: what people have for a move; None for as long as they like."""
        self._seconds = seconds
        self._choices: dict[int, Term] = {}
        """What they have chosen at the newest position."""
        self._since: float | None = None
        """When they were asked about it."""
        self._wish: Exception | None = None
        self._changed = threading.Condition()

    @property
    def chosen(self) -> list[int]:
        """The roles that have chosen."""
        return sorted(self._choices)

    @property
    def left(self) -> float | None:
        """The seconds that are left for a choice; None where nobody is asked, or no clock runs."""
        if self._seconds is None or self._since is None:
            return None
        return max(0.0, self._since + self._seconds - time.monotonic())

    def begin(self) -> None:
        """A position was reached about which nobody has been asked."""
        with self._changed:
            self._choices, self._since = {}, None

    def choose(self, role: int, move: Term) -> None:
        """Somebody has chosen; UsageError for a second choice."""
        with self._changed:
            if role in self._choices:
                raise UsageError("you have chosen already")
            self._choices[role] = move
            self._changed.notify_all()

    def wish_for(self, wish: Exception) -> None:
        """Somebody wants the match to end, or to go back: `wish` is raised where a choice is awaited."""
        with self._changed:
            self._wish = wish
            self._changed.notify_all()

    def ask(self) -> None:
        """People are asked: their clock begins to run, if it does not run yet."""
        with self._changed:
            self._since = self._since or time.monotonic()

    def await_choice(self, role: int) -> Answer:
        """What the person with a role chooses."""
        with self._changed:
            begun = self._since or time.monotonic()
            while role not in self._choices:
                self.check_wishes()
                left = self.left
                if left == 0:
                    return Answer(None, Fault(FaultKind.LATE, f"no move within {self._seconds:g} s"))
                self._changed.wait(left)
            return Answer(self._choices[role], None, time.monotonic() - begun)

    def check_wishes(self) -> None:
        """Raise what people wish for."""
        with self._changed:
            wish, self._wish = self._wish, None
            if wish is not None:
                raise wish
