"""Proofs about a net under what is known of reachable positions.

Two modes:

- *position*: any position that satisfies the proven invariants, terminal or not;
- *move*: besides, the position is not terminal, every role does exactly one move, and that move is legal.

Facts about the move cone may be proved in move mode; facts about the position cone only in position mode,
since terminal positions need not have legal moves. The search itself is in `sat`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ggp.circuits import propagation, sat
from ggp.circuits.graph import FALSE, TRUE, Net
from ggp.circuits.work import Work
from ggp.core.arraytypes import Longs


@dataclass(frozen=True)
class Group:
    """Bases of which at most one holds; one always, if it is exact."""

    members: tuple[int, ...]
    exact: bool


@dataclass(frozen=True)
class Care:
    """What is known of every reachable position, proved by induction.

    groups   mutually exclusive bases
    never    bases that never hold
    always   bases that always hold
    moves    groups of inputs of which exactly one is done in every joint move (besides those of each role)
    """

    groups: tuple[Group, ...] = ()
    never: tuple[int, ...] = ()
    always: tuple[int, ...] = ()
    moves: tuple[tuple[int, ...], ...] = ()


_LOADED, _BEGUN, _VALUES = 1 / 5, 1 / 50, 1 / 200
"""Work for each gate of a net: to load it, to begin with other facts, to find its value in a counterexample."""
_QUESTION, _STEPS, _CACHED = 15, 50, 60_000
"""Work for each question; steps of the search that are one unit, fewer when the net has more gates than caches hold."""
_LARGEST_SHARE = 4
"""A question is given up when it has cost this part of the work that was left at first."""
_CLAUSES, _LITERALS = 4_000, 200_000
"""So much may be learned before all of it is forgotten."""

Values = NDArray[np.int8]


@dataclass
class Fact:
    """Something that may be taken for granted: of some literals of leaves at most one holds, or at least one.

    members   gates; with neither `most` nor `least`, none of them holds
    """

    members: tuple[int, ...]
    most: bool = False
    least: bool = False
    moving: bool = False
    """Only while a move is made?"""
    held: bool = True
    """Is it taken for granted now?"""


class Solver:
    """Holds a net and answers questions about it; its work is counted.

    Gates may be added to the net's, and facts to what is known, before the first question. A question is given up when it
    has cost the `patience` [work].
    """

    def __init__(self, net: Net, roles: Sequence[tuple[int, int]], care: Care, work: Work, patience: int = 2_000) -> None:
        self.net = net
        self.work = work
        self.patience = min(patience, max(1, work.left // _LARGEST_SHARE))
        self.left, self.right = list(net.graph.left), list(net.graph.right)
        self.facts: list[Fact] = []
        first = 1 + net.bases
        for group in care.groups:
            self.fact(tuple(1 + i for i in group.members), most=True, least=group.exact)
        self.fact(tuple(1 + i for i in care.never))
        for i in care.always:
            self.fact((1 + i,), least=True)
        for inputs in [*(range(lo, hi) for lo, hi in roles), *care.moves]:
            self.fact(tuple(first + j for j in inputs), most=True, least=True, moving=True)
        self._search: propagation.Search | None = None
        self._moving: bool | None = None
        self._found = np.zeros(len(net.graph), np.int8)
        self._steps = _STEPS * _CACHED // (_CACHED + len(net.graph))

    # ---- before the first question ---------------------------------------------------------------

    def fact(self, members: tuple[int, ...], *, most: bool = False, least: bool = False, moving: bool = False) -> Fact:
        """Take something for granted. It may be given up later, by `drop`."""
        self.facts.append(Fact(members, most, least, moving))
        return self.facts[-1]

    def both(self, x: int, y: int) -> int:
        """Literal of both, with a new gate unless one is constant."""
        if FALSE in (x, y):
            return FALSE
        if TRUE in (x, y):
            return y if x == TRUE else x
        self.left.append(x)
        self.right.append(y)
        return 2 * len(self.left) - 2

    def some(self, literals: Iterable[int]) -> int:
        """Literal that says that one of these holds, or more."""
        none = TRUE
        for x in literals:
            none = self.both(none, x ^ 1)
        return none ^ 1

    def two(self, literals: Iterable[int]) -> int:
        """Literal that says that two of these hold, or more."""
        none, no_two = TRUE, TRUE
        for x in literals:
            no_two = self.both(no_two, self.both(none ^ 1, x) ^ 1)
            none = self.both(none, x ^ 1)
        return no_two ^ 1

    # ---- questions -------------------------------------------------------------------------------

    def drop(self, fact: Fact) -> None:
        """Do not take it for granted any more."""
        fact.held = False
        self._moving = None

    def impossible(self, literals: Sequence[int], *, moving: bool) -> bool | None:
        """Can these literals never hold together? None when the limit was reached."""
        return self.ask(literals, moving=moving)[0]

    def ask(self, literals: Sequence[int], *, moving: bool) -> tuple[bool | None, Values]:
        """Like `impossible`, with the values of the net's gates in a counterexample.

        The values are there until the next question, and mean nothing if there is no counterexample.
        """
        begun = self._begin(moving)
        before = int(begun.numbers[propagation.STEPS])
        result = sat.solve(begun, np.array(literals, np.int64), self.patience * self._steps, self._found)
        steps = int(begun.numbers[propagation.STEPS]) - before
        self.work.spend(_QUESTION + steps // self._steps + int(len(self._found) * _VALUES if result == 1 else 0))
        return (None if result == 2 else bool(result == 0)), self._found

    def _begin(self, moving: bool) -> propagation.Search:
        """The search with the facts that are held in this mode."""
        if self._search is None:
            self._search = self._load()
        if self._moving is moving:
            return self._search
        self._moving = moving
        self.work.spend(int(len(self.left) * _BEGUN))
        net, first = self.net, 1 + self.net.bases
        gates, groups = self._search.gates, self._search.groups
        gates[first : first + net.inputs, propagation.LEGAL] = net.legal if moving else -1
        truths, possible = [TRUE], True
        self._search.numbers[propagation.LATE] = net.terminal >> 1 if moving else 0
        if moving:
            truths.append(net.terminal ^ 1)
        for k, fact in enumerate(self.facts):
            held = fact.held and (moving or not fact.moving)
            groups[k, propagation.MOST], groups[k, propagation.LEAST] = held and fact.most, held and fact.least
            if held and not fact.most and not fact.least:
                truths += [2 * gate + 1 for gate in fact.members]
            if held and fact.least and len(fact.members) == 1:
                truths.append(2 * fact.members[0])
            possible = possible and not (held and fact.least and not fact.members)
        sat.begin(self._search, np.array(truths if possible else [*truths, FALSE], np.int64))
        return self._search

    def _load(self) -> propagation.Search:
        """The net and all facts in arrays."""
        net, n = self.net, len(self.left)
        self.work.spend(int(n * _LOADED))
        gates = np.full((n, propagation.COLUMNS), -1, np.int32)
        gates[:, [propagation.ACTIVE, propagation.SEEN]] = 0
        gates[:, propagation.LEFT], gates[:, propagation.RIGHT] = self.left, self.right
        leaves = [*range(1 + net.graph.leaves), *net.graph.feedback]
        gates[leaves, propagation.LEFT] = gates[leaves, propagation.RIGHT] = -1
        inner = np.flatnonzero(gates[:, propagation.LEFT] >= 0)
        lists: list[Longs] = []
        total = 0

        def index(column: int, keys: Longs, rows: Longs) -> None:
            """Lists of the rows of each key; their bounds go into two columns."""
            nonlocal total
            order = np.argsort(keys, kind="stable")
            bounds = total + np.searchsorted(keys[order], np.arange(n + 1))
            gates[:, column], gates[:, column + 1] = bounds[:-1], bounds[1:]
            lists.append(rows[order].astype(np.int64))
            total += len(rows)

        operands = gates[inner][:, [propagation.LEFT, propagation.RIGHT]].astype(np.int64) >> 1
        index(propagation.USERS, operands.ravel(), np.repeat(inner, 2))
        inputs = 1 + net.bases + np.arange(net.inputs)
        index(propagation.ALLOWS, np.array(net.legal, np.int64) >> 1, inputs)
        sizes = np.array([len(fact.members) for fact in self.facts], np.int64)
        members = np.array([gate for fact in self.facts for gate in fact.members], np.int64)
        index(propagation.INSIDE, members, np.repeat(np.arange(len(sizes)), sizes))
        groups = np.zeros((len(sizes), propagation.WIDTH), np.int64)
        groups[:, propagation.LAST] = total + np.cumsum(sizes)
        groups[:, propagation.FIRST] = groups[:, propagation.LAST] - sizes
        lists.append(members.astype(np.int64))
        return propagation.Search(
            gates=gates, lists=np.concatenate(lists), groups=groups, values=np.zeros(2 * n, np.int8),
            trail=np.zeros(n, np.int64), levels=np.zeros((n + 8, 4), np.int64),
            clauses=np.zeros((_CLAUSES, 4), np.int64), arena=np.zeros(_LITERALS, np.int64),
            watched=np.full(2 * n, -1, np.int64), buffer=np.zeros(n + 8, np.int64), learned=np.zeros(n + 8, np.int64),
            stack=np.zeros(n, np.int64), weights=np.zeros(n + 1), numbers=np.zeros(propagation.NUMBERS, np.int64),
        )  # fmt: skip
