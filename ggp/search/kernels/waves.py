"""What happens between two runs of the lanes' programs, in one call: from Python, each costs as much as a simulation."""

from __future__ import annotations

from ggp.core.kernels import borrowing
from ggp.search.kernels.growth import absorb, load_growing
from ggp.search.kernels.launching import launch
from ggp.search.kernels.layout import Graph, Lanes, Scratch, Slots


@borrowing
def begin(g: Graph, s: Slots, v: Lanes, w: Scratch) -> tuple[int, bool]:
    """Start simulations, and load the lanes that they need to grow: how many. And whether there was anything to do."""
    waiting, ended = launch(g, s, w)
    return load_growing(g, s, v, w) if waiting else 0, waiting + ended > 0


@borrowing
def step(g: Graph, s: Slots, v: Lanes, w: Scratch, lanes: int, period: int, least: int) -> int:
    """After a step of so many growing lanes: load the lanes for the next if at least `least` slots need one. How many."""
    waiting = absorb(g, s, v, w, lanes, period)
    return load_growing(g, s, v, w) if waiting >= least else 0
