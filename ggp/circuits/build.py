"""Ground program to graph: the naive translation, and the one that groups and factors the bodies of a
head.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from gdl.grounding.strata import components
from gdl.program import GroundProgram
from ggp.circuits.gates import graph_of, new_gates
from ggp.circuits.graph import FALSE, Graph, Net
from ggp.circuits.translate import strata, table_of, translate
from ggp.core.errors import CycleError


def naive_sum(graph: Graph, products: list[list[int]]) -> int:
    """One AND tree per product, one OR tree over them."""
    return graph.disjunction([graph.conjunction(product) for product in products])


class Builder:
    """Translates one ground program literally, atom by atom in the order of the strata."""

    def __init__(self, program: GroundProgram, *, limit: int) -> None:
        self.program = program
        self.graph = Graph(len(program.bases) + len(program.inputs), limit)
        self.value: dict[int, int] = {}
        for i, base in enumerate(program.bases):
            self.value[base.true] = 2 * (1 + i)
        for j, pair in enumerate(program.inputs):
            self.value[pair.does] = 2 * (1 + len(program.bases) + j)
        self.bodies: dict[int, list[tuple[int, ...]]] = {}
        for head, body in program.rules:
            self.bodies.setdefault(head, []).append(body)

    def build(self) -> Net:
        """The whole net."""
        for stratum in components(self.bodies):
            self._stratum(stratum)
        return net_of(self.program, self.graph, lambda atom: self.value.get(atom, FALSE))

    def _stratum(self, stratum: list[int]) -> None:
        """Define the atoms of one component, with feedback gates where they form a positive cycle."""
        inside = set(stratum)
        cyclic = [h for h in stratum if any(abs(x) in inside for body in self.bodies[h] for x in body)]
        if not cyclic:
            for head in stratum:
                self.value[head] = self._sum(head)
            return
        if any(-x in inside for head in stratum for body in self.bodies[head] for x in body):
            raise CycleError([self.program.names[atom] for atom in stratum])
        for head in stratum:
            self.value[head] = self.graph.placeholder()
        gates = [self.value[head] >> 1 for head in stratum]
        for head, gate in zip(stratum, gates, strict=True):
            self.graph.feedback[gate] = self._sum(head)
        self.graph.groups.append(gates)

    def _sum(self, head: int) -> int:
        """The disjunction of a head's bodies; an atom without rules never holds."""
        bodies = self.bodies[head]
        return naive_sum(self.graph, [[self.value.get(abs(x), FALSE) ^ (x < 0) for x in body] for body in bodies])


def net_of(program: GroundProgram, graph: Graph, literal: Callable[[int], int]) -> Net:
    """The net whose atoms have these literals."""
    return Net(
        graph=graph,
        bases=len(program.bases),
        inputs=len(program.inputs),
        next=[literal(base.next) for base in program.bases],
        legal=[literal(pair.legal) for pair in program.inputs],
        terminal=literal(program.terminal),
        goals=[literal(goal.atom) for goal in program.goals],
        sees=[literal(seen.atom) for seen in program.sees],
    )


def build_naive(program: GroundProgram, limit: int = 20_000_000) -> Net:
    """The literal translation."""
    return Builder(program, limit=limit).build()


def build_factored(program: GroundProgram, limit: int = 20_000_000) -> Net:
    """Bodies grouped by their part without `does`, one-move-a-role used, common literals factored out."""
    table = table_of(program)
    bases, leaves = len(program.bases), len(program.bases) + len(program.inputs)
    gates = new_gates(leaves, min(len(table.items) + 2 * len(table.first), limit + 1))
    literals = np.full(len(program.names), -1, np.int32)
    literals[[base.true for base in program.bases]] = 2 * np.arange(1, 1 + bases)
    literals[[pair.does for pair in program.inputs]] = 2 * np.arange(1 + bases, 1 + leaves)
    order, begins = strata(table)
    loops, repeated, cycles, negative = translate(table, gates, bases, literals, order, begins)
    if negative >= 0:
        rows = np.sort(order[begins[negative] : begins[negative + 1]])
        raise CycleError([program.names[atom] for atom in table.heads[rows].tolist()])
    feedback = dict(zip(loops[1:], repeated[1:], strict=True))
    groups = [loops[lo:hi] for lo, hi in pairwise([*cycles[1:], len(loops)])]
    value: list[int] = np.maximum(literals, FALSE).tolist()
    return net_of(program, graph_of(gates, leaves, limit, feedback, groups), value.__getitem__)
