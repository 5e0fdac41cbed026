"""Cubes of multi-valued logic: products of plain literals and of sets of values, and sums of them made smaller.

Two cubes that differ in the set of one variable only are one with the union of both sets (*distance-one merging*). A set
of all values says nothing and vanishes, and a cube inside another one is absorbed by it.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from ggp.circuits.multivalued.groups import Groups, OneHot, Part, Parts


class Cube(NamedTuple):
    """The conjunction of plain literals and of sets of different groups."""

    plain: frozenset[int]
    sets: Parts

    def mask(self, group: int) -> int:
        """The set of a group; 0 if there is none."""
        for other, mask in self.sets:
            if other == group:
                return mask
        return 0

    def without(self, group: int) -> Cube:
        """The cube without its set of a group."""
        return Cube(self.plain, tuple([part for part in self.sets if part[0] != group]))

    def beside(self, part: Part) -> Cube:
        """The cube with a set of another group."""
        return Cube(self.plain, tuple(sorted((*self.sets, part))))


Cubes: TypeAlias = dict[Cube, None]
"""An ordered set of cubes, for their disjunction: a *cover*."""
ALWAYS = Cube(frozenset(), ())
"""The cube of nothing, which always holds."""


def restrict(sets: dict[int, int], group: int, mask: int, full: int) -> bool:
    """Conjoin a set to the sets of a cube; says whether anything is left."""
    sets[group] = left = sets.get(group, full) & mask
    return left != 0


def merge(cubes: Cubes, groups: Groups) -> Cubes:
    """The same sum with fewer cubes: the sets of moves are united first, then those of bases, until nothing changes.

    What comes of several cubes takes the place of the first.
    """
    if len(cubes) < 2:
        return cubes
    cover = _Cover(cubes)
    before = 0
    while before != len(cover.place) > 1:
        before = len(cover.place)
        for group in sorted(cover.having, key=lambda g: (g not in groups.moves, g)):
            cover.unite(group, groups.all[group])
    return dict.fromkeys(sorted(cover.place, key=cover.place.__getitem__))


class _Cover:
    """Cubes while they are merged: the place of each, and for each group the cubes with a set of it."""

    def __init__(self, cubes: Cubes) -> None:
        self.place = {cube: number for number, cube in enumerate(cubes)}
        self.having: dict[int, Cubes] = {}
        for cube in cubes:
            for group, _ in cube.sets:
                self.having.setdefault(group, {})[cube] = None

    def unite(self, group: int, variable: OneHot) -> None:
        """Unite the cubes that differ in their set of one group."""
        alike: dict[tuple[frozenset[int], Parts], list[Cube]] = {}  # no cubes as keys: most would be made for nothing
        for cube in self.having[group]:
            rest = cube.plain, tuple([part for part in cube.sets if part[0] != group])
            alike.setdefault(rest, []).append(cube)
        for rest, found in alike.items():
            union = 0
            for cube in found:
                union |= cube.mask(group)
            if rest in self.place or (variable.exact and union == variable.full):
                self._replace(found, Cube(*rest))
            elif len(found) > 1:
                self._replace(found, Cube(*rest).beside((group, union)))

    def _replace(self, found: list[Cube], made: Cube) -> None:
        """One cube for some others, at the first of their places."""
        first = min(self.place[cube] for cube in found)
        for cube in found:
            del self.place[cube]
            for group, _ in cube.sets:
                del self.having[group][cube]
        self.place[made] = min(first, self.place.get(made, first))
        for group, _ in made.sets:
            self.having[group][made] = None
