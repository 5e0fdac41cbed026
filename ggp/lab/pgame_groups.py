"""Groups of moves in P-games, after B. Childs, J. Brodeur and L. Kocsis (2008), section IV-A.2.

Each position has two groups: the biased group, and the ungrouped moves. The biased group has `size` places; each takes a
winning move of whoever moves with the probability `bias`, else one that does not win, drawn from those that are left. A
place for which there is none stays empty. The ungrouped moves are all, if groups overlap, else those that are not in the
biased group. A group without moves is none.

In the graph that a search gets there is a node for each group, from which its moves lead where they did before.

>>> game = PGame(depth=2, branching=4, seed=1)
>>> game.outcomes[1].tolist()
[-1, 1, -1, -1]
>>> with_groups(game, Grouping(bias=1.0, size=2, overlap=True))[[0, 21, 22]].tolist()
[[21, 22, -1, -1], [-1, 2, -1, -1], [1, 2, 3, 4]]
>>> with_groups(game, Grouping(bias=1.0, size=2, overlap=False))[[0, 21, 22]].tolist()
[[21, 22, -1, -1], [-1, 2, -1, -1], [1, -1, 3, 4]]
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ggp.core.errors import UsageError
from ggp.core.seeds import split_seed
from ggp.generators.pgame import PGame

GROUPS = 2
"""Of each position."""


@dataclass(frozen=True)
class Grouping:
    """How moves are grouped."""

    bias: float
    """The probability that a place of the biased group is for a winning move."""
    size: int
    """Places of the biased group."""
    overlap: bool
    """Whether its moves are in the other group as well."""

    def __post_init__(self) -> None:
        if not 0 <= self.bias <= 1:
            raise UsageError(f"the group bias must be from 0 to 1, not {self.bias:g}")
        if self.size < 1:
            raise UsageError(f"the biased group must have at least one place, not {self.size}")


def with_groups(game: PGame, grouping: Grouping) -> NDArray[np.int32]:
    """int32 [node, move]: the children of the nodes of a game, with two more nodes for each that has moves; -1: none.

    A position has its groups in the first columns; the nodes of groups have each move in its own column.
    """
    if game.branching < GROUPS:
        raise UsageError(f"a P-game with groups needs at least {GROUPS} moves in each position, not {game.branching}")
    plain, inner = game.children, game.starts[-2]
    first = len(plain)
    found = np.full((first + GROUPS * inner, game.branching), -1, np.int32)
    biased = np.concatenate([_biased(game, number, grouping) for number in range(game.depth)])
    for group, members in enumerate((biased, np.ones_like(biased) if grouping.overlap else ~biased)):
        nodes = np.arange(first + group, len(found), GROUPS, dtype=np.int32)
        found[:inner, group] = np.where(members.any(axis=1), nodes, -1)
        found[nodes] = np.where(members, plain[:inner], -1)
    return found


def _biased(game: PGame, number: int, grouping: Grouping) -> NDArray[np.bool_]:
    """Which moves of the nodes of a level are in the biased group: bool [node, move]."""
    level = game.levels[number]
    wins = game.outcomes[number + 1][level.children] == (1 if number % 2 == 0 else -1)
    random = np.random.Generator(np.random.PCG64(split_seed(game.seed, "groups", number)))
    wanted = random.binomial(grouping.size, grouping.bias, size=len(wins))
    order = np.argsort(random.random(wins.shape), axis=1)
    found: NDArray[np.bool_] = np.zeros(wins.shape, np.bool_)
    for kind, places in ((wins, wanted), (~wins, grouping.size - wanted)):
        drawn = np.take_along_axis(kind, order, axis=1)
        taken = drawn & (np.cumsum(drawn, axis=1) <= places[:, None])
        np.put_along_axis(found, order, taken | np.take_along_axis(found, order, axis=1), axis=1)
    return found
