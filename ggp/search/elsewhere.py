"""What others have found of the same root, on graphs of their own: it counts beside what a search has found itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ggp.search.choice import MoveStats
from ggp.search.trace import Line


class Elsewhere(NamedTuple):
    """What somebody knows of a root."""

    visits: float = 0.0
    """Simulations that came by it."""
    moves: Sequence[list[MoveStats]] = ()
    """Of each role; nothing at all where nothing is known."""
    values: tuple[float, ...] | None = None
    """The exact goals of the roles, where these are known."""
    line: Line | None = None
    """In a game for one role: the best line that was found."""


NOTHING = Elsewhere()


class Totals:
    """What many know of one root, added up. Each may be heard again, with more than before."""

    def __init__(self) -> None:
        self.visits = 0.0
        self.values: tuple[float, ...] | None = None
        self.line: Line | None = None
        self._last: dict[str, Elsewhere] = {}
        self._sums: list[dict[int, list[float]]] = []
        """Visits of each move, and with each visit its mean and its spread."""
        self._proven: list[dict[int, tuple[float, int]]] = []

    def hear(self, who: str, known: Elsewhere) -> None:
        """Take what somebody knows in place of what they knew before."""
        self._add(self._last.get(who, NOTHING), -1)
        self._add(known, 1)
        self._last[who] = known
        self.values = known.values if self.values is None else self.values
        if known.line is not None and (self.line is None or known.line.goal > self.line.goal):
            self.line = known.line

    @property
    def heard(self) -> int:
        """How many have been heard."""
        return len(self._last)

    def sum(self) -> Elsewhere:
        """What all of them know together."""
        return Elsewhere(self.visits, [self._moves(role) for role in range(len(self._sums))], self.values, self.line)

    def _add(self, known: Elsewhere, sign: int) -> None:
        self.visits += sign * known.visits
        while len(self._sums) < len(known.moves):
            self._sums.append({})
            self._proven.append({})
        for sums, proven, moves in zip(self._sums, self._proven, known.moves, strict=False):
            for move in moves:
                total, weight = sums.setdefault(move.input, [0.0, 0.0, 0.0]), sign * move.visits
                total[0] += weight
                total[1] += weight * move.mean
                total[2] += weight * move.spread
                if move.proven is not None:
                    proven[move.input] = move.proven, move.length

    def _moves(self, role: int) -> list[MoveStats]:
        found = []
        for number, (visits, means, spreads) in sorted(self._sums[role].items()):
            if visits > 0:
                goal, length = self._proven[role].get(number, (None, 0))
                found.append(MoveStats(number, round(visits), means / visits, max(0.0, spreads / visits), goal, length))
        return found
