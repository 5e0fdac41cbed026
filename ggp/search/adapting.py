"""PPA, playout policy adaptation (Cazenave 2015): weights of moves, adapted after each playout to what the winner played.

In playouts a legal move is drawn with a chance of e to its weight, as Gibbs' distribution has it. After a playout
that a role has won, the weight of each of its moves grows by `RATE`, and those of all moves that were legal there
shrink by that times their chance: the gradient of the playout's likelihood. Where a simulation is many playouts, each
counts for its share. The moves of descents are not adapted to. Features of moves (PPAF) would be those of one game;
the moves of GDL say already which piece moves from where to where, in most games.
"""

from __future__ import annotations

import numpy as np

from ggp.core.kernels import bound
from ggp.search.kernels.adapting import adapt, forget_news, reply_by_weights
from ggp.search.learning import DECAY, Playing
from ggp.search.replies import Replies, odds_of

USUAL = 1.0
"""The share of moves that are drawn by their weights."""
RATE = 1.0
"""What the paper found best, with one playout a simulation."""


class Adapting(Replies):
    """The weights of the moves of one game, for each of some graphs."""

    def __init__(self, playing: Playing, graphs: int, seed: int) -> None:
        super().__init__(playing, graphs, seed)
        self.weights, self.powers = np.zeros((graphs, self.rows.inputs)), np.ones((graphs, self.rows.inputs))
        self.news = np.zeros((playing.bank.lanes, self.rows.inputs))
        odds, rate = odds_of(playing.settings.prob, USUAL), RATE / playing.width
        self._replies = [(self.plays, *choices, odds, rate, self.powers, self.news) for choices in self.choices]
        self._learn = self.plays, self.ends, self.weights, self.powers, self.news
        self._replying, self._learns = bound(reply_by_weights, *self._replies[0]), bound(adapt, *self._learn)
        self._clears = bound(forget_news, playing.changed, self.news)

    def begin(self) -> None:
        """The lanes that were changed are about to play."""
        super().begin()
        self._clears(self.playing.changed, self.news)

    def reply(self, t: int) -> None:
        """Lanes have come to phase t: say what they prefer there."""
        if self.deciders[t] >= 0:
            self._replying(*self._replies[t])

    def end(self) -> None:
        """The lanes that were changed have come to their end."""
        self._learns(*self._learn)

    def adopt(self, other: Adapting) -> None:
        """Go on with what another one knows: the moves are the same."""
        self.weights[:], self.powers[:] = other.weights, other.powers

    def move_on(self, graph: int, *, forget: bool) -> None:
        """The root of a graph has moved on: what was before counts less, or nothing."""
        self.weights[graph] *= 0 if forget else DECAY
        self.powers[graph] = np.exp(self.weights[graph])
