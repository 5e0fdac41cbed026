"""The `next` atoms, all at once: the terms with a move are factored over many of them (`carry`)."""

from __future__ import annotations

from ggp.circuits.multivalued.carry import families
from ggp.circuits.multivalued.cubes import Cube, Cubes
from ggp.circuits.multivalued.groups import Groups
from ggp.circuits.multivalued.literals import Literals

_SMALL = 4
"""Only sets of at most this part of all moves are factored."""


def factor_moves(cubes: dict[int, Cubes], groups: Groups, literals: Literals) -> None:
    """Factor what moves carry, in the sum of each head."""
    for group in sorted(groups.moves):
        limit = groups.all[group].full.bit_count() // _SMALL
        found = {head: terms(own, group, limit) for head, own in cubes.items()}
        for family in families({head: own for head, own in found.items() if len(own) > 1}):
            bracket = literals.of(
                literals.sum(dict.fromkeys(rest.beside((group, union)) for rest, union in family.unions.items()))
            )
            for head, own in family.heads.items():
                cubes[head] = factored(cubes[head], own, group, bracket)


def terms(cubes: Cubes, group: int, limit: int) -> dict[Cube, int]:
    """The moves beside each rest, of cubes that have more than a set of moves, and no more moves than the limit."""
    found: dict[Cube, int] = {}
    for cube in cubes:
        mask = cube.mask(group)
        if mask and (cube.plain or len(cube.sets) > 1) and mask.bit_count() <= limit:
            rest = cube.without(group)
            found[rest] = found.get(rest, 0) | mask
    return found


def factored(cubes: Cubes, taken: dict[Cube, int], group: int, bracket: int) -> Cubes:
    """A sum with its bracket, and the moves beside it, instead of the terms that were taken."""
    total = 0
    for mask in taken.values():
        total |= mask
    kept = {
        cube: None
        for cube in cubes
        if (rest := cube.without(group)) not in taken or cube.mask(group) & ~taken[rest]
    }  # fmt: skip
    kept[Cube(frozenset([bracket]), ((group, total),))] = None
    return kept


def unite_roles(cubes: Cubes, groups: Groups, literals: Literals) -> Cubes:
    """The same rest beside moves of several roles is one product."""
    masks: dict[Cube, dict[int, int]] = {}
    kept: Cubes = {}
    for cube in cubes:
        moved = [part for part in cube.sets if part[0] in groups.moves]
        if len(moved) == 1:
            ((group, mask),) = moved
            masks.setdefault(cube.without(group), {})[group] = mask
        else:
            kept[cube] = None
    for rest, found in masks.items():
        if len(found) == 1:
            kept[rest.beside(*found.items())] = None
        else:
            kept[Cube(rest.plain | {literals.any_of(tuple(sorted(found.items())))}, rest.sets)] = None
    return kept
