"""Build many disjunctions of leaves at once, sharing what they have in common."""

from __future__ import annotations

import heapq
from collections import Counter
from itertools import chain
from typing import TypeAlias

import numpy as np

from ggp.circuits.gates import Gates, conjunction, land, new_gates
from ggp.circuits.graph import Net
from ggp.circuits.manyinput import Flat, flat, rebuilt, uses
from ggp.core.arraytypes import Ints, Longs
from ggp.core.kernels import kernel

PAIR_LIMIT = 900
"""With more sets than this only equal membership is shared here; the pair pass finds more."""


Leaves: TypeAlias = tuple[int, ...]
"""Leaf gates, ascending."""


@kernel
def _with_sets(net: Flat, gates: Gates, roots: Longs, row_of: Longs, first: Longs, elements: Longs) -> Ints:
    """Copy a net depth first from its roots; the new literal of each old gate, -1 where it is not needed.

    row_of: of gates, and after them of shared parts, the row of elements whose disjunction it is, or -1.
    """
    new = np.full(len(row_of), -1, np.int32)
    new[: 1 + net.leaves] = 2 * np.arange(1 + net.leaves)
    fixed, state = gates[2], gates[4]
    work = np.empty(2 * len(net.left) + len(elements) + 2, np.int64)
    scratch = np.empty(len(elements) + 1, np.int64)
    for root in roots:
        work[0], high = root, 1
        while high:
            node = work[high - 1]
            before, row = high, row_of[node]
            if new[node] >= 0:
                high -= 1
            elif row < 0 and net.fixed[node]:
                fixed[state[0]] = True
                new[node] = 2 * state[0]
                state[0] += 1
            elif row < 0:
                x, y = net.left[node], net.right[node]
                for z in (y, x):
                    if new[z >> 1] < 0:
                        work[high] = z >> 1
                        high += 1
                if high == before:
                    new[node] = land(gates, np.int64(new[x >> 1] ^ (x & 1)), np.int64(new[y >> 1] ^ (y & 1)))
            else:
                size = first[row + 1] - first[row]
                for k in range(size):
                    element = elements[first[row + 1] - 1 - k]
                    if new[element] < 0:
                        work[high] = element
                        high += 1
                    scratch[k] = new[element] ^ 1
                if high == before:
                    new[node] = conjunction(gates, scratch, size) ^ 1
    return new[: len(net.left)]


def build_sets(net: Net, sets: dict[int, Leaves]) -> Net:
    """Replace placeholder literals by the disjunctions of leaves that they stand for."""
    for literal in sets:
        del net.graph.feedback[literal >> 1]
    old = flat(net)
    count = uses(old)
    wanted = {literal >> 1: leaves for literal, leaves in sets.items() if count[literal >> 1]}
    definitions, roots = share(sorted(set(wanted.values()), key=lambda leaves: leaves[::-1]))
    shared = len(old.left)  # the number of the first shared part
    rows = [*definitions.values(), *([roots[leaves]] for leaves in wanted.values())]
    first = np.cumsum([0, *map(len, rows)])
    elements = np.fromiter(chain.from_iterable(rows), np.int64, int(first[-1]))
    elements[elements >= _BASE] += shared - _BASE
    row_of = np.full(shared + len(definitions), -1, np.int64)
    row_of[shared:] = np.arange(len(definitions))
    row_of[list(wanted)] = np.arange(len(definitions), len(rows))
    again = [x for gate, x in net.graph.feedback.items() if count[gate]]
    ends = np.array([*net.legal, *net.goals, net.terminal, *net.next, *net.sees, *again], np.int64)
    gates = new_gates(old.leaves, shared + len(elements))
    return rebuilt(net, gates, _with_sets(old, gates, ends >> 1, row_of, first, elements), count)


_BASE = 1 << 40


def share(sets: list[Leaves]) -> tuple[dict[int, list[int]], dict[Leaves, int]]:
    """Definitions of shared parts, and the element that is each set.

    First, leaves that are in exactly the same sets become one element. Then the largest common part of two
    sets is taken out wherever it occurs, again and again.
    """
    definitions: dict[int, list[int]] = {}
    members: dict[int, list[int]] = {}
    for number, leaves in enumerate(sets):
        for leaf in leaves:
            members.setdefault(leaf, []).append(number)
    blocks: dict[tuple[int, ...], list[int]] = {}
    for leaf in sorted(members):
        blocks.setdefault(tuple(members[leaf]), []).append(leaf)
    rows: list[set[int]] = [set() for _ in sets]
    for where, block in blocks.items():
        if len(block) > 1:
            element = _BASE + len(definitions)
            definitions[element] = block
        else:
            element = block[0]
        for number in where:
            rows[number].add(element)
    if len(rows) <= PAIR_LIMIT:
        _CommonParts(rows).take_out(definitions)
    roots: dict[Leaves, int] = {}
    for leaves, row in zip(sets, rows, strict=True):
        if len(row) == 1:
            roots[leaves] = next(iter(row))
        else:
            roots[leaves] = _BASE + len(definitions)
            definitions[roots[leaves]] = sorted(row)
    return definitions, roots


class _CommonParts:
    """Takes out what rows of elements have in common: a new element stands for it, and is defined by a row of its own.

    where    the rows that have an element
    pairs    a heap of rows with elements in common, the largest part first; what is no longer so is seen when it is taken
    shared   the new elements and their rows
    """

    def __init__(self, rows: list[set[int]]) -> None:
        self.rows: list[set[int]] = []
        self.where: dict[int, set[int]] = {}
        self.pairs: list[tuple[int, int, int]] = []
        self.shared: dict[int, int] = {}
        for row in rows:
            self._add(row)

    def _add(self, row: set[int]) -> int:
        """The number of a new row; its pairs with each row before it are noted."""
        number = len(self.rows)
        self.rows.append(row)
        counts = Counter(chain.from_iterable(self.where.get(element, ()) for element in row))
        for other, count in counts.items():
            if count > 1:
                heapq.heappush(self.pairs, (-count, other, number))
        for element in row:
            self.where.setdefault(element, set()).add(number)
        return number

    def take_out(self, definitions: dict[int, list[int]]) -> None:
        """Greedy: the pair of rows with the largest intersection gives a new element, until there is none."""
        while self.pairs:
            size, i, j = heapq.heappop(self.pairs)
            common = self.rows[i] & self.rows[j]
            if len(common) == -size:
                element = _BASE + len(definitions)
                definitions[element] = []
                self._replace(common, element)
            elif len(common) > 1:
                heapq.heappush(self.pairs, (-len(common), i, j))
        for element, number in self.shared.items():  # not before: a definition may have shared parts itself
            definitions[element] = sorted(self.rows[number])

    def _replace(self, common: set[int], element: int) -> None:
        """One element for a part of rows, wherever it occurs."""
        users = set.intersection(*[self.where[e] for e in common])
        for user in users:
            self.rows[user] -= common
            self.rows[user].add(element)
            for e in common:
                self.where[e].discard(user)
        self.where[element] = users
        self.shared[element] = self._add(common)
