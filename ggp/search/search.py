"""One search for playing, on one or more threads, that lives as long as the match.

Every thread has a graph of its own, and what they found is added up at the root. A graph that threads share would need
locks or lose updates: with a million simulations a second, the graph itself is what takes the time. Apart, two threads do
twice the work of one, and the same seed and number of simulations give the same result on any number of cores.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TypeAlias

from ggp.core.delays import Pace
from ggp.core.seeds import split_seed
from ggp.machines.circuit import CircuitMachine, Position, words_of
from ggp.players.player import Signal
from ggp.search.choice import MoveStats, best_move, merged
from ggp.search.elsewhere import NOTHING, Elsewhere
from ggp.search.graph import Size, entries_of_a_node, phase_of, record_of_a_move, take_memory
from ggp.search.settings import SearchSettings
from ggp.search.trace import Line
from ggp.search.tree import Tree
from ggp.search.valuing import provide

Watch: TypeAlias = Callable[[Tree], None]
_FOREVER = 2**62
_LOOK = 0.05
"""Seconds between two looks at what the search knows by now."""
_SPARE = 2.0
"""How many of the usual waves must fit before the deadline: one, and a delay of its size while the move is returned."""
_STEP = 0.05
"""Seconds that a step of recycling may take on a busy machine."""
_TAKING = 0.5
"""Seconds to get hold of memory, at most."""
_SAMPLES, _STEPS, _GATES = 160, 40, 4_000_000
"""How moves are counted: positions in all, positions of one play, and gates that may be worked out for it."""


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
    """How often a graph was full, and its least visited nodes were forgotten."""


class Search:
    """Searches from a root position, again and again; what is known below the next root is kept."""

    def __init__(
        self, machine: CircuitMachine, settings: SearchSettings, seed: int, *, memory: int = 2**30, threads: int = 1
    ) -> None:  # fmt: skip
        """`memory`: bytes of all graphs, at most."""
        self.machine, self.settings = machine, settings
        provide(machine, settings)
        levels = 1 + settings.finite + settings.infinite
        words = max(1, -(-machine.circuit.bases // 64))
        share = memory // threads
        moves = entries_of_a_node(settings, _moves_of_a_position(machine), machine.circuit.inputs)
        size = Size.for_bytes(
            share, words, len(machine.roles), levels, moves, record_of_a_move(settings), promises=settings.minimax > 0
        )
        self._bytes_of_a_node = share / size.nodes
        self.position: Position = machine.initial()
        self.elsewhere: Elsewhere = NOTHING
        """What others have found of the same root: it counts like what another thread has found."""
        self.trees = [Tree(machine, settings, size, split_seed(seed, "thread", i)) for i in range(threads)]

    @property
    def policy(self) -> str:
        """How roles choose in playouts: as the settings say, where that is offered in this game."""
        return self.trees[0].crew.policy

    @property
    def is_recycling(self) -> bool:
        """Whether a graph is being recycled."""
        return any(tree.is_recycling for tree in self.trees)

    def adopt(self, machine: CircuitMachine) -> None:
        """Go on with another circuit of the same program, and with all that is known; not while recycling."""
        self.machine = machine
        for tree in self.trees:
            tree.adopt(machine)

    def takes_up(self, other: Search) -> bool:
        """Go on as another search would that is the same but for how much it explores, and expects of untried moves.

        False if it is not, or not now.
        """
        alike = replace(self.settings, c=other.settings.c, prior=other.settings.prior)
        if alike != other.settings or self.is_recycling:
            return False
        self.settings = other.settings
        for tree in self.trees:
            tree.explore(other.settings)
        if other.machine.engine is not self.machine.engine:
            self.adopt(other.machine)
        return True

    def start(self, position: Position) -> None:
        """Make a position the root."""
        if position != self.position:
            self.elsewhere = NOTHING
        self.position = position
        words, phase = words_of(position), phase_of(self.machine, self.machine.bits(position))
        for tree in self.trees:
            tree.start(words, phase)

    def prepare(self) -> None:
        """Load or compile all that a search needs, before time counts: the first use of a kernel takes a while."""
        for tree in self.trees:
            tree.restart()
        self.start(self.position)
        self.run(simulations=1)
        for tree in self.trees:
            tree.rehearse_recycling()

    def take_memory(self) -> None:
        """Get hold of memory before time counts, where there is nothing better to do."""
        for tree in self.trees:
            take_memory(tree.graph, _TAKING / len(self.trees))

    def run(
        self,
        *,
        deadline: float | None = None,
        simulations: int | None = None,
        stop: Signal | None = None,
        watch: Watch | None = None,
    ) -> Spent:
        """Search until a deadline (of `time.monotonic`), for so many simulations, until `stop` or until all is known.

        Where simulations are not counted, a line to the highest goal of a game for one role is all there is to know.
        `watch` is called for each tree now and then, by the thread that searches it; it may look into it, no more.
        """
        begun = time.monotonic()
        before = [tree.stats() for tree in self.trees]
        for i, tree in enumerate(self.trees):
            tree.want(_FOREVER if simulations is None else (simulations + i) // len(self.trees))
        run = _Run(self, deadline, stop, watch, to_best=simulations is None)
        if len(self.trees) == 1:
            run.work(self.trees[0])
        else:
            with ThreadPoolExecutor(len(self.trees)) as pool:
                try:
                    list(pool.map(run.work, self.trees))
                except BaseException:  # Ctrl-C is told to this thread alone: without a word the others would go on
                    run.end()
                    raise
        for tree in self.trees:
            tree.crew.cancel()
        now = [tree.stats() for tree in self.trees]
        nodes = sum(stats.nodes for stats in now)
        return Spent(
            sum(n.simulations - b.simulations for n, b in zip(now, before, strict=True)),
            time.monotonic() - begun,
            nodes,
            sum(n.transpositions - b.transpositions for n, b in zip(now, before, strict=True)),
            max(stats.deepest for stats in now),
            int(nodes * self._bytes_of_a_node),
            sum(n.recycled - b.recycled for n, b in zip(now, before, strict=True)),
        )

    @property
    def visits(self) -> float:
        """Simulations that came by the root, those of searches before it that are kept among them."""
        return self.elsewhere.visits + sum(tree.visits for tree in self.trees)

    @property
    def solved(self) -> bool:
        """Whether the root's exact value is known."""
        return self.elsewhere.values is not None or any(tree.solved for tree in self.trees)

    def value(self, role: int) -> float | None:
        """The exact goal of a role at the root; None if it is not known."""
        solved = next((tree for tree in self.trees if tree.solved), None)
        if solved is not None:
            return float(solved.graph.proof[solved.root, role])
        return None if self.elsewhere.values is None else self.elsewhere.values[role]

    @property
    def highest(self) -> list[float]:
        """The highest goal of each role."""
        goals: list[float] = self.trees[0].graph.best_goal.tolist()
        return goals

    def moves(self, role: int) -> list[MoveStats]:
        """What is known of the moves of a role at the root."""
        known = [tree.moves(role) for tree in self.trees]
        return merged([*known, self.elsewhere.moves[role]] if self.elsewhere.moves else known)

    def best(self, role: int) -> MoveStats | None:
        """The move to play; None if nothing is known yet."""
        moves = self.moves(role)
        return best_move(moves, self.highest[role]) if moves else None

    @property
    def is_at_best(self) -> bool:
        """In a game for one role: whether the best line leads to the highest goal of the game."""
        line = self.best_line()
        return line is not None and line.goal >= self.highest[0]

    def best_line(self) -> Line | None:
        """In a game for one role: the best line from the root that a simulation has played."""
        lines = [*(tree.best_line for tree in self.trees), self.elsewhere.line]
        return max((line for line in lines if line is not None), key=lambda line: line.goal, default=None)

    def line(self, length: int = 20) -> list[tuple[int, ...]]:
        """The joint moves that are expected, from the root on: the inputs of each."""
        return max(self.trees, key=lambda tree: (tree.solved, tree.stats().simulations)).line(length)


class _Run:
    """One call of `Search.run`: each thread works on a tree until it is enough."""

    def __init__(
        self, search: Search, deadline: float | None, stop: Signal | None, watch: Watch | None, *, to_best: bool
    ) -> None:
        self.search, self.deadline, self.stop, self.watch, self._to_best = search, deadline, stop, watch, to_best
        self._over = False

    def work(self, tree: Tree) -> None:
        """Search one tree."""
        pace, watched = Pace(), -math.inf
        try:
            if tree.is_full:
                self._make_room(tree, must=True)
            while not (self._over or self._stopped or tree.is_recycling):
                now = time.monotonic()
                if self.deadline is not None and now + _SPARE * pace.seconds >= self.deadline:
                    break
                if self._to_best and tree.is_at_best:
                    self._over = True
                    break
                if self.watch is not None and now - watched > _LOOK:
                    watched = now
                    self.watch(tree)
                if not tree.crew.wave():
                    break
                pace.observe(time.monotonic() - now)
                if tree.is_full:
                    self._make_room(tree, must=False)
        except BaseException:
            self._over = True  # the other threads end as well
            raise
        if tree.solved or self.deadline is not None:
            self._over = True

    def end(self) -> None:
        """Let every thread stop at its next wave."""
        self._over = True

    @property
    def _stopped(self) -> bool:
        return self.stop is not None and self.stop.is_set()

    def _make_room(self, tree: Tree, must: bool) -> None:
        """Recycle a full graph, if half of the time that is left should do. Else empty it, where it must have room.

        What was begun is gone on with up to the end if something is known to choose by: to empty the graph late would
        lose what was found before. The next search goes on with the recycling then.
        """
        now = time.monotonic()
        end = math.inf if self.deadline is None else self.deadline - _STEP
        half = (now + end) / 2
        if now + tree.recycling_seconds < half:
            last = end if tree.visits else half
            if tree.recycle(lambda: not (self._over or self._stopped) and time.monotonic() < last):
                return
        if self._over or self._stopped or (tree.is_recycling and tree.visits):
            return
        if must or tree.is_recycling:
            tree.restart()


def _moves_of_a_position(machine: CircuitMachine) -> float:
    """How many legal inputs positions have, in the mean of some random plays: memory is shared out by it."""
    dice = random.Random(1)
    counts: list[int] = []
    most = max(8, min(_SAMPLES, _GATES // machine.circuit.gates))
    while len(counts) < most:
        position = machine.initial()
        for _ in range(_STEPS):
            situation = machine.situation(position)
            counts.append(sum(map(len, situation.legal)))
            if situation.terminal or not all(situation.legal):
                break
            position = machine.next(position, tuple(map(dice.choice, situation.legal)))
    return max(8.0, sum(counts) / len(counts))
