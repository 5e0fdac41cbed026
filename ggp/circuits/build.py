"""Ground program to graph: the naive translation, and the one that groups and factors the bodies of a
head.
"""

from __future__ import annotations

from collections.abc import Callable

from gdl.grounding.strata import components
from gdl.program import GroundProgram
from ggp.circuits.errors import CycleError
from ggp.circuits.graph import FALSE, TRUE, Graph, Net

Define = Callable[[Graph, list[list[int]]], int]
"""Builds a sum of products (lists of literals) and returns its literal."""


def naive_sum(graph: Graph, products: list[list[int]]) -> int:
    """One AND tree per product, one OR tree over them."""
    return graph.disjunction([graph.conjunction(product) for product in products])


def factored_sum(graph: Graph, products: list[list[int]]) -> int:
    """Pull out the literal most products share, again and again (the trial's way)."""
    if any(not product for product in products):
        return TRUE
    pulled: list[int] = []
    while len(products) > 1:
        count: dict[int, int] = {}
        for product in products:
            for x in set(product):
                count[x] = count.get(x, 0) + 1
        best, uses = max(count.items(), key=lambda item: (item[1], item[0]))
        if uses < 2:
            break
        inside = [[x for x in product if x != best] for product in products if best in product]
        products = [product for product in products if best not in product]
        pulled.append(graph.land(best, factored_sum(graph, inside)))
    if not products:
        found = pulled.pop() if pulled else FALSE
    else:
        found = graph.disjunction([graph.conjunction(product) for product in products])
    for part in reversed(pulled):
        found = graph.lor(part, found)
    return found


class Builder:
    """Translates one ground program, atom by atom in the order of the strata."""

    def __init__(self, program: GroundProgram, define: Define, *, group_moves: bool, limit: int) -> None:
        self.program = program
        self.define = define
        self.group_moves = group_moves
        self.graph = Graph(len(program.bases) + len(program.inputs), limit)
        self.value: dict[int, int] = {}
        for i, base in enumerate(program.bases):
            self.value[base.true] = 2 * (1 + i)
        self.mover: dict[int, int] = {}
        self.moves: list[list[int]] = [[] for _ in program.roles]
        for j, pair in enumerate(program.inputs):
            self.value[pair.does] = 2 * (1 + len(program.bases) + j)
            self.mover[pair.does] = pair.role
            self.moves[pair.role].append(pair.does)
        self.bodies: dict[int, list[tuple[int, ...]]] = {}
        for head, body in program.rules:
            self.bodies.setdefault(head, []).append(body)

    def build(self) -> Net:
        """The whole net."""
        for stratum in components(self.bodies):
            self._stratum(stratum)
        program = self.program
        return Net(
            graph=self.graph,
            bases=len(program.bases),
            inputs=len(program.inputs),
            next=[self._get(base.next) for base in program.bases],
            legal=[self._get(pair.legal) for pair in program.inputs],
            terminal=self._get(program.terminal),
            goals=[self._get(goal.atom) for goal in program.goals],
            sees=[self._get(seen.atom) for seen in program.sees],
            atoms=self.value,
        )

    def _get(self, atom: int) -> int:
        """Literal of an atom; an atom without rules never holds."""
        return self.value.get(atom, FALSE)

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
        """The disjunction of a head's bodies."""
        if not self.group_moves:
            return self.define(self.graph, [[self._get(abs(x)) ^ (x < 0) for x in body] for body in self.bodies[head]])
        groups: dict[tuple[tuple[int, ...], int], set[int]] = {}
        for body in self.bodies[head]:
            done = [x for x in body if x in self.mover]
            if len(done) == 1:
                rest = tuple([x for x in body if x not in self.mover])
                groups.setdefault((rest, self.mover[done[0]]), set()).add(done[0])
            else:
                groups.setdefault((body, -1), set())
        products = []
        for (rest, role), done_set in groups.items():
            product = [self._get(abs(x)) ^ (x < 0) for x in rest]
            if role >= 0:
                product.append(self._some_move(role, done_set))
            products.append(product)
        return self.define(self.graph, products)

    def _some_move(self, role: int, done: set[int]) -> int:
        """Exactly one move a role: name the smaller side."""
        moves = self.moves[role]
        few = len(done) <= len(moves) // 2
        some = self.graph.disjunction([self.value[a] for a in moves if (a in done) == few])
        return some if few else some ^ 1


def build_naive(program: GroundProgram, limit: int = 20_000_000) -> Net:
    """The literal translation."""
    return Builder(program, naive_sum, group_moves=False, limit=limit).build()


def build_factored(program: GroundProgram, limit: int = 20_000_000) -> Net:
    """Bodies grouped by their part without `does`, one-move-a-role used, common literals factored out."""
    return Builder(program, factored_sum, group_moves=True, limit=limit).build()
