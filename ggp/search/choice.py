"""What to make of a search: the moves of the root, and the one to play."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ggp.search.graph import Played, is_proven, played
from ggp.search.kernels.layout import Graph
from ggp.search.kernels.values import edge_mean


@dataclass(frozen=True)
class MoveStats:
    """A role's move at the root, over all joint moves with it."""

    input: int
    visits: int
    """Simulations that began with it."""
    mean: float
    """Adapted mean goal of the role, μ_d1."""
    spread: float
    """Standard deviation of what one simulation added, as far as 0 and the highest goal allow; for intervals."""
    proven: float | None
    """The exact goal, where it is proven."""
    length: int
    """Steps to the end of the game where the goal is proven, the move included."""


def root_moves(graph: Graph, node: int, role: int, number: int = 0) -> list[MoveStats]:
    """The moves of a role at a node that have been tried, in the order of the inputs. `number`: of the graph."""
    level = int(graph.rule[number].mean_level)
    solver = bool(graph.rule[number].solver)
    only = graph.node[node].decider == role
    found: dict[int, list[Played]] = {}
    for edge in played(graph, node):
        found.setdefault(edge.inputs[role], []).append(edge)
    moves = []
    for move in sorted(found):
        edges = found[move]
        visits = sum(edge.visits for edge in edges)
        means = [float(edge_mean(graph, edge.number, role, level)) for edge in edges]
        totals = [mean * edge.visits for mean, edge in zip(means, edges, strict=True)]
        mean = means[0] if len(means) == 1 else sum(totals) / visits  # not rounded on the way: equal means stay equal
        high = float(graph.best_goal[role])
        end = edges[0].end
        sure = solver and only and end >= 0 and is_proven(graph, end)
        moves.append(
            MoveStats(
                move,
                visits,
                mean,
                math.sqrt(max(0.0, mean * (high - mean))),
                float(graph.proof[end, role]) if sure else None,
                1 + int(graph.node[end].length) if sure else 0,
            )
        )
    return moves


def merged(found: Sequence[list[MoveStats]]) -> list[MoveStats]:
    """The same moves as several graphs know them."""
    if len(found) == 1:
        return found[0]
    by_input: dict[int, list[MoveStats]] = {}
    for moves in found:
        for move in moves:
            by_input.setdefault(move.input, []).append(move)
    result = []
    for number in sorted(by_input):
        same = by_input[number]
        visits = sum(m.visits for m in same)
        sure = next((m for m in same if m.proven is not None), None)
        result.append(
            MoveStats(
                number,
                visits,
                sum(m.mean * m.visits for m in same) / visits,
                sum(m.spread * m.visits for m in same) / visits,
                sure.proven if sure else None,
                sure.length if sure else 0,
            )
        )
    return result


def best_move(moves: list[MoveStats], highest: float = 100.0) -> MoveStats:
    """The move to play: the most visited, unless something is proven. `highest`: the role's highest goal.

    A proven move is as good as its goal. The best of them is played if no open move has a higher mean: see `_surest`. A
    loss is played only where no move is open.
    """
    open_moves = [m for m in moves if m.proven is None]
    proven = [m for m in moves if m.proven is not None]
    best = max(open_moves, key=lambda m: (m.visits, m.mean, -m.input), default=None)
    if proven:
        top = max(m.proven for m in proven if m.proven is not None)
        if best is None or top > best.mean or (top == best.mean and top > 0):  # nothing cannot be worse: hope
            return _surest([m for m in proven if m.proven == top], top, highest)
    assert best is not None
    return best


def _surest(equals: list[MoveStats], top: float, highest: float) -> MoveStats:
    """Of moves that are proven equal: the shortest win; else what gives the others most ways to go wrong.

    How much they may go wrong is what playouts have found above the proven goal. A loss is put off first of all.
    """
    if top >= highest:
        return min(equals, key=lambda m: (m.length, m.input))
    if top > 0:
        return max(equals, key=lambda m: (m.mean, m.visits, -m.input))
    return max(equals, key=lambda m: (m.length, m.mean, m.visits, -m.input))
