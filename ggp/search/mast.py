"""MAST, the move-average sampling technique (Finnsson and Björnsson 2008), by preferences.

What a move has led to on average, wherever in a game it was played, tells which moves to try more often in playouts. On
lanes, each playout draws a set of moves that it prefers, move by move, with a probability that grows with its average as
in Gibbs' distribution; and plays any legal move of that set where there is one, else any legal move. So a playout costs
what a uniform one does, and a few operations for each move. Only playouts are counted, not the moves that lead to them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ggp.banks.bank import Bank, Engine
from ggp.search.kernels.preferring import count_played, draw_preferences, forget_played, weigh

_DECAY = 0.5
"""What is left of the counts when a root moves on."""


class Mast:
    """What is known of the moves of one game, for each of some graphs, and what lanes prefer by it."""

    def __init__(self, engine: Engine, graphs: int, width: int, seed: int) -> None:
        """`width`: the lanes of a slot."""
        circuit, rows = engine.circuit, engine.rows
        self.n, self.total = np.zeros((graphs, circuit.inputs)), np.zeros((graphs, circuit.inputs))
        self._odds = np.zeros((graphs, circuit.inputs), np.int64)
        self._width, self._luck = width, np.array([seed % 2**64], np.uint64)
        self._preferred, self._played, self._goal = rows.total, rows.total + rows.inputs, rows.goal
        order = np.lexsort((-circuit.goal_values, circuit.goal_roles))
        self._goals = np.column_stack([order, circuit.goal_values[order]]).astype(np.int64)
        first = np.searchsorted(circuit.goal_roles[order], np.arange(circuit.roles + 1))
        self._starts = np.array([circuit.role_starts, first], np.int64)
        self._best = np.zeros(len(order), np.uint64)

    def begin(self, bank: Bank, mask: NDArray[np.uint64], owner: NDArray[np.int32]) -> None:
        """Lanes are about to play: uint64 [columns]; `owner`: the graph of each slot."""
        weigh(self.n, self.total, self._starts, self._odds)
        draw_preferences(bank.memory, self._preferred, mask, owner, self._width, self._odds, self._luck)
        forget_played(bank.memory, self._played, self.n.shape[1], mask)

    def end(self, bank: Bank, mask: NDArray[np.uint64], owner: NDArray[np.int32]) -> None:
        """Lanes have come to their end."""
        count_played(
            bank.memory, self._played, self._goal, self._goals, self._starts, mask, owner, self._width, self._best,
            self.n, self.total,
        )  # fmt: skip

    def adopt(self, other: Mast) -> None:
        """Go on with what another one knows: the moves are the same."""
        self.n, self.total = other.n, other.total

    def move_on(self, graph: int, *, forget: bool) -> None:
        """The root of a graph has moved on: what was before counts less, or nothing."""
        self.n[graph] *= 0 if forget else _DECAY
        self.total[graph] *= 0 if forget else _DECAY
