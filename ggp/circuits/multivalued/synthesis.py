"""The synthesis of a whole program: legal moves, what they imply, all other rules, and the next position at last."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import numpy as np

from gdl.program import GroundProgram
from ggp.circuits.build import net_of
from ggp.circuits.graph import FALSE, TRUE, Net
from ggp.circuits.growing import GrowingGraph
from ggp.circuits.multivalued.bodies import Bodies
from ggp.circuits.multivalued.counting import Counting
from ggp.circuits.multivalued.cubes import merge
from ggp.circuits.multivalued.implications import Implications, Implied, implied_by_sum
from ggp.circuits.multivalued.literals import Literals
from ggp.circuits.multivalued.successors import factor_moves, unite_roles
from ggp.circuits.multivalued.values import CubeValue, SetValue, Values
from ggp.circuits.orsets import build_sets
from ggp.circuits.solver import Care
from ggp.circuits.translate import components, depends, table_of
from ggp.core.errors import CycleError


def build_with_sets(program: GroundProgram, care: Care, limit: int = 20_000_000) -> Net:
    """The translation with multi-valued variables, of as many gates as the limit allows."""
    return _Synthesis(program, care, limit).net()


class _Synthesis:
    """A program on its way to a net, stratum by stratum."""

    def __init__(self, program: GroundProgram, care: Care, limit: int) -> None:
        self.program = program
        self.graph = GrowingGraph(len(program.bases) + len(program.inputs), limit)
        self.rules: dict[int, list[tuple[int, ...]]] = {}
        for head, body in program.rules:
            self.rules.setdefault(head, []).append(body)
        self.table = table_of(program)
        self.order = components(self.table)
        self.values = Values(program, care)
        self.groups = self.values.groups
        self.counting = Counting(program, care, self.rules, self.order, self.groups)
        self.literals = Literals(self.graph, self.values, self.counting)
        self.bodies = Bodies(self.rules, self.values, self.literals)

    def net(self) -> Net:
        """Legal moves first, since what they imply simplifies the rest."""
        needed = set(np.flatnonzero(depends(self.table, [pair.legal for pair in self.program.inputs])).tolist())
        for stratum in self.order:
            if stratum[0] in needed:
                self._stratum(stratum)
        self.bodies.implications = Implications(self.groups, self._implied_by_legality())
        read = set(np.unique(np.abs(self.table.items)).tolist())
        unread = ({base.next for base in self.program.bases} & self.rules.keys()) - read
        for stratum in self.order:
            if stratum[0] not in needed and (len(stratum) > 1 or stratum[0] not in unread):
                self._stratum(stratum)
        self._successors(sorted(atom for atom in unread - needed if atom not in self.counting))
        literals = self._atoms()
        net = net_of(self.program, self.graph.finished(), lambda atom: literals.get(atom, FALSE))
        sets = {literal: self.groups.leaves(parts) for parts, literal in self.literals.placeholders.items()}
        return build_sets(net, sets)

    def _stratum(self, stratum: list[int]) -> None:
        """The values of atoms that depend on one another, or of a single one."""
        negated = {-head for head in stratum}
        if not negated.union(stratum).isdisjoint(self._read_by(stratum)):
            if not negated.isdisjoint(self._read_by(stratum)):
                raise CycleError([self.program.names[atom] for atom in stratum])
            self._cycle(stratum)
            return
        for head in stratum:
            counted = head in self.counting
            value = self.counting.value(head) if counted else self.literals.sum(self.bodies.cubes(head))
            self.values.known[head] = value
            if isinstance(value, SetValue) and not value.negative and len(value.sets) > 1:
                self.bodies.mixed.add(head)

    def _read_by(self, stratum: list[int]) -> Iterator[int]:
        """The literals of all bodies of some atoms."""
        return chain.from_iterable(chain.from_iterable(map(self.rules.__getitem__, stratum)))

    def _cycle(self, stratum: list[int]) -> None:
        """A feedback gate for each atom of a positive cycle, and their definitions after that."""
        gates = []
        for head in stratum:
            literal = self.graph.placeholder()
            self.values.known[head] = literal
            gates.append(literal >> 1)
        for head, gate in zip(stratum, gates, strict=True):
            self.graph.feedback[gate] = self.literals.of(self.literals.sum(self.bodies.cubes(head)))
        self.graph.groups.append(gates)

    def _implied_by_legality(self) -> dict[int, Implied]:
        """What holds whenever a move is legal, by the gate of the move."""
        implied: dict[int, Implied] = {}
        for gate, pair in enumerate(self.program.inputs, 1 + len(self.program.bases)):
            if pair.legal in self.rules and self.values.of(pair.legal) != TRUE:
                cubes = merge(self.bodies.cubes(pair.legal), self.groups)
                if cubes:
                    implied[gate] = implied_by_sum(list(cubes))
        return implied

    def _successors(self, heads: list[int]) -> None:
        """The values of `next` atoms that nothing else reads."""
        cubes = {head: merge(self.bodies.cubes_by_role(head), self.groups) for head in heads}
        factor_moves(cubes, self.groups, self.literals)
        for head, own in cubes.items():
            self.values.known[head] = self.literals.sum(unite_roles(own, self.groups, self.literals))

    def _atoms(self) -> dict[int, int]:
        """The literals of atoms; those that count are left out unless they are asked for."""
        asked = set(self.program.outputs)
        found = {
            atom: self.literals.of(value)
            for atom, value in self.values.known.items()
            if atom in asked or not (atom in self.counting or isinstance(value, CubeValue))
        }
        found.update({atom: 2 * gate for atom, gate in self.values.move_of.items()})
        return found
