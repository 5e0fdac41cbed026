"""Don't-cares from legality: whatever a move's legality implies is redundant beside the move.

A move is only done where it is legal: beside it the conditions of its legality need not be said again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ggp.circuits.masks import bits_of
from ggp.circuits.multivalued.cubes import Cube
from ggp.circuits.multivalued.groups import Groups

_REMEMBERED = 2_000
"""Sets of moves whose implications are kept: a set takes as many bits as there are moves."""
_LARGEST_SET = 4096
"""Moves that are looked at together; what more of them have in common is rarely anything."""


class Implied(NamedTuple):
    """What holds: literals, and for each group the set of values of which the variable has one."""

    literals: frozenset[int]
    unions: dict[int, int]


_NOTHING = Implied(frozenset(), {})


def implied_by_sum(cubes: Sequence[Cube]) -> Implied:
    """What holds whenever one of some cubes does: their common literals, and the unions of their sets."""
    unions: dict[int, int] = {}
    shared = set.intersection(*[{group for group, _ in cube.sets} for cube in cubes])
    for cube in cubes:
        for group, mask in cube.sets:
            if group in shared:
                unions[group] = unions.get(group, 0) | mask
    return Implied(frozenset.intersection(*[cube.plain for cube in cubes]), unions)


def implied_by_each(found: Iterable[Implied]) -> Implied:
    """What holds whenever one of some implications does."""
    first, *others = found
    unions = first.unions
    for _, own in others:
        if not unions:
            break
        unions = {group: union | own[group] for group, union in unions.items() if group in own}
    return Implied(first.literals.intersection(*[literals for literals, _ in others]), unions)


class Implications:
    """What the legality of moves implies, by their gates."""

    def __init__(self, groups: Groups, of_move: dict[int, Implied]) -> None:
        self._groups = groups
        self._of_move = of_move
        self._of_moves: dict[tuple[int, int], Implied] = {}

    def drop(self, plain: set[int], sets: dict[int, int]) -> None:
        """Take out of a cube what the legality of each of its moves implies."""
        if not self._of_move:
            return
        for group in self._groups.moves & sets.keys():
            mask = sets[group]
            if mask == self._groups.all[group].full or mask.bit_count() > _LARGEST_SET:
                continue
            literals, unions = self._implied_by(group, mask)
            plain -= literals
            for other in list(sets):
                if other not in self._groups.moves and other in unions and not unions[other] & ~sets[other]:
                    del sets[other]

    def _implied_by(self, group: int, mask: int) -> Implied:
        """What the legality of each of some moves implies."""
        gates = self._groups.all[group].members
        if mask & (mask - 1) == 0:
            return self._of_move.get(gates[mask.bit_length() - 1], _NOTHING)
        if (group, mask) not in self._of_moves:
            if len(self._of_moves) == _REMEMBERED:
                self._of_moves.clear()
            self._of_moves[group, mask] = implied_by_each(
                self._of_move.get(gates[bit], _NOTHING) for bit in bits_of(mask)
            )
        return self._of_moves[group, mask]
