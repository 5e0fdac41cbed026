"""Plays: a game from its first position to its end, with moves that somebody chooses or at random."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any, Protocol

from ggp.machines.machine import JointMove, Machine, Situation, goal


class Ending(Enum):
    """Why a play ended."""

    TERMINAL = "the game is over"
    STUCK = "a role has no legal move, though the position is not terminal"
    LIMIT = "the limit of steps is reached"


@dataclass(frozen=True)
class Step:
    """A position of a play, what is known of it, and the joint move that was made there (None at the end)."""

    number: int
    position: Any
    situation: Situation
    joint: JointMove | None
    ending: Ending | None

    @property
    def goals(self) -> tuple[int, ...]:
        """The goal value of each role that counts."""
        return tuple(goal(values) for values in self.situation.goals)


class Played(Protocol):
    """What a play needs of a machine."""

    def initial(self) -> Any:
        """The first position."""

    def situation(self, position: Any) -> Situation:
        """What is known of a position."""

    def next(self, position: Any, joint: JointMove) -> Any:
        """The position after a joint move."""


Chooser = Callable[[int, Any, Situation], JointMove]
"""Gives the joint move of a step: called with the step's number, the position and what is known of it."""


def play(machine: Played, choose: Chooser, limit: int, start: Any = None) -> Iterator[Step]:
    """The steps of a play, the last one with its ending."""
    position = machine.initial() if start is None else start
    number = 0
    while True:
        situation = machine.situation(position)
        if situation.terminal:
            ending = Ending.TERMINAL
        elif not all(situation.legal):
            ending = Ending.STUCK
        elif number >= limit:
            ending = Ending.LIMIT
        else:
            joint = choose(number, position, situation)
            yield Step(number, position, situation, joint, None)
            position = machine.next(position, joint)
            number += 1
            continue
        yield Step(number, position, situation, None, ending)
        return


def random_play(machine: Machine[Any], seed: int, limit: int) -> Iterator[Step]:
    """A play of uniformly random moves. The same seed gives the same play on every machine."""
    generator = random.Random(seed)
    return play(machine, lambda _, __, situation: tuple(generator.choice(moves) for moves in situation.legal), limit)
