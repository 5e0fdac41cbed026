"""Many exact searches at once, one lane each: whole matches in lockstep, for experiments.

Every search is sequential and exactly what its settings say: a simulation begins when the one before it has been added.
What hundreds of them share is the lanes. The same machine, settings and seeds give the same matches.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl.ruleset import CHANCE
from ggp.circuits.packing import as_words
from ggp.core.errors import MachineError, UsageError
from ggp.core.seeds import split_seed
from ggp.lanes.bank import Bank
from ggp.machines.circuit import Compiled
from ggp.search.choice import MoveStats, best_move, root_moves
from ggp.search.crew import Crew
from ggp.search.graph import (
    Size,
    entries_of_a_node,
    near,
    new_graph,
    phase_of,
    plant,
    record_of_a_move,
    set_rule,
)
from ggp.search.playouts import policy_of, program_of
from ggp.search.recycling import compact, finish, mark
from ggp.search.settings import AUTO, SearchSettings
from ggp.search.tree import Tree

Bits = NDArray[np.bool_]
Watch = Callable[[int, Sequence[int], Bits], bool]

_MOST_MOVES = 600
"""Legal inputs of a position that room is made for in the mean."""

_REUSE_ROOM = 4
"""How many moves' simulations a graph has room for, where it is kept from move to move."""


_BYTES, _TURNS_OF_A_MOVE = 2**24, 4
"""Bytes of a graph that is searched as in play; and of how many inputs one is legal, as its memory is shared out."""


@dataclass(frozen=True)
class MatchResult:
    """How a match ended."""

    goals: tuple[int, ...]
    """The goal of each role; 0 where the match was given up."""
    steps: int
    complete: bool
    """False if the limit of steps was met, or a role had no legal move."""


_Way = tuple[str | int, ...]
"""What searches must have in common to share lanes: how they play, and what is heard of it."""


# The seed of a crew hangs on its way: what is as usual is not told, so that seeds stay what they were.
_REPLIES, _USUAL = ("prob", "threshold", "reply", "bias"), SearchSettings()


def _way(settings: SearchSettings) -> _Way:
    way = settings.policy, settings.playouts, settings.step_limit, settings.depth
    told = {name: getattr(settings, name) for name in _REPLIES}
    replies = [f"{name}={value}" for name, value in told.items() if value != getattr(_USUAL, name)]
    return (*way, *replies, "rave") if settings.rave else (*way, *replies)


class Searches:
    """A number of graphs with a slot each, to search from as many positions at once.

    Playouts of each kind have lanes of their own: crews, side by side, of which each graph is searched by one.
    """

    def __init__(self, machine: Compiled, settings: Sequence[SearchSettings], graphs: int, slots: int, seed: int) -> None:
        """`settings`: all that will be used; they decide how much the graphs must keep. `slots`: searches at a time."""
        if any(s.policy == AUTO for s in settings):
            raise UsageError(
                "searches in a batch do not find out which playouts suit a game: say policy=decisive or policy=uniform"
            )
        most = max(s.simulations for s in settings)
        if min(s.simulations for s in settings) < 1:
            raise UsageError("searches in a batch need a number of simulations")
        self.machine = machine
        self._finite = max(s.finite for s in settings)
        infinite = any(s.infinite for s in settings)
        inputs = machine.circuit.inputs
        moves = max(entries_of_a_node(s, min(inputs, _MOST_MOVES), inputs) for s in settings)
        widest = SearchSettings(d1=math.inf if infinite else 0, d2=self._finite)
        room = _REUSE_ROOM * most if any(s.reuse for s in settings) else most
        size = Size.for_simulations(room, math.ceil(moves))
        self._spare = graphs  # a graph that wants nothing, for slots without a job
        self.graph = new_graph(machine, [widest] * (graphs + 1), size, [0] * (graphs + 1), used=settings)
        self._crews: dict[_Way, Crew] = {}
        for way, each in sorted({_way(s): s for s in settings}.items()):
            own = split_seed(seed, *way) if self._crews else seed
            self._crews[way] = Crew(machine.engine, self.graph, slots, own, each)

    def search(
        self, jobs: Sequence[int], positions: Bits, settings: Sequence[SearchSettings], seeds: Sequence[int]
    ) -> None:
        """Search in the graphs numbered `jobs`, from positions (bool [n, bases])."""
        words = as_words(positions)
        self.graph.head["wanted"] = self.graph.head["started"] = 0
        for i, number in enumerate(jobs):
            set_rule(self.graph, number, settings[i], self._finite)
            self.graph.luck[number] = np.uint64(seeds[i] % 2**64)
            if settings[i].reuse and self._kept(number, words[i]):
                self.graph.head[number].wanted = settings[i].simulations
            else:
                plant(self.graph, number, words[i], phase_of(self.machine, positions[i]), settings[i].simulations)
            learner = self._crews[_way(settings[i])].playouts.learner
            if learner is not None:
                learner.move_on(number, forget=not settings[i].reuse)
        for way, crew in self._crews.items():
            own = [number for number, s in zip(jobs, settings, strict=True) if _way(s) == way]
            works_for = crew.slots.slot["graph"]
            works_for[:] = self._spare
            works_for[: len(own)] = own
            while crew.wave():
                pass
        if self.graph.head["full"][list(jobs)].any():
            raise MachineError("a search in a batch ran out of memory")

    def _kept(self, number: int, words: NDArray[np.uint64]) -> bool:
        """Make a position the root with what is known below it; false if it is not known, or too much is."""
        head, scratch = self.graph.head[number], next(iter(self._crews.values())).scratch
        if not head.nodes:
            return False
        node = near(self.graph, int(head.root), words)
        if node < 0:
            return False
        head.root = node
        kept = finish(mark(self.graph, number, node, 1, scratch))[:, 0].sum()
        if kept > head.node_cap - head.node_cap // _REUSE_ROOM:
            return False
        finish(compact(self.graph, number, scratch))
        return True

    def moves(self, number: int, role: int) -> list[MoveStats]:
        """What a graph says of the moves of a role at its root."""
        return root_moves(self.graph, int(self.graph.head[number].root), role, number)

    def best(self, number: int, role: int) -> int:
        """The input that a role plays, by what a graph says of its root."""
        return best_move(self.moves(number, role), float(self.graph.best_goal[role])).input


class Trees:
    """A number of graphs, each searched as in play: one after the other, with many simulations under way."""

    def __init__(self, machine: Compiled, settings: Sequence[SearchSettings]) -> None:
        self.machine = machine
        inputs, record = machine.circuit.inputs, max(record_of_a_move(s) for s in settings)
        moves = max(entries_of_a_node(s, inputs / _TURNS_OF_A_MOVE, inputs) for s in settings)
        words, levels = max(1, -(-machine.circuit.bases // 64)), 1 + max(s.finite + s.infinite for s in settings)
        promises = any(s.minimax for s in settings)
        self._size = Size.for_bytes(_BYTES, words, len(machine.roles), levels, moves, record, promises=promises)
        self._trees: dict[int, Tree] = {}

    def search(
        self, jobs: Sequence[int], positions: Bits, settings: Sequence[SearchSettings], seeds: Sequence[int]
    ) -> None:
        """Search in the graphs numbered `jobs`, from positions (bool [n, bases]). A graph keeps its first settings."""
        words = as_words(positions)
        for i, number in enumerate(jobs):
            if number not in self._trees:
                self._trees[number] = Tree(self.machine, settings[i], self._size, split_seed(seeds[i], "tree"))
            tree = self._trees[number]
            tree.start(words[i], phase_of(self.machine, positions[i]))
            tree.want(settings[i].simulations)
            while tree.crew.wave():
                if tree.is_full:
                    tree.recycle()

    def best(self, number: int, role: int) -> int:
        """The input that a role plays, by what a graph says of its root."""
        tree = self._trees[number]
        return best_move(tree.moves(role), float(tree.graph.best_goal[role])).input


class _Table:
    """Matches in lockstep, one in each lane of a bank."""

    def __init__(
        self, machine: Compiled, seats: Sequence[Sequence[SearchSettings]], seeds: Sequence[int], *, as_played: bool
    ) -> None:  # fmt: skip
        self.machine, self.seats, self.seeds = machine, seats, seeds
        self.roles = len(machine.roles)
        self.lanes = np.arange(len(seats))
        self.bank = Bank(machine.engine, len(seats), split_seed(seeds[0], "bank"))
        everything = list(dict.fromkeys(s for seat in seats for s in seat))
        self.reuse = any(s.reuse for s in everything)
        graphs = len(seats) * (self.roles if self.reuse else 1)
        self.searches: Searches | Trees
        if as_played:
            self.searches = Trees(machine, everything)
        else:
            self.searches = Searches(machine, everything, graphs, len(seats), split_seed(seeds[0], "lanes"))
        self.luck = [random.Random(split_seed(seed, "chance")) for seed in seeds]
        self.chance = [role == CHANCE for role in machine.roles]
        self.starts = machine.circuit.role_starts.tolist()

    def play(self, start: Bits, limit: int, watch: Watch | None = None) -> list[MatchResult]:
        """All matches, from one position."""
        results: list[MatchResult | None] = [None] * len(self.seats)
        self.bank.load(self.lanes, np.broadcast_to(start, (len(self.seats), len(start))))
        for step in range(limit + 1):
            self.bank.look()
            ended, legal = self.bank.is_ended(self.lanes), self.bank.legal_bits(self.lanes)
            goals = self.bank.goals(self.lanes)
            stuck = np.zeros(len(ended), np.bool_)
            for lo, hi in zip(self.starts, self.starts[1:], strict=False):
                stuck |= ~legal[:, lo:hi].any(axis=1)
            for i in self.lanes.tolist():
                if results[i] is None and (ended[i] or stuck[i] or step == limit):
                    over = bool(ended[i])
                    results[i] = MatchResult(tuple(goals[i].tolist()) if over else (0,) * self.roles, step, over)
            active = [i for i in self.lanes.tolist() if results[i] is None]
            if not active or (watch is not None and not watch(step, active, self.bank.save(active))):
                break
            self._step(step, active, legal)
        return [MatchResult((0,) * self.roles, step, False) if result is None else result for result in results]

    def _step(self, step: int, active: list[int], legal: Bits) -> None:
        joint = np.full((len(self.seats), self.roles), -1, np.int64)
        waiting: list[list[int]] = [[] for _ in self.seats]
        for i in active:
            for role in range(self.roles):
                options = np.flatnonzero(legal[i, self.starts[role] : self.starts[role + 1]]) + self.starts[role]
                if len(options) == 1:
                    joint[i, role] = options[0]
                elif self.chance[role]:
                    joint[i, role] = self.luck[i].choice(options.tolist())
                else:
                    waiting[i].append(role)
        positions = self.bank.save(self.lanes)
        while any(waiting):
            jobs = [i for i in active if waiting[i]]
            roles = [waiting[i].pop(0) for i in jobs]
            settings = [self.seats[i][role] for i, role in zip(jobs, roles, strict=True)]
            seeds = [split_seed(self.seeds[i], step, role) for i, role in zip(jobs, roles, strict=True)]
            numbers = [i * self.roles + role if self.reuse else i for i, role in zip(jobs, roles, strict=True)]
            self.searches.search(numbers, positions[jobs], settings, seeds)
            for i, role, number in zip(jobs, roles, numbers, strict=True):
                joint[i, role] = self.searches.best(number, role)
        self.bank.load(self.lanes, positions)
        self.bank.give(active, joint[active])
        self.bank.tick()


class Seen(NamedTuple):
    """The positions of matches, step by step, and what the matches came to."""

    positions: Bits
    """[n, bases]"""
    matches: NDArray[np.int64]
    """The number of the match of each, [n]."""
    steps: NDArray[np.int64]
    """At which step of it, [n]."""
    results: list[MatchResult]
    """Of each match."""


def see_matches(
    machine: Compiled, settings: SearchSettings, seeds: Sequence[int], *, limit: int, go_on: Callable[[], bool]
) -> Seen:
    """Play matches in which all roles have the same settings, as `play_matches` does, and gather their positions.

    They end early where `go_on`, asked at each step, says that there is no time.
    """
    positions: list[NDArray[np.bool_]] = []
    matches: list[int] = []
    steps: list[int] = []

    def watch(step: int, active: Sequence[int], now: Bits) -> bool:
        positions.extend(now)
        matches.extend(active)
        steps.extend([step] * len(active))
        return go_on()

    results = play_matches(machine, [(settings,) * len(machine.roles)] * len(seeds), seeds, limit=limit, watch=watch)
    told = np.array(positions, np.bool_).reshape(len(positions), machine.circuit.bases)
    return Seen(told, np.array(matches, np.int64), np.array(steps, np.int64), results)


def play_matches(
    machine: Compiled,
    seats: Sequence[Sequence[SearchSettings]],
    seeds: Sequence[int],
    *,
    threads: int = 1,
    limit: int = 1000,
    start: Bits | None = None,
    watch: Watch | None = None,
    as_played: bool = False,
) -> list[MatchResult]:
    """Play matches, each with settings for every role (those of a chance role are not used) and a seed.

    `limit`: steps of a match, at most; `start`: the first position (bool [bases]), if not the game's own; `watch` is told
    each step, the matches that go on (of a thread) and their positions, and ends all of them where it says false.
    `as_played`: every search has as many simulations under way as its settings say (`slots`), as in a match that is no
    experiment; else one.
    """
    if len(seats) != len(seeds):
        raise UsageError(f"{len(seats)} matches and {len(seeds)} seeds")
    if any(len(seat) != len(machine.roles) for seat in seats):
        raise UsageError(f"each match needs settings for {len(machine.roles)} roles")
    first = machine.circuit.initial if start is None else start
    parts = [part for part in np.array_split(np.arange(len(seats)), threads) if len(part)]

    def play(part: NDArray[np.int64]) -> list[MatchResult]:
        own = part.tolist()
        return _Table(machine, [seats[i] for i in own], [seeds[i] for i in own], as_played=as_played).play(
            first, limit, watch
        )

    if len(parts) == 1:
        return play(parts[0])
    engine = machine.engine
    _ = engine.tick, engine.look  # compiled once, before threads want them
    for settings in {_way(s): s for seat in seats for s in seat}.values():
        program_of(engine, policy_of(engine, settings), settings)
    with ThreadPoolExecutor(len(parts)) as pool:
        return [result for found in pool.map(play, parts) for result in found]
