"""The bodies of a head as cubes: each a conjunction of literals and of one set for each variable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ggp.circuits.graph import FALSE, TRUE
from ggp.circuits.masks import mask_of
from ggp.circuits.multivalued.cubes import Cube, Cubes, restrict
from ggp.circuits.multivalued.groups import Part, Parts
from ggp.circuits.multivalued.implications import Implications
from ggp.circuits.multivalued.literals import Literals
from ggp.circuits.multivalued.values import SetValue, Values


class Bodies:
    """Makes cubes of bodies.

    implications   of the moves; set when the legal moves are known
    mixed          atoms that are a disjunction of moves of several roles
    """

    def __init__(self, bodies: Mapping[int, Sequence[tuple[int, ...]]], values: Values, literals: Literals) -> None:
        self.implications = Implications(values.groups, {})
        self.mixed: set[int] = set()
        self._bodies, self._values, self._literals = bodies, values, literals
        self._groups = values.groups

    def cubes(self, head: int) -> Cubes:
        """The bodies of a head, impossible ones left out."""
        moves, others = self._moves_among(self._bodies[head])
        cubes = dict.fromkeys(moves)
        for body in others:
            cube = self._cube(body)
            if cube is not None:
                cubes[cube] = None
        return cubes

    def cubes_by_role(self, head: int) -> Cubes:
        """The same, with a cube for each role where a body has "some move of any role"."""
        moves, others = self._moves_among(self._bodies[head])
        cubes = dict.fromkeys(moves)
        for body in others:
            for part, rest in self._by_role(body):
                cube = self._cube(rest, part)
                if cube is not None:
                    cubes[cube] = None
        return cubes

    def _by_role(self, body: tuple[int, ...]) -> list[tuple[Part | None, tuple[int, ...]]]:
        """A body cut at its first disjunction of moves of several roles: each set of moves, and the rest."""
        mixed = next((x for x in body if x in self.mixed), None)
        if mixed is None:
            return [(None, body)]
        value = self._values.of(mixed)
        assert isinstance(value, SetValue)
        rest = tuple([x for x in body if x != mixed])
        return [(part, rest) for part in value.sets]

    def _moves_among(self, bodies: Sequence[tuple[int, ...]]) -> tuple[list[Cube], list[tuple[int, ...]]]:
        """What the bodies that are just one move each come to, a cube for each group; and the other bodies."""
        moves: dict[int, list[int]] = {}
        others = []
        for body in bodies:
            gate = self._values.move_of.get(body[0]) if len(body) == 1 else None
            if gate is None:
                others.append(body)
            else:
                group, mask = self._groups.place[gate]
                moves.setdefault(group, []).append(mask.bit_length() - 1)
        return [Cube(frozenset(), ((group, mask_of(bits)),)) for group, bits in moves.items()], others

    def _cube(self, body: tuple[int, ...], part: Part | None = None) -> Cube | None:
        """A body, with a set besides; None where it cannot hold."""
        plain: set[int] = set()
        sets: dict[int, int] = dict([part] if part else [])
        known = self._values.known
        for x in body:
            value = known.get(abs(x))  # most are known, and this is the innermost loop
            if value is None:
                value = self._values.of(abs(x))
            if isinstance(value, SetValue):
                include = self._exclude if value.negative ^ (x < 0) else self._conjoin
                if not include(plain, sets, value.sets):
                    return None
            elif not isinstance(value, int) and x > 0:
                if not all(self._conjoin(plain, sets, (part,)) for part in value.sets):
                    return None
            else:
                literal = (value if isinstance(value, int) else self._literals.of(value)) ^ (x < 0)
                if literal == FALSE or literal ^ 1 in plain:
                    return None
                if literal != TRUE:
                    plain.add(literal)
        if sets:
            self.implications.drop(plain, sets)
        return Cube(frozenset(plain), tuple(sorted(sets.items())) if len(sets) > 1 else tuple(sets.items()))

    def _conjoin(self, plain: set[int], sets: dict[int, int], parts: Parts) -> bool:
        """Conjoin a disjunction of sets; says whether anything is left."""
        if len(parts) > 1:
            plain.add(self._literals.any_of(parts))
            return True
        ((group, mask),) = parts
        _, full, exact = self._groups.all[group]
        left = restrict(sets, group, mask, full)
        if not exact and sets[group] == full:
            plain.add(self._literals.any_of(parts))  # "some member" says something here
        return left

    def _exclude(self, plain: set[int], sets: dict[int, int], parts: Parts) -> bool:
        """Conjoin the negation of a disjunction of sets; says whether anything is left."""
        for group, mask in parts:
            _, full, exact = self._groups.all[group]
            if not exact and group not in sets:
                plain.add(self._literals.any_of(((group, mask),)) ^ 1)
            elif not restrict(sets, group, full & ~mask, full):
                return False
        return True
