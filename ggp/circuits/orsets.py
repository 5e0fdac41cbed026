"""Build many disjunctions of leaves at once, sharing what they have in common."""

from __future__ import annotations

import heapq
import itertools
from collections import Counter
from typing import TypeAlias

from ggp.circuits.graph import Graph, Net
from ggp.circuits.rebuild import rebuild

PAIR_LIMIT = 900
"""With more sets than this only equal membership is shared here; the pair pass finds more."""


Leaves: TypeAlias = tuple[int, ...]
"""Leaf gates, ascending."""


def build_sets(net: Net, sets: dict[int, Leaves]) -> Net:
    """Replace placeholder literals by the disjunctions of leaves that they stand for."""
    live = net.reachable()
    wanted = {literal >> 1: leaves for literal, leaves in sets.items() if live[literal >> 1]}
    for literal in sets:
        del net.graph.feedback[literal >> 1]
    definitions, roots = share(sorted(set(wanted.values()), key=lambda leaves: leaves[::-1]))
    recipe = {gate: roots[leaves] for gate, leaves in wanted.items()}
    made: dict[int, int] = {}

    def build(fresh: Graph, wish: int) -> int:
        """Literal of an element: a leaf gate, or a definition (numbers from 1<<40 up), and of all that it is made of."""
        stack = [wish]
        while stack:
            element = stack[-1]
            if element < _BASE:
                made[element] = 2 * element
            missing = [] if element in made else [e for e in definitions[element] if e not in made]
            if missing:
                stack += reversed(missing)
                continue
            stack.pop()
            if element not in made:
                made[element] = fresh.disjunction([made[e] for e in definitions[element]])
        return made[wish]

    net.atoms = {a: x for a, x in net.atoms.items() if x >> 1 in wanted or (x not in sets and x ^ 1 not in sets)}
    return rebuild(net, make=lambda fresh, gate, _: build(fresh, recipe[gate]) if gate in recipe else None)


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
        counts = Counter(itertools.chain.from_iterable(where[element] for element in rows[i]))
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
