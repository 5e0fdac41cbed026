"""A crew: the lanes and the slots of one thread of a search.

The *growing* lanes play one step, with given moves: each of them finds a new position. The *playing* lanes play at random
to the end, many steps between two looks at them (`playouts`).
"""

from __future__ import annotations

import numpy as np

from ggp.core.kernels import bound
from ggp.lanes.bank import Bank
from ggp.lanes.engine import Engine
from ggp.search.arrays import new_work
from ggp.search.kernels.launching import cancel
from ggp.search.kernels.layout import Graph, Scratch, Slots
from ggp.search.kernels.waves import begin, step
from ggp.search.playouts import Playouts, eagerness_of, played_rows, policy_of, program_of
from ggp.search.settings import SearchSettings

_ALL = np.uint64(2**64 - 1)


class Crew:
    """Carries simulations of a graph, many at a time."""

    def __init__(self, engine: Engine, graph: Graph, slots: int, seed: int, settings: SearchSettings) -> None:
        self.policy = policy_of(engine, settings)
        self._growing, playing = Bank(engine, slots, seed), Bank(engine, slots * settings.playouts, seed + 1)
        self._tick = engine.tick[1]
        self._growing.fit(self._tick)
        playing.fit(program_of(engine, self.policy, settings))
        playing.memory[:, engine.rows.done] = _ALL
        self.work = new_work(graph, self._growing, playing, slots, settings.depth, played_rows(engine, self.policy))
        self.playouts = Playouts(self.work, playing, settings, self.policy, seed)
        self._begin, self._step = bound(begin, *self.work), bound(step, *self.work, 1, 1, 1)
        self._period = engine.phases.period
        self._least = max(1, int(eagerness_of(engine, len(graph.head)).busy * slots))

    @property
    def slots(self) -> Slots:
        """The simulations under way."""
        return self.work.slots

    @property
    def scratch(self) -> Scratch:
        """Working memory, for kernels that this thread runs between two waves."""
        return self.work.scratch

    def wave(self) -> bool:
        """Start simulations, grow, play for a while, and update. False when there was nothing to do."""
        lanes, begun = self._begin(*self.work)
        while lanes:
            lanes = self._grow(lanes)
        if self.playouts.tracer is not None:
            self.playouts.tracer.look()
        return self.playouts.advance() or begun

    def _grow(self, lanes: int) -> int:
        """A step of so many growing lanes. How many are loaded for the next."""
        self._growing.run(self._tick, 1, -(-lanes // (64 * self._growing.words)))
        return self._step(*self.work, lanes, self._period, self._least)

    def cancel(self) -> None:
        """Give up the simulations under way."""
        cancel(self.work.graph, self.work.slots)
