"""P-games with groups of moves: how groups are made, and the search of them against a plain one."""

from __future__ import annotations

import math
from itertools import chain

import numpy as np
import pytest

from ggp.core.errors import UsageError
from ggp.generators.pgame import PGame
from ggp.lab.pgame_groups import GROUPS, Grouping, with_groups
from ggp.lab.pgame_search import Arena
from tests.test_lab_pgame_search import MASK, decided


def members(game: PGame, grouping: Grouping) -> list[list[list[int]]]:
    """For each position that has moves, the moves of its groups."""
    found = with_groups(game, grouping)
    inner = game.starts[-2]
    nodes = found[:inner, :GROUPS]
    return [[np.flatnonzero(found[node] >= 0).tolist() for node in row if node >= 0] for row in nodes.tolist()]


@pytest.mark.parametrize("bias", [0.0, 0.5, 1.0])
def test_groups_have_the_moves_that_they_should(bias: float) -> None:
    game = PGame(depth=3, branching=8, combine=0.1, seed=5)
    apart = members(game, Grouping(bias, 3, overlap=False))
    over = members(game, Grouping(bias, 3, overlap=True))
    at, sizes = 0, []
    for number, level in enumerate(game.levels[:-1]):
        wins = game.outcomes[number + 1][level.children] == (1 if number % 2 == 0 else -1)
        for row in wins:
            biased = over[at][0] if len(over[at]) > 1 else []
            assert over[at][-1] == list(range(8)) and sorted(chain(*apart[at])) == list(range(8))
            assert not biased or biased in apart[at]
            good = int(row[biased].sum())
            sizes.append(len(biased))
            if bias == 1:
                assert good == len(biased) == min(3, int(row.sum()))
            elif bias == 0:
                assert good == 0 and len(biased) == min(3, int((~row).sum()))
            at += 1
    assert at == len(over) and max(sizes) == 3


def test_moves_lead_where_they_did_before() -> None:
    game = PGame(depth=3, branching=4, combine=0.2, seed=2)
    found, inner = with_groups(game, Grouping(0.5, 2, overlap=True)), game.starts[-2]
    for node in range(inner):
        for group in found[node, :GROUPS][found[node, :GROUPS] >= 0].tolist():
            there = found[group] >= 0
            assert (found[group][there] == game.children[node][there]).all()
    assert (found[inner : game.starts[-1]] == -1).all() and (found[:inner, GROUPS:] == -1).all()


class Plain:
    """UCT2, and UCT0, with groups: a bandit for the groups of a position, and one for the moves of each group."""

    def __init__(self, game: PGame, grouping: Grouping, variant: str, seed: int) -> None:
        self.children, self.game, self.variant, self.state = with_groups(game, grouping), game, variant, seed
        self.made: dict[tuple[object, int], int] = {}
        self.sums: dict[tuple[object, int], float] = {}
        self.seen: dict[object, list[float]] = {}

    def draw(self, count: int) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return ((z ^ (z >> 31)) >> 32) * count >> 32

    def key(self, path: tuple[int, ...], node: int) -> object:
        return path if self.variant == "UCT0" else node

    def mean(self, key: object, move: int, after: object) -> float:
        if self.variant == "UCT0":
            return self.sums[key, move] / self.made[key, move]
        return sum(self.seen[after]) / len(self.seen[after])

    def select(self, path: tuple[int, ...], node: int, maximise: bool) -> int:
        moves, key = np.flatnonzero(self.children[node] >= 0).tolist(), self.key(path, node)
        fresh = [move for move in moves if (key, move) not in self.made]
        if fresh:
            return int(fresh[self.draw(len(fresh)) if len(fresh) > 1 else 0])
        total = sum(self.made[key, move] for move in moves)
        best, found, ties = 0, -1.0, 0
        for move in moves:
            value = self.mean(key, move, self.key((*path, move), int(self.children[node, move])))
            bound = (value if maximise else 1 - value) + math.sqrt(2 * math.log(total) / self.made[key, move])
            if bound > found + 1e-12:
                best, found, ties = move, bound, 1
            elif bound > found - 1e-12:
                ties += 1
                best = move if self.draw(ties) == 0 else best
        return int(best)

    def simulate(self) -> None:
        path, node, steps = tuple[int, ...](), 0, list[tuple[object, int]]()
        for level in range(2 * self.game.depth):
            move = self.select(path, node, level // 2 % 2 == 0)
            steps.append((self.key(path, node), move))
            path, node = (*path, move), int(self.children[node, move])
        score = int(self.game.levels[-1].scores[node - self.game.starts[-2]])
        payoff = (float(np.sign(score)) + 1) / 2
        for step in steps:
            self.made[step] = self.made.get(step, 0) + 1
            self.sums[step] = self.sums.get(step, 0.0) + payoff
        for key in [*(key for key, _ in steps), self.key(path, node)]:
            self.seen.setdefault(key, []).append(payoff)

    def error(self) -> float:
        values = dict[int, float]()
        groups = [(g, n) for g, n in enumerate(self.children[0].tolist()) if n >= 0]
        for move in range(self.game.branching):
            ways = [(self.key((g,), n), self.key((g, move), int(self.children[n, move]))) for g, n in groups]
            made = [(key, after) for key, after in ways if (key, move) in self.made]
            if made and self.variant == "UCT0":
                values[move] = sum(self.sums[k, move] for k, _ in made) / sum(self.made[k, move] for k, _ in made)
            elif made:
                values[move] = self.mean(*made[0][:1], move, made[0][1])
        best = [move for move, value in values.items() if value > max(values.values()) - 1e-12]
        outcomes = self.game.outcomes[1][self.game.levels[0].children[0]]
        return sum(bool(outcomes[move] != self.game.outcomes[0][0]) for move in best) / len(best)


@pytest.mark.parametrize("variant", ["UCT0", "UCT2"])
@pytest.mark.parametrize("overlap", [False, True])
def test_it_makes_the_choices_of_the_definitions(variant: str, overlap: bool) -> None:
    points, wrong = list(range(1, 61)), 0.0
    for seed, game in enumerate(decided(4, 4, 0.1, 4)):
        grouping = Grouping(0.5, 2, overlap)
        plain, expected = Plain(game, grouping, variant, seed), list[float]()
        for _ in points:
            plain.simulate()
            expected.append(plain.error())
        assert Arena(game, grouping).errors(variant, points, [seed]).tolist() == expected
        wrong += sum(expected)
    assert wrong > 0


def test_groups_that_cannot_be_are_refused() -> None:
    with pytest.raises(UsageError, match="from 0 to 1"):
        Grouping(1.5, 3, overlap=True)
    with pytest.raises(UsageError, match="at least one place"):
        Grouping(0.5, 0, overlap=True)
    with pytest.raises(UsageError, match="at least 2 moves"):
        with_groups(PGame(2, 1), Grouping(0.5, 1, overlap=True))
