"""What happens between two runs of the lanes' programs, in one call: from Python, each costs as much as a simulation.

From kernel to kernel, a call costs a tenth of that, as every array goes along with all its measures. So what is done for
each slot is part of one loop over all of them.
"""

from __future__ import annotations

from ggp.core.kernels import borrowing
from ggp.search.kernels.descent import descend
from ggp.search.kernels.growth import absorb, load_growing
from ggp.search.kernels.launching import launch
from ggp.search.kernels.layout import Graph, Lanes, Scratch, Slots, Stage
from ggp.search.kernels.updating import update

_CROWDED = 2  # simulations in a row that end without lanes: more would all go one way, while other edges are in flight


@borrowing
def begin(g: Graph, s: Slots, v: Lanes, w: Scratch) -> tuple[int, bool]:
    """Start simulations, and load the lanes that they need to grow: how many. And whether there was anything to do."""
    waiting, ended = 0, 0
    for _ in range(_CROWDED):
        launch(g, s)
        waiting, over = _advance(g, s, w)
        ended += over
        if not over:
            break
    return load_growing(g, s, v, w) if waiting else 0, waiting + ended > 0


@borrowing
def step(g: Graph, s: Slots, v: Lanes, w: Scratch, lanes: int, period: int, least: int) -> int:
    """After a step of so many growing lanes: load the lanes for the next if at least `least` slots need one. How many."""
    absorb(g, s, v, w, lanes, period)
    waiting, _ = _advance(g, s, w)
    return load_growing(g, s, v, w) if waiting >= least else 0


@borrowing
def _advance(g: Graph, s: Slots, w: Scratch) -> tuple[int, int]:
    """Let descents go on, and count payoffs that are known.

    How many slots wait for lanes to grow, and how many simulations are over.
    """
    waiting, over = 0, 0
    for i in range(len(s.slot)):
        if s.slot[i].stage == Stage.DESCENDING:
            descend(g, s, i, w)
        if s.slot[i].stage == Stage.PAID:
            update(g, s, i, w)
            over += 1
        waiting += Stage.EXPAND <= s.slot[i].stage <= Stage.MOVE
    return waiting, over
