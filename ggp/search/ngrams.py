"""NST, the n-gram selection technique (Tak, Winands, Björnsson 2012): moves by what they led to after those before.

Beside what a move has led to on average (MAST), that is known for it together with the move before it, and with the
two moves before it, whoever played them. A move is worth the mean of the three, of the longer ones only where they
were met `LEAST` times. In a share of the steps (`prob`, one less the ε of the paper) the legal move that is worth
most is played, one that was never played before all others; else any legal move. As in the paper of 2014 on decay,
what is known counts less when the root moves on. Only playouts are learned from. Where the table is full, new n-grams
are not noted.
"""

from __future__ import annotations

import numpy as np

from ggp.core.kernels import bound
from ggp.search.forest import new_forest
from ggp.search.kernels.grams import BEFORE, learn_grams, reply_by_grams
from ggp.search.learning import DECAY, Playing
from ggp.search.replies import Sequences, odds_of

USUAL = 0.9
"""The share of moves that are chosen by what they are worth."""
LEAST = 7.0
"""How often a bigram or trigram must have been met."""


class NGrams(Sequences):
    """What is known of moves after others, for each of some graphs."""

    def __init__(self, playing: Playing, graphs: int, seed: int) -> None:
        super().__init__(playing, graphs, seed)
        inputs = self.rows.inputs
        self.n, self.total = np.zeros((graphs, inputs)), np.zeros((graphs, inputs))
        """Playouts in which a move was played, and the sum of what its role reached in them."""
        self.table = new_forest(graphs)
        odds, known = odds_of(playing.settings.prob, USUAL), (self.table, self.n, self.total)
        lanes, chain = (self.sequence, self.length), np.zeros(BEFORE, np.int64)
        self._replies = [(self.plays, *choices, odds, LEAST, *lanes, *known, chain) for choices in self.choices]
        self._replying = bound(reply_by_grams, *self._replies[0])
        self._learn = self.plays, self.ends, self.role_of, self.sequence, self.begun, self.length, *known
        self._learns = bound(learn_grams, *self._learn)

    def reply(self, t: int) -> None:
        """Lanes have come to phase t: say what they prefer there."""
        self.note(t)
        if self.deciders[t] >= 0:
            self._replying(*self._replies[t])

    def end(self) -> None:
        """The lanes that were changed have come to their end."""
        self._learns(*self._learn)

    def adopt(self, other: NGrams) -> None:
        """Go on with what another one knows: the moves are the same."""
        self.n[:], self.total[:], self.table.taken[:] = other.n, other.total, other.table.taken
        np.copyto(self.table.entry[:], other.table.entry[:])

    def move_on(self, graph: int, *, forget: bool) -> None:
        """The root of a graph has moved on: what was before counts less, or nothing."""
        own = self.table.entry[graph * self.table.places : (graph + 1) * self.table.places]
        for sums in (self.n[graph], self.total[graph], own["n"], own["total"]):
            sums *= 0 if forget else DECAY
        if forget:
            own["key"], self.table.taken[graph] = 0, 0
