"""One search graph with the crew that searches it: what one thread of a search works on."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from ggp.circuits.packing import from_words
from ggp.core.seeds import split_seed
from ggp.machines.circuit import Compiled
from ggp.search.choice import MoveStats, best_move, merged, root_moves
from ggp.search.crew import Crew
from ggp.search.graph import (
    Played,
    Size,
    carry_over,
    edges_of,
    is_proven,
    is_terminal,
    near,
    new_graph,
    phase_of,
    plant,
    played,
    set_rule,
)
from ggp.search.kernels.layout import Head, State, Words
from ggp.search.kernels.nodes import forget_all, new_node
from ggp.search.kernels.table import find
from ggp.search.recycling import Steps, recycle
from ggp.search.settings import SearchSettings
from ggp.search.trace import Line

_PACE = 2e-6
"""Seconds that recycling takes for each node, before it has been measured."""


class Stats(NamedTuple):
    """What a graph counts; the simulations and what they met since it was emptied."""

    simulations: int
    transpositions: int
    """Edges that were found to lead to a known position."""
    nodes: int
    deepest: int
    recycled: int
    """How often it was full, and its least visited nodes were forgotten."""


class _Known(NamedTuple):
    """What was known of the root while its graph was whole."""

    visits: float
    moves: list[list[MoveStats]]
    """Of each role."""


_NOTHING = _Known(0.0, [])


class Tree:
    """A graph that lives as long as a match. When its memory is full, the least visited nodes are forgotten."""

    def __init__(self, machine: Compiled, settings: SearchSettings, size: Size, seed: int) -> None:
        self.settings, self._seed = settings, seed
        self.graph = new_graph(machine, [settings], size, [split_seed(seed, "choices")])
        self._full = self.graph.head["full"]  # looked at after each wave
        self.crew = self._crew(machine)
        self.recycled = 0
        self._table = settings.transpositions
        self._asked: tuple[Words, int] | None = None
        """The position of the root, and its phase."""
        self._recycling: Steps | None = None
        self._meanwhile = _NOTHING
        """Known of the root when recycling began: what there is to choose by until it has ended."""
        self._lost = _NOTHING
        """Known of the root when its graph was emptied: it counts beside what has been found since."""
        self._pace, self._nodes, self._spent = _PACE, 0, 0.0

    def _crew(self, machine: Compiled) -> Crew:
        return Crew(machine.engine, self.graph, self.settings.slots, split_seed(self._seed, "lanes"), self.settings)

    def adopt(self, machine: Compiled) -> None:
        """Go on with another circuit of the same program: positions and moves stay, and all that is known of them."""
        self.crew.cancel()
        line, learner = self.best_line, self.crew.playouts.learner
        carry_over(self.graph, machine.engine.phases)
        self.crew = self._crew(machine)
        if self.crew.playouts.learner is not None and learner is not None:
            self.crew.playouts.learner.adopt(learner)
        if self.crew.playouts.tracer is not None:
            self.crew.playouts.tracer.best = line
        if self._asked is not None:
            self._asked = self._asked[0], phase_of(machine, from_words(self._asked[0], machine.circuit.bases))

    def explore(self, settings: SearchSettings) -> None:
        """Go on with settings that say something else of how much to explore."""
        self.settings = settings
        set_rule(self.graph, 0, settings)

    @property
    def _head(self) -> Head:
        return self.graph.head[0]

    def stats(self) -> Stats:
        """What the graph counts."""
        head = self._head
        return Stats(int(head.done), int(head.met), int(head.nodes), int(head.deepest), self.recycled)

    def want(self, simulations: int) -> None:
        """Ask for so many simulations, from now on."""
        self._head.started, self._head.wanted = 0, simulations

    @property
    def root(self) -> int:
        """The node of the root."""
        return int(self._head.root)

    @property
    def visits(self) -> float:
        """Simulations that came by the root."""
        if self.is_recycling:
            return self._meanwhile.visits
        return self._lost.visits + float(self.graph.sums[self.root, 0])

    @property
    def _known(self) -> _Known:
        return _Known(self.visits, [self.moves(role) for role in range(self.graph.proof.shape[1])])

    @property
    def solved(self) -> bool:
        """Whether the root's exact value is known."""
        if self.is_recycling or not self.graph.rule[0].solver:
            return False
        return is_proven(self.graph, self.root)

    @property
    def is_recycling(self) -> bool:
        """Whether nodes are on the move: nothing can be searched, and no more be told than what was known before."""
        return self._recycling is not None

    @property
    def is_full(self) -> bool:
        """Whether it needs to be recycled, or to be emptied, before it can grow."""
        return self._recycling is not None or bool(self._full[0])

    def start(self, words: Words, phase: int) -> None:
        """Make a position the root, with all that is known below it; as soon as it is recycled, if it is on the way."""
        is_first = self._asked is None
        is_another = self._asked is not None and bool((self._asked[0] != words).any())
        if self.crew.playouts.tracer is not None and (is_first or is_another):
            self.crew.playouts.tracer.forget()
        if self.crew.playouts.learner is not None and is_another:
            self.crew.playouts.learner.move_on(0, forget=False)
        if is_another:
            self._meanwhile = self._lost = _NOTHING
        self._asked = words.copy(), phase
        if not self.is_recycling:
            self._go_to(words, phase, is_first)

    def _go_to(self, words: Words, phase: int, is_first: bool = False) -> None:
        node = -1
        if not is_first:
            node = find(self.graph, 0, words) if self._table else near(self.graph, self.root, words)
        if node < 0:
            node = new_node(self.graph, 0, words, phase)
        if node < 0:
            forget_all(self.graph, 0)
            node = new_node(self.graph, 0, words, phase)
        self._head.root = node
        if not self._explained(node):
            self.graph.node[node].state &= ~State.PROVEN

    def _explained(self, node: int) -> bool:
        """Whether a proven node still has an edge to what proves it: that may have been forgotten."""
        graph = self.graph
        if not is_proven(graph, node) or is_terminal(graph, node):
            return True
        ends = [graph.edge[e].dest for e in edges_of(graph, node)]
        return any(end >= 0 and is_proven(graph, end) and (graph.proof[end] == graph.proof[node]).all() for end in ends)

    def restart(self) -> None:
        """Forget all but the root and what is known of its moves, where there is no time to recycle a full graph."""
        assert self._asked is not None
        self._lost, self._recycling = self._known, None
        head = self._head
        kept = head.done, head.met, head.started
        plant(self.graph, 0, *self._asked, head.wanted)
        head.done, head.met, head.started = kept

    def recycle(self, go_on: Callable[[], bool] = lambda: True) -> bool:
        """Forget the least visited nodes until half of the memory is free. Simulations under way are given up.

        Between short steps, `go_on` may say no: it is false then, and the next call goes on.
        """
        assert self._asked is not None
        if self._recycling is None:
            self.crew.cancel()
            self._meanwhile = self._known
            self._recycling = recycle(self.graph, 0, self.root, self.crew.scratch)
            self._nodes, self._spent = max(1, int(self._head.nodes)), 0.0
        begun = time.monotonic()
        for _ in self._recycling:
            if not go_on():
                self._spent += time.monotonic() - begun
                return False
        self._pace = (self._spent + time.monotonic() - begun) / self._nodes
        self._recycling = None
        self.recycled += 1
        if (self.graph.position[self.root] != self._asked[0]).any():
            self._go_to(*self._asked)
        return True

    def rehearse_recycling(self) -> None:
        """Recycle a small graph, so that all it takes is loaded. How long that took tells nothing of the next time."""
        self.recycle()
        self.recycled, self._pace = 0, _PACE

    @property
    def recycling_seconds(self) -> float:
        """How long it takes to recycle it, or to finish that, as far as the last time tells."""
        if self.is_recycling:
            return max(0.0, self._pace * self._nodes - self._spent)
        return self._pace * int(self._head.nodes)

    @property
    def best_line(self) -> Line | None:
        """In a game for one role: the best line from the root that a simulation has played."""
        tracer = self.crew.playouts.tracer
        return tracer.best if tracer is not None else None

    @property
    def is_at_best(self) -> bool:
        """In a game for one role: whether the best line leads to the highest goal of the game."""
        line = self.best_line
        return line is not None and line.goal >= self.graph.best_goal[0]

    def moves(self, role: int) -> list[MoveStats]:
        """What is known of the moves of a role at the root."""
        if self.is_recycling:
            return self._meanwhile.moves[role] if self._meanwhile.moves else []
        found = root_moves(self.graph, self.root, role)
        return merged([self._lost.moves[role], found]) if self._lost.visits else found

    def edges(self, node: int) -> list[Played]:
        """The edges with payoffs that leave a node, in the order of their creation."""
        return played(self.graph, node)

    def line(self, length: int) -> list[tuple[int, ...]]:
        """The joint moves that are expected, from the root on: the inputs of each."""
        graph = self.graph
        joints: list[tuple[int, ...]] = []
        node, seen = -1 if self.is_recycling else self.root, set[int]()
        while len(joints) < length and node >= 0 and node not in seen:
            seen.add(node)
            edges = self.edges(node)
            if not edges:
                break
            best = max(edges, key=lambda edge: edge.visits)
            role = graph.node[node].decider
            if role >= 0:
                wanted = best_move(root_moves(graph, node, role), float(graph.best_goal[role])).input
                best = next(edge for edge in edges if edge.inputs[role] == wanted)
            joints.append(best.inputs)
            node = best.end
        return joints
