"""UCT0 to UCT3 on P-games: the four ways of B. Childs, J. Brodeur and L. Kocsis (2008), section III-A, compiled.

- UCT0 does not detect transpositions: a node for each path.
- UCT1 is (0,0,0): one node for each position, the mean of the move.
- UCT2 is (1,0,0): the mean of the position that the move leads to.
- UCT3 is (∞,0,0): that position's mean is the mean of its moves' positions, weighted by how often each move was made.

As in the paper all positions of a simulation are added to the graph, the bias is sqrt(2·ln(n) / m), and payoffs are 1 for
a win of MAX, ½ for a draw, 0 for a loss. Unvisited moves come first; ties are broken by the generator.

Moves may be in groups (section III-B, see `pgame_groups`): then there is a node for each group between a position and
what its moves lead to, which is searched as any other. The best move is the one with the best mean, whatever its group.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ggp.core.arraytypes import Doubles, Int, Ints, Longs, Words
from ggp.core.kernels import borrowing, kernel
from ggp.generators.pgame import PGame
from ggp.lab.pgame_groups import GROUPS, Grouping, with_groups

VARIANTS = ("UCT0", "UCT1", "UCT2", "UCT3")
_SAME = 1e-12
"""Values that differ by less are equal: their last bits depend on the order of additions."""


class Graph(NamedTuple):
    """A P-game as flat arrays."""

    children: Ints  # [node, move], the nodes numbered level by level, then those of groups; -1 where there is no move
    payoffs: Doubles  # [node] of the nodes of the last level
    wrong: Doubles  # [move] 1 for the moves of the root that are not best
    depth: int  # choices from the root to an end
    layers: int  # choices that make a move: 1, or 2 where there are groups


class Rule(NamedTuple):
    """How a search chooses: the number of the variant, and two factors whose product is the bias."""

    variant: int
    roots: Doubles  # [n] sqrt(2·ln(n))
    shares: Doubles  # [n] 1/sqrt(n)


class Slots(NamedTuple):
    """The nodes of a search. A run writes all but `slot` before it reads it."""

    about: Doubles
    """[slot, column], whole numbers too, so that all of it lies together in memory.

    Column 0 is its visits; 1 the sum of its payoffs, or the value of UCT3; then, for each move, how often it was made,
    the sum of its payoffs, and the slot it leads to (-1 before it is made). A move that is not there was made -1 times.
    """
    node: Ints  # [slot] of the P-game
    slot: Ints  # [node] the slot of each; -1: it has none, as all between runs. Not used where nodes are paths
    head: Ints  # [slot] the last move (slot·branching + move) that leads to it; -1: none
    before: Ints  # [slot, move] the one before a move
    touched: Longs  # [slot] the simulation that touched it last
    changed: Ints  # [2, slots] those whose value changed, of two levels


class Arena:
    """A P-game, and the search that runs on it."""

    def __init__(self, game: PGame, grouping: Grouping | None = None) -> None:
        layers = 1 if grouping is None else 2
        payoffs = np.zeros(game.starts[-1])
        payoffs[game.starts[-2] :] = (np.sign(game.levels[-1].scores) + 1) / 2
        after = game.outcomes[1][game.levels[0].children[0]]
        self.graph = Graph(
            children=game.children if grouping is None else with_groups(game, grouping),
            payoffs=payoffs,
            wrong=(after != game.outcomes[0][0]).astype(np.float64),
            depth=game.depth * layers,
            layers=layers,
        )

    def errors(self, variant: str, checkpoints: Sequence[int], seeds: Sequence[int]) -> Doubles:
        """How often the move that looks best is wrong after so many simulations: the mean over a run for each seed.

        Where moves look equally good, the share of the wrong ones among them counts.
        """
        sums = np.zeros(len(checkpoints))
        if not self.graph.wrong.any():
            return sums  # whatever a search chooses is right
        points = np.asarray(checkpoints, np.int64)
        nodes, branching = self.graph.children.shape
        room = int(points[-1]) * self.graph.depth + 1
        if variant != "UCT0":
            room = min(room, nodes)
        slots = Slots(
            about=_lines(room, 2 + 3 * branching),
            node=np.zeros(room, np.int32),
            slot=np.full(nodes if variant != "UCT0" else 1, -1, np.int32),
            head=np.zeros(room, np.int32),
            before=np.zeros((room, branching), np.int32),
            touched=np.zeros(room, np.int64),
            changed=np.zeros((2, room if variant == "UCT3" else 1), np.int32),
        )
        count = np.arange(1, points[-1] + 1)
        roots, shares = np.sqrt(2 * np.log(count)), 1 / np.sqrt(count)
        rule = Rule(VARIANTS.index(variant), np.concatenate(([0.0], roots)), np.concatenate(([0.0], shares)))
        for seed in seeds:
            _run(self.graph, rule, slots, points, np.array([seed], np.uint64), sums)
        result: Doubles = sums / len(seeds)
        return result


def _lines(rows: int, columns: int) -> Doubles:
    """Float64 [rows, columns] from the start of a cache line on: with two moves, a row is a line."""
    raw = np.zeros(rows * columns + 8)
    start = -(raw.ctypes.data // 8) % 8
    return raw[start : start + rows * columns].reshape(rows, columns)


@borrowing
def _draw(state: Words, count: int) -> int:
    """A number below `count`, from a splitmix64 generator in `state`."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return int(np.int64(((z >> np.uint64(32)) * np.uint64(count)) >> np.uint64(32)))


@borrowing
def _value(variant: int, about: Doubles, slot: Int, move: int) -> float:
    """The mean of a move that was made, as the variant estimates it, in payoffs of MAX."""
    at = 2 + 3 * move
    if variant <= 1:
        return float(about[slot, at + 1] / about[slot, at])
    child = int(about[slot, at + 2])
    return float(about[child, 1] / about[child, 0] if variant == 2 else about[child, 1])


@borrowing
def _select(rule: Rule, about: Doubles, slot: Int, maximise: bool, state: Words) -> int:
    """The move to make: one never made, or the one with the highest upper bound."""
    branching = (about.shape[1] - 2) // 3
    fresh = 0
    for move in range(branching):
        fresh += about[slot, 2 + 3 * move] == 0.0
    if fresh:
        left = _draw(state, fresh) if fresh > 1 else 0
        for move in range(branching):
            if about[slot, 2 + 3 * move] == 0.0:
                if left == 0:
                    return move
                left -= 1
    root = rule.roots[int(about[slot, 0])]
    best, found, ties = 0, -1.0, 0
    for move in range(branching):
        if about[slot, 2 + 3 * move] < 0.0:
            continue
        value = _value(rule.variant, about, slot, move)
        bound = (value if maximise else 1.0 - value) + root * rule.shares[int(about[slot, 2 + 3 * move])]
        if bound > found + _SAME:
            best, found, ties = move, bound, 1
        elif bound > found - _SAME:
            ties += 1
            if _draw(state, ties) == 0:
                best = move
    return best


@borrowing
def _refresh(s: Slots, path: Ints, stamp: int) -> None:
    """Make the values of UCT3 right again: those on the path, and of all that lead to a changed one, level by level."""
    branching, depth = s.before.shape[1], len(path) - 1
    count = 1
    s.changed[0, 0] = path[depth]
    for level in range(depth - 1, -1, -1):
        now, then = (depth - 1 - level) % 2, (depth - level) % 2
        found = 1
        s.changed[then, 0] = path[level]
        s.touched[path[level]] = stamp
        for i in range(count):
            move = s.head[s.changed[now, i]]
            while move >= 0:
                slot = move // branching
                if s.touched[slot] != stamp:
                    s.touched[slot] = stamp
                    s.changed[then, found] = slot
                    found += 1
                move = s.before[slot, move % branching]
        count = 0
        for i in range(found):
            slot = s.changed[then, i]
            weight, total = 0.0, 0.0
            for move in range(branching):
                made = s.about[slot, 2 + 3 * move]
                if made > 0.0:
                    weight += made
                    total += made * s.about[int(s.about[slot, 4 + 3 * move]), 1]
            value = total / weight
            if value != s.about[slot, 1] or i == 0:
                s.about[slot, 1] = value
                s.changed[then, count] = slot
                count += 1


@borrowing
def _error(graph: Graph, variant: int, about: Doubles) -> float:
    """The share of wrong moves among those of the root (slot 0, MAX moves) that have the best mean."""
    best, ties, bad = -1.0, 0, 0.0
    for move in range(len(graph.wrong)):
        made, value = _about_root(graph.layers, variant, about, move)
        if made == 0.0:
            continue
        if value > best + _SAME:
            best, ties, bad = value, 1, graph.wrong[move]
        elif value > best - _SAME:
            ties += 1
            bad += graph.wrong[move]
    return bad / ties


@borrowing
def _about_root(layers: int, variant: int, about: Doubles, move: int) -> tuple[float, float]:
    """How often a move of the root was made, and its mean; through all groups together, if nodes are paths."""
    if layers == 1:
        made = about[0, 2 + 3 * move]
        return made, _value(variant, about, np.int64(0), move) if made > 0.0 else 0.0
    made, total, value = 0.0, 0.0, 0.0
    for group in range(GROUPS):
        slot = int(about[0, 4 + 3 * group])
        if slot >= 0 and about[slot, 2 + 3 * move] > 0.0:
            made += about[slot, 2 + 3 * move]
            total += about[slot, 3 + 3 * move]
            value = _value(variant, about, slot, move)
    return made, total / made if variant <= 1 and made > 0.0 else value


@borrowing
def _make(graph: Graph, variant: int, s: Slots, slot: Int, node: Int) -> None:
    """Make a slot for a node, whatever was there before."""
    s.node[slot] = node
    s.head[slot] = -1
    s.touched[slot] = 0
    s.about[slot, 0] = 0.0
    s.about[slot, 1] = graph.payoffs[node] if variant == 3 else 0.0
    for move in range((s.about.shape[1] - 2) // 3):
        s.about[slot, 2 + 3 * move] = 0.0 if graph.children[node, move] >= 0 else -1.0
        s.about[slot, 3 + 3 * move] = 0.0
        s.about[slot, 4 + 3 * move] = -1.0


@kernel
def _run(graph: Graph, rule: Rule, s: Slots, points: Longs, state: Words, errors: Doubles) -> None:
    """One run; adds the error at each of `points` to `errors`."""
    path = np.zeros(graph.depth + 1, np.int32)
    moves = np.zeros(graph.depth, np.int32)
    _make(graph, rule.variant, s, np.int64(0), np.int64(0))
    used = 1
    point = 0
    for simulation in range(1, points[-1] + 1):
        slot = np.int64(0)
        for level in range(graph.depth):
            path[level] = slot
            move = _select(rule, s.about, slot, level // graph.layers % 2 == 0, state)
            moves[level] = move
            if s.about[slot, 4 + 3 * move] < 0.0:
                node = np.int64(graph.children[s.node[slot], move])
                end = np.int64(s.slot[node]) if rule.variant > 0 else np.int64(-1)
                if end < 0:
                    end = np.int64(used)
                    used += 1
                    _make(graph, rule.variant, s, end, node)
                    if rule.variant > 0:
                        s.slot[node] = end
                s.about[slot, 4 + 3 * move] = end
                s.before[slot, move] = s.head[end]
                s.head[end] = slot * s.before.shape[1] + move
            slot = np.int64(s.about[slot, 4 + 3 * move])
        path[graph.depth] = slot
        payoff = graph.payoffs[s.node[slot]]
        for level in range(graph.depth + 1):
            s.about[path[level], 0] += 1.0
            if rule.variant < 3:
                s.about[path[level], 1] += payoff
            if level < graph.depth:
                s.about[path[level], 2 + 3 * moves[level]] += 1.0
                s.about[path[level], 3 + 3 * moves[level]] += payoff
        if rule.variant == 3:
            _refresh(s, path, simulation)
        if simulation == points[point]:
            errors[point] += _error(graph, rule.variant, s.about)
            point += 1
    if rule.variant > 0:
        for used_slot in range(used):
            s.slot[s.node[used_slot]] = -1
