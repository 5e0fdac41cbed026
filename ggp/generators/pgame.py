"""P-games: artificial games whose winner is told by the sum of the values of all moves on the way to the end.

After B. Childs, J. Brodeur, L. Kocsis, Transpositions and move groups in Monte Carlo tree search, CIG 2008, section IV-A:
MAX and MIN move in turn, `branching` moves each time, `depth` moves in all; a move of MAX is worth 0 to 127, one of MIN
-127 to 0, uniformly; MAX wins if the sum is positive, MIN if it is negative, 0 is a draw. In a P-game DAG some of the
nodes of a level are combined, so that several ways lead to them; all ways to a node have the same sum, its score.

The article leaves much open. Our reading:

- Levels are made one after the other. From n nodes there come n·branching children; `combine` is the share of these that
  disappear because they are combined with another: round(combine · n · branching) times, two nodes become one.
- The first of the two is drawn uniformly from all children. The other is a child, drawn uniformly, of a node k to the
  left or to the right of the first one's parent, where k is 1 with probability 1/2, 2 with 1/4, and so on ("closer
  nodes"). The pair is taken with probability 1 - d/128, where d is the difference of the scores of the two parents.
- After a move of MAX the score of the combined node is the larger of the two, after a move of MIN the smaller (in the
  article: the maximum, seen by who moves), and the values of all moves to it follow from that. So no move changes its
  sign; a pair after which a value would leave 0 to 127 is refused, and so is one that would lead two moves of one node
  to the same node. Nodes that are combined already may be combined again.
- Where 256 draws give no pair that can be taken, this combination does not take place: on the first levels, and where
  nearly all is to be combined, there may be none left. `sizes` tells how many nodes there are in the end.

The same parameters give the same arrays, whatever machine or numpy (PCG64 and integers only).

>>> game = PGame(depth=4, branching=2, combine=0.2, seed=1)
>>> game.sizes
(1, 2, 3, 5, 8)
>>> bool((game.levels[3].scores[:, None] + game.levels[3].values == game.levels[4].scores[game.levels[3].children]).all())
True
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, islice

import numpy as np
from numpy.typing import NDArray

from ggp.core.errors import UsageError
from ggp.core.seeds import split_seed

Ints = NDArray[np.int32]

HIGHEST = 127
"""The highest value of a move of MAX; MIN's lowest is its opposite."""
MOST_NODES = 1 << 24
"""A game with more nodes is refused: its arrays would take gigabytes."""
_DRAWS = 256


@dataclass(frozen=True)
class Level:
    """The nodes after the same number of moves, numbered from 0, with the moves from them."""

    scores: Ints
    """[node]: the sum of the values on every way from the root."""
    children: Ints
    """[node, move]: the node of the next level that the move leads to; no columns on the last level."""
    values: Ints
    """[node, move]: what the move adds to the sum."""


@dataclass(frozen=True)
class PGame:
    """A P-game; levels are generated when they are first asked for."""

    depth: int
    """Moves from the root to the end."""
    branching: int
    """Moves in each position."""
    combine: float = 0.0
    """The share of the nodes of a level, from 0 to below 1, that disappear by combination; 0 gives a tree."""
    seed: int = 1

    def __post_init__(self) -> None:
        if self.depth < 1 or self.branching < 1:
            raise UsageError("a P-game needs a depth and a branching of at least 1")
        if not 0 <= self.combine < 1:
            raise UsageError(f"the share of combined nodes must be 0 or more and below 1, not {self.combine:g}")
        size = total = 1
        for _ in range(self.depth):
            size = max(self.branching, size * self.branching - round(self.combine * size * self.branching))
            total += size
            _refuse_above_limit(total)

    @cached_property
    def levels(self) -> tuple[Level, ...]:
        """All levels from the root on, depth + 1 of them."""
        return tuple(self.generate())

    def generate(self) -> Iterator[Level]:
        """The levels one by one; only one is kept in memory."""
        scores = np.zeros(1, np.int32)
        nodes = 1
        for number in range(self.depth):
            sign = 1 if number % 2 == 0 else -1
            random = np.random.Generator(np.random.PCG64(split_seed(self.seed, "p-game", number)))
            drawn = random.integers(0, HIGHEST, size=(len(scores), self.branching), dtype=np.int32, endpoint=True)
            wanted = round(self.combine * drawn.size)
            children, sums = _combined(sign * scores, drawn, wanted, random)
            values = sums[children] - (sign * scores)[:, None]
            yield Level(scores, children, sign * values)
            scores = sign * sums
            nodes += len(scores)
            _refuse_above_limit(nodes)  # less may have been combined than was asked for
        nothing = np.zeros((len(scores), 0), np.int32)
        yield Level(scores, nothing, nothing)

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many nodes each level has."""
        return tuple(len(level.scores) for level in self.levels)

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """The number of each level's first node, where all nodes are numbered from the root on; then their total."""
        return tuple(accumulate(self.sizes, initial=0))

    @cached_property
    def children(self) -> Ints:
        """[node, move]: what each move leads to, nodes numbered as by `starts`; -1 at the ends."""
        found = np.full((self.starts[-1], self.branching), -1, np.int32)
        for level, start, after in zip(self.levels[:-1], self.starts, self.starts[1:], strict=False):
            found[start:after] = level.children + after
        return found

    @cached_property
    def outcomes(self) -> tuple[Ints, ...]:
        """The value of every node, level by level, if both play their best: 1 MAX wins, 0 a draw, -1 MIN wins."""
        found = [np.sign(self.levels[-1].scores)]
        for number in range(self.depth - 1, -1, -1):
            after = found[-1][self.levels[number].children]
            found.append(after.max(axis=1) if number % 2 == 0 else after.min(axis=1))
        return tuple(reversed(found))


def _refuse_above_limit(nodes: int) -> None:
    if nodes > MOST_NODES:
        raise UsageError(f"a P-game of these measures has more than {MOST_NODES:,} nodes")


def _combined(scores: Ints, drawn: Ints, wanted: int, random: np.random.Generator) -> tuple[Ints, Ints]:
    """Children [node, move] of the next level and their scores, after `wanted` combinations; as seen by who moves."""
    nodes, branching = drawn.shape
    sums = (scores[:, None] + drawn).reshape(-1)
    if wanted == 0 or nodes == 1:
        return np.arange(drawn.size, dtype=np.int32).reshape(drawn.shape), sums
    into, raised = list(range(drawn.size)), sums.tolist()
    _combine(scores.tolist(), into, raised, branching, wanted, random)
    kept, children = np.unique(np.array(into), return_inverse=True)
    return children.reshape(drawn.shape).astype(np.int32), np.array(raised, np.int32)[kept]


def _combine(
    scores: list[int], into: list[int], sums: list[int], branching: int, wanted: int, random: np.random.Generator
) -> None:
    """Combine children, in place: `into` gives the first child of the group that each belongs to, `sums` its score."""
    groups = {child: [child] for child in range(len(into))}
    drawn = _numbers(random)
    for _ in range(wanted):
        for which, far, other, luck in islice(zip(drawn, drawn, drawn, drawn, strict=True), _DRAWS):
            one = which % len(into)
            distance = (far & -far).bit_length() if far else 62  # 1, 2, 3, … with 1/2, 1/4, 1/8, …
            parent = one // branching + (distance if other & 1 else -distance)
            if not 0 <= parent < len(scores):
                continue
            two = parent * branching + (other >> 1) % branching
            apart = abs(scores[one // branching] - scores[parent])
            if luck % (HIGHEST + 1) < apart or into[one] == into[two]:
                continue
            low, high = sorted((into[one], into[two]))
            parents = [child // branching for child in (*groups[low], *groups[high])]
            best = max(sums[low], sums[high])
            if len(set(parents)) < len(parents) or best - min(scores[p] for p in parents) > HIGHEST:
                continue
            groups[low] += groups.pop(high)
            sums[low] = best
            for child in groups[low]:
                into[child] = low
            break


def _numbers(random: np.random.Generator) -> Iterator[int]:
    """Random numbers of 62 bits without end, drawn in bulk."""
    while True:
        yield from random.integers(0, 1 << 62, size=4096).tolist()
