"""The best line of a game for one role: whatever a simulation has reached once, can be reached again.

Playouts do not note their moves: that would cost more than playing them. But their random numbers can be had again: the
state of the generator is kept for a while, and a playout worth remembering is played once more, on one block, by the same
program with its moves told.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ggp.circuits.packing import from_words
from ggp.lanes.bank import Bank, aligned
from ggp.lanes.choice import RING
from ggp.lanes.engine import Engine, Runner
from ggp.search.graph import edges_of, inputs_of, is_proven, is_terminal
from ggp.search.kernels.layout import Graph, Slots, Words


@dataclass(frozen=True)
class Line:
    """Moves that lead from a root to a goal."""

    goal: int
    inputs: tuple[int, ...]


class Tracer:
    """Keeps the best line from the root of a graph, with the moves of its playout found again."""

    def __init__(
        self, graph: Graph, slots: Slots, started: NDArray[np.int64], playing: Bank, width: int, program: Runner,
        parameters: slice,
    ) -> None:  # fmt: skip
        """`started`: the lap with which the playouts of each slot began; `program`: what they run, with moves told;
        `parameters`: the rows of their policy, which stay as they are while a lane plays.
        """
        self.best: Line | None = None
        self._graph, self._slots, self._started = graph, slots, started
        self._playing, self._width, self._program, self._parameters = playing, width, program, parameters
        self._rings: deque[tuple[int, Words]] = deque()
        self._lap = 0

    def forget(self) -> None:
        """Forget the best line: the root is another."""
        self.best = None
        head = self._graph.head[0]
        head.best_goal, head.best_slot = 0, -1

    def before_laps(self, lap: int, laps: int, oldest: int) -> None:
        """Keep the generator as it is at a lap, before some laps; forget what was before the oldest playout."""
        ring = self._playing.engine.rows.ring
        self._rings.append((lap, self._playing.memory[:, ring : ring + RING].copy()))
        while self._rings and self._rings[0][0] < oldest:
            self._rings.popleft()
        self._lap = lap + laps

    def look(self) -> None:
        """Keep the line to a higher goal than before, if one was reached since the last look."""
        head = self._graph.head[0]
        slot, length = int(head.best_slot), int(head.best_length)
        if slot < 0:
            return
        head.best_slot = -1
        edges = self._slots.line[:length].tolist()
        moves = [inputs_of(self._graph, e)[0] for e in edges]
        if self._slots.slot[slot].lane >= 0:
            rest: list[int] | None = self._played(slot)
        else:
            last = int(self._graph.edge[edges[-1]].dest if edges else head.root)
            rest = self._proven(last, int(head.best_end))
        if rest is None:
            head.best_goal = 0 if self.best is None else self.best.goal
        else:
            self.best = Line(int(head.best_goal), (*moves, *rest))

    def _proven(self, node: int, end: int) -> list[int] | None:
        """The moves from a node to one whose goal is proven, the same or one after it, and on to what proves that.

        None if that has been forgotten.
        """
        graph, moves = self._graph, list[int]()
        while node != end or not is_terminal(graph, end):
            if node == end:
                end = self._proof(node)
            edge = next((e for e in edges_of(graph, node) if graph.edge[e].dest == end), None) if end >= 0 else None
            if edge is None:
                return None
            moves.append(inputs_of(graph, edge)[0])
            node = end
        return moves

    def _proof(self, node: int) -> int:
        """The node after a proven one that proves it: with the same goal, and one step nearer to the end; or -1."""
        graph = self._graph
        for e in edges_of(graph, node):
            end = int(graph.edge[e].dest)
            sure = end >= 0 and is_proven(graph, end) and graph.proof[end, 0] == graph.proof[node, 0]
            if sure and graph.node[end].length == graph.node[node].length - 1:
                return end
        return -1

    def _played(self, slot: int) -> list[int]:
        """The moves of a slot's best playout, and of its step beyond the last node, if there was one."""
        slots, words = self._slots, self._playing.words
        began = int(self._started[slot])
        block, lane = divmod(slot * self._width + int(slots.slot[slot].lane), 64 * words)
        ring = next(ring[block] for at, ring in self._rings if at == began)
        first = [int(slots.slot[slot].pick)] if slots.slot[slot].steps else []
        parameters = self._playing.memory[block, self._parameters]
        return first + replay(
            self._playing.engine, self._program, slots.position[slot], ring, parameters, lane, self._lap - began
        )


def replay(
    engine: Engine, program: Runner, position: Words, ring: Words, parameters: Words, lane: int, laps: int
) -> list[int]:
    """The inputs that a playout of a game for one role plays from a position, in so many laps at most.

    `program`: one that tells moves; `position`: uint64 [words], as a graph keeps it; `ring`: the generator, uint64
    [RING, words of a row]; `parameters`: the policy's, uint64 [rows, words of a row]; `lane`: of a block.
    """
    rows = engine.rows
    memory = aligned((1, max(program.rows, rows.total), program.words))
    memory[0, rows.ring : rows.ring + RING] = ring
    memory[0, rows.total : rows.total + len(parameters)] = parameters
    word, bit = lane // 64, np.uint64(lane % 64)
    bits = from_words(position, rows.bases)
    memory[0, : rows.bases, word] = bits.astype(np.uint64) << bit
    moves: list[int] = []
    for _ in range(laps):
        program.run(memory, 1)
        if memory[0, rows.done, word] >> bit & np.uint64(1):
            break
        played = memory[0, rows.moves : rows.moves + rows.inputs, word] >> bit & np.uint64(1)
        moves.append(int(np.flatnonzero(played)[0]))
    return moves
