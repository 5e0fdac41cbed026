"""Playouts that reply: between two steps, lanes are told what to prefer, by what was played before.

Contexts are moves of the playout and of the descent that led to it, as far as the search knows them: moves before its
root are none.
"""

from __future__ import annotations

import numpy as np

from ggp.core.kernels import bound
from ggp.lanes.lap import deciders
from ggp.search.kernels.preferring import forget_played
from ggp.search.kernels.replying import recall_moves
from ggp.search.learning import Playing, by_goal


class Replies:
    """What all that reply have in common: the roles that decide in each step, and lanes that know the moves before."""

    def __init__(self, playing: Playing, graphs: int, seed: int) -> None:
        engine, self.rows = playing.bank.engine, playing.bank.engine.rows
        self.playing, self.graphs, self.circuit = playing, graphs, engine.circuit
        found = [roles[0] if roles else -1 for roles in deciders(engine.circuit, engine.phases)]
        self.deciders = np.array(found, np.int64)
        """[phases] the role that has a choice; -1: none."""
        self.goals, self.starts = by_goal(engine.circuit)
        self.most = int(np.diff(engine.circuit.role_starts).max(initial=1))
        """Inputs of a role, at most."""
        self.luck = np.array([seed % 2**64], np.uint64)
        self._forget = playing.bank.memory, self.rows.moves, self.rows.inputs, playing.changed
        self._forgets = bound(forget_played, *self._forget)
        if playing.work is not None:
            self._recall = *playing.work, playing.width, self.deciders
            self._recalls = bound(recall_moves, *self._recall)

    def begin(self) -> None:
        """The lanes that were changed are about to play."""
        self._forgets(*self._forget)
        if self.playing.work is not None:
            self._recalls(*self._recall)
