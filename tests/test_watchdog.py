"""Which children are stuck, and which are not to blame."""

from __future__ import annotations

from typing import Any

import pytest

from ggp.core.delays import Delays
from ggp.match.child_replies import ChildReplies
from ggp.match.watchdog import Watchdog
from tests.match_steps import begun, told


class FakeCrew:
    """Children that owe a sign of life since some time."""

    def __init__(self) -> None:
        self.asked: dict[str, float] = {}
        self.killed: list[str] = []

    def silence(self, kind: str, now: float) -> float:
        return now - self.asked.get(kind, now)

    def forgive(self, now: float) -> None:
        self.asked = dict.fromkeys(self.asked, now)

    def feel_pulse(self, now: float) -> None:
        for kind in ("referee", "mind"):
            self.asked.setdefault(kind, now)

    def kill(self, kind: str) -> None:
        self.asked.pop(kind, None)
        self.killed.append(kind)


class Watched:
    """A watchdog of a match whose only PLAY is to be decided at 10.0."""

    def __init__(self, play_clock: float) -> None:
        self.crew, self.steps, self.notes = FakeCrew(), begun(told()), list[tuple[str, dict[str, Any]]]()
        note = lambda event, **details: self.notes.append((event, details))  # noqa: E731
        self.replies = ChildReplies(self.steps, Delays(0.02), note, lambda _: None)
        self.dog = Watchdog(self.crew, self.steps, self.replies, note, play_clock, 0.0)  # type: ignore[arg-type]

    def look(self, start: float, end: float, *alive: str) -> list[str]:
        """Look ten times a second; who was killed. Those who are alive say so."""
        before = len(self.crew.killed)
        for tenth in range(round(start * 10), round(end * 10) + 1):
            self.dog.look(tenth / 10)
            for kind in alive:
                self.crew.asked.pop(kind, None)
        return self.crew.killed[before:]


BOTH = ("referee", "mind")


def test_who_gives_a_sign_of_life_is_left_alone() -> None:
    watched = Watched(play_clock=10)
    assert watched.look(0, 60, *BOTH) == []
    assert watched.notes == []


def test_who_is_silent_for_long_is_killed() -> None:
    watched = Watched(play_clock=10)
    assert watched.look(0, 3.0) == []
    assert watched.look(3.1, 3.1) == ["referee", "mind"]
    assert watched.notes == [("silent", {"kind": kind, "step": 0}) for kind in BOTH]


@pytest.mark.parametrize(("play_clock", "patience"), [(1, 0.3), (4, 1.0), (60, 3.0)])
def test_a_referee_that_knows_the_rules_is_replaced_within_the_clock(play_clock: float, patience: float) -> None:
    watched = Watched(play_clock)
    watched.replies.loaded = {"referee", "mind"}
    assert watched.look(0, patience - 0.1) == []
    assert watched.look(patience, patience + 0.1) == (["referee", "mind"] if patience == 3.0 else ["referee"])


def test_nobody_is_blamed_for_our_own_sleep() -> None:
    watched = Watched(play_clock=10)
    watched.look(0, 1)
    assert watched.look(60, 60.2) == []
    assert watched.look(60.3, 63.1) == ["referee", "mind"]


@pytest.mark.parametrize(("play_clock", "killed"), [(1, 12.1), (10, 15.1)])
def test_a_mind_that_is_alive_and_does_not_choose_is_stuck(play_clock: float, killed: float) -> None:
    watched = Watched(play_clock)
    assert watched.look(0, 20, *BOTH) == []  # it is not ready yet
    watched.replies.is_ready = True
    assert watched.look(20.1, 20.1, *BOTH) == ["mind"]
    assert watched.notes == [("mind-stuck", {"step": 0})]
    assert watched.steps[0].mind_is_done and watched.look(20.2, 60, *BOTH) == []

    watched = Watched(play_clock)
    watched.replies.is_ready = True
    assert watched.look(0, killed - 0.1, *BOTH) == []
    assert watched.look(killed, killed, *BOTH) == ["mind"]


def test_nothing_is_expected_of_a_mind_that_is_lost() -> None:
    watched = Watched(play_clock=10)
    watched.look(0, 3.1, "referee")
    assert watched.crew.killed == ["mind"]
    assert watched.steps[0].mind_is_done and watched.steps[0].decide_by is None
