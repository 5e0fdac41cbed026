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

import numpy as np
from numpy.typing import NDArray

from ggp.core.kernels import kernel
from ggp.generators.pgame import PGame
from ggp.lab.pgame_groups import GROUPS, Grouping, with_groups

VARIANTS = ("UCT0", "UCT1", "UCT2", "UCT3")
# A slot is a node of the search: float64 [slot, column], whole numbers too, so that all of it lies together in memory.
# Column 0 is its visits; 1 the sum of its payoffs, or the value of UCT3; then, for each move, how often it was made, the
# sum of its payoffs, and the slot it leads to (-1 before it is made). A move that is not there was made -1 times.
_SAME = 1e-12
"""Values that differ by less are equal: their last bits depend on the order of additions."""


class Arena:
    """A P-game as flat arrays, and the search that runs on it.

    children: int32 [node, move], the nodes numbered level by level, then those of groups; -1 where there is no move.
    payoffs: float64 [node], of the nodes of the last level.
    wrong: float64 [move], 1 for the moves of the root that are not best.
    layers: choices that make a move, 1, or 2 where there are groups.
    """

    def __init__(self, game: PGame, grouping: Grouping | None = None) -> None:
        starts = game.starts
        self.layers = 1 if grouping is None else 2
        self.depth = game.depth * self.layers
        self.children = game.children if grouping is None else with_groups(game, grouping)
        self.payoffs = np.zeros(starts[-1])
        self.payoffs[starts[-2] :] = (np.sign(game.levels[-1].scores) + 1) / 2
        after = game.outcomes[1][game.levels[0].children[0]]
        self.wrong = (after != game.outcomes[0][0]).astype(np.float64)

    def errors(self, variant: str, checkpoints: Sequence[int], seeds: Sequence[int]) -> NDArray[np.float64]:
        """How often the move that looks best is wrong after so many simulations: the mean over a run for each seed.

        Where moves look equally good, the share of the wrong ones among them counts.
        """
        sums = np.zeros(len(checkpoints))
        if not self.wrong.any():
            return sums  # whatever a search chooses is right
        points = np.asarray(checkpoints, np.int64)
        room = int(points[-1]) * self.depth + 1
        if variant != "UCT0":
            room = min(room, len(self.children))
        branching = self.children.shape[1]
        tables = (
            _lines(room, 2 + 3 * branching),  # slots, see above
            np.zeros(room, np.int32),  # the node of a slot
            np.full(len(self.children) if variant != "UCT0" else 1, -1, np.int32),  # the slot of a node; -1 between runs
            np.zeros(room, np.int32),  # the last move (slot·branching + move) that leads to a slot; -1 for none
            np.zeros((room, branching), np.int32),  # the one before a move
            np.zeros(room, np.int64),  # the simulation that touched a slot last
            np.zeros((2, room if variant == "UCT3" else 1), np.int32),  # slots whose value changed, of two levels
        )
        count = np.arange(1, points[-1] + 1)
        exploration = np.concatenate(([0.0], np.sqrt(2 * np.log(count)))), np.concatenate(([0.0], 1 / np.sqrt(count)))
        for seed in seeds:
            state = np.array([seed], np.uint64)
            _run(
                self.children, self.payoffs, self.wrong, self.depth, self.layers, VARIANTS.index(variant), points, state,
                sums, *exploration, *tables,
            )  # fmt: skip
        result: NDArray[np.float64] = sums / len(seeds)
        return result


def _lines(rows: int, columns: int) -> NDArray[np.float64]:
    """Float64 [rows, columns] from the start of a cache line on: with two moves, a row is a line."""
    raw = np.zeros(rows * columns + 8)
    start = -(raw.ctypes.data // 8) % 8
    return raw[start : start + rows * columns].reshape(rows, columns)


@kernel
def _draw(state, count):  # type: ignore[no-untyped-def]
    """A number below `count`, from a splitmix64 generator in `state`."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return np.int64(((z >> np.uint64(32)) * np.uint64(count)) >> np.uint64(32))


@kernel
def _value(variant, slot, move, about):  # type: ignore[no-untyped-def]
    """The mean of a move that was made, as the variant estimates it, in payoffs of MAX."""
    at = 2 + 3 * move
    if variant <= 1:
        return about[slot, at + 1] / about[slot, at]
    child = np.int64(about[slot, at + 2])
    return about[child, 1] / about[child, 0] if variant == 2 else about[child, 1]


@kernel
def _select(variant, slot, maximise, state, roots, shares, about):  # type: ignore[no-untyped-def]
    """The move to make: one never made, or the one with the highest upper bound.

    roots and shares: float64 [n], sqrt(2·ln(n)) and 1/sqrt(n), whose product is the bias.
    """
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
    root = roots[np.int64(about[slot, 0])]
    best, found, ties = 0, -1.0, 0
    for move in range(branching):
        if about[slot, 2 + 3 * move] < 0.0:
            continue
        value = _value(variant, slot, move, about)
        bound = (value if maximise else 1.0 - value) + root * shares[np.int64(about[slot, 2 + 3 * move])]
        if bound > found + _SAME:
            best, found, ties = move, bound, 1
        elif bound > found - _SAME:
            ties += 1
            if _draw(state, ties) == 0:
                best = move
    return best


@kernel
def _refresh(path, depth, stamp, about, head, before, touched, changed):  # type: ignore[no-untyped-def]
    """Make the values of UCT3 right again: those on the path, and of all that lead to a changed one, level by level."""
    branching = before.shape[1]
    count = 1
    changed[0, 0] = path[depth]
    for level in range(depth - 1, -1, -1):
        now, then = (depth - 1 - level) % 2, (depth - level) % 2
        found = 1
        changed[then, 0] = path[level]
        touched[path[level]] = stamp
        for i in range(count):
            move = head[changed[now, i]]
            while move >= 0:
                slot = move // branching
                if touched[slot] != stamp:
                    touched[slot] = stamp
                    changed[then, found] = slot
                    found += 1
                move = before[slot, move % branching]
        count = 0
        for i in range(found):
            slot = changed[then, i]
            weight, total = 0.0, 0.0
            for move in range(branching):
                made = about[slot, 2 + 3 * move]
                if made > 0.0:
                    weight += made
                    total += made * about[np.int64(about[slot, 4 + 3 * move]), 1]
            value = total / weight
            if value != about[slot, 1] or i == 0:
                about[slot, 1] = value
                changed[then, count] = slot
                count += 1


@kernel
def _error(variant, layers, wrong, about):  # type: ignore[no-untyped-def]
    """The share of wrong moves among those of the root (slot 0, MAX moves) that have the best mean."""
    best, ties, bad = -1.0, 0, 0.0
    for move in range(len(wrong)):
        made, value = _about_root(variant, layers, move, about)
        if made == 0.0:
            continue
        if value > best + _SAME:
            best, ties, bad = value, 1, wrong[move]
        elif value > best - _SAME:
            ties += 1
            bad += wrong[move]
    return bad / ties


@kernel
def _about_root(variant, layers, move, about):  # type: ignore[no-untyped-def]
    """How often a move of the root was made, and its mean; through all groups together, if nodes are paths."""
    if layers == 1:
        made = about[0, 2 + 3 * move]
        return made, _value(variant, 0, move, about) if made > 0.0 else 0.0
    made, total, value = 0.0, 0.0, 0.0
    for group in range(GROUPS):
        slot = np.int64(about[0, 4 + 3 * group])
        if slot >= 0 and about[slot, 2 + 3 * move] > 0.0:
            made += about[slot, 2 + 3 * move]
            total += about[slot, 3 + 3 * move]
            value = _value(variant, slot, move, about)
    return made, total / made if variant <= 1 and made > 0.0 else value


@kernel
def _make(slot, node, variant, children, payoffs, about, nodes, head, touched):  # type: ignore[no-untyped-def]
    """Make a slot for a node, whatever was there before."""
    nodes[slot] = node
    head[slot] = -1
    touched[slot] = 0
    about[slot, 0] = 0.0
    about[slot, 1] = payoffs[node] if variant == 3 else 0.0
    for move in range((about.shape[1] - 2) // 3):
        about[slot, 2 + 3 * move] = 0.0 if children[node, move] >= 0 else -1.0
        about[slot, 3 + 3 * move] = 0.0
        about[slot, 4 + 3 * move] = -1.0


@kernel
def _run(  # type: ignore[no-untyped-def]
    children, payoffs, wrong, depth, layers, variant, points, state, errors, roots, shares,
    about, nodes, slots, head, before, touched, changed,
):  # fmt: skip
    """One run; adds the error at each of `points` to `errors`. Tables but `slots` are written before they are read."""
    path = np.zeros(depth + 1, np.int32)
    moves = np.zeros(depth, np.int32)
    _make(0, 0, variant, children, payoffs, about, nodes, head, touched)
    used = 1
    point = 0
    for simulation in range(1, points[-1] + 1):
        slot = np.int64(0)
        for level in range(depth):
            path[level] = slot
            move = _select(variant, slot, level // layers % 2 == 0, state, roots, shares, about)
            moves[level] = move
            if about[slot, 4 + 3 * move] < 0.0:
                node = children[nodes[slot], move]
                end = np.int64(slots[node]) if variant > 0 else np.int64(-1)
                if end < 0:
                    end = np.int64(used)
                    used += 1
                    _make(end, node, variant, children, payoffs, about, nodes, head, touched)
                    if variant > 0:
                        slots[node] = end
                about[slot, 4 + 3 * move] = end
                before[slot, move] = head[end]
                head[end] = slot * before.shape[1] + move
            slot = np.int64(about[slot, 4 + 3 * move])
        path[depth] = slot
        payoff = payoffs[nodes[slot]]
        for level in range(depth + 1):
            about[path[level], 0] += 1.0
            if variant < 3:
                about[path[level], 1] += payoff
            if level < depth:
                about[path[level], 2 + 3 * moves[level]] += 1.0
                about[path[level], 3 + 3 * moves[level]] += payoff
        if variant == 3:
            _refresh(path, depth, simulation, about, head, before, touched, changed)
        if simulation == points[point]:
            errors[point] += _error(variant, layers, wrong, about)
            point += 1
    if variant > 0:
        for used_slot in range(used):
            slots[nodes[used_slot]] = -1
