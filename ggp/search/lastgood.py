"""Last good replies with forgetting (Drake 2009; Baier and Drake 2010): what has answered a move well answers it again.

After a playout, each move of a role that won becomes the reply to the move before it, and to the two moves before it, in
place of what was; those of a role that lost are forgotten where they are the reply. In playouts, the reply to the last
two moves is played if it is legal, else that to the last one, else any legal move. Only playouts are learned from.
"""

from __future__ import annotations

import numpy as np

from ggp.core.errors import MachineError
from ggp.core.kernels import bound
from ggp.search.kernels.lastgood import learn_last, reply_by_last
from ggp.search.learning import Playing
from ggp.search.replies import Sequences, odds_of

USUAL = 1.0
"""The share of moves for which replies are asked."""
_MOST_BYTES = 2**32


class LastGood(Sequences):
    """The replies of one game, for each of some graphs."""

    def __init__(self, playing: Playing, graphs: int, seed: int) -> None:
        super().__init__(playing, graphs, seed)
        inputs = self.rows.inputs
        if (size := 4 * graphs * inputs * inputs) > _MOST_BYTES:
            raise MachineError(f"last good replies of {graphs} searches at once would take {size >> 30} GB here")
        self.one = np.full((graphs, inputs), -1, np.int32)
        self.two = np.full((graphs, inputs, inputs), -1, np.int32)
        """The reply to one move, and to two, the older one first; -1: none."""
        odds, lanes, known = odds_of(playing.settings.prob, USUAL), (self.sequence, self.length), (self.one, self.two)
        self._replies = [(self.plays, *choices, odds, *lanes, *known) for choices in self.choices]
        self._replying = bound(reply_by_last, *self._replies[0])
        self._learn = self.plays, self.ends, self.role_of, self.sequence, self.begun, self.length, *known
        self._learns = bound(learn_last, *self._learn)

    def reply(self, t: int) -> None:
        """Lanes have come to phase t: say what they prefer there."""
        self.note(t)
        if self.deciders[t] >= 0:
            self._replying(*self._replies[t])

    def end(self) -> None:
        """The lanes that were changed have come to their end."""
        self._learns(*self._learn)

    def adopt(self, other: LastGood) -> None:
        """Go on with what another one knows: the moves are the same."""
        self.one[:], self.two[:] = other.one, other.two

    def move_on(self, graph: int, *, forget: bool) -> None:
        """The root of a graph has moved on: replies stay good, unless all is to be forgotten."""
        if forget:
            self.one[graph] = self.two[graph] = -1
