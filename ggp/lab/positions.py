"""Positions of which the value of every move is known: what a decision can be measured by.

They are late positions of matches, solved to the end, in which some moves keep the value and others lose it. They are
kept in games/positions.toml, a list for each game, as texts of numbers: the way there, as places in the sorted list of
legal moves of whoever had a choice, and after `>` the goal that each legal move leads to, of the role whose choice it is.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gdl.terms import Term
from ggp.core.errors import UsageError
from ggp.core.library import folder
from ggp.machines.machine import JointMove, Machine, Situation
from ggp.players.player import Turn

FILE = "positions.toml"
HEAD = """\
# Positions of which the value of every move is known; ggp/lab/positions.py tells how they are written, and
# `python -m ggp.lab.solving` has made them."""


@dataclass(frozen=True)
class Known:
    """A position of which the value of every move is known."""

    places: tuple[int, ...]
    """The way there: of each choice, the move's place among the legal ones."""
    goals: tuple[int, ...]
    """What each legal move leads to, if nobody errs from then on."""

    @classmethod
    def read(cls, text: str) -> Known:
        """A position from its text.

        >>> Known.read("3 0 > 100 0").goals
        (100, 0)
        """
        way, _, goals = text.partition(">")
        try:
            return cls(tuple(map(int, way.split())), tuple(map(int, goals.split())))
        except ValueError:
            raise UsageError(f"{FILE}: {text!r} should be numbers, as in 3 0 > 100 0") from None

    def text(self) -> str:
        """As it stands in the file."""
        return f"{' '.join(map(str, self.places))} > {' '.join(map(str, self.goals))}"

    @property
    def chance(self) -> float:
        """The share of moves that keep the value: what a random player reaches."""
        return self.goals.count(max(self.goals)) / len(self.goals)

    def turn(self, machine: Machine[Any]) -> Turn:
        """The turn of whoever has the choice; UsageError if the game has changed since."""
        turn = turn_after(machine, self.places)
        if turn is None or len(turn.legal) != len(self.goals):
            raise UsageError(f"{FILE}: {self.text()!r} does not fit the game, which must have changed")
        return turn

    def loss(self, turn: Turn, move: Term) -> int:
        """What a move costs, in points of the goal: 0 if it keeps the value."""
        return max(self.goals) - self.goals[turn.legal.index(move)]


def turn_after(machine: Machine[Any], places: Sequence[int]) -> Turn | None:
    """The turn of whoever has the choice after some choices; None if they are not possible, or nobody has one."""
    position, history = machine.initial(), list[JointMove]()
    situation = machine.situation(position)
    for place in places:
        role = chooser(situation)
        if role is None or place >= len(situation.legal[role]):
            return None
        joint = joint_move(situation, role, situation.legal[role][place])
        position, situation, forced = advance(machine, position, joint)
        history += [joint, *forced]
    role = chooser(situation)
    return None if role is None else Turn(machine, position, situation, role, history=history)


def chooser(situation: Situation) -> int | None:
    """The only role that has a choice; None where none has one, or several."""
    choosing = [role for role, moves in enumerate(situation.legal) if len(moves) > 1]
    return choosing[0] if len(choosing) == 1 and not situation.terminal else None


def joint_move(situation: Situation, role: int, move: Term) -> JointMove:
    """The joint move in which a role makes a move, and the others what they must."""
    return tuple(move if number == role else moves[0] for number, moves in enumerate(situation.legal))


def advance(machine: Machine[Any], position: Any, joint: JointMove) -> tuple[Any, Situation, list[JointMove]]:
    """The position after a joint move, beyond all steps in which nobody has a choice, and the joint moves of these."""
    forced: list[JointMove] = []
    while True:
        position = machine.next(position, joint)
        situation = machine.situation(position)
        if situation.terminal or any(len(moves) != 1 for moves in situation.legal):
            return position, situation, forced
        joint = tuple(moves[0] for moves in situation.legal)
        forced.append(joint)


def known_positions(place: Path | None = None) -> dict[str, list[Known]]:
    """The positions of each game of the file."""
    file = (place or folder()) / FILE
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{file}: {error}") from None
    return {game: [Known.read(text) for text in texts] for game, texts in data.items()}


def as_toml(game: str, positions: Sequence[Known]) -> Iterator[str]:
    """The lines of the file for a game."""
    yield f"\n{game} = ["
    yield from (f'    "{known.text()}",' for known in positions)
    yield "]"
