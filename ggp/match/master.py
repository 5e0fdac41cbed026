"""The course of one match: everybody is asked, moves that are missing or wrong are replaced, the next position follows.

A match always ends for its players: with STOP when the game is over, with ABORT when it cannot be finished.
"""

from __future__ import annotations

import queue
import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import TracebackType
from typing import Any, TypeVar

from gdl.ruleset import CHANCE, Ruleset
from ggp.core.seeds import split_seed
from ggp.machines.machine import JointMove, Machine, Situation, goal
from ggp.machines.plays import Ending
from ggp.match.chronicle import Chronicle
from ggp.match.faults import Fault, FaultKind
from ggp.match.seats import GOODBYE, Answer, Clocks, Scene, Seat
from ggp.match.takeback import LeftError, ResignedError, TakeBackError
from ggp.match.telling import Happened

Value = TypeVar("Value")

_POLL = 0.1
"""Seconds between two looks at whether the match is wanted to end."""
_GRACE = 1.0
"""Seconds beyond its own limit after which an answer is not waited for: name servers keep no deadline of ours."""


@dataclass(frozen=True)
class MatchSettings:
    """How a match is played."""

    clocks: Clocks = field(default_factory=Clocks)
    seed: int = 1
    """Of all chance in the match: the role `random`, and moves in the place of missing ones."""
    steps: int = 1000
    """Joint moves after which the match is given up."""
    preview: int | None = None
    """Seconds for players to look at the rules before the match; None for no such message."""


@dataclass(frozen=True)
class Moment:
    """A position of a match, just reached, and what led to it."""

    number: int
    position: Any
    situation: Situation
    last: JointMove | None
    """The joint move that led here; None at the first position."""
    faults: tuple[Fault | None, ...]
    """What each player did wrong in that move."""
    ending: Ending | None
    answers: tuple[Answer, ...] = ()
    """What the players answered: their moves, times and reports; empty at the first position."""

    @property
    def goals(self) -> tuple[int, ...]:
        """The goal value of each role that counts."""
        return tuple(goal(values) for values in self.situation.goals)


class MatchStoppedError(Exception):
    """Somebody wants the match to end now."""


class GameMaster:
    """Plays one match. Use it in a `with`: leaving it before the end aborts the match for everybody."""

    def __init__(
        self, ruleset: Ruleset, machine: Machine[Any], seats: Sequence[Seat], chronicle: Chronicle,
        settings: MatchSettings, stop: threading.Event | None = None,
    ) -> None:  # fmt: skip
        """`stop`, once set by another thread, ends the match: whoever plays it gets MatchStoppedError."""
        assert len(seats) == len(ruleset.roles)
        self._roles = ruleset.roles
        self._tells_percepts = ("sees", 2) in ruleset.by_relation
        self._machine = machine
        self.seats = seats
        self.chronicle = chronicle
        self.settings = settings
        self._stop = stop or threading.Event()
        self._told = 0
        """How many events of the machine stand in the record."""
        self._begun = False
        self._ended = False

    def __enter__(self) -> GameMaster:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:  # fmt: skip
        if self._begun and not self._ended:
            self.abort("interrupted" if not isinstance(error, Exception) else str(error) or type(error).__name__)

    def moments(self) -> Iterator[Moment]:
        """Play: each position as it is reached, before anybody is asked about it.

        A seat of this process may take moves back (`TakeBackError`): then an earlier position is reached again.
        """
        machine, seconds = self._machine, self.settings.clocks.play + self.settings.clocks.allowance
        position = machine.initial()
        happened = Happened(0, None, () if self._tells_percepts else None)
        faults: tuple[Fault | None, ...] = (None,) * len(self._roles)
        answers: list[Answer] = []
        scene = Scene(position, machine.situation(position), happened)
        self._reach(position)
        self._begun = True
        ending = self._ending(scene)
        if ending is None:
            yield Moment(0, position, scene.situation, None, faults, None)  # to be looked at while players prepare
        self._start(scene)
        scenes: list[Scene] = []
        while ending is None:
            scenes.append(scene)
            try:
                answers = self._ask(partial(_play, scene), _late(seconds), seconds)
            except TakeBackError as wanted:
                scene = self._go_back(scenes, wanted.turn)
                position, happened, faults = scene.position, scene.happened, (None,) * len(self._roles)
                yield Moment(happened.turn, position, scene.situation, happened.joint, faults, None)
                continue
            joint = self._joint(scene, answers)
            self.chronicle.joint(joint, answers)
            faults = tuple(answer.fault for answer in answers)
            seen = machine.sees(position, joint) if self._tells_percepts else None
            position = machine.next(position, joint)
            happened = Happened(happened.turn + 1, joint, seen)
            scene = Scene(position, machine.situation(position), happened)
            self._reach(position)
            ending = self._ending(scene)
            if ending is None:
                yield Moment(happened.turn, position, scene.situation, joint, faults, None, tuple(answers))
        self._end(scene, ending)
        yield Moment(happened.turn, position, scene.situation, happened.joint, faults, ending, tuple(answers))

    def _go_back(self, scenes: list[Scene], turn: int) -> Scene:
        """The scene of an earlier step; the record forgets what came after it."""
        scene = scenes[turn]
        del scenes[turn:]
        self.chronicle.take_back(turn)
        return scene

    def _reach(self, position: Any) -> None:
        """Record a position, and what made the machine use another engine than it should."""
        history = self._machine.history
        for event in history[self._told :]:
            if event.is_trouble:
                self.chronicle.event(f"{event.kind}: {event.message}")
        self._told = len(history)
        self.chronicle.position(self._machine.fluents(position))

    def abort(self, reason: str) -> None:
        """End the match in the middle: the record says so, and so is every player told."""
        self._ended = True
        self.chronicle.abort(reason)
        ask_all(self.seats, lambda seat: seat.abort(), None, GOODBYE + _GRACE)

    def leave(self, left: LeftError) -> list[int] | None:
        """End the match because somebody left it; what it gave each role where that is a result: who resigns has lost."""
        goals = None
        if isinstance(left, ResignedError):
            goals = [0 if n == left.role or role == CHANCE else 100 for n, role in enumerate(self._roles)]
            self.chronicle.resign(self._roles[left.role], goals)
        self.abort(str(left))
        return goals

    def _ending(self, scene: Scene) -> Ending | None:
        if scene.situation.terminal:
            return Ending.TERMINAL
        if not all(scene.situation.legal):
            return Ending.STUCK
        return Ending.LIMIT if scene.happened.turn >= self.settings.steps else None

    def _start(self, scene: Scene) -> None:
        settings, clocks = self.settings, self.settings.clocks
        if settings.preview is not None:
            preview = settings.preview
            self._ask(lambda seat: seat.preview(preview), None, preview + clocks.allowance)
        seconds = clocks.start + clocks.allowance
        faults = self._ask(lambda seat: seat.start(scene), _late(seconds).fault, seconds)
        self._note("start", 0, faults)

    def _end(self, scene: Scene, ending: Ending) -> None:
        if ending is Ending.TERMINAL:
            self._complete(scene)
        else:
            self.abort(ending.value)

    def _complete(self, scene: Scene) -> None:
        seconds = self.settings.clocks.play + self.settings.clocks.allowance
        self._ended = True
        self.chronicle.complete([goal(values) for values in scene.situation.goals])
        faults = self._ask(lambda seat: seat.stop(scene), _late(seconds).fault, seconds)
        if self._note("stop", scene.happened.turn, faults):
            self.chronicle.save()

    def _joint(self, scene: Scene, answers: Sequence[Answer]) -> JointMove:
        """The joint move that is made: a random legal move where a player gave none."""
        number = scene.happened.turn
        self._note("play", number, [answer.fault for answer in answers])
        return tuple(
            answer.move
            if answer.move is not None
            else random.Random(split_seed(self.settings.seed, "substitute", role, number)).choice(legal)
            for role, (answer, legal) in enumerate(zip(answers, scene.situation.legal, strict=True))
        )

    def _note(self, phase: str, step: int, faults: Sequence[Fault | None]) -> bool:
        """Put faults into the record; true if there were any."""
        for role, fault in zip(self._roles, faults, strict=True):
            if fault is not None:
                self.chronicle.fault(phase, step, role, fault)
        return any(faults)

    def _ask(self, ask: Callable[[Seat], Value], missing: Value, seconds: float) -> list[Value]:
        return ask_all(self.seats, ask, missing, seconds + _GRACE, self._stop)


def ask_all(
    seats: Sequence[Seat], ask: Callable[[Seat], Value], missing: Value, seconds: float,
    stop: threading.Event | None = None,
) -> list[Value]:  # fmt: skip
    """Ask all seats: remote ones at once, in threads of their own, and meanwhile those of this process one by one.

    `missing` stands for a remote seat from which nothing at all came within `seconds`. Raises MatchStoppedError once
    `stop` is set.
    """
    answers: queue.SimpleQueue[tuple[int, Value]] = queue.SimpleQueue()
    found: dict[int, Value] = {}
    remote = [number for number, seat in enumerate(seats) if seat.is_remote]
    deadline = time.monotonic() + seconds
    for number in remote:
        threading.Thread(
            target=lambda n: answers.put((n, ask(seats[n]))), args=(number,), name=f"asks seat {number}", daemon=True
        ).start()
    for number, seat in enumerate(seats):
        if not seat.is_remote:
            found[number] = ask(seat)
    waiting = len(remote)
    while waiting:
        if stop is not None and stop.is_set():
            raise MatchStoppedError("the server is stopping")
        left = deadline - time.monotonic()
        try:
            number, value = answers.get(timeout=min(max(0.0, left), _POLL))
        except queue.Empty:
            if left > _POLL:
                continue
            break
        found[number] = value
        waiting -= 1
    return [found.get(number, missing) for number in range(len(seats))]


def _play(scene: Scene, seat: Seat) -> Answer:
    return seat.play(scene)


def _late(seconds: float) -> Answer:
    return Answer(None, Fault(FaultKind.LATE, f"no answer at all within {seconds + _GRACE:g} s"))
