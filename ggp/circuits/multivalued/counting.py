"""Counts as multi-valued variables: "exactly n of these atoms hold" is the value n of their count.

What counts is found by `counts` and `paircounts`; a count's variable is made when its first value is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gdl.program import GroundProgram
from ggp.circuits.counts import Counts
from ggp.circuits.multivalued.groups import Groups, Part
from ggp.circuits.multivalued.values import CubeValue, SetValue, Value
from ggp.circuits.paircounts import PairCounts
from ggp.circuits.solver import Care

_SQUARE = 3
"""Members of the largest group that may be a square of two colours, or of neither."""


class Counting:
    """The counting atoms of a program. `atoms` has the atoms counted, ascending, of the group of each count."""

    def __init__(
        self,
        program: GroundProgram,
        care: Care,
        bodies: Mapping[int, Sequence[tuple[int, ...]]],
        order: Sequence[Sequence[int]],
        groups: Groups,
    ) -> None:
        squares = [
            (tuple(program.bases[i].true for i in group.members), group.exact)
            for group in care.groups
            if len(group.members) <= _SQUARE
        ]
        self.atoms: dict[int, list[int]] = {}
        self._counts = Counts(bodies, order)
        self._pairs = PairCounts(bodies, order, squares)
        self._groups = groups
        self._group_of: dict[frozenset[int], int] = {}

    def __contains__(self, atom: int) -> bool:
        return atom in self._counts.of or atom in self._pairs.of

    def value(self, atom: int) -> Value:
        """A counting atom is one value of a count, or of two."""
        if atom in self._counts.of:
            number, n = self._counts.of[atom]
            return SetValue((self._part(self._counts.sets[number], n),))
        squares, n, m = self._pairs.of[atom]
        one = self._part(frozenset(self._pairs.first[k] for k in squares), n)
        two = self._part(frozenset(self._pairs.second[k] for k in squares), m)
        return CubeValue(tuple(sorted([one, two])))

    def _part(self, counted: frozenset[int], n: int) -> Part:
        """The value n of a count: bit n."""
        if counted not in self._group_of:
            group = self._groups.add_count(len(counted) + 1)
            self._group_of[counted] = group
            self.atoms[group] = sorted(counted)
        return self._group_of[counted], 1 << n
