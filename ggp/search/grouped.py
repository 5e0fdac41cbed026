"""Groups of moves as the reference has them: a bandit for the groups of a node, and one for the moves of each.

What `ggp.search.kernels.grouping` keeps beside the pool is a `NodeGroups` here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from gdl.terms import Term
from ggp.search.formulas import Edge, Node, Values
from ggp.search.kernels.weighing import untried, weight
from ggp.search.settings import SearchSettings

NEAR, BEFORE = 2, 2
"""Steps from the places of moves before, and how many of these."""

Place = tuple[int, int]
Draw = Callable[[int], int]
"""A random number below a bound."""


class Known(Protocol):
    """What is known of moves beforehand."""

    def family(self, role: int, move: Term) -> int:
        """The group by the leading arguments."""
        ...

    def spot(self, role: int, move: Term) -> Place | None:
        """The place on the board; None: the move names none."""
        ...

    def is_chance(self, role: int) -> bool:
        """Whether a role is chance."""
        ...

    def worth(self, position: Any, role: int) -> float:
        """What the learned value says of a position."""
        ...

    def liking(self, role: int, move: Term) -> float:
        """How much more playouts with a move came to than those of its role on average, in goal points."""
        ...


@dataclass
class NodeGroups:
    """The groups of a node's moves."""

    of: list[int]
    """The group of each move of the queue."""
    n: list[int]
    """Payoffs of simulations that chose each group, and their sums for the role that decides."""
    total: list[float]
    own: dict[Term, int] = field(default_factory=dict)
    """Payoffs that came through a move in its own group."""


def listed(known: Known, settings: SearchSettings, role: int, queue: Sequence[Term], path: Sequence[Edge]) -> NodeGroups:
    """The groups of a role's moves at the end of a path; none, where there is one only, or one for each move."""
    if settings.groups == "near":
        of = [int(not is_near) for is_near in _near(known, role, queue, path)]
        count = len(set(of))
    else:
        families = [known.family(role, move) for move in queue]
        order = list(dict.fromkeys(families))
        of, count = [order.index(family) for family in families], len(order)
    if count in (1, len(queue)):
        return NodeGroups(of, [], [])
    count += settings.overlap and settings.groups == "leading"
    return NodeGroups(of, [0] * count, [0.0] * count)


def _near(known: Known, role: int, queue: Sequence[Term], path: Sequence[Edge]) -> Iterator[bool]:
    places: list[Place | None] = []
    for e in reversed(path):
        assert e.origin.situation is not None
        deciders = [r for r, moves in enumerate(e.origin.situation.legal) if len(moves) > 1]
        if len(places) == BEFORE:
            break
        if len(deciders) == 1 and not known.is_chance(deciders[0]):
            places.append(known.spot(deciders[0], e.joint[deciders[0]]))
    for move in queue:
        here = known.spot(role, move)
        yield here is not None and any(
            abs(here[0] - there[0]) + abs(here[1] - there[1]) <= NEAR for there in places if there is not None
        )


class _Lead:
    """Who leads; among equals each has the same chance."""

    def __init__(self, draw: Draw) -> None:
        self.best, self.chosen, self._ties, self._draw = -math.inf, -1, 1, draw

    def compare(self, value: float, which: int) -> None:
        if value > self.best:
            self.best, self.chosen, self._ties = value, which, 1
        elif value == self.best:
            self._ties += 1
            if self._draw(self._ties) == 0:
                self.chosen = which


def choose(x: Node, groups: NodeGroups, role: int, s: SearchSettings, values: Values, draw: Draw) -> tuple[int, int]:
    """The group to choose, and the place of its move in the queue."""
    leads = [_Lead(draw) for _ in groups.n]
    weights = [weight(s, n) for n in groups.n]

    def compare(c: int, j: int, mean: float, n: float) -> None:
        leads[c].compare(mean + weights[c] * (1 / math.sqrt(n)) if n else untried(s), j)

    for j, move in enumerate(x.queue):
        e = x.edges[j] if j < len(x.edges) else None
        mean = values.mean(e, role, s.d1) if e else 0.0
        own = groups.own.get(move, 0)
        if not s.overlap:
            compare(groups.of[j], j, mean, values.count(e, s.d3) if e else 0)
            continue
        n = e.n if e else 0
        if groups.of[j] < len(groups.n) - 1:
            compare(groups.of[j], j, mean, own)
            n -= own
        compare(len(groups.n) - 1, j, mean, n)
    best, exploration = _Lead(draw), weight(s, values.total(x, 0))
    for c, n in enumerate(groups.n):
        best.compare(groups.total[c] / n + exploration * (1 / math.sqrt(n)) if n else untried(s), c)
    return best.chosen, leads[best.chosen].chosen


def count(groups: NodeGroups, c: int, place: int, move: Term, payoff: float) -> None:
    """A simulation that chose a group, and its move at a place of the queue, has come to a payoff."""
    groups.n[c] += 1
    groups.total[c] += payoff
    if groups.of[place] == c:
        groups.own[move] = groups.own.get(move, 0) + 1
