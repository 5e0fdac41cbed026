"""The best line of a game for one role: whatever a playout has reached once, can be reached again.

Playouts do not note their moves: that would cost more than playing them. But their random numbers can be had again: the
state of the generator is kept for a while, and a playout worth remembering is played once more, on one block, by a
program that tells its moves.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ggp.banks.bank import Bank, aligned
from ggp.banks.lap import RING
from ggp.search.graph import inputs_of
from ggp.search.kernels import layout as k
from ggp.search.kernels.transfer import load_lanes

Words = NDArray[np.uint64]


@dataclass(frozen=True)
class Line:
    """Moves that lead from a root to a goal."""

    goal: int
    inputs: tuple[int, ...]


class Tracer:
    """Finds the moves of playouts of one bank again."""

    def __init__(self, graph: k.Graph, slots: k.Slots, playing: Bank) -> None:
        self.best: Line | None = None
        self._graph, self._slots, self._playing = graph, slots, playing
        self._rings: deque[tuple[int, Words]] = deque()

    def before_laps(self, lap: int, oldest: int) -> None:
        """Keep the generator as it is at a lap; forget what was before the oldest playout."""
        ring = self._playing.engine.rows.ring
        self._rings.append((lap, self._playing.memory[:, ring : ring + RING].copy()))
        while self._rings and self._rings[0][0] < oldest:
            self._rings.popleft()

    def look(self, started: NDArray[np.int64] | None) -> None:
        """Remember the line of the best payoff since the last look. `started`: laps, if it came from playouts."""
        head = self._graph.head[0]
        slot, length = int(head[k.BEST_SLOT]), int(head[k.BEST_LENGTH])
        if slot < 0:
            return
        head[k.BEST_SLOT] = -1
        if self._slots.slot[slot, k.STEPS]:
            return
        moves = [inputs_of(self._graph, int(e))[0] for e in self._slots.edge[slot, :length]]
        if started is not None:
            moves += self._again(slot, int(started[slot]))
        self.best = Line(int(head[k.BEST]), tuple(moves))

    def _again(self, slot: int, lap: int) -> list[int]:
        engine, words = self._playing.engine, self._playing.words
        rows, runner = engine.rows, engine.trace[1]
        block, lane = divmod(slot, 64 * words)
        memory = aligned((1, max(runner.rows, rows.total), words))
        memory[0, rows.ring : rows.ring + RING] = next(ring[block] for at, ring in self._rings if at == lap)
        source = np.full(64 * words, -1, np.int32)
        source[lane] = slot
        load_lanes(
            memory, 0, rows.bases, source, self._slots.position, np.zeros(words, np.uint64), np.zeros(64, np.uint64)
        )
        word, bit = lane // 64, np.uint64(1) << np.uint64(lane % 64)
        moves: list[int] = []
        while True:
            runner.run(memory, 1)
            if memory[0, rows.done, word] & bit:
                return moves
            played = memory[0, rows.moves : rows.moves + rows.inputs, word] & bit
            moves.append(int(np.flatnonzero(played)[0]))
