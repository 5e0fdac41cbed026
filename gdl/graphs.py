"""Small algorithms on directed graphs, iterative."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar

Node = TypeVar("Node", bound=Hashable)


def components(nodes: Iterable[Node], successors: Callable[[Node], Iterable[Node]]) -> Iterator[tuple[Node, ...]]:
    """Strongly connected components (Tarjan), each after all components that it leads to.

    >>> list(components("abc", {"a": "b", "b": "ac", "c": ""}.get))
    [('c',), ('a', 'b')]
    """
    index: dict[Node, int] = {}
    low: dict[Node, int] = {}
    on_stack: set[Node] = set()
    stack: list[Node] = []
    for root in nodes:
        if root in index:
            continue
        work: list[tuple[Node, Iterator[Node]]] = []

        def enter(node: Node, work: list[tuple[Node, Iterator[Node]]] = work) -> None:
            index[node] = low[node] = len(index)
            stack.append(node)
            on_stack.add(node)
            work.append((node, iter(successors(node))))

        enter(root)
        while work:
            node, rest = work[-1]
            following = next(rest, None)
            if following is not None:
                if following not in index:
                    enter(following)
                elif following in on_stack:
                    low[node] = min(low[node], index[following])
                continue
            work.pop()
            if work:
                low[work[-1][0]] = min(low[work[-1][0]], low[node])
            if low[node] == index[node]:
                component: list[Node] = []
                while not component or component[-1] != node:
                    component.append(stack.pop())
                on_stack.difference_update(component)
                yield tuple(reversed(component))


def reachable(roots: Iterable[Node], successors: Callable[[Node], Iterable[Node]]) -> set[Node]:
    """All nodes that can be reached from the roots, the roots included."""
    seen = set(roots)
    stack = list(seen)
    while stack:
        for node in successors(stack.pop()):
            if node not in seen:
                seen.add(node)
                stack.append(node)
    return seen
