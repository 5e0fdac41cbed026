"""A position of a game: what is so in it, and the position after a move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from gdl import Term, kif, parse_term
from gdl.ruleset import CHANCE
from ggp.boards import Board, render
from ggp.boards.svg import render_svg
from ggp.core.errors import UsageError
from ggp.machines.machine import JointMove, Situation, goal
from ggp.players.specs import DEFAULT_PLAYER

if TYPE_CHECKING:
    from ggp.api.found import Found
    from ggp.api.game import Game

_SHOWN = 8
"""Legal moves that a message names."""


def term(move: Term | str) -> Term:
    """A term, or what its text says; UsageError if that is none."""
    if not isinstance(move, str):
        return move
    try:
        return parse_term(move)
    except ValueError:
        raise UsageError(f"{move!r} is no move and no fluent: they are written as in (mark 1 1)") from None


@dataclass(frozen=True)
class Position:
    """A position. It never changes. Two are equal if they are of one game and hold the same fluents."""

    game: Game
    at: Any
    """The position as the game's machine has it."""
    before: Position | None = field(default=None, compare=False)
    """The position that it came from."""
    moves: JointMove | None = field(default=None, compare=False)
    """The joint move that led here."""

    @cached_property
    def situation(self) -> Situation:
        """All that the machine says of it at once."""
        return self.game.machine.situation(self.at)

    @property
    def terminal(self) -> bool:
        """Whether the game is over."""
        return self.situation.terminal

    @property
    def legal(self) -> dict[str, tuple[Term, ...]]:
        """The legal moves of each role, sorted by their text."""
        return dict(zip(self.game.roles, self.situation.legal, strict=True))

    @property
    def goals(self) -> dict[str, int]:
        """The goal of each role, as it would be if the game were over now."""
        return {role: goal(values) for role, values in zip(self.game.roles, self.situation.goals, strict=True)}

    @property
    def to_move(self) -> tuple[str, ...]:
        """The roles that have more than one legal move."""
        return () if self.terminal else tuple(role for role, moves in self.legal.items() if len(moves) > 1)

    @cached_property
    def fluents(self) -> tuple[Term, ...]:
        """What holds, sorted by its text."""
        return self.game.machine.fluents(self.at)

    @property
    def history(self) -> tuple[Position, ...]:
        """The positions on the way here, this one last."""
        way, position = [self], self.before
        while position is not None:
            way.append(position)
            position = position.before
        return tuple(reversed(way))

    def play(self, *moves: Term | str) -> Position:
        """The position after a move of each role that has a choice, in the order of the roles, or of all roles.

        UsageError if the game is over, or a move is missing or not legal.
        """
        if self.terminal:
            raise UsageError("the game is over")
        joint = self._joint(list(map(term, moves)))
        return Position(self.game, self.game.machine.next(self.at, joint), self, joint)

    def _joint(self, moves: Sequence[Term]) -> JointMove:
        """A joint move of the moves of all roles, or of those that have a choice."""
        legal = self.situation.legal
        choosing = [role for role, own in enumerate(legal) if len(own) > 1]
        if not choosing and len(moves) == 1:  # all is forced: whose move it is can be seen from the move
            choosing = [role for role, own in enumerate(legal) if moves[0] in own][:1]
        who = list(range(len(legal))) if len(moves) == len(legal) else choosing
        if len(moves) != len(who):
            names = ", ".join(self.game.roles[role] for role in choosing) or "nobody"
            raise UsageError(f"{len(moves)} moves, but a choice has: {names}")
        given = dict(zip(who, moves, strict=True))
        for role, own in enumerate(legal):
            if not own:
                raise UsageError(f"{self.game.roles[role]} has no legal move, though the game is not over")
            if role in given and given[role] not in own:
                known = " ".join(map(kif, own[:_SHOWN])) + (" …" if len(own) > _SHOWN else "")
                raise UsageError(f"{kif(given[role])} is not legal for {self.game.roles[role]}; legal are: {known}")
        return tuple(given.get(role, own[0]) for role, own in enumerate(legal))

    def search(
        self, player: str = DEFAULT_PLAYER, *, seconds: float | None = None, simulations: int | None = None,
        role: str | None = None, threads: int = 1, seed: int = 1,
    ) -> Found:  # fmt: skip
        """Search it as a player would, a second long unless something else is said.

        Without a `role`, the moves of every role that has a choice are told.
        """
        from ggp.api.found import search  # numba takes a second: only where it is searched

        return search(self, player, seconds, simulations, role, threads, seed)

    def board(self) -> Board:
        """What it looks like, with the last move marked."""
        return self.game.boards.view(
            self.fluents, last_moves=self.moves, legal=self.situation.legal,
            before=None if self.before is None else self.before.fluents, over=self.terminal,
        )  # fmt: skip

    def __str__(self) -> str:
        return render(self.board())

    def __repr__(self) -> str:
        goals = " ".join(f"{role} {value}" for role, value in self.goals.items() if role != CHANCE)
        state = f"over, {goals}" if self.terminal else f"{' and '.join(self.to_move) or 'nobody'} to move"
        return f"<position of {self.game.name} after {len(self.history) - 1} steps: {state}>"

    def _repr_svg_(self) -> str:
        """The picture that a notebook shows."""
        return render_svg(self.board())
