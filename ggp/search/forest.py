"""The background history reply forest (Fabbri, Armetta, Duchêne and Hassas 2015): playouts that reply as descents did.

Every move of a descent is a reply to the moves before it. How often it was chosen, and what came of it, is kept for
contexts of growing length: with each descent, one that is longer by a move. In playouts, the longest context that matches
what was played last proposes replies: one that is drawn by its estimate, as in UCT (`reply=soft`), or the one that the
descents chose last (`reply=last`). What is known is kept for the whole match. Not learned from are simulations that end
without a playout; and contexts are of eight moves at most.
"""

from __future__ import annotations

import numpy as np

from ggp.core.kernels import bound
from ggp.search.kernels.foresting import Entry, Forest, learn_descents, reply_by_forest
from ggp.search.kernels.records import zeros
from ggp.search.kernels.sequences import LONGEST
from ggp.search.learning import Playing
from ggp.search.replies import Sequences, odds_of

USUAL = 1.0
"""The share of moves for which the paper asks the forest, where playouts know nothing else (its ε)."""
_PLACES, _MOST, _LEAST = 2**22, 2**18, 2**13
"""Entries of all tables, of each at most, and at least."""
_CROWDED = 0.7
"""Share of the places that may be taken when a root moves on; else all is forgotten."""


def new_forest(graphs: int) -> Forest:
    """Empty tables."""
    places = max(_LEAST, min(_MOST, 1 << (_PLACES // graphs).bit_length() - 1))
    return Forest(zeros(Entry, graphs * places), places, np.zeros(graphs, np.int64))


class ReplyForest(Sequences):
    """What descents replied, for each of some graphs."""

    def __init__(self, playing: Playing, graphs: int, seed: int) -> None:
        super().__init__(playing, graphs, seed)
        self.forest = new_forest(graphs)
        settings, chain = playing.settings, np.zeros(LONGEST, np.int64)
        how, odds = (settings.reply == "soft", float(settings.bias)), odds_of(settings.prob, USUAL)
        known = self.sequence, self.length, chain
        self._replies = [(self.plays, *choices, odds, self.forest, *how, *known) for choices in self.choices]
        self._replying = bound(reply_by_forest, *self._replies[0])
        if playing.work is not None:
            self._learn = (
                self.forest, playing.work.slots, playing.width, playing.changed, self.path, self.edges, self.role_of
            )  # fmt: skip
            self._learns = bound(learn_descents, *self._learn)

    def reply(self, t: int) -> None:
        """Lanes have come to phase t: say what they prefer there."""
        self.note(t)
        if self.deciders[t] >= 0:
            self._replying(*self._replies[t])

    def end(self) -> None:
        """The lanes that were changed have come to their end."""
        if self.playing.work is not None:
            self._learns(*self._learn)

    def adopt(self, other: ReplyForest) -> None:
        """Go on with what another one knows: the moves are the same."""
        np.copyto(self.forest.entry[:], other.forest.entry[:])
        self.forest.taken[:] = other.forest.taken

    def move_on(self, graph: int, *, forget: bool) -> None:
        """The root of a graph has moved on: all is kept while there is room."""
        places = self.forest.places
        if forget or self.forest.taken[graph] > _CROWDED * places:
            self.forest.entry["key"][graph * places : (graph + 1) * places] = 0
            self.forest.taken[graph] = 0
