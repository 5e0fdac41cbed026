"""Banks of lanes: the memory of many positions, and what one does with it.

A bank is one array, uint64 [blocks, rows, words]: bit b of word w of block k is lane (k*words + w)*64 + b.
Nothing is shared between banks but compiled programs, which are never written to: give each thread its own
bank.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ggp.circuits.circuit import Circuit
from ggp.core.arraytypes import Bools, Bytes, Longs, Words
from ggp.core.kernels import kernel
from ggp.lanes.choice import RING
from ggp.lanes.engine import Engine, Runner
from ggp.lanes.goals import highest

_DRAWN = 16
"""Words of lanes for which random numbers are drawn together."""
STEP_LIMIT = 1000  # steps after which a playout may be cut off


@dataclass(frozen=True, eq=False)
class Playouts:
    """Results of random play. Games that are still going on are in no number but `steps`; see `Bank.finish`."""

    games: int  # that ended in a terminal position
    stuck: int  # given up because a role had no legal move
    cut: int  # given up because of the step limit
    steps: int  # lane-steps, those on which a lane waited to be refilled included
    waits: int  # lane-steps on which a lane waited
    goals: Longs = field(repr=False)  # [goal literals] games in which it was the role's highest
    sums: Longs  # [roles] sum of goal values

    @property
    def over(self) -> int:
        """All games that are not going on any more."""
        return self.games + self.stuck + self.cut

    def __add__(self, other: Playouts) -> Playouts:
        return Playouts(
            self.games + other.games,
            self.stuck + other.stuck,
            self.cut + other.cut,
            self.steps + other.steps,
            self.waits + other.waits,
            self.goals + other.goals,
            self.sums + other.sums,
        )


class Bank:
    """Lanes of one engine. All methods leave the interpreter lock free while they run programs."""

    def __init__(self, engine: Engine, lanes: int, seed: int) -> None:
        """`lanes` is rounded up to whole blocks. All lanes start in the initial position."""
        self.engine = engine
        self.words = engine.words
        self.blocks = max(1, -(-lanes // (64 * self.words)))
        self.lanes = self.blocks * 64 * self.words
        self._grow(engine.rows.total)
        self._random = np.random.Generator(np.random.PCG64(seed))
        ring = engine.rows.ring
        self.memory[:, ring : ring + RING] = self._luck()
        self._laps = 0
        self.reset()

    def _luck(self) -> Words:
        """The first random words of the lanes, [blocks, RING, words]: for a lane the same in blocks of any width."""
        columns = self.blocks * self.words
        drawn = self._random.integers(0, 2**64, (-(-columns // _DRAWN), RING, _DRAWN), np.uint64)
        of_lanes = drawn.swapaxes(1, 2).reshape(-1, RING)[:columns]
        return of_lanes.reshape(self.blocks, self.words, RING).swapaxes(1, 2)

    def _grow(self, rows: int) -> None:
        old = getattr(self, "memory", np.zeros((self.blocks, 0, self.words), np.uint64))
        if rows > old.shape[1]:
            self.memory: Words = aligned((self.blocks, rows, self.words))
            self.memory[:, : old.shape[1]] = old

    def run(self, runner: Runner, laps: int, blocks: int | None = None) -> None:
        """Run a program of this bank's engine over all blocks, or the first few."""
        self.fit(runner)
        runner.run(self.memory[:blocks], laps)

    def fit(self, runner: Runner) -> None:
        """Make room for a program. `memory` may be another array afterwards, until it was done for all that will run."""
        self._grow(runner.rows)

    def reset(self) -> None:
        """The initial position in all lanes."""
        rows = self.engine.rows
        start = np.where(self.engine.circuit.initial, np.uint64(2**64 - 1), np.uint64(0))
        self.memory[:, : rows.bases] = start[None, :, None]
        self.memory[:, rows.done] = self.memory[:, rows.fresh] = 0
        self._laps = 0

    def play(self, steps: int, step_limit: int = STEP_LIMIT) -> Playouts:
        """About `steps` steps of random play in every lane, with refilling.

        A game is cut off between `step_limit` and twice as many steps: lanes are looked at once in that many.
        """
        lap, runner = self.engine.playout
        rows, circuit = self.engine.rows, self.engine.circuit
        self.fit(runner)
        counters = self.memory[:, rows.waits : rows.goal + rows.goals]
        counters[:] = 0
        epoch = -(-step_limit // lap.steps)
        laps, cut = max(1, -(-steps // lap.steps)), 0
        left = laps
        while left:
            now = min(left, max(1, epoch - self._laps))
            runner.run(self.memory, now)
            left, self._laps = left - now, self._laps + now
            if self._laps >= epoch:
                cut += self._cut_off()
        total = counters.sum(axis=(0, 2), dtype=np.int64)
        *waits, ended, stuck, replaced = total[: rows.goal - rows.waits].tolist()
        goals = highest(total[rows.goal - rows.waits :], lap.rivals)
        steps = laps * lap.steps * self.lanes
        return Playouts(ended + replaced, stuck, cut, steps, sum(waits) + ended + stuck, goals, _sums(circuit, goals))

    def finish(self, step_limit: int = STEP_LIMIT) -> Playouts:
        """Play all games that are still going on to their end, step by step; then start anew: call `reset`.

        With them the games of `play` are all that were begun, the long as well as the short: none is left out because it
        had not ended in time. They are cut off as in `play`.
        """
        rows, circuit, lap = self.engine.rows, self.engine.circuit, self.engine.playout[0]
        self.fit(self.engine.tick[1])
        playing = ~self.memory[:, rows.done]
        young, left = self.memory[:, rows.fresh] & playing, step_limit - self._laps * lap.steps
        steps = cut = 0
        self.memory[:, rows.given] = 0
        while True:
            self.tick()
            running = playing & ~(self.memory[:, rows.ended] | self.memory[:, rows.stuck])
            if left <= 0:
                cut += _count(running & ~young)
                playing &= ~running | young
                running, young, left = running & young, np.zeros_like(young), step_limit
            if not running.any():
                break
            steps, left = steps + _count(running), left - 1
        ended, stuck = self.memory[:, rows.ended] & playing, self.memory[:, rows.stuck] & playing
        goals = self._highest(_lanes_of(ended))
        return Playouts(_count(ended), _count(stuck), cut, steps, 0, goals, _sums(circuit, goals))

    def _highest(self, lanes: Longs) -> Longs:
        """For each goal literal, in how many of some lanes it is the highest of its role that holds."""
        circuit, bits = self.engine.circuit, self.goal_bits(lanes)
        found = np.zeros(bits.shape[1], np.int64)
        for role in range(circuit.roles):
            own = np.flatnonzero(circuit.goal_roles == role)
            own = own[np.argsort(-circuit.goal_values[own], kind="stable")]
            if len(own):
                held = bits[:, own]
                np.add.at(found, own[held.argmax(axis=1)[held.any(axis=1)]], 1)
        return found

    def _cut_off(self) -> int:
        rows = self.engine.rows
        self._laps = 0
        return int(_refill_late(self.memory, self.engine.circuit.initial, rows.fresh, rows.done))

    def tick(self) -> None:
        """One step of every lane; see `lap.tick`. `ended`, `goals` and `legal` then describe the step's
        start.
        """
        self.run(self.engine.tick[1], 1)

    def look(self, blocks: int | None = None) -> None:
        """Evaluate the positions, of the first blocks at least: `ended`, `goals` and `legal` describe them."""
        self.run(self.engine.look[1], 1, blocks)

    def load(self, lanes: Sequence[int] | Longs, positions: Bools) -> None:
        """Set the positions (bool [n, bases]) of some lanes, and forget the moves given to them.

        For `play` a position must be one of phase 0 (a multiple of the period after the initial one).
        """
        at = np.asarray(lanes, np.int64)
        _write(self.memory, 0, at, np.ascontiguousarray(positions, np.uint8))
        _write(self.memory, self.engine.rows.given, at, np.zeros((len(at), 1), np.uint8))
        _write(self.memory, self.engine.rows.done, at, np.zeros((len(at), 1), np.uint8))

    def save(self, lanes: Sequence[int] | Longs) -> Bools:
        """The positions of some lanes, bool [n, bases]."""
        return self._bits(0, self.engine.rows.bases, lanes)

    def _bits(self, row: int, rows: int, lanes: Sequence[int] | Longs) -> Bools:
        out = np.zeros((len(lanes), rows), np.uint8)
        _collect(self.memory, row, np.asarray(lanes, np.int64), out)
        return out.view(np.bool_)

    def legal(self, lane: int) -> Longs:
        """The inputs that are legal in a lane, as numbers in the order of the circuit."""
        return np.flatnonzero(self._bits(self.engine.rows.legal, self.engine.rows.inputs, [lane])[0])

    def legal_bits(self, lanes: Sequence[int] | Longs) -> Bools:
        """The legal inputs of some lanes, bool [n, inputs]."""
        return self._bits(self.engine.rows.legal, self.engine.rows.inputs, lanes)

    def goal_bits(self, lanes: Sequence[int] | Longs) -> Bools:
        """The goal literals that hold in some lanes, bool [n, goals]."""
        return self._bits(self.engine.rows.goal, self.engine.rows.goals, lanes)

    def is_ended(self, lanes: Sequence[int] | Longs) -> Bools:
        """Whether the positions of some lanes were terminal, bool [n]."""
        ended: Bools = self._bits(self.engine.rows.ended, 1, lanes)[:, 0]
        return ended

    def goals(self, lanes: Sequence[int] | Longs) -> Longs:
        """The highest goal value of each role, int [n, roles]; 0 where no goal holds."""
        c, rows = self.engine.circuit, self.engine.rows
        bits = self._bits(rows.goal, rows.goals, lanes)
        out = np.zeros((len(lanes), c.roles), np.int64)
        for j in range(rows.goals):
            best = out[:, c.goal_roles[j]]
            best[bits[:, j]] = np.maximum(best[bits[:, j]], c.goal_values[j])
        return out

    def ended(self) -> Longs:
        """The lanes whose position was terminal."""
        return _lanes_of(self.memory[:, self.engine.rows.ended])

    def stuck(self) -> Longs:
        """After a tick: the lanes that did not move for want of a legal move."""
        return _lanes_of(self.memory[:, self.engine.rows.stuck])

    def give(self, lanes: Sequence[int] | Longs, moves: Longs) -> None:
        """Set the joint move (inputs, [n, roles]) that lanes play in the next tick."""
        rows, at = self.engine.rows, np.asarray(lanes, np.int64)
        chosen = np.zeros((len(at), rows.inputs + 1), np.uint8)
        chosen[:, 0] = 1
        np.put_along_axis(chosen, 1 + np.asarray(moves, np.int64), 1, axis=1)
        _write(self.memory, rows.given, at, chosen)


def aligned(shape: tuple[int, int, int]) -> Words:
    """Zeros on a 64-byte boundary: a vector that straddles two cache lines costs two accesses."""
    size = int(np.prod(shape)) * 8
    raw = np.zeros(size + 64, np.uint8)
    offset = -raw.ctypes.data % 64
    return raw[offset : offset + size].view(np.uint64).reshape(shape)


def _sums(circuit: Circuit, goals: Longs) -> Longs:
    """The sum of each role's goal values, [roles], of so many games with each goal literal."""
    sums = np.zeros(circuit.roles, np.int64)
    np.add.at(sums, circuit.goal_roles, goals * circuit.goal_values)
    return sums


def _count(words: Words) -> int:
    """How many bits are set."""
    return int(np.bitwise_count(words).sum())


def _lanes_of(words: Words) -> Longs:
    """Numbers of the set bits of a row, [blocks, words]."""
    flat = np.ascontiguousarray(words).view(np.uint8).reshape(-1)
    return np.flatnonzero(np.unpackbits(flat, bitorder="little"))


@kernel
def _refill_late(memory: Words, initial: Bools, fresh: int, done: int) -> int:
    """Load the initial position where neither row `fresh` nor row `done` is set; clears `fresh`. Lanes
    loaded.
    """
    count = 0
    for block in range(len(memory)):
        for w in range(memory.shape[2]):
            late = ~(memory[block, fresh, w] | memory[block, done, w])
            memory[block, fresh, w] = 0
            if late:
                for i in range(len(initial)):
                    if initial[i]:
                        memory[block, i, w] |= late
                    else:
                        memory[block, i, w] &= ~late
            while late:
                count += 1
                late &= late - np.uint64(1)
    return count


@kernel
def _collect(memory: Words, row: int, lanes: Longs, out: Bytes) -> None:
    """out[i, j] = bit of lane lanes[i] in row row+j. memory: uint64 [blocks, rows, words]; out: uint8."""
    words = memory.shape[2]
    for i in range(len(lanes)):
        word, bit = lanes[i] >> 6, np.uint64(lanes[i] & 63)
        block, w = word // words, word % words
        for j in range(out.shape[1]):
            out[i, j] = (memory[block, row + j, w] >> bit) & np.uint64(1)


@kernel
def _write(memory: Words, row: int, lanes: Longs, bits: Bytes) -> None:
    """The reverse: bit of lane lanes[i] in row row+j becomes bits[i, j] (uint8, 0 or 1)."""
    words = memory.shape[2]
    for i in range(len(lanes)):
        word, bit = lanes[i] >> 6, np.uint64(lanes[i] & 63)
        block, w = word // words, word % words
        for j in range(bits.shape[1]):
            kept = memory[block, row + j, w] & ~(np.uint64(1) << bit)
            memory[block, row + j, w] = kept | (np.uint64(bits[i, j]) << bit)
