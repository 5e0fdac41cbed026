"""The compiled search on P-games against the paper's formulas, written down plainly."""

from __future__ import annotations

import math
from itertools import islice
from typing import Any, TypeAlias

import numpy as np
import pytest

from ggp.generators.pgame import PGame
from ggp.lab.pgame_search import VARIANTS, Arena

MASK = (1 << 64) - 1
Node: TypeAlias = Any
"""(level, number), or for UCT0 (path, 0)."""


class Reference:
    """UCT0 to UCT3 in dictionaries, everything worked out again each time it is needed."""

    def __init__(self, game: PGame, variant: str, seed: int) -> None:
        self.game, self.variant, self.state = game, variant, seed
        self.made: dict[tuple[Node, int], int] = {}
        self.sums: dict[tuple[Node, int], float] = {}
        self.to: dict[tuple[Node, int], Node] = {}

    def draw(self, count: int) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return ((z ^ (z >> 31)) >> 32) * count >> 32

    def moves(self, node: Node) -> list[int]:
        return [move for move in range(self.game.branching) if (node, move) in self.made]

    def place(self, node: Node) -> tuple[int, int]:
        """Level and number; nodes of UCT0 are paths."""
        path, number = node
        if self.variant != "UCT0":
            return path, number
        at = 0
        for level, move in enumerate(path):
            at = int(self.game.levels[level].children[at, move])
        return len(path), at

    def child(self, node: Node, move: int) -> Node:
        if self.variant == "UCT0":
            return (*node[0], move), 0
        level, number = self.place(node)
        return level + 1, int(self.game.levels[level].children[number, move])

    def payoff(self, node: Node) -> float:
        level, number = self.place(node)
        return (float(np.sign(self.game.levels[level].scores[number])) + 1) / 2

    def mean(self, node: Node) -> float:
        """Of all payoffs that passed a node."""
        if self.place(node)[0] == self.game.depth:
            return self.payoff(node)
        total = sum(self.made[node, move] for move in self.moves(node))
        return sum(self.sums[node, move] for move in self.moves(node)) / total

    def refined(self, node: Node, known: dict[Node, float]) -> float:
        """Q of UCT3."""
        if node not in known:
            if self.place(node)[0] == self.game.depth:
                known[node] = self.payoff(node)
            else:
                counts = {move: self.made[node, move] for move in self.moves(node)}
                total = sum(n * self.refined(self.to[node, move], known) for move, n in counts.items())
                known[node] = total / sum(counts.values())
        return known[node]

    def value(self, node: Node, move: int, known: dict[Node, float]) -> float:
        if self.variant in ("UCT0", "UCT1"):
            return self.sums[node, move] / self.made[node, move]
        return self.mean(self.to[node, move]) if self.variant == "UCT2" else self.refined(self.to[node, move], known)

    def select(self, node: Node, level: int, known: dict[Node, float]) -> int:
        fresh = [move for move in range(self.game.branching) if (node, move) not in self.made]
        if fresh:
            return fresh[self.draw(len(fresh)) if len(fresh) > 1 else 0]
        total = sum(self.made[node, move] for move in self.moves(node))
        best, found, ties = 0, -1.0, 0
        for move in self.moves(node):
            value = self.value(node, move, known)
            bound = (value if level % 2 == 0 else 1 - value) + math.sqrt(2 * math.log(total) / self.made[node, move])
            if bound > found + 1e-12:
                best, found, ties = move, bound, 1
            elif bound > found - 1e-12:
                ties += 1
                if self.draw(ties) == 0:
                    best = move
        return best

    def simulate(self) -> None:
        node: Node = ((), 0) if self.variant == "UCT0" else (0, 0)
        path, known = [], dict[Node, float]()
        for level in range(self.game.depth):
            move = self.select(node, level, known)
            path.append((node, move))
            node = self.child(node, move)
        for edge in path:
            self.made[edge] = self.made.get(edge, 0) + 1
            self.sums[edge] = self.sums.get(edge, 0) + self.payoff(node)
            self.to[edge] = self.child(*edge)

    def error(self) -> float:
        root: Node = ((), 0) if self.variant == "UCT0" else (0, 0)
        values = {move: self.value(root, move, {}) for move in self.moves(root)}
        best = [move for move, value in values.items() if value > max(values.values()) - 1e-12]
        outcomes = self.game.outcomes[1][self.game.levels[0].children[0]]
        return sum(bool(outcomes[move] != self.game.outcomes[0][0]) for move in best) / len(best)


def decided(depth: int, branching: int, combine: float, count: int) -> list[PGame]:
    """Games in which some moves of the root are better than others."""
    games = (PGame(depth, branching, combine, seed) for seed in range(1, 100))
    return list(islice((g for g in games if len(set(g.outcomes[1][g.levels[0].children[0]].tolist())) > 1), count))


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(("branching", "depth", "combine"), [(2, 7, 0.3), (3, 4, 0.3), (2, 6, 0.0)])
def test_it_makes_the_choices_of_the_formulas(variant: str, branching: int, depth: int, combine: float) -> None:
    points = list(range(1, 81))
    wrong_sometimes = 0.0
    for seed, game in enumerate(decided(depth, branching, combine, 4)):
        found = Arena(game).errors(variant, points, [seed])
        plain = Reference(game, variant, seed)
        expected = []
        for _ in points:
            plain.simulate()
            expected.append(plain.error())
        assert found.tolist() == expected
        wrong_sometimes += sum(expected)
    assert wrong_sometimes > 0


def test_runs_do_not_leak_into_each_other() -> None:
    arena = Arena(decided(8, 2, 0.3, 1)[0])
    for variant in VARIANTS:
        alone = [arena.errors(variant, [5, 50, 200], [seed]) for seed in (1, 2, 3)]
        assert arena.errors(variant, [5, 50, 200], [1, 2, 3]) == pytest.approx(sum(alone) / 3)


def test_without_transpositions_all_variants_are_the_same() -> None:
    arena = Arena(decided(8, 2, 0.0, 1)[0])
    found = [arena.errors(variant, [10, 100, 500], range(1, 21)) for variant in VARIANTS]
    for other in found[1:]:
        assert other.tolist() == found[0].tolist()


def test_all_find_the_best_move_in_the_end() -> None:
    """A game whose root has one best move: wrong at first, right later."""
    arena = Arena(decided(8, 2, 0.2, 1)[0])
    for variant in VARIANTS:
        early, late = arena.errors(variant, [2, 20_000], range(1, 31))
        assert early > 0.2
        assert late < 0.05
