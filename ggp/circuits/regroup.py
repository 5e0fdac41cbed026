"""Associativity: see trees of ANDs as many-input gates and build them again so that they share pairs.

An OR is an AND of negations, so one rule serves both. The pair of literals that occurs in most many-input
gates becomes a gate of its own, again and again (the single-cube part of fast_extract in logic synthesis).
`distribute` is the other half: (a b) or (a c) becomes a (b or c) where the products have no other user.
"""

from __future__ import annotations

import heapq
import itertools
from collections import Counter
from collections.abc import Callable

from ggp.circuits.build import factored_sum
from ggp.circuits.graph import Graph, Net
from ggp.circuits.rebuild import rebuild
from ggp.circuits.work import Work

WIDE = 48
"""Pairs inside wider gates are not counted (they are still replaced)."""


_COMPARED = 20
"""So many users of a literal are compared with those of another for one unit of work."""


def uses(net: Net) -> list[int]:
    """How often each live gate is read, outputs included."""
    graph = net.graph
    live = net.reachable()
    count = [0] * len(graph)
    for gate in range(1 + graph.leaves, len(graph)):
        if live[gate] and gate not in graph.feedback:
            count[graph.left[gate] >> 1] += 1
            count[graph.right[gate] >> 1] += 1
    for x in net.outputs():
        count[x >> 1] += 1
    for gate, x in graph.feedback.items():
        if live[gate]:
            count[x >> 1] += 1
    return count


def rows_of(net: Net, deep: int) -> dict[int, list[int]]:
    """Many-input gates: root -> operand literals.

    Positive operands with one use are dissolved into their user, and shared ones too while the row stays within `deep`
    operands (they may be found again as common pairs).
    """
    graph = net.graph
    count = uses(net)
    roots = {x >> 1 for x in net.outputs()} | {x >> 1 for x in graph.feedback.values()}
    rows: dict[int, list[int]] = {}
    stack = sorted(roots)
    seen = set(stack)
    while stack:
        gate = stack.pop()
        if graph.is_leaf(gate):
            continue
        row = {graph.left[gate], graph.right[gate]}
        work = list(row)
        while work:
            x = work.pop()
            inner = x >> 1
            if x & 1 or graph.is_leaf(inner):
                continue
            if count[inner] == 1 or len(row) + 1 <= deep:
                row.discard(x)
                for y in (graph.left[inner], graph.right[inner]):
                    if y not in row:
                        row.add(y)
                        work.append(y)
        rows[gate] = sorted(row)
        for x in rows[gate]:
            if x >> 1 not in seen:
                seen.add(x >> 1)
                stack.append(x >> 1)
    return rows


def regroup(net: Net, work: Work, *, deep: int = 0) -> Net:
    """Share the pairs that occur most."""
    rows = {root: set(row) for root, row in rows_of(net, deep).items()}
    where: dict[int, set[int]] = {}
    for root, members in rows.items():
        for x in members:
            where.setdefault(x, set()).add(root)
    counts: Counter[tuple[int, int]] = Counter()
    for members in rows.values():
        if len(members) <= WIDE:
            counts.update(itertools.combinations(sorted(x for x in members if len(where[x]) > 1), 2))
    heap = [(-count, pair) for pair, count in counts.items() if count > 1]
    heapq.heapify(heap)
    fresh_literal = 2 * len(net.graph)
    pairs: dict[int, tuple[int, int]] = {}
    while heap and work.left:
        negative, (x, y) = heapq.heappop(heap)
        common = where[x] & where[y]
        work.spend(1 + min(len(where[x]), len(where[y])) // _COMPARED)
        if len(common) < 2:
            continue
        if len(common) != -negative:
            heapq.heappush(heap, (-len(common), (x, y)))
            continue
        pairs[fresh_literal] = (x, y)
        touched: dict[int, int] = {}
        for root in common:
            members = rows[root]
            members -= {x, y}
            for z in members:
                touched[z] = touched.get(z, 0) + 1
            members.add(fresh_literal)
        where[x] -= common
        where[y] -= common
        where[fresh_literal] = set(common)
        work.spend(len(common) + len(touched))
        for z, count in touched.items():
            if count > 1:
                heapq.heappush(heap, (-count, (min(z, fresh_literal), max(z, fresh_literal))))
        fresh_literal += 2
    return _build(net, rows, pairs)


def _build(net: Net, rows: dict[int, set[int]], pairs: dict[int, tuple[int, int]]) -> Net:
    """The net with rows as given; pair literals stand for the AND of two literals."""
    made: dict[int, int] = {}
    old_size = len(net.graph)

    def literal(fresh: Graph, x: int, get: Callable[[int], int]) -> int:
        if x >> 1 < old_size:
            return get(x)
        if x not in made:
            a, b = pairs[x]
            made[x] = fresh.land(literal(fresh, a, get), literal(fresh, b, get))
        return made[x]

    order = _operands_first(net, rows, pairs)

    def make(fresh: Graph, gate: int, get: Callable[[int], int]) -> int | None:
        if gate not in rows:
            return None
        return fresh.conjunction([literal(fresh, x, get) for x in sorted(rows[gate])])

    return rebuild(net, make=make, order=order)


def _operands_first(net: Net, rows: dict[int, set[int]], pairs: dict[int, tuple[int, int]]) -> list[int]:
    """Row gates so that each comes after those it reads: spares `rebuild` deep recursion."""
    graph = net.graph
    order: list[int] = []
    done: set[int] = set()

    def leaves(x: int) -> list[int]:
        found, work = [], [x]
        while work:
            y = work.pop()
            if y in pairs:
                work += pairs[y]
            else:
                found.append(y >> 1)
        return found

    for root in rows:
        stack = [root]
        while stack:
            gate = stack[-1]
            if gate in done or graph.is_leaf(gate):
                stack.pop()
                continue
            missing = [g for x in rows[gate] for g in leaves(x) if g not in done and not graph.is_leaf(g)]
            if missing:
                stack += missing
            else:
                done.add(gate)
                order.append(stack.pop())
    return order


def distribute(net: Net) -> Net:
    """Factor literals common to several products of one sum, where the products have one user."""
    count = uses(net)
    rows = rows_of(net, 0)

    def make(fresh: Graph, gate: int, get: Callable[[int], int]) -> int | None:
        row = rows.get(gate)
        if row is None:
            return None
        products: list[list[int]] = []
        plain: list[int] = []
        for x in row:
            inner = x >> 1
            if x & 1 and inner in rows and count[inner] == 1:
                products.append(rows[inner])
            else:
                plain.append(x)
        if len(products) < 2:
            return None if len(row) == 2 else fresh.conjunction([get(x) for x in row])
        seen: dict[int, int] = {}
        for product in products:
            for x in product:
                seen[x] = seen.get(x, 0) + 1
        if max(seen.values()) < 2:
            return fresh.conjunction([get(x) for x in row])
        some = factored_sum(fresh, [[get(x) for x in product] for product in products])
        return fresh.conjunction([some ^ 1, *[get(x) for x in plain]])

    return rebuild(net, make=make, order=_operands_first(net, {r: set(row) for r, row in rows.items()}, {}))
