"""MAST, the move-average sampling technique (Finnsson and Björnsson 2008), by preferences.

What a move has led to on average, wherever in a game it was played, tells which moves to try more often in playouts. On
lanes, each playout draws a set of moves that it prefers, move by move, with a probability that grows with its average as
in Gibbs' distribution; and plays any legal move of that set where there is one, else any legal move. So a playout costs
what a uniform one does, and a few operations for each move. Only playouts are counted, not the moves that lead to them.
"""

from __future__ import annotations

import numpy as np

from ggp.core.kernels import bound
from ggp.search.kernels.preferring import count_played, draw_preferences, forget_played, weigh
from ggp.search.learning import DECAY, Playing, by_goal


class Mast:
    """What is known of the moves of one game, for each of some graphs, and what lanes prefer by it."""

    def __init__(self, playing: Playing, graphs: int, seed: int) -> None:
        engine = playing.bank.engine
        circuit, rows, inputs = engine.circuit, engine.rows, engine.rows.inputs
        self.n, self.total = np.zeros((graphs, inputs)), np.zeros((graphs, inputs))
        (goals, starts), odds = by_goal(circuit), np.zeros((graphs, inputs), np.int64)
        memory, mask, owner, width = playing.bank.memory, playing.changed, playing.owner, playing.width
        preferred, played = rows.total, rows.total + inputs
        liking = np.zeros_like(self.n) if playing.work is None else playing.work.graph.liking
        self._weigh = self.n, self.total, starts, odds, np.full(graphs, -1.0), liking
        self._draw = memory, preferred, mask, owner, width, odds, np.array([seed % 2**64], np.uint64)
        self._forget = memory, played, inputs, mask
        best = np.zeros(len(goals), np.uint64)
        self._count = memory, played, rows.goal, goals, starts, mask, owner, width, best, self.n, self.total
        self._weighs, self._draws = bound(weigh, *self._weigh), bound(draw_preferences, *self._draw)
        self._forgets, self._counts = bound(forget_played, *self._forget), bound(count_played, *self._count)

    def begin(self) -> None:
        """The lanes that were changed are about to play."""
        self._weighs(*self._weigh)
        self._draws(*self._draw)
        self._forgets(*self._forget)

    def end(self) -> None:
        """The lanes that were changed have come to their end."""
        self._counts(*self._count)

    def adopt(self, other: Mast) -> None:
        """Go on with what another one knows: the moves are the same."""
        self.n[:], self.total[:] = other.n, other.total

    def move_on(self, graph: int, *, forget: bool) -> None:
        """The root of a graph has moved on: what was before counts less, or nothing."""
        self.n[graph] *= 0 if forget else DECAY
        self.total[graph] *= 0 if forget else DECAY
