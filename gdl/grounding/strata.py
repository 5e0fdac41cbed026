"""Strongly connected components of the atom dependency graph, operands first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from gdl import graphs


def components(bodies: Mapping[int, Iterable[Sequence[int]]]) -> list[list[int]]:
    """The atoms that depend on one another, grouped; atoms without rules are left out, members ascend.

    >>> components({3: [(2, -1)], 2: [(4,)], 4: [(2,), (1,)]})
    [[2, 4], [3]]
    """
    successors = {
        head: [x for x in dict.fromkeys(abs(x) for body in rules for x in body) if x in bodies]
        for head, rules in bodies.items()
    }
    return [sorted(component) for component in graphs.components(bodies, successors.__getitem__)]


def negative_cycle(rules: Iterable[tuple[int, tuple[int, ...]]]) -> list[int]:
    """The atoms of a component in which one depends on its own negation; empty if there is none."""
    bodies: dict[int, list[tuple[int, ...]]] = {}
    for head, body in rules:
        bodies.setdefault(head, []).append(body)
    for component in components(bodies):
        inside = set(component)
        if any(-x in inside for head in component for body in bodies[head] for x in body):
            return component
    return []
