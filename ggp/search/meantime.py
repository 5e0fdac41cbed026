"""Flat Monte Carlo by whole playouts inside Prolog: what is played by where there is no circuit, or none yet.

Playouts are few there, from one to some thousands for a move. More moves than can be told apart would make the choice a
random one: moves are tried in an order drawn by lot, and one more only when all those before it have a dozen playouts, or
are clearly worse than the best. Before that each move is looked at alone, as far as time suffices: one that wins at once
needs no playout.

Where processor time is idle, a second process of Prolog helps.
"""

from __future__ import annotations

import logging
import math
import os
import random
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from gdl.terms import Term
from ggp.core.delays import Pace
from ggp.core.errors import MachineError
from ggp.core.seeds import split_seed
from ggp.machines.bridge import Patience
from ggp.machines.machine import Machine, Situation, Try, goal
from ggp.machines.prolog import PrologMachine
from ggp.players.player import Signal
from ggp.search.settings import SearchSettings

_LOG = logging.getLogger(__name__)
_ENOUGH = 12
"""Playouts of a move, before another one is tried."""
_HOPELESS = 4
"""Playouts after which a move may be found clearly worse than the best."""
_HIGHEST = 100.0
"""What no goal exceeds."""
_GIVEN_UP = 50.0
"""What a playout without an end is worth, where there are others to play against; alone it is worth nothing."""
_LOOKING = 0.125
"""The part of the time for a move that looking at single moves may take."""
_BATCH_SECONDS = 0.1
"""How long one request should take: between two of them the results are used."""
_MOST = 64
"""Playouts of one request."""
_COUNTED = 6
"""The same where playouts are counted, and time must not matter."""
_LONG = 10.0
"""Seconds of searching after which a second process is worth its start."""


class Tries(Protocol):
    """What answers with playouts: `PrologMachine.tries`, or `stepwise` for other machines."""

    def __call__(self, moves: Sequence[Term], *, limit: int, seed: int, patience: Patience) -> list[Try]:
        """A random playout after each of the moves; fewer where patience ends before."""
        ...


class Arm:
    """A move, and what its playouts came to."""

    def __init__(self, move: Term) -> None:
        self.move = move
        self.begun = 0
        """Playouts that were asked for."""
        self.playouts = 0
        self.total = 0.0
        self.sure: float | None = None
        """What it is worth, if it ends the game."""

    @property
    def mean(self) -> float:
        """What to expect; 0 where nothing is known."""
        return self.total / max(1, self.playouts) if self.sure is None else self.sure

    @property
    def careful_mean(self) -> float:
        """The same with one more playout that comes to nothing: few playouts are not to be trusted."""
        return self.total / (self.playouts + 1) if self.sure is None else self.sure

    def hope(self, exploration: float) -> float:
        """What it may be worth yet."""
        return math.inf if not self.playouts else self.mean + exploration / math.sqrt(max(self.begun, self.playouts))


class Widening:
    """Which move to try next: a few moves well rather than all of them badly."""

    def __init__(self, moves: Sequence[Term], exploration: float) -> None:
        """`moves`: in the order in which they are tried; `exploration`: the weight of what is unsure, in goal points."""
        self.arms = [Arm(move) for move in moves]
        self._exploration = exploration
        self._opened = min(2, len(moves))

    def next(self) -> Arm | None:
        """A move that deserves a playout, which is counted as begun; None where all results are sure."""
        arm = self._wanting()
        while arm is None and self._opened < len(self.arms):
            self._opened += 1
            arm = self._wanting()
        if arm is None:
            unsure = [arm for arm in self.arms if arm.sure is None]
            done = math.log(max(2, sum(arm.begun for arm in unsure)))
            arm = max(unsure, key=lambda a: a.hope(self._exploration * math.sqrt(done)), default=None)
        if arm is not None:
            arm.begun += 1
        return arm

    def best(self) -> Arm:
        """The move to play. An unknown one goes before one that is known for nothing."""
        return max(self.arms, key=lambda arm: (arm.careful_mean, arm.sure is None, -arm.playouts))

    def _wanting(self) -> Arm | None:
        """The move with the fewest playouts of those that are opened, and neither have enough nor are hopeless."""
        opened = [arm for arm in self.arms[: self._opened] if arm.sure is None]
        highest = max(arm.careful_mean for arm in self.arms)
        open_still = (
            arm
            for arm in opened
            if arm.begun < _ENOUGH and (arm.playouts < _HOPELESS or arm.hope(self._exploration) > highest)
        )
        return min(open_still, key=lambda arm: arm.begun, default=None)


@dataclass(frozen=True)
class Found:
    """What came of a search."""

    move: Term
    playouts: int
    """Of all moves."""
    visits: int
    """Playouts of the move."""
    expected: float
    """The goal that they make expect."""


class Meantime:
    """Searches for one player, move after move. It may be closed, and used again."""

    def __init__(self, settings: SearchSettings, threads: int, seed: int) -> None:
        self._settings, self._threads, self._seed = settings, threads, seed
        self._searches = 0
        self._searched = 0.0
        self._helper: PrologMachine | None = None
        self._starting: threading.Thread | None = None
        self._closed = threading.Event()

    def choose(
        self,
        machine: Machine[Any],
        position: Any,
        situation: Situation,
        role: int,
        *,
        deadline: float | None,
        stop: Signal,
    ) -> Found:
        """The best of a role's moves, found by a deadline of `time.monotonic` or in as many simulations as are set."""
        self._closed.clear()
        self._searches += 1
        seed = split_seed(self._seed, "meantime", self._searches)
        begun = time.monotonic()
        engine = machine.current
        if engine is not machine:
            position = engine.position(machine.fluents(position))
        sources = _sources(engine, self._helper, position, situation, role)
        search = _Search(self._settings, situation, role, seed, deadline, stop)
        search.look(sources[0])
        helpers = [threading.Thread(target=search.work, args=(tries, n)) for n, tries in enumerate(sources[1:], 1)]
        for helper in helpers:
            helper.start()
        search.work(sources[0], 0)
        for helper in helpers:
            helper.join()
        self._searched += time.monotonic() - begun
        if deadline is not None and isinstance(engine, PrologMachine):
            self._get_help(engine)
        return search.found()

    def close(self) -> None:
        """End the second process."""
        self._closed.set()
        if self._starting is not None:
            self._starting.join()
        self._starting = None
        if self._helper is not None:
            self._helper.close()
        self._helper = None

    def _get_help(self, engine: PrologMachine) -> None:
        """Start a second process if it pays, and nobody else needs the processor."""
        is_worth_it = self._threads > 1 and self._searched > _LONG and self._starting is None
        if is_worth_it and os.getloadavg()[0] < len(os.sched_getaffinity(0)) - 0.5:
            self._starting = threading.Thread(target=self._start, args=(engine,), name="second Prolog", daemon=True)
            self._starting.start()

    def _start(self, engine: PrologMachine) -> None:
        try:
            self._helper = engine.twin()
        except MachineError as error:
            _LOG.warning("a second process of Prolog does not start: %s", error)
        else:
            self._closed.wait()  # the process is killed when the thread ends that has started it


class _Search:
    """The search of one move. `work` may go on in several threads, each with playouts from elsewhere."""

    def __init__(
        self,
        settings: SearchSettings,
        situation: Situation,
        role: int,
        seed: int,
        deadline: float | None,
        stop: Signal,
    ) -> None:
        moves = list(situation.legal[role])
        random.Random(split_seed(seed, "order")).shuffle(moves)
        self._widening = Widening(moves, settings.c)
        self._settings, self._role, self._seed, self._stop = settings, role, seed, stop
        self._deadline = math.inf if deadline is None else deadline
        self._count = settings.simulations or math.inf
        self._given_up = 0.0 if len(situation.legal) == 1 else _GIVEN_UP
        self._others_choose = any(len(legal) > 1 for r, legal in enumerate(situation.legal) if r != role)
        self._lock = threading.Lock()
        self._begun = self._done = 0
        self._is_over = False

    def look(self, tries: Tries) -> None:
        """Find moves that end the game at once."""
        if self._others_choose:
            return  # a single look would tell of one of their moves only
        now = time.monotonic()
        until, batch = now + _LOOKING * (self._deadline - now), 4
        arms = self._widening.arms
        while arms and not self._is_over and time.monotonic() < until:
            asked, arms = arms[:batch], arms[batch:]
            for arm, found in zip(asked, self._ask(tries, asked, 1, "look", until), strict=False):
                if found.goals is not None:
                    arm.sure = float(found.goals[self._role])
                    self._is_over |= arm.sure >= _HIGHEST
            batch = min(_MOST, 2 * batch)

    def work(self, tries: Tries, number: int) -> None:
        """Playouts until there is no more time, or nothing more to find out."""
        pace, batch, asked_before = Pace(), 1, 0
        while not self._is_over and not self._stop.is_set() and time.monotonic() < self._deadline:
            arms = self._draw(batch)
            if not arms:
                return
            begun = time.monotonic()
            found = self._ask(tries, arms, self._settings.step_limit, f"{number}/{asked_before}", self._deadline)
            self._note(arms, found)
            asked_before += 1
            pace.observe((time.monotonic() - begun) / len(arms))
            batch = max(1, min(_MOST, 2 * batch, int(_BATCH_SECONDS / max(1e-6, pace.seconds))))

    def found(self) -> Found:
        """The best move, and what is known of it."""
        best = self._widening.best()
        return Found(best.move, self._done, best.playouts, best.mean)

    def _draw(self, batch: int) -> list[Arm]:
        """The moves to try next."""
        with self._lock:
            size = min(batch if self._count == math.inf else _COUNTED, self._count - self._begun)
            arms: list[Arm] = []
            while len(arms) < size and (arm := self._widening.next()) is not None:
                arms.append(arm)
            self._begun += len(arms)
            return arms

    def _note(self, arms: Sequence[Arm], found: Sequence[Try]) -> None:
        with self._lock:
            self._done += len(found)
            for arm, one in zip(arms, found, strict=False):
                arm.playouts += 1
                arm.total += self._given_up if one.goals is None else one.goals[self._role]

    def _ask(self, tries: Tries, arms: Sequence[Arm], limit: int, path: str, until: float) -> list[Try]:
        """Playouts; none, and the end of the search, where the machine fails."""
        try:
            patience = Patience(until, self._stop.is_set)
            seed = split_seed(self._seed, path) % 2**31
            return tries([arm.move for arm in arms], limit=limit, seed=seed, patience=patience)
        except MachineError as error:
            _LOG.warning("the search for a move ends early: %s", error)
            self._is_over = True
            return []


def _sources(
    engine: Machine[Any], helper: PrologMachine | None, position: Any, situation: Situation, role: int
) -> list[Tries]:
    """What can be asked for playouts at the same time."""
    if not isinstance(engine, PrologMachine):
        return [_stepwise(engine, position, situation, role)]
    machines = [engine] if helper is None else [engine, helper]
    return [_inside(machine, position, role) for machine in machines]


def _inside(machine: PrologMachine, position: str, role: int) -> Tries:
    def tries(moves: Sequence[Term], *, limit: int, seed: int, patience: Patience) -> list[Try]:
        return machine.tries(position, role, moves, limit=limit, seed=seed, patience=patience)

    return tries


def _stepwise(machine: Machine[Any], start: Any, first: Situation, role: int) -> Tries:
    """The same step by step, by any machine."""

    def playout(move: Term, limit: int, dice: random.Random, patience: Patience) -> Try | None:
        joint = tuple(move if r == role else dice.choice(moves) for r, moves in enumerate(first.legal))
        position, steps = start, 0
        while not patience.is_over:
            position, steps = machine.next(position, joint), steps + 1
            situation = machine.situation(position)
            if situation.terminal:
                return Try(steps, tuple(map(goal, situation.goals)))
            if steps >= limit or not all(situation.legal):
                return Try(steps, None)
            joint = tuple(map(dice.choice, situation.legal))
        return None

    def tries(moves: Sequence[Term], *, limit: int, seed: int, patience: Patience) -> list[Try]:
        dice, found = random.Random(seed), list[Try]()
        for move in moves:
            one = playout(move, limit, dice, patience)
            if one is None:
                break
            found.append(one)
        return found

    return tries
