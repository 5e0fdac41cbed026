"""One search for playing: a graph that lives as long as the match, searched by one or more threads.

The graph keeps within its memory: when it is full, the nodes that were visited least are forgotten, until half is free.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ggp.machines.circuit import CircuitMachine, Position
from ggp.play import split_seed
from ggp.search import kernels as k
from ggp.search.choice import MoveStats, best_move, root_moves
from ggp.search.crew import Crew
from ggp.search.graph import Size, as_words, edges_of, inputs_of, new_graph, phase_of
from ggp.search.settings import SearchSettings

SLOTS = 512
"""Simulations under way for each thread."""
_FOREVER = 2**62


@dataclass(frozen=True)
class Spent:
    """What a search has done since it was asked."""

    simulations: int
    seconds: float
    nodes: int
    transpositions: int
    """Edges that were found to lead to a known position."""
    deepest: int
    bytes: int
    """Memory in use by nodes and edges."""
    recycled: int
    """How often the graph was full."""


class Search:
    """Searches from a root position, again and again; what is known below the next root is kept."""

    def __init__(
        self, machine: CircuitMachine, settings: SearchSettings, seed: int, memory: int = 2**30, threads: int = 1,
        slots: int = SLOTS,
    ) -> None:  # fmt: skip
        """`memory`: bytes, at most; `slots`: simulations under way for each thread."""
        self.machine, self.settings = machine, settings
        levels = 1 + settings.finite + settings.infinite
        words, roles = max(1, -(-machine.circuit.bases // 64)), len(machine.roles)
        self.size = Size.for_bytes(memory, words, roles, levels, _moves_of_a_position(machine))
        self._bytes_of_a_node = memory / self.size.nodes
        self.graph = new_graph(machine, [settings], self.size, [split_seed(seed, "search")])
        self._crews = [
            Crew(machine.engine, self.graph, slots, split_seed(seed, "lanes", i), settings) for i in range(threads)
        ]
        self._lock = threading.Lock()
        self._begun = False
        self.recycled = 0

    @property
    def root(self) -> int:
        """The node of the root."""
        return int(self.graph.head[0, k.ROOT])

    def start(self, position: Position) -> None:
        """Make a position the root."""
        bits = self.machine.bits(position)
        words = as_words(bits[None, :])[0]
        phase = phase_of(self.machine, bits)
        node = k.find(self.graph, 0, words) if self._begun and self.settings.transpositions else self._child(words)
        if node < 0:
            node = k.new_node(self.graph, 0, words, phase)
        if node < 0:
            k.empty(self.graph, 0)
            node = k.new_node(self.graph, 0, words, phase)
        self._begun = True
        self.graph.head[0, k.ROOT] = node
        if not self._explained(int(node)):
            self.graph.node[node, k.STATE] &= ~k.PROVEN

    def _child(self, words: NDArray[np.uint64]) -> int:
        """Without a table of positions: the nearest node below the root that holds this one."""
        if not self._begun:
            return -1
        level = [self.root]
        for _ in range(3):
            level = [
                int(self.graph.link[e, k.DEST])
                for node in level for e in edges_of(self.graph, node) if self.graph.link[e, k.DEST] >= 0
            ]  # fmt: skip
            for node in level:
                if (self.graph.position[node] == words).all():
                    return node
        return -1

    def _explained(self, node: int) -> bool:
        """Whether a proven node still has the edge that proves it (it may have been forgotten)."""
        state = int(self.graph.node[node, k.STATE])
        if not state & k.PROVEN or state & k.TERMINAL:
            return True
        ends = [int(self.graph.link[e, k.DEST]) for e in edges_of(self.graph, node)]
        return any(
            end >= 0
            and self.graph.node[end, k.STATE] & k.PROVEN
            and (self.graph.proof[end] == self.graph.proof[node]).all()
            for end in ends
        )

    def run(
        self,
        *,
        deadline: float | None = None,
        simulations: int | None = None,
        stop: threading.Event | None = None,
        role: int | None = None,
    ) -> Spent:
        """Search until a deadline (of `time.monotonic`), for so many simulations, until `stop` or until all is known.

        With a role and a deadline, it ends early when no other move of that role can become the most visited.
        """
        head, begun = self.graph.head[0], time.monotonic()
        done, met, recycled = int(head[k.DONE]), int(head[k.MET]), self.recycled
        head[k.STARTED] = 0
        head[k.WANTED] = _FOREVER if simulations is None else simulations
        run = _Run(self, deadline, stop, role, done, begun)
        if len(self._crews) == 1:
            run.work(self._crews[0], None)
        else:
            workers = [threading.Thread(target=run.work, args=(crew, self._lock)) for crew in self._crews[1:]]
            for worker in workers:
                worker.start()
            run.work(self._crews[0], self._lock)
            for worker in workers:
                worker.join()
            if run.error is not None:
                raise run.error
        for crew in self._crews:
            crew.cancel()
        return Spent(
            int(head[k.DONE]) - done, time.monotonic() - begun, int(head[k.NODES]), int(head[k.MET]) - met,
            int(head[k.DEEPEST]), int(head[k.NODES] * self._bytes_of_a_node), self.recycled - recycled,
        )  # fmt: skip

    def recycle(self) -> None:
        """Forget the least visited nodes until half of the memory is free."""
        for crew in self._crews:
            crew.cancel()
        scratch = self._crews[0].scratch
        least, head = 1, self.graph.head[0]
        while k.reachable(self.graph, 0, self.root, least, scratch) > head[k.NODE_CAP] // 2:
            least *= 2
        k.compact(self.graph, 0, scratch)
        self.recycled += 1
        while max(head[k.CHUNKS] / head[k.CHUNK_CAP], head[k.POOL] / head[k.POOL_CAP]) > 0.5:
            least *= 2
            k.reachable(self.graph, 0, self.root, least, scratch)
            k.compact(self.graph, 0, scratch)

    @property
    def solved(self) -> bool:
        """Whether the root's exact value is known."""
        return self.settings.solver and bool(self.graph.node[self.root, k.STATE] & k.PROVEN)

    def moves(self, role: int) -> list[MoveStats]:
        """What is known of the moves of a role at the root."""
        return root_moves(self.graph, 0, role)

    def best(self, role: int) -> MoveStats | None:
        """The move to play; None if nothing is known yet."""
        moves = self.moves(role)
        return best_move(moves) if moves else None

    def line(self, length: int = 20) -> list[tuple[int, ...]]:
        """The joint moves that are expected, from the root on: the inputs of each."""
        joints: list[tuple[int, ...]] = []
        node, seen = self.root, set()
        while len(joints) < length and node >= 0 and node not in seen:
            seen.add(node)
            edges = [e for e in edges_of(self.graph, node) if self.graph.stat[e, k.N] > 0]
            if not edges:
                break
            role = int(self.graph.node[node, k.DECIDER])
            best = max(edges, key=lambda e: self.graph.stat[e, k.N])
            if role >= 0:
                by_input = {inputs_of(self.graph, e)[role]: e for e in edges}
                here = int(self.graph.head[0, k.ROOT])
                self.graph.head[0, k.ROOT] = node
                try:
                    best = by_input[best_move(self.moves(role)).input]
                finally:
                    self.graph.head[0, k.ROOT] = here
            joints.append(inputs_of(self.graph, best))
            node = int(self.graph.link[best, k.DEST])
        return joints


class _Run:
    """One call of `Search.run`, on all its threads."""

    def __init__(
        self,
        search: Search,
        deadline: float | None,
        stop: threading.Event | None,
        role: int | None,
        done: int,
        begun: float,
    ) -> None:
        self.search, self.deadline, self.stop, self.role = search, deadline, stop, role
        self.done, self.begun = done, begun
        self.error: BaseException | None = None
        self._over = False
        self._checked = begun

    def work(self, crew: Crew, lock: threading.Lock | None) -> None:
        try:
            longest = 0.0
            while not self._over:
                now = time.monotonic()
                if self._enough(now, longest):
                    break
                if not crew.wave(lock):
                    break
                longest = max(0.9 * longest, time.monotonic() - now)
                if self.search.graph.head[0, k.FULL] and lock is None:
                    self.search.recycle()
        except BaseException as error:
            self.error = error
            raise
        finally:
            self._over = True

    def _enough(self, now: float, longest: float) -> bool:
        if self.stop is not None and self.stop.is_set():
            return True
        if self.deadline is None:
            return False
        if now + 1.2 * longest >= self.deadline:
            return True
        if self.role is not None and now - self._checked > 0.1:
            self._checked = now
            rate = (int(self.search.graph.head[0, k.DONE]) - self.done) / max(1e-6, now - self.begun)
            visits = sorted((m.visits for m in self.search.moves(self.role)), reverse=True)
            return len(visits) > 1 and visits[0] - visits[1] > 1.2 * rate * (self.deadline - now) + SLOTS
        return False


def _moves_of_a_position(machine: CircuitMachine) -> float:
    """A guess at how many legal inputs positions have, for sizing memory."""
    starts = machine.circuit.role_starts.tolist()
    widest = max((hi - lo for lo, hi in pairwise(starts)), default=1)
    return max(8.0, min(128.0, widest / 4))
