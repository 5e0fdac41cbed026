"""Contextual Monte Carlo (Rimmel and Teytaud 2010): moves that did well together with the last one of the same player.

A tile is a pair of moves of one role; its value is the mean of what the role reached in the playouts in which it played
both. In a share `prob` of the steps, the role whose turn it is plays the legal move whose tile with its own last move is
worth most, if that is above `threshold`; else any legal move. On lanes, what was played is a row of bits for each move,
and all tiles are counted by one *and* of two rows. Replies are put in order again when there is a
quarter more to know.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ggp.core.errors import MachineError
from ggp.core.kernels import bound
from ggp.search.kernels.preferring import forget_played
from ggp.search.kernels.replying import count_pairs, rank_means, reply
from ggp.search.learning import DECAY, Playing
from ggp.search.replies import Replies, odds_of

USUAL = 0.35
"""What the paper found best for `prob`."""
_GROWTH, _FIRST = 1.25, 8
"""Replies are put in order again when there are so many times the playouts, and so many more, than the last time."""
_MOST_BYTES = 2**32


class Contextual(Replies):
    """The tiles of one game, for each of some graphs, and the replies that follow from them."""

    def __init__(self, playing: Playing, graphs: int, seed: int) -> None:
        super().__init__(playing, graphs, seed)
        shape = graphs, self.rows.inputs, self.most
        if (size := 18 * int(np.prod(shape))) > _MOST_BYTES:
            raise MachineError(f"contextual playouts of {graphs} searches at once would take {size >> 30} GB here")
        self.n, self.total = np.zeros(shape), np.zeros(shape)
        """Playouts in which a role played both, and the sum of what it reached in them."""
        self.playouts = np.zeros(graphs)
        self.order = np.tile(np.arange(self.most, dtype=np.int16), (graphs, self.rows.inputs, 1))
        self.count = np.zeros(shape[:2], np.int32)
        self._ranked = np.zeros(graphs)
        settings, memory, rows = playing.settings, playing.bank.memory, self.rows
        odds = odds_of(settings.prob, USUAL)
        lanes, played = (playing.owner, playing.width), rows.total + rows.inputs
        starts = self.starts[0]
        tables = self.order, self.count, odds
        self._replies = [
            (memory, self.places, rows.total, int(starts[role]), starts[role : role + 2], *tables, *lanes, self.luck)
            for role in self.deciders.tolist()
        ]  # fmt: skip
        best, scratch = np.zeros(len(self.goals), np.uint64), np.zeros(self.most, np.uint64)
        self._count = (
            memory, played, rows.goal, self.goals, self.starts, playing.changed, *lanes, best, scratch,
            self.n, self.total, self.playouts,
        )  # fmt: skip
        self._clear = memory, played, rows.inputs, playing.changed
        self._replying, self._counting = bound(reply, *self._replies[0]), bound(count_pairs, *self._count)
        self._clears = bound(forget_played, *self._clear)
        self._threshold, self._score = float(settings.threshold), np.zeros(self.most)
        self._ranks = bound(rank_means, *self._ranking(0))

    def _ranking(self, graph: int) -> tuple[Any, ...]:
        n, total = self.n[graph], self.total[graph]
        return n, total, self.starts, self._threshold, self._score, self.order[graph], self.count[graph]

    def begin(self) -> None:
        """The lanes that were changed are about to play."""
        super().begin()
        self._clears(*self._clear)
        for graph in np.flatnonzero(self.playouts >= _GROWTH * self._ranked + _FIRST).tolist():
            self.rank(graph)

    def rank(self, graph: int) -> None:
        """Put the replies of a graph in order."""
        self._ranks(*self._ranking(graph))
        self._ranked[graph] = self.playouts[graph]

    def reply(self, t: int) -> None:
        """Lanes have come to phase t: say what they prefer there."""
        if self.deciders[t] >= 0:
            self._replying(*self._replies[t])

    def end(self) -> None:
        """The lanes that were changed have come to their end."""
        self._counting(*self._count)

    def adopt(self, other: Contextual) -> None:
        """Go on with what another one knows: the moves are the same."""
        self.n[:], self.total[:], self.playouts[:] = other.n, other.total, other.playouts
        for graph in range(self.graphs):
            self.rank(graph)

    def move_on(self, graph: int, *, forget: bool) -> None:
        """The root of a graph has moved on: what was before counts less, or nothing."""
        for sums in (self.n, self.total, self.playouts):
            sums[graph] *= 0 if forget else DECAY
        self.rank(graph)
