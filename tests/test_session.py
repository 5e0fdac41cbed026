"""A session answers in time whatever its children do. Clocks are short: the limits are the same, only smaller."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ggp.core.delays import Delays
from ggp.match.messages import Play, Start, Stop
from ggp.match.session import Session
from ggp.match.settings import PlayerSettings
from tests.helpers import terms
from tests.player_fakes import LEGAL, RULES, Behaviour, FakeNursery, background, until

MOVES = terms("left", "left")


class Opened:
    """A session with fake children."""

    def __init__(self, behaviour: Behaviour, settings: PlayerSettings, clock: int, start_clock: int) -> None:
        self.nursery = FakeNursery(behaviour)
        self.events: list[tuple[str, dict[str, Any]]] = []
        self.lag = Delays(0.02)
        start = Start("M", "Me", RULES, start_clock, clock)
        note = lambda event, **details: self.events.append((event, details))  # noqa: E731
        self.session = Session(start, time.monotonic(), settings, self.nursery, self.lag, note)
        self.session.open()

    def play(self, *, first: bool = False, label: str | None = None) -> tuple[str, float]:
        """An answer and the seconds that it took."""
        before = time.monotonic()
        answer = self.session.play(Play("M", None if first else MOVES), label, before)
        return answer, time.monotonic() - before

    def sources(self) -> list[str]:
        return [details["how"] for event, details in self.events if event == "answer"]


@contextmanager
def opened(
    behaviour: Behaviour | None = None, settings: PlayerSettings | None = None, clock: int = 1, start_clock: int = 5
) -> Iterator[Opened]:
    found = Opened(behaviour or Behaviour(), settings or PlayerSettings(), clock, start_clock)
    try:
        yield found
    finally:
        found.session.close()
        until(lambda: not found.nursery.living)


def test_a_mind_that_is_silent_costs_no_time() -> None:
    with opened(Behaviour(silent=True)) as match:
        assert match.session.await_ready()
        answer, seconds = match.play(first=True)
        assert answer in LEGAL and 0.85 < seconds < 1.0
        assert match.sources() == ["standby"]


def test_a_mind_without_a_move_or_with_an_illegal_one() -> None:
    for move in (None, "(fly away)"):
        with opened(Behaviour(move=move), clock=20) as match:
            match.session.await_ready()
            answer, seconds = match.play(first=True)
            assert answer in LEGAL and seconds < 10
            assert match.sources() == ["standby"]
            assert ("illegal" in [event for event, _ in match.events]) is (move is not None)


def test_a_mind_that_dies_is_replaced_and_asked_again() -> None:
    with opened(Behaviour(think=0.2), clock=20) as match:
        match.session.await_ready()
        waiting = background(lambda: match.play(first=True))
        until(lambda: match.session._steps[0].position is not None)
        match.nursery.last("mind").kill()
        answer, seconds = waiting()
        assert (answer, match.sources()) == (LEGAL[1], ["mind"]) and seconds < 10
        load, again = match.nursery.last("mind").commands
        assert (load["step"], load["fluents"]) == (0, ["(on 1)"])
        assert (again["step"], again["seen"]) == (0, None)


def test_a_mind_that_dies_again_and_again_is_given_up() -> None:
    with opened(settings=PlayerSettings(mind_restarts=2)) as match:
        match.session.await_ready()
        for number in range(3):
            match.nursery.last("mind").kill()
            until(lambda number=number: sum(e == "child-died" for e, _ in match.events) == number + 1)  # type: ignore[misc]
            if number < 2:
                until(lambda: match.nursery.last("mind").alive)
        until(lambda: ("given-up", {"kind": "mind", "match": "M"}) in match.events)
        assert match.play(first=True)[0] in LEGAL
        assert match.sources() == ["standby"]


def test_a_stuck_mind_is_killed() -> None:
    behaviour = Behaviour()
    with opened(behaviour) as match:
        match.session.await_ready()
        behaviour.stuck = True
        stuck = match.nursery.last("mind")
        assert match.play(first=True)[0] in LEGAL
        match.session.tick(time.monotonic())
        assert stuck.alive
        match.session.tick(time.monotonic() + 10)
        until(lambda: match.nursery.last("mind") is not stuck and not stuck.alive)
        behaviour.stuck = False
        until(lambda: match.nursery.last("mind").commands)
        assert match.play()[0] == LEGAL[1]
        assert match.sources() == ["standby", "mind"]


def watched(match: Opened, seconds: float) -> None:
    """Look after the children as the player does, for so long."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        match.session.tick(time.monotonic())
        time.sleep(0.02)


def test_a_mind_that_is_stuck_is_killed_although_new_moves_are_asked_for() -> None:
    behaviour = Behaviour()
    with opened(behaviour) as match:
        match.session.await_ready()
        behaviour.stuck = True
        stuck = match.nursery.last("mind")
        for number in range(3):
            match.play(first=not number)
            match.session.tick(time.monotonic() + 0.1)
            match.session.tick(time.monotonic() + 0.2)
        match.session.tick(time.monotonic() + 1.0)
        until(lambda: not stuck.alive)
        assert "mind-stuck" in [event for event, _ in match.events]


def test_frozen_children_are_replaced_and_no_move_is_a_guess() -> None:
    behaviour = Behaviour()
    with opened(behaviour, clock=2) as match:
        match.session.await_ready()
        match.play(first=True)
        frozen = [match.nursery.last(kind) for kind in ("referee", "mind")]
        behaviour.frozen = ("referee", "mind")
        keeper = background(lambda: watched(match, 4.5))
        until(lambda: not frozen[0].alive)
        behaviour.frozen = ("mind",)
        until(lambda: match.nursery.last("referee").alive)
        for _ in range(2):
            assert match.play()[0] in LEGAL
        until(lambda: not frozen[1].alive)
        behaviour.frozen = ()
        keeper()
        assert match.play()[0] == LEGAL[1]
        assert match.sources() == ["mind", "standby", "standby", "mind"]
        assert [details["kind"] for event, details in match.events if event == "silent"] == ["referee", "mind"]


def test_a_guess_is_what_was_legal_when_it_was_last_our_turn() -> None:
    behaviour = Behaviour()
    with opened(behaviour) as match:
        match.session.await_ready()
        behaviour.legal = {0: ["mine"], 1: ["noop"]}
        match.play(first=True)
        match.play(label="1")
        behaviour.frozen = ("referee", "mind")
        assert match.play(label="2")[0] == "mine"
        assert match.play(label="3")[0] == "noop"
        assert match.sources()[2:] == ["guess", "guess"]
        behaviour.frozen = ()


def test_children_are_not_blamed_for_our_own_sleep() -> None:
    behaviour = Behaviour()
    with opened(behaviour, clock=2) as match:
        match.session.await_ready()
        behaviour.frozen = ("referee", "mind")
        match.session.tick(time.monotonic())
        match.session.tick(time.monotonic() + 60)
        match.session.tick(time.monotonic() + 60.2)
        assert all(match.nursery.last(kind).alive for kind in ("referee", "mind"))
        behaviour.frozen = ()


def test_a_referee_that_is_slow_is_not_waited_for() -> None:
    with opened(Behaviour(referee_delay=30.0), clock=20) as match:
        match.session.await_ready()
        answer, seconds = match.play(first=True)
        assert answer == LEGAL[1] and seconds < 10


def test_where_nobody_knows_anything_an_answer_comes_all_the_same() -> None:
    with opened(Behaviour(load_delay=30.0), start_clock=1) as match:
        before = time.monotonic()
        assert match.session.await_ready()
        assert 0.85 < time.monotonic() - before < 1.0
        answer, seconds = match.play(first=True)
        assert answer == "noop" and seconds < 1.1
        assert match.sources() == ["guess"]


def test_closing_answers_what_waits() -> None:
    with opened(Behaviour(silent=True), clock=30) as match:
        match.session.await_ready()
        waiting = background(lambda: match.play(first=True))
        until(lambda: match.session.is_waited_for)
        until(lambda: len(match.nursery.last("referee").commands) == 2)
        match.session.close()
        answer, seconds = waiting()
        assert answer in LEGAL and seconds < 5


def test_a_server_that_goes_on_without_our_answer_is_followed() -> None:
    with opened(Behaviour(silent=True), clock=10) as match:
        match.session.await_ready()
        first = background(lambda: match.play(first=True))
        until(lambda: match.session.is_waited_for)
        match.nursery.behaviour.silent = False
        assert match.play()[0] == LEGAL[1]
        assert first()[1] < 5
        assert match.session.step == 1


def test_late_answers_make_the_next_deadline_earlier() -> None:
    with opened(Behaviour(think=1.1)) as match:
        match.session.await_ready()
        match.play(first=True)
        until(lambda: match.lag.seconds > 0.1)


def test_an_answer_that_comes_after_the_next_play_counts_as_late() -> None:
    with opened(Behaviour(think=1.5)) as match:
        match.session.await_ready()
        match.play(first=True)
        waiting = background(match.play)
        until(lambda: match.lag.seconds > 0.8)
        waiting()
        assert "late" in [event for event, _ in match.events]


def test_the_same_seed_gives_the_same_standby_moves() -> None:
    found = []
    for _ in range(2):
        with opened(Behaviour(move=None), PlayerSettings(seed=5)) as match:
            match.session.await_ready()
            found.append([match.play(first=number == 0, label=str(number))[0] for number in range(8)])
    assert found[0] == found[1]
    assert set(found[0]) == set(LEGAL)


def test_the_last_moves_are_applied_and_the_children_let_go() -> None:
    with opened() as match:
        match.session.await_ready()
        match.play(first=True)
        match.session.finish(Stop("M", MOVES))
        until(lambda: not match.nursery.living)
        assert ("finished", {"match": "M", "steps": 1, "terminal": False, "goals": [100, 0]}) in match.events
        assert match.nursery.last("referee").commands[-1]["seen"] == ("left", "left")
