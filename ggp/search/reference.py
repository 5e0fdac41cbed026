"""UCD as the paper writes it down, one simulation at a time: obvious, and slow.

The kernels must do exactly what this does. It asks only what any machine answers, so it also searches games that have
no circuit. There is no solver here, and there are no sums to keep up to date: every selection evaluates the formulas.

>>> from gdl import Source, load
>>> from ggp.machines import PrologMachine
>>> rules = '''(role me) (init (at 1)) (succ 1 2) (succ 2 3) (goal me 100) (<= terminal (true (at 3)))
...            (legal me go) (legal me run) (<= (next (at ?y)) (true (at ?x)) (succ ?x ?y))'''
>>> machine = PrologMachine(load(Source(rules, "game.kif")))
>>> search = ReferenceSearch(machine, machine.initial(), SearchSettings(), seed=1)
>>> [search.simulate() for _ in range(4)]
[True, True, True, True]
>>> [(kif(move), visits, mean) for move, visits, mean in search.moves(role=0)]
[('go', 3, 100.0), ('run', 1, 100.0)]
>>> machine.close()
"""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, Protocol, TypeAlias

from gdl.ruleset import CHANCE
from gdl.terms import Term, kif
from ggp.core.seeds import split_seed
from ggp.machines.machine import JointMove, Machine, Situation, goal
from ggp.machines.prolog import PrologMachine
from ggp.players.player import Signal
from ggp.search.formulas import Edge, Node, Values, added, heard
from ggp.search.grouped import Known, choose, count, listed
from ggp.search.kernels.weighing import expected, mixed, unplayed, untried, weight
from ggp.search.settings import SearchSettings

Payoff: TypeAlias = Sequence[float]
"""One number for each role."""
Played: TypeAlias = Collection[tuple[int, Term]]
"""Roles and the moves that they have played."""


class Luck:
    """The generator that breaks ties: splitmix64."""

    def __init__(self, seed: int) -> None:
        self.state = seed % 2**64

    def below(self, n: int) -> int:
        """A number from 0 to n-1."""
        self.state = (self.state + 0x9E3779B97F4A7C15) % 2**64
        z = self.state
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
        z ^= z >> 31
        return (z >> 32) * n >> 32

    def best(self, values: Iterable[float]) -> int:
        """The index of the largest value; each of several equal ones is as likely."""
        best, chosen, ties = -math.inf, 0, 1
        for i, value in enumerate(values):
            if value > best:
                best, chosen, ties = value, i, 1
            elif value == best:
                ties += 1
                if self.below(ties) == 0:
                    chosen = i
        return chosen


class Dice(Protocol):
    """What a search leaves to chance, apart from ties."""

    @property
    def heard(self) -> Sequence[tuple[Played, Payoff]]:
        """What was played in each random game of the last playout, where the settings ask for it; what each came to."""
        ...

    def first(self, situation: Situation) -> JointMove:
        """The joint move that is tried first at a node."""
        ...

    def playout(self, position: Any) -> Payoff:
        """What a random playout from a position is worth to each role."""
        ...


class _StoppedError(Exception):
    """The search was told to stop within a simulation."""


class RandomPlay:
    """Dice of a search on its own. Where Prolog answers, playouts run inside it, else step by step."""

    def __init__(self, machine: Machine[Any], settings: SearchSettings, seed: int) -> None:
        self.machine, self.settings = machine, settings
        self.stop: Signal | None = None
        self.limit = settings.step_limit
        """Steps after which a playout is given up."""
        self._random = random.Random(seed)
        self.heard: list[tuple[Played, Payoff]] = []
        self._given_up = 0.0 if len(machine.roles) == 1 else 50.0  # each role's worth of a playout without an end

    def first(self, situation: Situation) -> JointMove:
        """Any joint move."""
        return tuple(self._random.choice(moves) for moves in situation.legal)

    def playout(self, position: Any) -> Payoff:
        """The mean of the playouts that the settings want."""
        self.heard = []
        found = [self._one(position) for _ in range(self.settings.playouts)]
        return [sum(values) / len(found) for values in zip(*found, strict=True)]

    def _one(self, position: Any) -> Payoff:
        limit, given_up = self.limit, [self._given_up] * len(self.machine.roles)
        engine = self.machine.current
        if isinstance(engine, PrologMachine) and not self.settings.rave:
            if engine is not self.machine:
                position = engine.position(self.machine.fluents(position))
            seed = self._random.getrandbits(31)
            totals = engine.playouts(position, count=1, seconds=0, limit=limit, seed=seed)
            return given_up if totals.unfinished else totals.goal_sums
        played = set[tuple[int, Term]]()
        payoff: Payoff = given_up
        for _ in range(limit):
            if self.stop is not None and self.stop.is_set():
                raise _StoppedError
            situation = self.machine.situation(position)
            if _over(situation):
                payoff = _goals(situation)
                break
            joint = self.first(situation)
            played.update(enumerate(joint))
            position = self.machine.next(position, joint)
        self.heard.append((played, payoff))
        return payoff


class ReferenceSearch:
    """A search from a position. `settings.solver` and `settings.simulations` are not looked at."""

    def __init__(
        self, machine: Machine[Any], position: Any, settings: SearchSettings, seed: int, dice: Dice | None = None,
        known: Known | None = None,
    ) -> None:  # fmt: skip
        """`known`: of moves beforehand; without, they are chosen by the means of playouts alone, and without groups."""
        self.machine, self.settings = machine, settings
        self.luck = Luck(seed)
        self.dice = RandomPlay(machine, settings, split_seed(seed, "dice")) if dice is None else dice
        self.root = Node(position)
        self.table: dict[Any, Node] = {position: self.root}
        self._chance = [role == CHANCE for role in machine.roles]
        self._values = Values()
        self._promises: dict[Node, Sequence[float]] = {}
        self._heard: Sequence[tuple[Played, Payoff]] = []
        self._known_moves = known
        self._grouping = known if settings.groups != "none" else None
        self._chosen: list[tuple[Edge, int]] = []
        """The edges of the descent that were chosen from groups, and the numbers of these."""

    def simulate(self, stop: Signal | None = None) -> bool:
        """One simulation. False if there is none: the root is an end, or `stop` was set, which leaves the graph alone."""
        if isinstance(self.dice, RandomPlay):
            self.dice.stop = stop
        self._values, self._promises, self._heard, self._chosen = Values(), {}, [], []
        try:
            path, end, payoff = self._descend(stop)
        except _StoppedError:
            return False
        if path:
            self._update(path, end, payoff)
        return bool(path)

    def moves(self, role: int) -> list[tuple[Term, int, float]]:
        """The moves of a role that were tried, in the order of their text: move, visits, adapted mean."""
        values, found = Values(), dict[Term, list[Edge]]()
        for e in self.root.edges:
            found.setdefault(e.joint[role], []).append(e)
        return [
            (move, n := sum(e.n for e in edges), sum(values.mean(e, role, self.settings.d1) * e.n for e in edges) / n)
            for move, edges in sorted(found.items(), key=lambda item: kif(item[0]))
        ]

    # ---- descent ----------------------------------------------------------------------------------------------------

    def _descend(self, stop: Signal | None) -> tuple[list[Edge], Node, Payoff]:
        """From the root to a new node, to an end, or to a node that is on the path already; and the payoff found there.

        The graph is left as it is: the path may have edges that are not in it yet, and a new node for its end.
        """
        path: list[Edge] = []
        x = nearest = self.root
        while True:
            if stop is not None and stop.is_set():
                raise _StoppedError
            if x.situation is None:
                x.situation = self.machine.situation(x.position)
            if _over(x.situation):
                return path, x, _goals(x.situation)
            if len(path) >= self.settings.depth:
                return path, x, self._playout(x)
            if self._values.total(x, 0) >= self.settings.rave_ref:
                nearest = x
            e = self._choose(x, nearest, x.situation, path)
            path.append(e)
            if e.end is not None:
                y = e.end
            else:
                position = self.machine.next(x.position, e.joint)
                known = self.table.get(position) if self.settings.transpositions else None
                if known is None:
                    y = Node(position)
                    return path, y, self._playout(y)
                y = known
            if any(f.origin is y for f in path):  # a cycle
                return path, y, self._playout(y)
            x = y

    def _playout(self, x: Node) -> Payoff:
        payoff = self.dice.playout(x.position)
        if self.settings.rave:
            self._heard = self.dice.heard
        return payoff

    def _choose(self, x: Node, nearest: Node, situation: Situation, path: Sequence[Edge]) -> Edge:
        """The edge to follow from a node: a new one while moves without are worth more than those that have one.

        `nearest`: the node whose AMAF values count. Where that is the node itself, it knows nothing of its first move.
        """
        blind = not x.edges and not self.settings.by_input
        deciders = [r for r, moves in enumerate(situation.legal) if len(moves) > 1]
        if len(deciders) > 1 or any(self._chance[r] for r in deciders):
            if blind:
                return self._edge(x, self.dice.first(situation))
            chosen = (self._choose_one(x, nearest, r, moves) for r, moves in enumerate(situation.legal))
            return self._edge(x, tuple(chosen))
        role = deciders[0] if deciders else 0
        tried = len(x.edges)
        if not tried:
            x.queue = list(situation.legal[role])
        if blind:
            first = x.queue.index(self.dice.first(situation)[role])
        elif x.groups is not None and x.groups.n:
            return self._choose_grouped(x, role, situation)
        elif self.settings.rave:
            first = self.luck.best(self._known(x, nearest, role))
            if first < tried:
                return x.edges[first]
        else:
            values = [self._value(x, e, role) for e in x.edges]
            if tried == len(x.queue):
                return x.edges[self.luck.best(values)]
            new = self._expected(x, role)
            best = self.luck.best([new, *values]) if new < math.inf else 0
            if best:
                return x.edges[best - 1]
            first = tried if self.settings.prior else tried + self.luck.below(len(x.queue) - tried)
        e = self._tried(x, role, first, situation)
        if self.settings.prior:
            self._bring_next(x, role, tried + 1)
        if blind and self._grouping is not None:
            x.groups = listed(self._grouping, self.settings, role, x.queue, path)
            if x.groups.n:  # the first move counts for its own group
                self._chosen.append((e, x.groups.of[0]))
        return e

    def _tried(self, x: Node, role: int, place: int, situation: Situation) -> Edge:
        """An edge for the move at a place of the queue, which has none and becomes the next in it."""
        tried = len(x.edges)
        x.queue[tried], x.queue[place] = x.queue[place], x.queue[tried]
        return self._edge(x, tuple(x.queue[tried] if r == role else m[0] for r, m in enumerate(situation.legal)))

    def _expected(self, x: Node, role: int) -> float:
        """What the next move of the queue is worth, which was not tried."""
        s, values = self.settings, self._values
        visits = values.total(x, 0)
        if not (s.prior and visits):
            return untried(s)
        mean = sum(e.total[role] for e in x.edges) / visits
        return expected(s, mean, self._liking(role, x.queue[len(x.edges)]), weight(s, values.total(x, s.d2)))

    def _bring_next(self, x: Node, role: int, lo: int) -> None:
        """Of the untried moves from a place of the queue on, the one that is liked most becomes the next."""
        if lo < len(x.queue):
            at = lo + self.luck.below(len(x.queue) - lo)
            for place in range(lo, len(x.queue)):
                if self._liking(role, x.queue[place]) > self._liking(role, x.queue[at]):
                    at = place
            x.queue[lo], x.queue[at] = x.queue[at], x.queue[lo]

    def _liking(self, role: int, move: Term) -> float:
        return 0.0 if self._known_moves is None else self._known_moves.liking(role, move)

    def _choose_grouped(self, x: Node, role: int, situation: Situation) -> Edge:
        """The edge of the best move of the best group."""
        group, place = choose(x, x.groups, role, self.settings, self._values, self.luck.below)
        tried = len(x.edges)
        if place < tried:
            e = x.edges[place]
        else:
            x.groups.of[tried], x.groups.of[place] = x.groups.of[place], x.groups.of[tried]
            e = self._tried(x, role, place, situation)
        self._chosen.append((e, group))
        return e

    def _value(self, x: Node, e: Edge, role: int) -> float:
        """The adapted value u_{d1,d2,d3}(e)."""
        s, values = self.settings, self._values
        exploration = weight(s, values.total(x, s.d2))
        return self._mean(e, role) + exploration * (1 / math.sqrt(values.count(e, s.d3)))

    def _mean(self, e: Edge, role: int) -> float:
        """The adapted mean, and as far as the settings want it, what the end of the edge promises."""
        mean, share, known = self._values.mean(e, role, self.settings.d1), self.settings.minimax, self._known_moves
        if not share or known is None or e.end is None:
            return mean
        return mean + share * (self._promise(e.end, known)[role] - mean)

    def _promise(self, x: Node, known: Known) -> Sequence[float]:
        """The best that is known below a node, for each role, if whoever decides plays for its own value.

        The node's own value counts as long as there are untried moves, and where no single role decides.
        """
        if x not in self._promises:
            situation = self.machine.situation(x.position) if x.situation is None else x.situation
            worth = [known.worth(x.position, role) for role in range(len(self.machine.roles))]
            own = self._promises[x] = _goals(situation) if _over(situation) else worth
            deciders = [r for r, moves in enumerate(situation.legal) if len(moves) > 1] or [0]
            if x.edges and len(deciders) == 1 and not self._chance[deciders[0]]:
                below = [self._promise(e.end, known) for e in x.edges if e.end is not None]
                has_untried = len(x.edges) < len(situation.legal[deciders[0]])
                self._promises[x] = max([own] * has_untried + below, key=lambda values: values[deciders[0]])
        return self._promises[x]

    def _known(self, x: Node, nearest: Node, role: int) -> Iterator[float]:
        """What each move of the queue is worth, with what the nearest node knows of it."""
        s, values = self.settings, self._values
        visits, exploration = values.total(x, 0), weight(s, values.total(x, s.d2))
        for i, move in enumerate(x.queue):
            n, total = heard(nearest, role, move, s.rave_depth)
            if i < len(x.edges):
                spread = 1 / math.sqrt(values.count(x.edges[i], s.d3))
                mean = self._mean(x.edges[i], role)
                yield mixed(s, mean, spread, n, total, visits) + exploration * spread
            else:
                yield unplayed(s, n, total, exploration)

    def _choose_one(self, x: Node, nearest: Node, role: int, moves: Sequence[Term]) -> Term:
        """A role's move where others choose as well: by the edges that have it, or what is known without any."""
        if len(moves) == 1:
            return moves[0]
        if self._chance[role]:
            return moves[self.luck.below(len(moves))]
        s, values = self.settings, self._values
        visits, exploration = values.total(x, 0), weight(s, values.total(x, s.d2))
        scores = []
        for move in moves:
            later, reached = heard(nearest, role, move, s.rave_depth)
            edges = [e for e in x.edges if e.joint[role] == move]
            n = sum(e.n for e in edges)
            if not n:
                scores.append(unplayed(s, later, reached, exploration))
                continue
            mean = added(values.mean(e, role, s.d1) * e.n for e in edges) / n
            root = math.sqrt(added(values.count(e, s.d3) for e in edges))
            scores.append(mixed(s, mean, 1 / root, later, reached, visits) + exploration / root)
        return moves[self.luck.best(scores)]

    def _edge(self, x: Node, joint: JointMove) -> Edge:
        roles = len(joint)
        known = (e for e in x.edges if e.joint == joint)
        return next(known, None) or Edge(x, joint, [0.0] * roles, [0.0] * roles)

    # ---- update -----------------------------------------------------------------------------------------------------

    def _update(self, path: list[Edge], end: Node, payoff: Payoff) -> None:
        """Take the path into the graph, and add the payoff to its edges, or to all that lead to its end."""
        if self.settings.transpositions:
            self.table.setdefault(end.position, end)
        for e, y in zip(path, [*(f.origin for f in path[1:]), end], strict=True):
            if e.end is None:
                e.end = y
                e.origin.edges.append(e)
                y.parents.append(e)
        for e, group in self._chosen:
            place = e.origin.edges.index(e)
            role = next(r for r, move in enumerate(e.joint) if move == e.origin.queue[place] and len(_legal(e, r)) > 1)
            count(e.origin.groups, group, place, e.joint[role], payoff[role])
        if self.settings.rave:
            self._count_amaf(path, payoff)
        path[-1].first_n += 1
        _add(path[-1].first_total, payoff)
        for e in _leading_to(end) if self.settings.update == "all" else path:
            e.n += 1
            _add(e.total, payoff)

    def _count_amaf(self, path: list[Edge], payoff: Payoff) -> None:
        """For each node of the path: the moves from there on and those of the playouts, each once."""
        found = dict[tuple[int, Term], list[float]]()
        for played, goals in self._heard:
            for role, move in played:
                share = found.setdefault((role, move), [0.0, 0.0])
                share[0] += 1 / len(self._heard)
                share[1] += goals[role] / len(self._heard)
        for e in reversed(path):
            found.update({(role, move): [1.0, payoff[role]] for role, move in enumerate(e.joint)})
            for key, share in found.items():
                _add(e.origin.amaf.setdefault(key, [0.0, 0.0]), share)
                if e is path[-1]:
                    _add(e.origin.first_amaf.setdefault(key, [0.0, 0.0]), share)


def _leading_to(end: Node) -> list[Edge]:
    """All edges from which a node can be reached, each once."""
    found: list[Edge] = []
    seen, waiting = {end}, [end]
    while waiting:
        for e in waiting.pop().parents:
            found.append(e)
            if e.origin not in seen:
                seen.add(e.origin)
                waiting.append(e.origin)
    return found


def _add(total: list[float], payoff: Payoff) -> None:
    for role, value in enumerate(payoff):
        total[role] += value


def _legal(e: Edge, role: int) -> Sequence[Term]:
    """The moves that a role had where an edge leaves."""
    assert e.origin.situation is not None
    return e.origin.situation.legal[role]


def _over(situation: Situation) -> bool:
    """Whether play cannot go on."""
    return situation.terminal or not all(situation.legal)


def _goals(situation: Situation) -> Payoff:
    return [float(goal(values)) for values in situation.goals]
