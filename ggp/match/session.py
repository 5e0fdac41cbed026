"""One match of the HTTP player, as the front sees it.

Two children work for a session: the referee, whose Prolog knows the legal moves a moment after a PLAY has come, and the
mind, which chooses. A PLAY is answered by the mind's move; if there is none in time, by the standby move: a random legal
one; and where no legal move is known at the end of the clock, by a guess: a move that was legal before, else `noop`.
A PLAY that comes twice is answered twice with the same move.

The way of a step: `Session.play` finds or begins it (`steps`), the children are told and reply (`child_replies`), and as
soon as what is known of it gives an answer, or time is up, it is answered. Children that are stuck are found by a
`watchdog` and replaced by their `crew`, after a `briefing`.
"""

from __future__ import annotations

import threading
import time
from functools import partial
from typing import Any

from gdl.terms import kif
from ggp.core.delays import Delays
from ggp.core.seeds import split_seed
from ggp.match.account import Account
from ggp.match.briefing import briefing
from ggp.match.child_replies import ChildReplies
from ggp.match.clocks import Due, due, share_used
from ggp.match.crew import Crew, Note
from ggp.match.messages import Play, Start, Stop
from ggp.match.nursery import KINDS, Nursery
from ggp.match.settings import PlayerSettings
from ggp.match.steps import Steps, StepState, Told
from ggp.match.watchdog import Watchdog

_LAST_MOVES_SECONDS = 5.0
"""How long the referee may work on the last moves of a match, which interest the log alone."""
_CHECK_SHARE = 0.15
"""The part of a play clock that finding out whether a PLAY is a repetition may take."""
_LAST_RESORT = "noop"


class Session:
    """The state of one match. Its methods are called from many threads."""

    def __init__(
        self, start: Start, arrival: float, settings: PlayerSettings, nursery: Nursery, lag: Delays, note: Note
    ) -> None:
        """`arrival` is when the START came, on the clock of `time.monotonic`."""
        self.start = start
        self.heard = time.monotonic()
        """When the server was last heard of."""
        self._settings = settings
        self._lag = lag
        self._account = Account(start.match, note)
        self._note = self._account.note
        self._seed = split_seed(settings.seed, start.match, start.role.lower())
        self._ready_by = self._due(arrival, start.start_clock).answer_by
        self._half_time = (arrival + self._ready_by) / 2
        self._resting = False
        self._beginning = threading.Lock()
        """Held while it is found out which step a PLAY is about."""
        self._changed = threading.Condition()
        """The lock of all that follows."""
        self._steps = Steps()
        self._replies = ChildReplies(
            self._steps,
            lag,
            self._note,
            lambda kind: self._crew.dismiss(kind),  # noqa: PLW0108 (the crew comes below)
        )
        brief = partial(briefing, start, settings, self._ready_by, self._steps)
        self._crew = Crew(nursery, self._changed, self._note, brief, self._replies.hear, settings.mind_restarts)
        self._watchdog = Watchdog(self._crew, self._steps, self._replies, self._note, start.play_clock, arrival)

    @property
    def step(self) -> int:
        """The number of the last PLAY; -1 before the first."""
        return self._steps.newest.number

    @property
    def due(self) -> Due | None:
        """The deadlines of the newest PLAY."""
        return self._steps.newest.due

    @property
    def is_waited_for(self) -> bool:
        """True while a PLAY has no answer."""
        return self._steps.newest.is_waited_for

    @property
    def report(self) -> dict[str, Any]:
        """What stood behind the last move of the mind."""
        return self._replies.report

    @property
    def spares_processors(self) -> bool:
        """False while the match is being made ready, which needs all that there is."""
        return self._replies.is_ready or time.monotonic() > self._half_time

    @property
    def is_hopeless(self) -> bool:
        """True if the rules make no sense to any child: there is nothing to play."""
        return self._replies.is_hopeless

    def is_stale(self, now: float) -> bool:
        """True if the match is lost: the server has been silent for long, or there is nothing to play."""
        if self.is_hopeless:
            return True
        clock = self.start.play_clock * self._settings.stale_clocks
        if self.step < 0:
            clock += self.start.start_clock
        return now - self.heard > clock + self._settings.stale_seconds

    def account(self) -> dict[str, Any]:
        """What stood behind the last answer, and what happened on the way to it."""
        return self._account.last

    # -- what the server wants ----------------------------------------------------------------------------------------

    def open(self) -> None:
        """Put the children to work."""
        for kind in KINDS:
            self._crew.hire(kind)

    def await_ready(self) -> bool:
        """Wait until the mind has nothing more to gain, or the start clock is nearly over; false without a match."""
        with self._changed:
            seconds = max(0.0, self._ready_by - time.monotonic())
            self._changed.wait_for(lambda: self._replies.is_settled or self._crew.closed, seconds)
            return not self.is_hopeless and not self._crew.closed

    def play(self, message: Play, label: str | None, arrival: float) -> str:
        """The answer to a PLAY."""
        with self._beginning:
            self.heard = time.monotonic()
            told = self._told(message, label)
            step = self._steps.repeated(told, self._may_follow)
            if step is None:
                step = self._begin(told, arrival)
            else:
                self._note("repeated", step=step.number)
        answer = self._await_answer(step, self._due(arrival, self.start.play_clock))
        self.heard = time.monotonic()
        return answer

    def finish(self, message: Stop) -> None:
        """Apply the last moves for the log, then end. Does not wait."""
        with self._changed:
            keeper = self._replies.keeper
            if message.seen is not None:
                last = self._steps.add(self._told(message, None), due=None)
                last.answer = ""  # no move is asked for
                self._crew.send(keeper, last.advance(None))
            for kind in KINDS:
                if kind != keeper:
                    self._crew.dismiss(kind)
            self._changed.notify_all()
        threading.Thread(target=self._await_end, name="end of a match", daemon=True).start()

    def close(self) -> None:
        """Kill the children; PLAYs that wait are answered with standby moves."""
        self._crew.close()

    def tick(self, now: float) -> None:
        """Look after the children: called several times a second."""
        with self._changed:
            self._watchdog.look(now)
            if self.is_stale(now) != self._resting:
                self._resting = not self._resting
                self._crew.send("mind", {"do": "rest", "rest": self._resting})
                self._note("lost" if self._resting else "found", step=self.step, silent=round(now - self.heard))

    # -- one step, from its PLAY to the answer ------------------------------------------------------------------------

    def _told(self, message: Play | Stop, label: str | None) -> Told:
        seen = None if message.seen is None else tuple(map(kif, message.seen))
        is_long = message.turn is not None
        own = kif(message.last) if message.last is not None else self._steps.newest.answer
        percepts = is_long or (self._settings.gdl2 and self._replies.is_gdl2)
        return Told(seen=seen, percepts=percepts, own=own, label=label, turn=message.turn)

    def _may_follow(self, seen: tuple[str, ...]) -> bool:
        """Whether a joint move is legal in the newest position: if not, the PLAY is an old one. In doubt it is."""
        with self._changed:
            checks = self._replies.checks
            number = len(checks)
            if self._crew.send(self._replies.keeper, {"do": "check", "seen": seen, "number": number}):
                seconds = self.start.play_clock * _CHECK_SHARE
                self._changed.wait_for(lambda: number in checks or self._crew.closed, seconds)
            return checks.setdefault(number, True)

    def _begin(self, told: Told, arrival: float) -> StepState:
        with self._changed:
            step = self._steps.add(told, self._due(arrival, self.start.play_clock))
            for kind in KINDS:
                self._crew.send(kind, step.advance(step.decide_by if kind == "mind" else None))
            self._crew.feel_pulse(time.monotonic())
            self._changed.notify_all()
            return step

    def _due(self, arrival: float, clock: float) -> Due:
        return due(arrival, clock, self._settings.margin, self._lag.seconds)

    def _await_answer(self, step: StepState, limits: Due) -> str:
        with self._changed:
            while True:
                if step.answer is not None:
                    return step.answer
                now = time.monotonic()
                found = self._found(step, now, limits)
                if found is not None:
                    break
                self._changed.wait(max(0.001, (limits.answer_by if now < limits.answer_by else limits.guess_by) - now))
            answer, how = found
            step.answer = answer
            self._changed.notify_all()
        report = {**self.report, **share_used(self.report, self.start.play_clock)} if how == "mind" else {}
        times = {"left": round(limits.answer_by - now, 3), "lag": round(self._lag.seconds, 3)}
        self._account.answered(how, report)
        self._note("answer", step=step.number, move=answer, how=how, **times, report=report)
        return answer

    def _found(self, step: StepState, now: float, limits: Due) -> tuple[str, str] | None:
        """An answer and where it is from, if one can be given now."""
        if step.chosen is not None:
            if step.may_play(step.chosen):
                return step.chosen, "mind"
            self._note("illegal", step=step.number, move=step.chosen)
            step.chosen = None
        is_over = self._crew.closed or step is not self._steps.newest
        must = is_over or now >= limits.answer_by or step.mind_is_done or "mind" in self._replies.refused
        if must and (standby := step.standby(self._seed)) is not None:
            return standby, "standby"
        if is_over or now >= limits.guess_by:
            likely = self._steps.likely_legal(step, self._replies.turns)
            return (step.one_of(likely, self._seed) if likely else _LAST_RESORT), "guess"
        return None

    def _await_end(self) -> None:
        with self._changed:
            self._changed.wait_for(
                lambda: self._steps.newest.position is not None or self._crew.closed, _LAST_MOVES_SECONDS
            )
            last = self._steps.newest.position
        details = {} if last is None else {"terminal": last.terminal, "goals": last.goals}
        self._note("finished", steps=max(self.step, 0), **details)
        self.close()
