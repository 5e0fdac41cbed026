"""Of moves that are proven equal: the one after which the others have most ways to go wrong.

Once all is proven, no move is better against those who make no mistake. Against the rest, what counts is how the game
goes when they do: it is searched once more, with the others' moves drawn by lot as those of chance.
"""

from __future__ import annotations

import time
from collections.abc import Collection

from ggp.players.player import Signal
from ggp.search.choice import MoveStats
from ggp.search.search import Search
from ggp.search.settings import SearchSettings

_SIMULATIONS = 20_000
"""Enough to tell moves apart; in small games also to prove what they are worth."""
_MEMORY = 2**24
"""Bytes of the graph, which is thrown away."""
_SHARE = 0.5
"""The part of the time left that it may take."""
_LEAST = 0.2
"""Seconds that must be left for it."""


def equals(moves: Collection[MoveStats], best: MoveStats, highest: float) -> list[MoveStats]:
    """The moves that are proven to be worth as much as the best, if others can still lose more than that."""
    if best.proven is None or not 0 < best.proven < highest:
        return []
    return [move for move in moves if move.proven == best.proven]


def most_tempting(
    search: Search, role: int, moves: Collection[MoveStats], deadline: float, stop: Signal | None
) -> MoveStats | None:
    """Of some moves at a search's root, the one that is worth most if the others move at random; None without time."""
    left = deadline - time.monotonic()
    if left < _LEAST:
        return None
    by_lot = Search(search.machine, SearchSettings(), seed=1, memory=_MEMORY)
    (tree,) = by_lot.trees
    for other in range(len(search.machine.roles)):
        tree.graph.chance[other] |= other != role
    by_lot.start(search.position)
    by_lot.run(simulations=_SIMULATIONS, deadline=deadline - (1 - _SHARE) * left, stop=stop)
    worth = {move.input: move.mean if move.proven is None else move.proven for move in by_lot.moves(role)}
    return max(moves, key=lambda move: (worth.get(move.input, 0.0), move.mean, -move.input))
