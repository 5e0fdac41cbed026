"""One match of the HTTP player, as the front sees it.

Two children work for a session: the referee, whose Prolog knows the legal moves a moment after a PLAY has come, and the
mind, which chooses. A PLAY is answered by the mind's move; if there is none in time, by the standby move: a random legal
one. A PLAY that comes twice is answered twice with the same move.
"""

from __future__ import annotations

import random
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from gdl.terms import kif
from ggp.core.delays import Delays
from ggp.core.seeds import split_seed
from ggp.match.clocks import Due, due, share_used
from ggp.match.crew import Crew, Note
from ggp.match.messages import Play, Start, Stop
from ggp.match.nursery import KINDS, Nursery
from ggp.match.packets import Packet
from ggp.match.settings import PlayerSettings
from ggp.match.steps import Steps, Told

_GRACE = 2.0
"""Seconds after its deadline when a mind that has not chosen is stuck; longer clocks give half of themselves."""
_SILENCE, _REFEREE_SILENCE, _REFEREE_SHARE = 3.0, 0.3, 0.25
"""Seconds until a child that does not even say that it is alive is replaced. A referee that knows the rules is easily
replaced, and needed before the clock ends: at least so many seconds, and at most that part of a clock."""
_BLINK = 1.0
"""Seconds between two looks at the children after which we have been asleep ourselves: they are not to blame."""
_LAST_MOVES_SECONDS = 5.0
"""How long the referee may work on the last moves of a match, which interest the log alone."""
_CHECK_SHARE = 0.15
"""The part of a play clock that finding out whether a PLAY is a repetition may take."""
_NOTED_LATENESS = 0.1
"""Seconds that the mind may be late without a note in the log."""
_EARLY_DEATHS = 3
"""Deaths of a child before it knew the rules, after which they are taken for unplayable."""
_LAST_RESORT = "noop"
_TURNS = 8
"""Positions that are remembered for guesses, one for each turn."""
_WORTH_TELLING = (
    "child-died", "child-failed", "disagreement", "given-up", "illegal", "late", "mind-stuck", "player-failed",
    "refused", "silent",
)  # fmt: skip
"""Events that a game master's record should hold."""
_MOST_EVENTS = 20


@dataclass(frozen=True)
class Position:
    """What is known about the position of a step."""

    step: int
    legal: list[str]
    """Our own legal moves, spelled as in START."""
    terminal: bool
    goals: list[int]
    fluents: list[str] | None
    """None where there is doubt."""
    source: str
    """The child that told it."""


class Session:
    """The state of one match. Its methods are called from many threads."""

    def __init__(
        self, start: Start, arrival: float, settings: PlayerSettings, nursery: Nursery, lag: Delays, note: Note
    ) -> None:
        """`arrival` is when the START came, on the clock of `time.monotonic`."""
        self.start = start
        self.heard = time.monotonic()
        """When the server was last heard of."""
        self.report: dict[str, Any] = {}
        """What stood behind the last move."""
        self.due: Due | None = None
        """The deadlines of the newest PLAY."""
        self._settings = settings
        self._lag = lag
        self._tell = note
        self._account: dict[str, Any] = {}
        self._events: list[str] = []
        self._seed = split_seed(settings.seed, start.match, start.role.lower())
        self._changed = threading.Condition()
        self._beginning = threading.Lock()
        self._crew = Crew(nursery, self._changed, self._note, self._brief, self._hear, settings.mind_restarts)
        self._ready_by = self._due(arrival, start.start_clock).answer_by
        self._half_time = (arrival + self._ready_by) / 2
        self._looked = arrival
        self._ready = False
        self._loaded: set[str] = set()
        self._refused: set[str] = set()
        self._early_deaths = dict.fromkeys(KINDS, 0)
        self._resting = False
        self._is_gdl2 = False
        self._steps = Steps()
        self._turns = 1
        """How many roles there are."""
        self._position: Position | None = None
        self._positions: deque[Position] = deque(maxlen=_TURNS)
        """The last positions that were told."""
        self._chosen: dict[int, str | None] = {}
        """What the mind chose at each step; None if it failed."""
        self._decide_by: dict[int, float] = {}
        """When the mind should have chosen, for the steps where it has not."""
        self._answers: dict[int, str] = {}
        self._checks: dict[int, bool] = {}

    def account(self) -> dict[str, Any]:
        """What stood behind the last answer, and what happened on the way to it."""
        return self._account

    def _note(self, event: str, **details: Any) -> None:
        if event in _WORTH_TELLING and len(self._events) < _MOST_EVENTS:
            self._events.append(event)
        self._tell(event, match=self.start.match, **details)

    @property
    def step(self) -> int:
        """The number of the last PLAY; -1 before the first."""
        return self._steps.last

    @property
    def is_waited_for(self) -> bool:
        """True while a PLAY has no answer."""
        return self.step >= 0 and self.step not in self._answers

    @property
    def spares_processors(self) -> bool:
        """False while the match is being made ready, which needs all that there is."""
        return self._ready or time.monotonic() > self._half_time

    @property
    def is_hopeless(self) -> bool:
        """True if the rules make no sense to any child: there is nothing to play."""
        return len(self._refused) == len(KINDS)

    def is_stale(self, now: float) -> bool:
        """True if the match is lost: the server has been silent for long, or there is nothing to play."""
        if self.is_hopeless:
            return True
        clock = self.start.play_clock * self._settings.stale_clocks
        if self.step < 0:
            clock += self.start.start_clock
        return now - self.heard > clock + self._settings.stale_seconds

    # -- what the server wants ----------------------------------------------------------------------------------------

    def open(self) -> None:
        """Put the children to work."""
        for kind in KINDS:
            self._crew.hire(kind)

    def await_ready(self) -> bool:
        """Wait until the mind has nothing more to gain, or the start clock is nearly over; false without a match."""
        with self._changed:
            self._changed.wait_for(self._is_settled, max(0.0, self._ready_by - time.monotonic()))
            return not self.is_hopeless and not self._crew.closed

    def play(self, message: Play, label: str | None, arrival: float) -> str:
        """The answer to a PLAY."""
        with self._beginning:
            self.heard = time.monotonic()
            told = self._told(message, label)
            step = self._steps.repeated(told, self.is_waited_for, self._may_follow)
            if step is None:
                step = self._begin(told, arrival)
            else:
                self._note("repeated", step=step)
        answer = self._await_answer(step, self._due(arrival, self.start.play_clock))
        self.heard = time.monotonic()
        return answer

    def finish(self, message: Stop) -> None:
        """Apply the last moves for the log, then end. Does not wait."""
        with self._changed:
            if message.seen is not None:
                self._steps.add(self._told(message, None))
                self._answers[self.step] = ""
                self._crew.send(self._keeper, self._steps.advance(self.step, None))
            for kind in KINDS:
                if kind != self._keeper:
                    self._crew.dismiss(kind)
            self._changed.notify_all()
        threading.Thread(target=self._await_end, name="end of a match", daemon=True).start()

    def close(self) -> None:
        """Kill the children; PLAYs that wait are answered with standby moves."""
        self._crew.close()

    def tick(self, now: float) -> None:
        """Look after the children: called several times a second."""
        with self._changed:
            self._look_after_children(now)
            if self.is_stale(now) != self._resting:
                self._resting = not self._resting
                self._crew.send("mind", {"do": "rest", "rest": self._resting})
                self._note("lost" if self._resting else "found", step=self.step, silent=round(now - self.heard))

    def _look_after_children(self, now: float) -> None:
        """Replace who is stuck: it does not answer at all, or it does not choose."""
        if now - self._looked > _BLINK:
            self._crew.forgive(now)
        self._looked = now
        for kind in KINDS:
            if self._crew.silence(kind, now) > self._patience(kind):
                self._note("silent", kind=kind, step=self.step)
                self._lose(kind)
        grace = max(_GRACE, self.start.play_clock / 2)
        if self._ready and any(now > by + grace for by in self._decide_by.values()):
            self._note("mind-stuck", step=self.step)
            self._lose("mind")
        self._crew.feel_pulse(now)

    def _patience(self, kind: str) -> float:
        if kind == "mind" or kind not in self._loaded:
            return _SILENCE
        return min(_SILENCE, max(_REFEREE_SILENCE, _REFEREE_SHARE * self.start.play_clock))

    def _lose(self, kind: str) -> None:
        """Kill a child; while it is replaced, nothing is expected of it."""
        if kind == "mind":
            self._decide_by.clear()
            if self.is_waited_for:
                self._chosen.setdefault(self.step, None)
        self._crew.kill(kind)

    # -- which step a PLAY is about -----------------------------------------------------------------------------------

    def _told(self, message: Play | Stop, label: str | None) -> Told:
        seen = None if message.seen is None else tuple(map(kif, message.seen))
        is_long = message.turn is not None
        own = kif(message.last) if message.last is not None else self._answers.get(self.step)
        percepts = is_long or (self._settings.gdl2 and self._is_gdl2)
        return Told(seen, percepts, own, label, message.turn)

    def _may_follow(self, seen: tuple[str, ...]) -> bool:
        """Whether a joint move is legal in the newest position: if not, the PLAY is an old one. In doubt it is."""
        with self._changed:
            number = len(self._checks)
            if self._crew.send(self._keeper, {"do": "check", "seen": seen, "number": number}):
                seconds = self.start.play_clock * _CHECK_SHARE
                self._changed.wait_for(lambda: number in self._checks or self._crew.closed, seconds)
            return self._checks.setdefault(number, True)

    def _begin(self, told: Told, arrival: float) -> int:
        with self._changed:
            self._steps.add(told)
            self.due = self._due(arrival, self.start.play_clock)
            self._decide_by[self.step] = self.due.decide_by
            for kind in KINDS:
                self._crew.send(kind, self._steps.advance(self.step, self.due.decide_by if kind == "mind" else None))
            self._crew.feel_pulse(time.monotonic())
            self._changed.notify_all()
            return self.step

    # -- the answer ---------------------------------------------------------------------------------------------------

    def _due(self, arrival: float, clock: float) -> Due:
        return due(arrival, clock, self._settings.margin, self._lag.seconds)

    def _await_answer(self, step: int, limits: Due) -> str:
        with self._changed:
            while True:
                if step in self._answers:
                    return self._answers[step]
                now = time.monotonic()
                found = self._found(step, now, limits)
                if found is not None:
                    break
                self._changed.wait(max(0.001, (limits.answer_by if now < limits.answer_by else limits.guess_by) - now))
            answer, how = found
            self._answers[step] = answer
            self._changed.notify_all()
        report = {**self.report, **share_used(self.report, self.start.play_clock)} if how == "mind" else {}
        times = {"left": round(limits.answer_by - now, 3), "lag": round(self._lag.seconds, 3)}
        self._account = {"how": how, **report, **({"events": self._events} if self._events else {})}
        self._events = []
        self._note("answer", step=step, move=answer, how=how, **times, report=report)
        return answer

    def _found(self, step: int, now: float, limits: Due) -> tuple[str, str] | None:
        """An answer and where it is from, if one can be given now."""
        position = self._position if self._position is not None and self._position.step == step else None
        chosen = self._chosen.get(step)
        if chosen is not None:
            if position is None or chosen in position.legal:
                return chosen, "mind"
            self._note("illegal", step=step, move=chosen)
            self._chosen[step] = None
        is_over = self._crew.closed or step < self.step
        must = is_over or now >= limits.answer_by or step in self._chosen or "mind" in self._refused
        if must and position is not None and position.legal:
            return self._random(position.legal, step), "standby"
        if is_over or now >= limits.guess_by:
            old = self._likely_legal(step)
            return (self._random(old, step) if old else _LAST_RESORT), "guess"
        return None

    def _likely_legal(self, step: int) -> list[str]:
        """Our legal moves when it was last the same role's turn, if roles take turns; else those known last."""
        same_turn = [found for found in self._positions if (step - found.step) % self._turns == 0]
        known = same_turn or list(self._positions)
        return known[-1].legal if known else []

    def _random(self, moves: list[str], step: int) -> str:
        return random.Random(split_seed(self._seed, "standby", step)).choice(moves)

    # -- the children -------------------------------------------------------------------------------------------------

    @property
    def _keeper(self) -> str:
        """The child that is asked about positions."""
        return "mind" if "referee" in self._refused else "referee"

    def _is_settled(self) -> bool:
        degraded = "mind" in self._refused and self._position is not None
        return self._ready or self.is_hopeless or degraded or self._crew.closed

    def _brief(self, kind: str) -> Iterator[Packet]:
        """What a new child must be told: the match, the newest position that is known, and what followed."""
        known, settings = self._position, self._settings
        if known is not None and (known.fluents is None or self._steps.in_doubt):
            known = None
        yield {
            "do": "load", "rules": self.start.rules, "role": self.start.role, "match": self.start.match,
            "player": settings.player, "seed": settings.seed, "question_seconds": settings.question_seconds,
            "particles": settings.particles, "ready_by": self._ready_by, "ponder": settings.ponder,
            "fluents": None if known is None else known.fluents, "step": -1 if known is None else known.step,
        }  # fmt: skip
        for step in range(0 if known is None else known.step + 1, self.step + 1):
            yield self._steps.advance(step, None)
        if kind == "mind" and self.is_waited_for and self.due is not None:
            yield {**self._steps.advance(self.step, self.due.decide_by), "seen": None}

    def _hear(self, kind: str, packet: Packet) -> None:
        """What a child tells; called under the lock."""
        hear: dict[str, Callable[[str, Packet], None]] = {
            "loaded": self._hear_loaded, "refused": self._hear_refused, "position": self._hear_position,
            "ready": self._hear_ready, "chosen": self._hear_chosen, "checked": self._hear_checked,
            "event": self._hear_event, "failed": self._hear_failed, "died": self._hear_died,
        }  # fmt: skip
        hear[packet["is"]](kind, packet)

    def _hear_loaded(self, kind: str, packet: Packet) -> None:
        self._is_gdl2 = packet["language"] == "GDL-II"
        self._loaded.add(kind)
        self._turns = max(1, len(packet["roles"]))
        details = {key: packet[key] for key in ("roles", "language", "warnings", "problems")}
        self._note("loaded", kind=kind, **details)

    def _hear_refused(self, kind: str, packet: Packet) -> None:
        self._refused.add(kind)
        self._note("refused", kind=kind, why=packet["why"])

    def _hear_position(self, kind: str, packet: Packet) -> None:
        found = Position(packet["step"], packet["legal"], packet["terminal"], packet["goals"], packet["fluents"], kind)
        known = self._position
        if known is not None and known.step == found.step and known.source != kind:
            in_doubt = known.fluents is None or found.fluents is None
            if known.legal != found.legal or (not in_doubt and known.fluents != found.fluents):
                self._note("disagreement", step=found.step, referee_trusted=True)
            if kind == "mind":
                return
        if known is None or found.step >= known.step:
            self._position = found
            self._positions.append(found)

    def _hear_ready(self, kind: str, _: Packet) -> None:
        self._ready = self._ready or kind == "mind"

    def _hear_chosen(self, _: str, packet: Packet) -> None:
        step = packet["step"]
        asked = self._decide_by.pop(step, None)
        if asked is not None and packet["move"] is not None:
            late = time.monotonic() - asked
            self._lag.observe(late)
            if late > _NOTED_LATENESS:
                self._note("late", step=step, seconds=round(late, 3))
        if "problem" in packet["report"]:
            self._note("player-failed", step=step, message=packet["report"]["problem"])
        self._chosen[step] = packet["move"]
        if step == self.step:
            self.report = packet["report"]

    def _hear_checked(self, _: str, packet: Packet) -> None:
        self._checks.setdefault(packet["number"], packet["legal"])

    def _hear_event(self, kind: str, packet: Packet) -> None:
        self._note(packet["kind"], kind=kind, message=packet["message"])

    def _hear_failed(self, kind: str, packet: Packet) -> None:
        self._note("child-failed", kind=kind, why=packet["why"])

    def _hear_died(self, kind: str, _: Packet) -> None:
        self._ready = self._ready and kind != "mind"
        if kind not in self._loaded:
            self._early_deaths[kind] += 1
            if self._early_deaths[kind] == _EARLY_DEATHS:
                self._crew.dismiss(kind)
                self._hear_refused(kind, {"why": f"the {kind} died {_EARLY_DEATHS} times before it knew the rules"})
        if kind == "mind" and self.is_waited_for:
            self._chosen.pop(self.step, None)  # its successor is asked again

    def _await_end(self) -> None:
        with self._changed:
            self._changed.wait_for(
                lambda: (self._position is not None and self._position.step >= self.step) or self._crew.closed,
                _LAST_MOVES_SECONDS,
            )
            last = self._position if self._position is not None and self._position.step == self.step else None
        details = {} if last is None else {"terminal": last.terminal, "goals": last.goals}
        self._note("finished", steps=max(self.step, 0), **details)
        self.close()
