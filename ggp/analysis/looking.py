"""One search of one position, to be looked at: on lanes where the game has a circuit, else by the reference on Prolog.

`look(machine, position, situation, [role], settings, Budget(seconds=1.0), seed=1).tables[role]` are the role's moves, the
most visited first; the row with `chosen` is the one to play.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from gdl.ruleset import CHANCE
from gdl.terms import Term
from ggp.analysis.judged import Judged, plain, settled
from ggp.analysis.live import Choice, Info, Listen, News, Watcher, attended, choice
from ggp.analysis.outcomes import Outcome, mean_goals, outcomes
from ggp.analysis.rows import Row, make_row, most_visited_first
from ggp.analysis.texts import goals_text, stuck_text
from ggp.core.errors import UsageError
from ggp.core.progress import Tell, silent
from ggp.core.seeds import split_seed
from ggp.machines.circuit import CircuitMachine
from ggp.machines.machine import Machine, Situation
from ggp.search.choice import MoveStats, best_move
from ggp.search.cluster import Cluster
from ggp.search.formulas import Node
from ggp.search.inside import ReferenceView, TreeView, View
from ggp.search.reference import RandomPlay, ReferenceSearch
from ggp.search.search import Search
from ggp.search.settings import SearchSettings
from ggp.search.slowly import search_slowly

_HIGHEST = 100.0
"""What goals are at most, where only the reference searches."""
_PATIENCE = 20.0
"""Seconds to wait for the workers of a cluster."""
_LENGTH = 20
"""Joint moves of the line that is expected, at most."""


@dataclass(frozen=True)
class Budget:
    """What a search may use."""

    seconds: float | None = None
    """None: `simulations` counts."""
    simulations: int = 0
    memory: int = 2**30
    """Bytes of the graph."""
    threads: int = 1
    cluster: str = "no"
    """The Dask scheduler whose workers search as well, where seconds count: each with as much memory."""


@dataclass(frozen=True)
class Question:
    """What is searched, and how."""

    machine: Machine[Any]
    position: Any
    situation: Situation
    roles: Sequence[int]
    """Whose moves are wanted."""
    settings: SearchSettings
    budget: Budget
    seed: int

    @property
    def told_of(self) -> Sequence[int]:
        """Who is told of while it goes on: where chance alone has a choice, all players."""
        return self.roles or [n for n, role in enumerate(self.machine.roles) if role != CHANCE]


@dataclass(frozen=True)
class Look:
    """What a search found. What the reference does not count is None."""

    engine: str
    """`circuit` or `reference`."""
    judged: Judged
    """The settings that were searched with."""
    tables: dict[int, list[Row]]
    """For each role that was asked for: its moves, the most visited first."""
    outcomes: list[Outcome]
    """What chance may do, if it is its turn."""
    expected: tuple[float, ...] | None
    """The goals that are expected, of each role."""
    line: list[tuple[Term, ...]]
    """The joint moves that are expected."""
    ending: str | None
    """What the line comes to, if it goes on to an end."""
    simulations: int
    seconds: float
    nodes: int
    transpositions: int
    deepest: int | None
    memory: int | None
    recycled: int | None
    solved: bool
    view: View


def look(
    machine: Machine[Any],
    position: Any,
    situation: Situation,
    roles: Sequence[int],
    settings: SearchSettings,
    budget: Budget,
    seed: int,
    *,
    tell: Tell = silent,
    listen: Listen | None = None,
    every: float | None = None,
    stop: threading.Event | None = None,
) -> Look:
    """Search from a position that is not the end.

    With `policy=auto` it is found out first what suits the game, as far as it is not known already, in this process or on
    disk; the settings that came of it are in the result. `tell` is told what is being done, `listen` what the search
    knows meanwhile: seldomer and seldomer, or `every` so many seconds. What `listen` raises ends the search; `stop` ends
    it early, with what was found until then.
    """
    if stuck := stuck_text(machine.roles, situation):
        raise UsageError(f"{stuck} in this position, though it is not terminal: there is nothing to search")
    circuit = machine.compiled(0)
    news, stop = News(listen, every) if listen is not None else None, stop or threading.Event()
    if circuit is None:
        return _slowly(Question(machine, position, situation, roles, settings, budget, seed), news, stop)
    place = circuit.position(machine.fluents(position))
    return _on_lanes(circuit, Question(circuit, place, situation, roles, settings, budget, seed), news, stop, tell)


def rate(found: Look) -> float:
    """Simulations per second."""
    return found.simulations / found.seconds if found.seconds > 0 else math.nan


# ---- on lanes ---------------------------------------------------------------------------------------------------------


def _on_lanes(
    machine: CircuitMachine, asked: Question, news: News | None, stop: threading.Event, tell: Tell
) -> Look:  # fmt: skip
    tell("finding out which playouts tell more")
    judged = settled(machine, asked.settings)
    tell("loading what a search needs")
    search = _ready(machine, asked, judged.settings)
    tell("")
    budget, watcher = asked.budget, Watcher(search, asked.told_of)
    until: dict[str, Any] = {"simulations": budget.simulations}
    watch = watcher.see if news is not None else None
    with _helpers(search, asked, tell) as cluster:
        if budget.seconds is not None:
            until = {"deadline": time.monotonic() + budget.seconds}
        run = search.run if cluster is None else partial(cluster.search, search)
        spent = attended(
            lambda: run(**until, stop=stop, watch=watch),
            stop,
            lambda: news.hear(watcher.info()) if news is not None else None,
        )
        simulations = spent.simulations + (0 if cluster is None else cluster.simulations)
    highest = search.highest
    tables = {}
    for role in asked.roles:
        moves = search.moves(role)
        best = best_move(moves) if moves else None
        tables[role] = most_visited_first(make_row(machine.inputs[m.input], m, highest[role], m is best) for m in moves)
    line = [tuple(machine.inputs[i] for i in joint) for joint in search.line(_LENGTH)]
    views = [TreeView(search, tree) for tree in search.trees]
    view = TreeView(search)
    after = _after(machine, asked.position, line)
    return Look(
        "circuit", judged, tables, outcomes(machine, asked.position, asked.situation, views, highest),
        _expected(view, tables), line, _ending(machine.roles, after), simulations, spent.seconds, spent.nodes,
        spent.transpositions, spent.deepest, spent.bytes, spent.recycled, search.solved, view,
    )  # fmt: skip


def _ready(machine: CircuitMachine, asked: Question, settings: SearchSettings) -> Search:
    """A search at its root; the clock starts when everything is compiled."""
    short = Search(machine, settings, asked.seed, memory=2**20)
    short.start(asked.position)
    short.run(simulations=2)
    search = Search(machine, settings, asked.seed, memory=asked.budget.memory, threads=asked.budget.threads)
    search.start(asked.position)
    if asked.budget.seconds is not None:
        search.take_memory()
    return search


@contextmanager
def _helpers(search: Search, asked: Question, tell: Tell) -> Iterator[Cluster | None]:
    """The workers that search as well, if that is wanted: the clock starts when the first of them has the game."""
    budget = asked.budget
    if budget.cluster == "no" or budget.seconds is None:
        yield None
        return
    cluster = Cluster(budget.cluster, asked.seed, budget.memory)
    try:
        tell("sending the game to the workers")
        cluster.give(search)
        if not cluster.wait(_PATIENCE):
            raise UsageError(cluster.problem or f"the Dask scheduler at {budget.cluster} has no workers")
        tell("")
        yield cluster
    finally:
        cluster.close()


def _after(machine: Machine[Any], position: Any, line: Sequence[tuple[Term, ...]]) -> Situation:
    """What is known of the position that a line leads to."""
    for joint in line:
        position = machine.next(position, joint)
    return machine.situation(position)


# ---- by the reference -------------------------------------------------------------------------------------------------


def _slowly(asked: Question, news: News | None, stop: threading.Event) -> Look:
    judged = plain(asked.settings)
    dice = RandomPlay(asked.machine, judged.settings, split_seed(asked.seed, "dice"))
    search = ReferenceSearch(asked.machine, asked.position, judged.settings, asked.seed, dice)
    budget, begun = asked.budget, time.monotonic()

    def watch(done: int) -> None:
        if news is not None:
            news.hear(_info(asked, search, done, time.monotonic() - begun))

    done = search_slowly(
        search,
        dice,
        deadline=None if budget.seconds is None else begun + budget.seconds,
        simulations=budget.simulations if budget.seconds is None else None,
        stop=stop,
        watch=watch,
    )
    seconds = time.monotonic() - begun
    view = ReferenceView(search)
    tables = {role: _rows(asked, search, role) for role in asked.roles}
    nodes, edges = _size(view)
    line, end = _line(view)
    highest = [_HIGHEST] * len(asked.machine.roles)
    return Look(
        "reference", judged, tables, outcomes(asked.machine, asked.position, asked.situation, [view], highest),
        _expected(view, tables), line, _ending(asked.machine.roles, end.situation), done, seconds, nodes,
        edges - nodes + 1, None, None, None, False, view,
    )  # fmt: skip


def _rows(asked: Question, search: ReferenceSearch, role: int) -> list[Row]:
    moves, stats = _stats(asked, search, role)
    best = max(stats, key=lambda m: (m.visits, m.mean), default=None)
    return most_visited_first(make_row(moves[m.input], m, _HIGHEST, m is best) for m in stats)


def _stats(asked: Question, search: ReferenceSearch, role: int) -> tuple[Sequence[Term], list[MoveStats]]:
    """The legal moves of a role, and what the reference knows of those that it has tried."""
    moves = asked.situation.legal[role]
    order = {move: i for i, move in enumerate(moves)}
    return moves, [MoveStats(order[m], n, mean, 0.0, None, 0) for m, n, mean in search.moves(role)]


def _info(asked: Question, search: ReferenceSearch, done: int, seconds: float) -> Info:
    choices: list[Choice] = []
    for role in asked.told_of:
        moves, stats = _stats(asked, search, role)
        if stats:
            best = max(stats, key=lambda m: (m.visits, m.mean))
            choices.append(choice(asked.machine.roles[role], moves, best))
    tables = {role: _rows(asked, search, role) for role in asked.told_of}
    line, _ = _line(ReferenceView(search), 6)
    return Info(seconds, done, len(search.table), tuple(choices), tuple(line), tables)


def _size(view: View) -> tuple[int, int]:
    """How many nodes and edges a graph has."""
    seen, waiting, edges = {view.root}, [view.root], 0
    while waiting:
        for branch in view.branches(waiting.pop()):
            edges += 1
            if branch.end is not None and branch.end not in seen:
                seen.add(branch.end)
                waiting.append(branch.end)
    return len(seen), edges


def _line(view: ReferenceView, length: int = _LENGTH) -> tuple[list[tuple[Term, ...]], Node]:
    """The most visited joint moves from the root on, and the node that they lead to."""
    joints: list[tuple[Term, ...]] = []
    node, seen = view.root, set()
    while node not in seen and len(joints) < length and (branches := view.branches(node)):
        seen.add(node)
        best = max(branches, key=lambda b: b.visits)
        joints.append(best.joint)
        node = best.end
    assert isinstance(node, Node)
    return joints, node


# ---- of both ----------------------------------------------------------------------------------------------------------


def _expected(view: View, tables: dict[int, list[Row]]) -> tuple[float, ...] | None:
    """The goals of each role: proven, or the mean over what was tried at the root and agrees with the chosen moves."""
    exact, branches = view.exact(view.root), view.branches(view.root)
    if exact is not None or not branches:
        return exact
    chosen = {role: row.move for role, rows in tables.items() for row in rows if row.chosen}
    played = [b for b in branches if all(b.joint[role] == move for role, move in chosen.items())]
    return mean_goals(played or branches, range(len(view.roles)))


def _ending(roles: Sequence[str], situation: Situation | None) -> str | None:
    """What an expected line comes to: the end of the game, or a position where nobody can go on."""
    if situation is None:
        return None
    if situation.terminal:
        return f"the game is over: {goals_text(roles, situation)}"
    if stuck := stuck_text(roles, situation):
        return f"{stuck}, though that is not terminal: {goals_text(roles, situation)}"
    return None
