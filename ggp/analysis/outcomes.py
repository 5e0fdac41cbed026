"""What a search knows of a move of chance: each outcome with its probability, what it is worth, and what follows it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from gdl.ruleset import CHANCE
from gdl.terms import Term, kif
from ggp.analysis.rows import Row, make_row, most_visited_first
from ggp.machines.machine import Machine, Situation
from ggp.search.choice import MoveStats, best_move
from ggp.search.inside import Branch, View

Place: TypeAlias = tuple[View, Hashable]
"""A node in one of several graphs."""


@dataclass(frozen=True)
class Outcome:
    """One of the moves that chance may make."""

    move: Term
    probability: float
    visits: int
    goals: tuple[float, ...] | None
    """What it is worth to each role; None if it was not tried."""
    proven: bool
    then: dict[int, list[Row]]
    """The moves of the role that decides next, where it is a single one and nobody else moves together with chance."""


def chance_of(roles: Sequence[str], situation: Situation) -> int | None:
    """The number of the role random, if it has a choice."""
    found = roles.index(CHANCE) if CHANCE in roles else None
    return found if found is not None and len(situation.legal[found]) > 1 else None


def outcomes(
    machine: Machine[Any], position: Any, situation: Situation, views: Sequence[View], highest: Sequence[float]
) -> list[Outcome]:
    """What the graphs of a search know of the moves that chance may make at their root."""
    chance = chance_of(machine.roles, situation)
    if chance is None:
        return []
    alone = all(len(legal) == 1 for role, legal in enumerate(situation.legal) if role != chance)
    found = []
    for move in situation.legal[chance]:
        edges = [(view, b) for view in views for b in view.branches(view.root) if b.joint[chance] == move]
        ends = [(view, b.end) for view, b in edges if b.end is not None]
        exact = next((e for view, end in ends if (e := view.exact(end)) is not None), None) if alone else None
        then: dict[int, list[Row]] = {}
        if alone:
            joint = tuple(move if role == chance else legal[0] for role, legal in enumerate(situation.legal))
            then = _next(machine, machine.next(position, joint), ends, highest)
        goals = exact or mean_goals([b for _, b in edges], range(len(machine.roles)))
        visits = sum(b.visits for _, b in edges)
        found.append(Outcome(move, 1 / len(situation.legal[chance]), visits, goals, exact is not None, then))
    return found


def _next(
    machine: Machine[Any], position: Any, places: Sequence[Place], highest: Sequence[float]
) -> dict[int, list[Row]]:
    """The moves of the role that decides in a position, if there is one."""
    situation = machine.situation(position)
    deciders = [role for role, legal in enumerate(situation.legal) if len(legal) > 1]
    if situation.terminal or len(deciders) != 1 or machine.roles[deciders[0]] == CHANCE:
        return {}
    role = deciders[0]
    tried: dict[Term, list[tuple[View, Branch]]] = {}
    for view, node in places:
        for branch in view.branches(node):
            tried.setdefault(branch.joint[role], []).append((view, branch))
    moves = sorted(tried, key=kif)
    stats = [_stats(number, role, tried[move]) for number, move in enumerate(moves)]
    best = best_move(stats) if stats else None
    return {role: most_visited_first(make_row(moves[s.input], s, highest[role], s is best) for s in stats)}


def _stats(number: int, role: int, tried: Sequence[tuple[View, Branch]]) -> MoveStats:
    branches = [branch for _, branch in tried]
    exact = next((e for view, b in tried if b.end is not None and (e := view.exact(b.end)) is not None), None)
    mean = (mean_goals(branches, [role]) or (0.0,))[0]
    return MoveStats(number, sum(b.visits for b in branches), mean, 0.0, None if exact is None else exact[role], 0)


def mean_goals(branches: Sequence[Branch], roles: Sequence[int]) -> tuple[float, ...] | None:
    """The mean goals over some edges, by their visits."""
    visits = sum(branch.visits for branch in branches)
    if not visits:
        return None
    return tuple(sum(branch.means[role] * branch.visits for branch in branches) / visits for role in roles)
