"""A crew: the lanes and the slots of one thread of a search.

The *growing* lanes play one step, with given moves: each of them finds a new position. The *playing* lanes play at random
to the end, many steps between two looks at them; a slot has `width` of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ggp.banks.bank import Bank, Engine
from ggp.banks.transfer import load_lanes, save_lanes
from ggp.search.kernels import layout as k
from ggp.search.kernels.growth import absorb, any_expands, load_growing
from ggp.search.kernels.lanes import clear_rows, read_flags, read_goals, set_row
from ggp.search.kernels.launching import cancel, launch
from ggp.search.kernels.playout import count_playing, harvest, load_playing
from ggp.search.settings import SearchSettings
from ggp.search.trace import Tracer


class _Pace(NamedTuple):
    busy: float
    """Growing lanes step again at once while at least this share of the slots waits for them."""
    few: float
    many: float
    """Shares of the playing slots that should be done when they are looked at."""


_EAGER = _Pace(0.2, 0.15, 0.4)
"""Where each slot has a graph of its own, nobody need wait for others."""
_BRISK = _Pace(0.1, 0.1, 0.25)
"""In large circuits to look is cheap, and lanes that wait are dear."""
_PATIENT = _Pace(0.4, 0.7, 0.95)
"""Else to look costs more than to play on: with most of the slots done, connect four is half as fast again."""
_LARGE = 10_000
"""Gates of a large circuit."""
_LONGEST = 4096
"""Laps between two looks, at most."""


class Crew:
    """Carries simulations of a graph, many at a time."""

    def __init__(self, engine: Engine, graph: k.Graph, slots: int, seed: int, settings: SearchSettings) -> None:
        self.graph, self.engine = graph, engine
        self.width, depth = settings.playouts, settings.depth
        roles, words = graph.proof.shape[1], graph.position.shape[1]
        self.growing = Bank(engine, slots, seed)
        self.playing = Bank(engine, slots * self.width, seed + 1)
        self.period = engine.phases.period
        self.step_limit = settings.step_limit
        self.laps = 1
        self.lap = 0
        self.slots = k.Slots(
            slot=np.zeros((slots, k.SLOT), np.int32),
            node=np.zeros((slots, depth + 1), np.int32),
            edge=np.zeros((slots, depth), np.int32),
            length=np.zeros(slots, np.int32),
            position=np.zeros((slots, words), np.uint64),
            payoff=np.zeros((slots, roles)),
        )
        inputs = max(1, engine.circuit.inputs)
        self.scratch = k.Scratch(
            stack=np.empty(2 * len(graph.node) // len(graph.head) + 8, np.int32),
            order=np.empty(len(graph.node) // len(graph.head) + depth + 8, np.int32),
            arm_n=np.empty(2 * inputs),
            arm_sum=np.empty(inputs),
            pick=np.zeros(roles, np.int64),
            goals=np.zeros(roles),
            inputs=np.zeros(inputs, np.int32),
            counts=np.zeros(roles, np.int32),
        )
        lanes = self.growing.lanes
        rows, circuit = engine.rows, engine.circuit
        self._source = np.zeros(lanes, np.int32)
        self._play_source = np.full(self.playing.lanes, -1, np.int32)
        self._mask = np.zeros(max(lanes, self.playing.lanes) // 64, np.uint64)
        self._positions = np.zeros((lanes, words), np.uint64)
        self._legal = np.zeros((lanes, -(-inputs // 64)), np.uint64)
        self._picks = np.zeros_like(self._legal)
        self._flags = np.zeros((lanes, 1), np.uint64)
        self._goals = np.zeros((lanes, roles))
        self._started = np.zeros(slots, np.int64)
        self._goal_roles = circuit.goal_roles.astype(np.int64)
        self._goal_values = circuit.goal_values.astype(np.float64)
        self._clear = np.array([rows.done, rows.stuck, rows.goal]), np.array([1, 1, rows.goals])
        self.playing.memory[:, rows.done] = np.uint64(2**64 - 1)
        self._pace = _EAGER if len(graph.head) > 1 else _BRISK if engine.circuit.gates >= _LARGE else _PATIENT
        alone = roles == 1 and len(graph.head) == 1 and self.width == 1
        self._program = engine.careful if settings.careful == "yes" else engine.rollout
        self.tracer = Tracer(graph, self.slots, self.playing) if alone else None

    def wave(self) -> bool:
        """Start simulations, grow, play for a while, and update. False when there was nothing to do."""
        before = int(self.graph.head[:, k.DONE].sum())
        waiting = launch(self.graph, self.slots, self.scratch)
        least = max(1, int(self._pace.busy * len(self.slots.slot)))
        while waiting:
            waiting = self._grow()
            if waiting < least:
                break
        if self.tracer is not None:
            self.tracer.look(None)
        started = self._load()
        playing = self._play()
        return bool(waiting or started or playing) or int(self.graph.head[:, k.DONE].sum()) > before

    def _grow(self) -> int:
        bank, rows, s = self.growing, self.engine.rows, self.slots
        lanes = load_growing(self.graph, s, bank.memory, rows.given, self._source, self.scratch.pick)
        load_lanes(bank.memory, 0, rows.bases, self._source[:lanes], s.position, self._mask)
        blocks = -(-lanes // (64 * bank.words))
        bank.run(self.engine.tick[1], 1, blocks)
        memory = bank.memory
        save_lanes(memory, 0, rows.bases, lanes, self._positions)
        if any_expands(s, self._source, lanes):
            save_lanes(memory, rows.legal, rows.inputs, lanes, self._legal)
            save_lanes(memory, rows.moves, rows.inputs, lanes, self._picks)
        ended = read_flags(memory, rows.ended, rows.stuck, lanes, self._flags)
        if ended:
            read_goals(memory, rows.goal, self._goal_roles, self._goal_values, lanes, self._goals)
        waiting: int = absorb(
            self.graph, s, self._source, lanes, self._positions, self._legal, self._picks, self._flags, self._goals,
            self.period, self.scratch,
        )  # fmt: skip
        return waiting

    def _load(self) -> int:
        memory, rows = self.playing.memory, self.engine.rows
        count: int = load_playing(self.slots, self.width, self.lap, self._play_source, self._started)
        if count:
            load_lanes(memory, 0, rows.bases, self._play_source, self.slots.position, self._mask)
            columns = self._mask[: self.playing.lanes // 64]
            clear_rows(memory, *self._clear, columns)
            set_row(memory, rows.fresh, columns)
        return count

    def _play(self) -> int:
        before: int = count_playing(self.slots)
        if not before:
            return 0
        rows = self.engine.rows
        if self.tracer is not None:
            self.tracer.before_laps(self.lap, int(self._started[self.slots.slot[:, k.STAGE] == k.PLAYING].min()))
        self.playing.run(self._program[1], self.laps)
        self.lap += self.laps
        limit = -(-self.step_limit // self.period)
        left = harvest(
            self.graph, self.slots, self.width, self.playing.memory, rows.done, rows.stuck, rows.goal,
            self._goal_roles, self._goal_values, self.lap, limit, self._started, self.scratch,
        )  # fmt: skip
        if self.tracer is not None:
            self.tracer.look(self._started)
        share = 1 - left / before
        if share < self._pace.few:
            self.laps = min(self.laps + self.laps // 4 + 1, _LONGEST, limit)
        elif share > self._pace.many:
            self.laps = max(1, self.laps - self.laps // 4 - 1)
        return before

    def cancel(self) -> None:
        """Give up the simulations under way."""
        cancel(self.graph, self.slots)
