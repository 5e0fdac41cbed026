"""One search of one position, to be looked at: on lanes where the game has a circuit, else by the reference on Prolog."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gdl.terms import Term
from ggp.lab.statistics import wilson
from ggp.machines.circuit import CircuitMachine
from ggp.machines.machine import Machine, Situation
from ggp.search.choice import MoveStats, best_move
from ggp.search.inside import ReferenceView, TreeView, View
from ggp.search.player import circuit_of
from ggp.search.reference import ReferenceSearch
from ggp.search.search import Search
from ggp.search.settings import SearchSettings

_HIGHEST = 100
"""What goals are at most, where only the reference searches."""


@dataclass(frozen=True)
class Budget:
    """What a search may use."""

    seconds: float | None
    """None: `simulations` counts."""
    simulations: int
    memory: int
    """Bytes of the graph."""
    threads: int


@dataclass(frozen=True)
class Row:
    """A move of a role as the search sees it."""

    move: Term
    visits: int
    mean: float
    """Adapted mean goal."""
    low: float
    high: float
    """95 % interval of the mean, as if payoffs were only nothing and the highest goal: at least as wide as it need be."""
    proven: float | None
    length: int
    """Steps to the end of the game where the goal is proven."""
    chosen: bool
    """Whether it is the move to play."""


@dataclass(frozen=True)
class Look:
    """What a search found. What the reference does not count is None."""

    engine: str
    tables: dict[int, list[Row]]
    """For each role that was asked for: its moves, the most visited first."""
    line: list[tuple[Term, ...]]
    """The joint moves that are expected."""
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
) -> Look:
    """Search from a position that is not the end."""
    circuit = circuit_of(machine)
    if circuit is None:
        return _slowly(machine, position, situation, roles, settings, budget, seed)
    return _on_lanes(circuit, circuit.position(machine.fluents(position)), roles, settings, budget, seed)


def _on_lanes(
    machine: CircuitMachine, position: Any, roles: Sequence[int], settings: SearchSettings, budget: Budget, seed: int
) -> Look:
    short = Search(machine, settings, seed, memory=2**20)
    short.start(position)
    short.run(simulations=2)  # the clock starts when everything is compiled
    search = Search(machine, settings, seed, memory=budget.memory, threads=budget.threads)
    search.start(position)
    if budget.seconds is None:
        spent = search.run(simulations=budget.simulations)
    else:
        search.take_memory()
        spent = search.run(deadline=time.monotonic() + budget.seconds)
    highest = search.trees[0].graph.best_goal
    tables = {}
    for role in roles:
        moves = search.moves(role)
        best = best_move(moves) if moves else None
        tables[role] = _sorted([_row(machine.inputs[m.input], m, float(highest[role]), m is best) for m in moves])
    return Look(
        "circuit", tables, [tuple(machine.inputs[i] for i in joint) for joint in search.line()], spent.simulations,
        spent.seconds, spent.nodes, spent.transpositions, spent.deepest, spent.bytes, spent.recycled, search.solved,
        TreeView(search),
    )  # fmt: skip


def _slowly(
    machine: Machine[Any],
    position: Any,
    situation: Situation,
    roles: Sequence[int],
    settings: SearchSettings,
    budget: Budget,
    seed: int,
) -> Look:
    search = ReferenceSearch(machine, position, settings, seed)
    begun, done = time.monotonic(), 0
    while done < budget.simulations if budget.seconds is None else time.monotonic() < begun + budget.seconds:
        if not search.simulate():
            break
        done += 1
    seconds = time.monotonic() - begun
    view = ReferenceView(search)
    tables = {}
    for role in roles:
        found = search.moves(role)
        best = max(found, key=lambda m: (m[1], m[2]), default=None)
        order = {move: i for i, move in enumerate(situation.legal[role])}
        rows = [
            _row(m[0], MoveStats(order[m[0]], m[1], m[2], 0.0, None, 0), _HIGHEST, m is best) for m in found
        ]  # fmt: skip
        tables[role] = _sorted(rows)
    nodes, edges = _size(view)
    return Look(
        "reference", tables, _line(view), done, seconds, nodes, edges - nodes + 1, None, None, None, False, view
    )  # fmt: skip


def _row(move: Term, stats: MoveStats, highest: float, chosen: bool) -> Row:
    share = min(1.0, max(0.0, stats.mean / highest)) if highest else 0.0
    low, high = wilson(share * stats.visits, stats.visits) if stats.visits else (0.0, 1.0)
    return Row(
        move, stats.visits, stats.mean, low * highest, high * highest, stats.proven, stats.length, chosen
    )  # fmt: skip


def _sorted(rows: list[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: (-row.visits, -row.mean))


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


def _line(view: View, length: int = 20) -> list[tuple[Term, ...]]:
    """The most visited joint moves from the root on."""
    joints: list[tuple[Term, ...]] = []
    node, seen = view.root, set()
    while node is not None and node not in seen and len(joints) < length:
        seen.add(node)
        branches = view.branches(node)
        if not branches:
            break
        best = max(branches, key=lambda b: b.visits)
        joints.append(best.joint)
        node = best.end
    return joints


def rate(look: Look) -> float:
    """Simulations per second."""
    return look.simulations / look.seconds if look.seconds > 0 else math.nan
