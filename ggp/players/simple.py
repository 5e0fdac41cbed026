"""Players that do not search: random, legal and greedy."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

from gdl.terms import Term
from ggp.machines.machine import goal
from ggp.players.player import Player, Turn


class SimplePlayer:
    """What players without a search have in common."""

    def ponder(self, turn: Turn) -> None:
        """There is nothing to think about."""

    def report(self) -> Mapping[str, object]:
        """There is nothing to tell."""
        return {}

    def close(self) -> None:
        """There is nothing to give back."""


class RandomPlayer(SimplePlayer):
    """Any legal move, all equally likely."""

    name = "random"

    def __init__(self, seed: int) -> None:
        self._generator = random.Random(seed)

    def choose(self, turn: Turn) -> Term:
        """A random legal move."""
        return self._generator.choice(turn.legal)


class LegalPlayer(SimplePlayer):
    """The first legal move in the order of the text."""

    name = "legal"

    def __init__(self, seed: int) -> None:
        """The seed is not used: this player has no choice to make."""

    def choose(self, turn: Turn) -> Term:
        """The first legal move."""
        return turn.legal[0]


class GreedyPlayer(SimplePlayer):
    """The move after which its own goal is highest, if the others move at random."""

    name = "greedy"

    def __init__(self, seed: int) -> None:
        self._generator = random.Random(seed)

    def choose(self, turn: Turn) -> Term:
        """The best move one step ahead; ties are broken at random."""
        if len(turn.legal) == 1:
            return turn.legal[0]
        values = [self._value_after(turn, move) for move in turn.legal]
        best = max(values)
        return self._generator.choice([m for m, value in zip(turn.legal, values, strict=True) if value == best])

    def _value_after(self, turn: Turn, move: Term) -> int:
        joint = tuple(
            move if role == turn.role else self._generator.choice(moves)
            for role, moves in enumerate(turn.situation.legal)
        )
        after = turn.machine.next(turn.position, joint)
        return goal(turn.machine.situation(after).goals[turn.role])


SIMPLE: Mapping[str, Callable[[int], Player]] = {"random": RandomPlayer, "legal": LegalPlayer, "greedy": GreedyPlayer}
"""How each is made from its seed, by its name."""
