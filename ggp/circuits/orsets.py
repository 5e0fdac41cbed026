"""Build many disjunctions of leaves at once, sharing what they have in common."""

from __future__ import annotations

import heapq
from collections import Counter
from itertools import chain
from typing import TypeAlias

import numpy as np

from ggp.circuits.gates import conjunction, land, new_gates
from ggp.circuits.graph import Net
from ggp.circuits.manyinput import flat, rebuilt, uses
from ggp.core.kernels import kernel

PAIR_LIMIT = 900
"""With more sets than this only equal membership is shared here; the pair pass finds more."""


Leaves: TypeAlias = tuple[int, ...]
"""Leaf gates, ascending."""


@kernel
def _with_sets(net, gates, roots, row_of, first, elements):  # type: ignore[no-untyped-def]
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
        _take_out_common(rows, definitions)
    roots: dict[Leaves, int] = {}
    for leaves, row in zip(sets, rows[: len(sets)], strict=True):
        if len(row) == 1:
            roots[leaves] = next(iter(row))
        else:
            roots[leaves] = _BASE + len(definitions)
            definitions[roots[leaves]] = sorted(row)
    return definitions, roots


def _take_out_common(rows: list[set[int]], definitions: dict[int, list[int]]) -> None:
    """Greedy: the pair of rows with the largest intersection gives a new element, which is a row of its
    own.
    """
    where: dict[int, set[int]] = {}
    for number, row in enumerate(rows):
        for element in row:
            where.setdefault(element, set()).add(number)
    heap: list[tuple[int, int, int]] = []
    shared: dict[int, int] = {}

    def offer(i: int) -> None:
        """The pairs of a row with each row before it."""
        counts = Counter(chain.from_iterable(where[element] for element in rows[i]))
        for j, count in sorted(counts.items()):
            if count > 1 and j < i:
                heapq.heappush(heap, (-count, j, i))

    original = len(rows)
    for i in range(original):
        offer(i)
    while heap:
        size, i, j = heapq.heappop(heap)
        common = rows[i] & rows[j]
        if len(common) < 2:
            continue
        if len(common) != -size:
            heapq.heappush(heap, (-len(common), i, j))
            continue
        element = _BASE + len(definitions)
        definitions[element] = sorted(common)
        rows.append(set(common))
        number = len(rows) - 1
        users = set.intersection(*[where[e] for e in common]) - {number}
        for user in users:
            if rows[user] >= common:
                rows[user] -= common
                rows[user].add(element)
                for e in common:
                    where[e].discard(user)
        where[element] = {u for u in users if element in rows[u]}
        for e in common:
            where[e].add(number)
        # the definition itself may share parts with other rows: keep it as a row, read back at the end
        offer(number)
        shared[element] = number
    for element, number in shared.items():
        definitions[element] = sorted(rows[number])
