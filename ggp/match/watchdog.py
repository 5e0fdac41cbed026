"""Finding children that are stuck: such a child is killed, and its crew replaces it."""

from __future__ import annotations

from ggp.match.child_replies import ChildReplies
from ggp.match.crew import Crew, Note
from ggp.match.nursery import KINDS
from ggp.match.steps import Steps

_GRACE = 2.0
"""Seconds after its deadline when a mind that has not chosen is stuck; longer clocks give half of themselves."""
_SILENCE, _REFEREE_SILENCE, _REFEREE_SHARE = 3.0, 0.3, 0.25
"""Seconds until a child that does not even say that it is alive is replaced. A referee that knows the rules is easily
replaced, and needed before the clock ends: at least so many seconds, and at most that part of a clock."""
_BLINK = 1.0
"""Seconds between two looks at the children after which we have been asleep ourselves: they are not to blame."""


class Watchdog:
    """Looks at the children of a session, under its lock."""

    def __init__(
        self, crew: Crew, steps: Steps, replies: ChildReplies, note: Note, play_clock: float, now: float
    ) -> None:
        self._crew = crew
        self._steps = steps
        self._replies = replies
        self._note = note
        self._play_clock = play_clock
        self._looked = now

    def look(self, now: float) -> None:
        """Kill who is stuck: it does not answer at all, or it does not choose."""
        if now - self._looked > _BLINK:
            self._crew.forgive(now)
        self._looked = now
        for kind in KINDS:
            if self._crew.silence(kind, now) > self._patience(kind):
                self._note("silent", kind=kind, step=self._steps.newest.number)
                self._lose(kind)
        grace = max(_GRACE, self._play_clock / 2)
        if self._replies.is_ready and self._steps.is_mind_late(now, grace):
            self._note("mind-stuck", step=self._steps.newest.number)
            self._lose("mind")
        self._crew.feel_pulse(now)

    def _patience(self, kind: str) -> float:
        if kind == "mind" or kind not in self._replies.loaded:
            return _SILENCE
        return min(_SILENCE, max(_REFEREE_SILENCE, _REFEREE_SHARE * self._play_clock))

    def _lose(self, kind: str) -> None:
        """Kill a child; while it is replaced, nothing is expected of it."""
        if kind == "mind":
            self._steps.expect_nothing_of_mind()
        self._crew.kill(kind)
