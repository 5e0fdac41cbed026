"""Which game is played next, and who plays which role."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from ggp.core.errors import UsageError

ORDERS = ("round-robin", "random")


@dataclass(frozen=True)
class Pairing:
    """A match that is to be played."""

    game: str
    players: tuple[str, ...]
    """One for each role that a player decides for, in the order of the roles."""


class Schedule:
    """Spreads matches evenly over games, roles and opponents while players come and go, or draws them by lot."""

    def __init__(self, games: dict[str, int], order: str, seed: int) -> None:
        """`games` gives the number of players that each game needs."""
        if order not in ORDERS:
            raise UsageError(f"there is no order {order!r}; known are: {', '.join(ORDERS)}")
        self._games = dict(games)
        self._order = order
        self._generator = random.Random(seed)
        self._played: Counter[str] = Counter()
        self._in_role: Counter[tuple[str, int, str]] = Counter()
        self._met: Counter[tuple[str, frozenset[str]]] = Counter()
        self._matches: Counter[str] = Counter()

    @property
    def games(self) -> tuple[str, ...]:
        """The games that are played."""
        return tuple(self._games)

    def drop(self, game: str) -> None:
        """Play a game no more."""
        self._games.pop(game, None)

    def next(self, free: Sequence[str], fill: str | None = None) -> Pairing | None:
        """The next match among players that are free; None if no game can be played with so few.

        With `fill`, players of that name take the places for which nobody is there, if at least one player is.
        """
        playable = [game for game, need in self._games.items() if free and (need <= len(free) or fill is not None)]
        if not playable:
            return None
        if self._order == "random":
            game = self._generator.choice(playable)
            players = self._generator.sample(list(free), min(self._games[game], len(free)))
        else:
            game = min(playable, key=lambda name: self._played[name])
            players = self._even(game, free)
        self._count(game, players)
        filled = players + [fill or ""] * (self._games[game] - len(players))
        return Pairing(game, tuple(filled))

    def _even(self, game: str, free: Sequence[str]) -> list[str]:
        """For each role whoever has played it least; among these, who met the others least, and played least."""
        chosen: list[str] = []
        for role in range(min(self._games[game], len(free))):
            chosen.append(
                min(
                    (player for player in free if player not in chosen),
                    key=lambda player: (
                        self._in_role[game, role, player],
                        sum(self._met[game, frozenset((player, other))] for other in chosen),
                        self._matches[player],
                    ),
                )
            )
        return chosen

    def _count(self, game: str, players: Sequence[str]) -> None:
        self._played[game] += 1
        for role, player in enumerate(players):
            self._in_role[game, role, player] += 1
            self._matches[player] += 1
        for pair in combinations(players, 2):
            self._met[game, frozenset(pair)] += 1
