"""What the children of a session reply. What that tells of a step goes to its `StepState`, the rest is kept here."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from ggp.core.delays import Delays
from ggp.match.crew import Note
from ggp.match.nursery import KINDS
from ggp.match.packets import Packet
from ggp.match.steps import Position, Steps

_NOTED_LATENESS = 0.1
"""Seconds that the mind may be late without a note in the log."""
_EARLY_DEATHS = 3
"""Deaths of a child before it knew the rules, after which they are taken for unplayable."""


class ChildReplies:
    """What is known from the replies of a referee and a mind. All is done under the lock of the session."""

    def __init__(self, steps: Steps, lag: Delays, note: Note, dismiss: Callable[[str], None]) -> None:
        """`lag` learns how late the mind is; `dismiss` ends a kind of child that cannot do its work."""
        self.loaded: set[str] = set()
        """The kinds of children that know the rules."""
        self.refused: set[str] = set()
        """The kinds to which the rules make no sense."""
        self.is_ready = False
        """True while there is a mind that has nothing more to gain before the first PLAY."""
        self.is_gdl2 = False
        self.turns = 1
        """How many roles there are."""
        self.report: dict[str, Any] = {}
        """What stood behind the last move of the mind."""
        self.checks: dict[int, bool] = {}
        """Whether a joint move is legal, by the number of the question."""
        self._steps = steps
        self._lag = lag
        self._note = note
        self._dismiss = dismiss
        self._early_deaths = dict.fromkeys(KINDS, 0)

    @property
    def keeper(self) -> str:
        """The child that is asked about positions."""
        return "mind" if "referee" in self.refused else "referee"

    @property
    def is_hopeless(self) -> bool:
        """True if the rules make no sense to any child: there is nothing to play."""
        return len(self.refused) == len(KINDS)

    @property
    def is_settled(self) -> bool:
        """True if nothing is gained by more time before the first PLAY."""
        degraded = "mind" in self.refused and self._steps.known is not None
        return self.is_ready or self.is_hopeless or degraded

    def hear(self, kind: str, packet: Packet) -> None:
        """Take a reply, or the news of a death, from a kind of child."""
        hear: dict[str, Callable[[str, Packet], None]] = {
            "loaded": self._hear_loaded, "refused": self._hear_refused, "position": self._hear_position,
            "ready": self._hear_ready, "chosen": self._hear_chosen, "checked": self._hear_checked,
            "event": self._hear_event, "failed": self._hear_failed, "died": self._hear_died,
        }  # fmt: skip
        hear[packet["is"]](kind, packet)

    def _hear_loaded(self, kind: str, packet: Packet) -> None:
        self.is_gdl2 = packet["language"] == "GDL-II"
        self.loaded.add(kind)
        self.turns = max(1, len(packet["roles"]))
        details = {key: packet[key] for key in ("roles", "language", "warnings", "problems")}
        self._note("loaded", kind=kind, **details)

    def _hear_refused(self, kind: str, packet: Packet) -> None:
        self.refused.add(kind)
        self._note("refused", kind=kind, why=packet["why"])

    def _hear_position(self, kind: str, packet: Packet) -> None:
        found = Position(
            step=packet["step"], legal=packet["legal"], terminal=packet["terminal"], goals=packet["goals"],
            fluents=packet["fluents"], source=kind,
        )  # fmt: skip
        known = self._steps.known
        if known is not None and known.step == found.step and known.source != kind:
            in_doubt = known.fluents is None or found.fluents is None
            if known.legal != found.legal or (not in_doubt and known.fluents != found.fluents):
                self._note("disagreement", step=found.step, referee_trusted=True)
            if kind == "mind":
                return
        if known is None or found.step >= known.step:
            self._steps.learn(found)

    def _hear_ready(self, kind: str, _: Packet) -> None:
        self.is_ready = self.is_ready or kind == "mind"

    def _hear_chosen(self, _: str, packet: Packet) -> None:
        step = self._steps[packet["step"]]
        asked, step.decide_by = step.decide_by, None
        if asked is not None and packet["move"] is not None:
            late = time.monotonic() - asked
            self._lag.observe(late)
            if late > _NOTED_LATENESS:
                self._note("late", step=step.number, seconds=round(late, 3))
        if "problem" in packet["report"]:
            self._note("player-failed", step=step.number, message=packet["report"]["problem"])
        step.chosen, step.mind_is_done = packet["move"], True
        if step is self._steps.newest:
            self.report = packet["report"]

    def _hear_checked(self, _: str, packet: Packet) -> None:
        self.checks.setdefault(packet["number"], packet["legal"])

    def _hear_event(self, kind: str, packet: Packet) -> None:
        self._note(packet["kind"], kind=kind, message=packet["message"])

    def _hear_failed(self, kind: str, packet: Packet) -> None:
        self._note("child-failed", kind=kind, why=packet["why"])

    def _hear_died(self, kind: str, _: Packet) -> None:
        self.is_ready = self.is_ready and kind != "mind"
        if kind not in self.loaded:
            self._early_deaths[kind] += 1
            if self._early_deaths[kind] == _EARLY_DEATHS:
                self._dismiss(kind)
                self._hear_refused(kind, {"why": f"the {kind} died {_EARLY_DEATHS} times before it knew the rules"})
        newest = self._steps.newest
        if kind == "mind" and newest.is_waited_for:
            newest.chosen, newest.mind_is_done = None, False  # its successor is asked again
