"""The steps of a match: what is known of each, and which of them a PLAY is about, for servers send messages again."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from ggp.core.seeds import split_seed
from ggp.match.clocks import Due
from ggp.match.packets import Packet

_TURNS = 8
"""Positions that are remembered for guesses, one for each turn."""


@dataclass(frozen=True, kw_only=True)
class Told:
    """What a PLAY, or the STOP, told about a step."""

    seen: tuple[str, ...] | None
    """The joint move, or the percepts; None for NIL."""
    percepts: bool
    own: str | None
    """Our own move before it, where percepts are told."""
    label: str | None
    """GGP-Match-Step."""
    turn: int | None = None
    """The number of the step, in GDL-II's long form."""


@dataclass(frozen=True, kw_only=True)
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


@dataclass(kw_only=True)
class StepState:
    """What is known of one step, from its PLAY to our answer."""

    number: int
    """0 for the first PLAY."""
    told: Told
    due: Due | None = None
    """The deadlines of its PLAY; None where no move is asked for: before the first PLAY, and after STOP."""
    decide_by: float | None = None
    """When the mind should have chosen; None if nothing more is expected of it."""
    position: Position | None = None
    """None until a child has told it, and once that of a later step is known."""
    chosen: str | None = None
    """The mind's move."""
    mind_is_done: bool = False
    """True once the mind has chosen, or failed to."""
    answer: str | None = None
    """What the server was told, which is told again when it asks again."""

    @property
    def is_waited_for(self) -> bool:
        """True while the server waits for our move."""
        return self.due is not None and self.answer is None

    def advance(self, decide_by: float | None) -> Packet:
        """The command for a child to go on to this step, and to decide by then."""
        told = self.told
        return {
            "do": "advance", "step": self.number, "seen": told.seen, "percepts": told.percepts, "own": told.own,
            "decide_by": decide_by,
        }  # fmt: skip

    def may_play(self, move: str) -> bool:
        """False if a move is known to be illegal."""
        return self.position is None or move in self.position.legal

    def standby(self, seed: int) -> str | None:
        """The standby move; None while no legal move is known."""
        legal = [] if self.position is None else self.position.legal
        return self.one_of(legal, seed) if legal else None

    def one_of(self, moves: list[str], seed: int) -> str:
        """A random one of these moves, the same each time."""
        return random.Random(split_seed(seed, "standby", self.number)).choice(moves)


class Steps:
    """The start of a match, and its steps so far."""

    def __init__(self) -> None:
        self._start = StepState(number=-1, told=Told(seen=None, percepts=False, own=None, label=None))
        self._steps: list[StepState] = []
        self._positions: deque[Position] = deque(maxlen=_TURNS)
        """The last positions that were told."""
        self.known: Position | None = None
        """The position of the newest step whose position is known."""

    def __getitem__(self, number: int) -> StepState:
        """The step of a number; -1 is the start, before the first PLAY."""
        return self._start if number < 0 else self._steps[number]

    @property
    def newest(self) -> StepState:
        """The last step; the start, before the first PLAY."""
        return self._steps[-1] if self._steps else self._start

    @property
    def in_doubt(self) -> bool:
        """True if percepts were told: the position cannot be worked out from the moves."""
        return any(step.told.percepts for step in self._steps)

    def add(self, told: Told, due: Due | None) -> StepState:
        """The new step that was told; `due` are the deadlines of our answer, None if no answer is asked for."""
        decide_by = None if due is None else due.decide_by
        self._steps.append(StepState(number=len(self._steps), told=told, due=due, decide_by=decide_by))
        return self.newest

    def repeated(self, told: Told, may_follow: Callable[[tuple[str, ...]], bool]) -> StepState | None:
        """The step that a PLAY repeats; None if it is about a new one.

        `may_follow` tells whether a joint move is legal now: if the same moves were told before and cannot follow, the
        message is an old one.
        """
        same = [step for step in self._steps if step.told.seen == told.seen]
        if not same:
            return None
        if told.turn is not None:
            return next((step for step in same if step.number == told.turn), None)
        if told.label is not None:
            return next((step for step in reversed(same) if step.told.label == told.label), None)
        latest = same[-1]
        if told.seen is None or (latest is self.newest and latest.is_waited_for):
            return latest
        if told.percepts or may_follow(told.seen):
            return None
        return latest

    def learn(self, found: Position) -> None:
        """Take a position that is as new as the known one or newer; those before it are kept for guesses alone."""
        if self.known is not None:
            self[self.known.step].position = None
        self.known = self[found.step].position = found
        self._positions.append(found)

    def likely_legal(self, step: StepState, turns: int) -> list[str]:
        """Our legal moves when it was last the same role's turn, if `turns` roles take turns; else those known last."""
        same_turn = [found for found in self._positions if (step.number - found.step) % turns == 0]
        known = same_turn or list(self._positions)
        return known[-1].legal if known else []

    def is_mind_late(self, now: float, grace: float) -> bool:
        """True if the mind should have chosen longer ago than `grace`, at any step."""
        return any(step.decide_by is not None and now > step.decide_by + grace for step in self._steps)

    def expect_nothing_of_mind(self) -> None:
        """Wait no longer for what the mind should choose: it is lost."""
        for step in self._steps:
            step.decide_by = None
        if self.newest.is_waited_for:
            self.newest.mind_is_done = True
