"""One search graph with the crew that searches it: what one thread of a search works on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ggp.machines.circuit import CircuitMachine
from ggp.play import split_seed
from ggp.search import kernels as k
from ggp.search.choice import MoveStats, best_move, root_moves
from ggp.search.crew import Crew
from ggp.search.graph import Size, edges_of, inputs_of, near, new_graph, plant
from ggp.search.settings import SearchSettings
from ggp.search.trace import Line


class Tree:
    """A graph that lives as long as a match. When its memory is full, the least visited nodes are forgotten."""

    def __init__(self, machine: CircuitMachine, settings: SearchSettings, size: Size, seed: int) -> None:
        self.graph = new_graph(machine, [settings], size, [split_seed(seed, "choices")])
        self.crew = Crew(machine.engine, self.graph, settings.slots, split_seed(seed, "lanes"), settings)
        self.recycled = 0
        self._table = settings.transpositions
        self._begun = False

    @property
    def head(self) -> NDArray[np.int64]:
        """The graph's counts; see `kernels`."""
        head: NDArray[np.int64] = self.graph.head[0]
        return head

    @property
    def root(self) -> int:
        """The node of the root."""
        return int(self.head[k.ROOT])

    @property
    def solved(self) -> bool:
        """Whether the root's exact value is known."""
        return self.graph.rule[0, k.SOLVER] != 0 and bool(self.graph.node[self.root, k.STATE] & k.PROVEN)

    def start(self, words: NDArray[np.uint64], phase: int) -> None:
        """Make a position the root, with all that is known below it."""
        node = -1
        if self._begun:
            node = int(k.find(self.graph, 0, words)) if self._table else near(self.graph, self.root, words)
        if node < 0:
            node = int(k.new_node(self.graph, 0, words, phase))
        if node < 0:
            k.empty(self.graph, 0)
            node = int(k.new_node(self.graph, 0, words, phase))
        self._begun = True
        self.head[k.ROOT] = node
        self.head[k.BEST] = 0  # from another root: its owner remembers it
        if self.crew.tracer is not None:
            self.crew.tracer.best = None
        if not self._explained(node):
            self.graph.node[node, k.STATE] &= ~k.PROVEN

    def _explained(self, node: int) -> bool:
        """Whether a proven node still has an edge to what proves it: that may have been forgotten."""
        graph = self.graph
        state = int(graph.node[node, k.STATE])
        if not state & k.PROVEN or state & k.TERMINAL:
            return True
        ends = [int(graph.link[e, k.DEST]) for e in edges_of(graph, node)]
        return any(
            end >= 0 and graph.node[end, k.STATE] & k.PROVEN and (graph.proof[end] == graph.proof[node]).all()
            for end in ends
        )

    def restart(self) -> None:
        """Forget all but the root: what a full graph without the time to recycle it comes to."""
        words, phase = self.graph.position[self.root].copy(), int(self.graph.node[self.root, k.PHASE])
        done, met = self.head[k.DONE], self.head[k.MET]
        plant(self.graph, 0, words, phase, int(self.head[k.WANTED]))
        self.head[k.DONE], self.head[k.MET] = done, met

    def recycle(self) -> None:
        """Forget the least visited nodes until half of the memory is free. Simulations under way are given up."""
        self.crew.cancel()
        least, head, scratch = 1, self.head, self.crew.scratch
        limit = head[k.NODE_CAP] // 2
        while True:
            while k.reachable(self.graph, 0, self.root, least, scratch) > limit:
                least *= 2
            k.compact(self.graph, 0, scratch)
            if max(head[k.CHUNKS] / head[k.CHUNK_CAP], head[k.POOL] / head[k.POOL_CAP]) <= 0.5 or least > head[k.DONE]:
                break
            limit //= 2
        self.recycled += 1

    @property
    def best_line(self) -> Line | None:
        """In a game for one role: the best line from the root that a simulation has played."""
        tracer = self.crew.tracer
        return tracer.best if tracer is not None else None

    def moves(self, role: int) -> list[MoveStats]:
        """What is known of the moves of a role at the root."""
        return root_moves(self.graph, self.root, role)

    def line(self, length: int) -> list[tuple[int, ...]]:
        """The joint moves that are expected, from the root on: the inputs of each."""
        graph = self.graph
        joints: list[tuple[int, ...]] = []
        node, seen = self.root, set[int]()
        while len(joints) < length and node >= 0 and node not in seen:
            seen.add(node)
            edges = [e for e in edges_of(graph, node) if graph.stat[e, k.N] > 0]
            if not edges:
                break
            best = max(edges, key=lambda e: graph.stat[e, k.N])
            role = int(graph.node[node, k.DECIDER])
            if role >= 0:
                wanted = best_move(root_moves(graph, node, role)).input
                best = next(e for e in edges if inputs_of(graph, e)[role] == wanted)
            joints.append(inputs_of(graph, best))
            node = int(graph.link[best, k.DEST])
        return joints
