"""A crew: the lanes and the slots of one thread of a search.

The *growing* lanes play one step, with given moves: each of them finds a new position. The *playing* lanes play at random
to the end, many steps between two looks at them; a slot has `width` of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ggp.core.kernels import bound
from ggp.core.seeds import split_seed
from ggp.lanes.bank import Bank
from ggp.lanes.engine import Engine
from ggp.lanes.policies import POLICIES, Evidence
from ggp.search.kernels.launching import cancel
from ggp.search.kernels.layout import Graph, Lanes, Rows, Scratch, Slot, Slots
from ggp.search.kernels.playout import harvest, load_playing
from ggp.search.kernels.records import zeros
from ggp.search.kernels.waves import begin, step
from ggp.search.learning import Learner, Playing
from ggp.search.mast import Mast
from ggp.search.settings import AUTO, SearchSettings
from ggp.search.trace import Tracer


class _Pace(NamedTuple):
    busy: float
    """Growing lanes step again at once while at least this share of the slots waits for them."""
    few: float
    many: float
    """Shares of the playing slots that should be done when they are looked at."""


_EAGER = _Pace(0.2, 0.15, 0.4)
"""Where each slot has a graph of its own, nobody need wait for others."""
_BRISK = _Pace(0.1, 0.15, 0.3)
"""In large circuits to look is cheap, and lanes that wait are dear."""
_PATIENT = _Pace(0.4, 0.7, 0.95)
"""Else to look costs more than to play on: with most of the slots done, connect four is half as fast again."""
_LARGE = 10_000
"""Gates of a large circuit."""
_LONGEST = 4096
"""Laps between two looks, at most."""


LEARNERS: Mapping[str, type[Learner]] = {"mast": Mast}
"""For the policies that learn."""


class Crew:
    """Carries simulations of a graph, many at a time."""

    def __init__(self, engine: Engine, graph: Graph, slots: int, seed: int, settings: SearchSettings) -> None:
        self.graph, self.engine = graph, engine
        self.width, depth = settings.playouts, settings.depth
        roles, words = graph.proof.shape[1], graph.position.shape[1]
        self.growing = Bank(engine, slots, seed)
        self.playing = Bank(engine, slots * self.width, seed + 1)
        self.period = engine.phases.period
        self.step_limit = settings.step_limit
        self.laps = 1
        self.lap = 0
        self.slots = Slots(
            slot=zeros(Slot, slots),
            node=np.zeros((slots, depth + 1), np.int32),
            edge=np.zeros((slots, depth), np.int32),
            position=np.zeros((slots, words), np.uint64),
            payoff=np.zeros((slots, roles)),
            line=np.zeros(depth, np.int32),
        )
        inputs = max(1, engine.circuit.inputs)
        self.scratch = Scratch(
            stack=np.empty(2 * len(graph.node) // len(graph.head) + 8, np.int32),
            order=np.empty(len(graph.node) // len(graph.head) + depth + 8, np.int32),
            arm_n=np.empty(2 * inputs),
            arm_sum=np.empty(inputs),
            pick=np.zeros(roles, np.int64),
            goals=np.zeros(roles),
            inputs=np.zeros(inputs, np.int32),
            counts=np.zeros(roles, np.int32),
        )
        self.policy = "uniform" if settings.policy == AUTO else engine.offered(settings.policy)
        self._tick = engine.tick[1]
        self._program = engine.rollout(self.policy, POLICIES[self.policy].evidence)[1]
        self.growing.fit(self._tick)
        self.playing.fit(self._program)
        self.lanes = self._lanes(slots, roles, words)
        self.learner = self._learner(split_seed(seed, self.policy))
        whole = graph, self.slots, self.lanes, self.scratch
        self._begin, self._step = bound(begin, *whole), bound(step, *whole, 1, 1, 1)
        self._load_playing = bound(load_playing, self.slots, self.lanes, 1, 1)
        self._harvest = bound(harvest, *whole, 1, 1, 1)
        self._pace = _EAGER if len(graph.head) > 1 else _BRISK if engine.circuit.gates >= _LARGE else _PATIENT
        self._least = max(1, int(self._pace.busy * slots))
        self.tracer: Tracer | None = None
        if roles == 1 and len(graph.head) == 1:
            program = engine.rollout(self.policy, Evidence.LAST)[1]
            own = slice(engine.rows.total, engine.rows.total + engine.parameters(self.policy))
            self.tracer = Tracer(graph, self.slots, self.lanes.started, self.playing, self.width, program, own)

    def _learner(self, seed: int) -> Learner | None:
        changed = self.lanes.mask[: self.playing.lanes // 64]
        playing = Playing(self.playing, changed, self.slots.slot["graph"], self.width)
        return LEARNERS[self.policy](playing, len(self.graph.head), seed) if self.policy in LEARNERS else None

    def _lanes(self, slots: int, roles: int, words: int) -> Lanes:
        engine, lanes = self.engine, self.growing.lanes
        inputs = -(-max(1, engine.circuit.inputs) // 64)
        self.playing.memory[:, engine.rows.done] = np.uint64(2**64 - 1)
        return Lanes(
            rows=Rows(**{name: getattr(engine.rows, name) for name in Rows._fields}),
            growing=self.growing.memory,
            playing=self.playing.memory,
            source=np.zeros(lanes, np.int32),
            play_source=np.full(self.playing.lanes, -1, np.int32),
            started=np.zeros(slots, np.int64),
            positions=np.zeros((lanes, words), np.uint64),
            legal=np.zeros((lanes, inputs), np.uint64),
            picks=np.zeros((lanes, inputs), np.uint64),
            ended=np.zeros(lanes, np.bool_),
            goals=np.zeros((lanes, roles)),
            goal_roles=engine.circuit.goal_roles.astype(np.int64),
            goal_values=engine.circuit.goal_values.astype(np.float64),
            mask=np.zeros(max(lanes, self.playing.lanes) // 64, np.uint64),
            square=np.zeros(64, np.uint64),
        )

    def wave(self) -> bool:
        """Start simulations, grow, play for a while, and update. False when there was nothing to do."""
        lanes, begun = self._begin(self.graph, self.slots, self.lanes, self.scratch)
        while lanes:
            lanes = self._grow(lanes)
        if self.tracer is not None:
            self.tracer.look()
        return self._play() or begun

    def _grow(self, lanes: int) -> int:
        """A step of so many growing lanes. How many are loaded for the next."""
        self.growing.run(self._tick, 1, -(-lanes // (64 * self.growing.words)))
        return self._step(self.graph, self.slots, self.lanes, self.scratch, lanes, self.period, self._least)

    def _play(self) -> bool:
        """A number of laps of the playing lanes, and the updates with what is done. Whether any were needed."""
        before, oldest = self._load_playing(self.slots, self.lanes, self.width, self.lap)
        if not before:
            return False
        if self.learner is not None:
            self.learner.begin()
        if self.tracer is not None:
            self.tracer.before_laps(self.lap, self.laps, oldest)
        self.playing.run(self._program, self.laps)
        self.lap += self.laps
        limit = -(-self.step_limit // self.period)
        left = self._harvest(self.graph, self.slots, self.lanes, self.scratch, self.width, self.lap, limit)
        if self.learner is not None:
            self.learner.end()
        if self.tracer is not None:
            self.tracer.look()
        share = 1 - left / before
        if share < self._pace.few:
            self.laps = min(self.laps + self.laps // 4 + 1, _LONGEST, limit)
        elif share > self._pace.many:
            self.laps = max(1, self.laps - self.laps // 4 - 1)
        return True

    def cancel(self) -> None:
        """Give up the simulations under way."""
        cancel(self.graph, self.slots)
