"""Sums of products, factored as the kernel of `ggp.circuits.factor` does, in Python that recurses."""

from __future__ import annotations

import heapq

from ggp.circuits.graph import TRUE, Graph

_DEEPEST = 200
"""Factors inside factors; sums that lie deeper are built as they are."""


def factored_sum(graph: Graph, products: list[list[int]], depth: int = 0) -> int:
    """Pull out the literal that most products share, again and again."""
    if not all(products):
        return TRUE
    users: dict[int, list[int]] = {}
    for i, product in enumerate(products):
        for x in set(product):
            users.setdefault(x, []).append(i)
    count = {x: len(found) for x, found in users.items()}
    heap = [(-uses, -x) for x, uses in count.items() if uses > 1 and depth < _DEEPEST]
    heapq.heapify(heap)
    alive = [True] * len(products)
    pulled: list[int] = []
    while heap:
        uses, best = -heap[0][0], -heap[0][1]
        if uses != count[best]:  # some of its products are gone
            if count[best] > 1:
                heapq.heapreplace(heap, (-count[best], -best))
            else:
                heapq.heappop(heap)
            continue
        inside = []
        for i in users[best]:
            if alive[i]:
                alive[i] = False
                rest = set(products[i])
                for x in rest:
                    count[x] -= 1
                inside.append([x for x in rest if x != best])
        pulled.append(graph.land(best, factored_sum(graph, inside, depth + 1)))
    left = [product for i, product in enumerate(products) if alive[i]]
    plain = left or not pulled
    found = graph.disjunction([graph.conjunction(product) for product in left]) if plain else pulled.pop()
    for part in reversed(pulled):
        found = graph.lor(part, found)
    return found
