"""From values to gates: the literal of a value, and what a sum of cubes is.

Sets get placeholders: only at the end is it known which of them are needed, and those are built together.
"""

from __future__ import annotations

from ggp.circuits.counts import Counter
from ggp.circuits.graph import FALSE, TRUE
from ggp.circuits.growing import GrowingGraph
from ggp.circuits.multivalued.counting import Counting
from ggp.circuits.multivalued.cubes import ALWAYS, Cubes, merge
from ggp.circuits.multivalued.groups import Parts
from ggp.circuits.multivalued.values import CubeValue, Value, Values, disjunction


class Literals:
    """Makes gates of values. `placeholders` has the literals that stand for disjunctions of sets, by the sets."""

    def __init__(self, graph: GrowingGraph, values: Values, counting: Counting) -> None:
        self.graph = graph
        self.placeholders: dict[Parts, int] = {}
        self._values, self._groups, self._counting = values, values.groups, counting
        self._counters: dict[int, Counter] = {}

    def of(self, value: Value) -> int:
        """The literal of a value."""
        if isinstance(value, int):
            return value
        if isinstance(value, CubeValue):
            return self.graph.conjunction([self.any_of((part,)) for part in value.sets])
        sign = int(value.negative)
        if len(value.sets) == 1:
            ((group, mask),) = value.sets
            if group in self._counting.atoms:
                return self._counter(group).member(mask) ^ sign
            if mask & (mask - 1) == 0:
                return 2 * self._groups.all[group].members[mask.bit_length() - 1] ^ sign
        if value.sets not in self.placeholders:
            self.placeholders[value.sets] = self.graph.placeholder()
        return self.placeholders[value.sets] ^ sign

    def any_of(self, parts: Parts) -> int:
        """The literal of a disjunction of sets."""
        return self.of(disjunction(parts, self._groups))

    def sum(self, cubes: Cubes) -> Value:
        """The disjunction of cubes, kept as sets where it is one set, a cube of counts, or sets of moves."""
        cubes = merge(cubes, self._groups)
        if not cubes:
            return FALSE
        if ALWAYS in cubes:
            return TRUE
        if not any(cube.plain for cube in cubes):
            if len(cubes) == 1:
                (cube,) = cubes
                if len(cube.sets) == 1:
                    return disjunction(cube.sets, self._groups)
                if all(group in self._counting.atoms for group, _ in cube.sets):
                    return CubeValue(cube.sets)
            if all(len(cube.sets) == 1 and cube.sets[0][0] in self._groups.moves for cube in cubes):
                return disjunction(tuple(sorted(cube.sets[0] for cube in cubes)), self._groups)
        return self.graph.sum([[*plain, *[self.any_of((part,)) for part in sets]] for plain, sets in cubes])

    def _counter(self, group: int) -> Counter:
        """The adders of a count."""
        if group not in self._counters:
            literals = [self.of(self._values.of(atom)) for atom in self._counting.atoms[group]]
            self._counters[group] = Counter(self.graph, literals)
        return self._counters[group]
