"""Ground program to graph with multi-valued variables: one-hot groups of inputs and of bases as sets.

Exactly one move per role is done and exactly one base of a proved group holds, so every function of one
group is a *set* of its members, an int mask (bit i is the i-th member): conjunction is intersection,
disjunction union, negation complement. The bodies of a head become cubes with one set per group; cubes that
differ in one set only are merged, a set that covers its group vanishes, and what a move's legality implies is
dropped beside the move. Only at the end are the sets that are really needed built as disjunctions, the
smaller side of each, sharing what they have in common.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

import numpy as np

from gdl.program import GroundProgram
from ggp.circuits.build import net_of
from ggp.circuits.carry import Family, Rest, families
from ggp.circuits.counts import Counter, Counts
from ggp.circuits.graph import FALSE, TRUE, Net
from ggp.circuits.growing import GrowingGraph
from ggp.circuits.masks import bits_of, mask_of
from ggp.circuits.orsets import build_sets
from ggp.circuits.paircounts import PairCounts
from ggp.circuits.solver import Care
from ggp.circuits.translate import components, depends, table_of
from ggp.core.errors import CycleError

_REMEMBERED = 2_000
"""Sets of moves whose implications are kept: a set takes as many bits as there are moves."""

Parts: TypeAlias = tuple[tuple[int, int], ...]
"""(group, mask) pairs in ascending order of group; masks are never empty."""


class SetValue(NamedTuple):
    """The disjunction of some sets of different groups, negated if `negative`."""

    sets: Parts
    negative: bool = False


class CubeValue(NamedTuple):
    """The conjunction of some sets of different groups, kept open so that sums of such cubes can merge."""

    sets: Parts


Value: TypeAlias = int | SetValue | CubeValue
Implied: TypeAlias = tuple[frozenset[int], dict[int, int]]
"""Literals, and for each group the mask of members one of which holds."""
Cube: TypeAlias = tuple[frozenset[int], Parts]
"""Plain literals, and sets."""


class SumBuilder:
    """Translates a ground program under what is known of its groups."""

    def __init__(self, program: GroundProgram, care: Care, *, limit: int = 20_000_000) -> None:
        self.program = program
        self.graph = GrowingGraph(len(program.bases) + len(program.inputs), limit)
        self.value: dict[int, Value] = {}
        self.move_of: dict[int, int] = {}  # a `does` atom that is one member of its group of moves: its gate
        self.full: list[int] = []  # mask of each group
        self.exact: list[bool] = []  # exactly one, or at most one?
        self.members: list[list[int]] = []  # leaf gates of each group, ascending
        self.place: dict[int, tuple[int, int]] = {}  # leaf gate to its group and its mask there
        self.pseudo: dict[Parts, int] = {}  # sets to placeholder literal
        self.move_groups: set[int] = set()
        self.implied: dict[int, Implied] = {}  # input gate to what legal implies
        self.common: dict[tuple[int, int], Implied] = {}  # the same for sets of moves
        self._leaves(care)
        self.bodies: dict[int, list[tuple[int, ...]]] = {}
        for head, body in program.rules:
            self.bodies.setdefault(head, []).append(body)
        self.table = table_of(program)
        self.order = components(self.table)
        self.mixed: set[int] = set()  # atoms that are a disjunction of moves of several roles
        self.counts = Counts(self.bodies, self.order)
        self.pairs = PairCounts(self.bodies, self.order, self._squares(care))
        self.counters: dict[int, Counter] = {}  # group to circuit
        self.count_groups: dict[frozenset[int], int] = {}  # atoms counted to group
        self.counted: dict[int, frozenset[int]] = {}  # and back

    def _squares(self, care: Care) -> list[tuple[tuple[int, ...], bool]]:
        """Groups of two or three bases, by their atoms."""
        bases = self.program.bases
        return [
            (tuple(bases[i].true for i in group.members), group.some) for group in care.groups if len(group.members) <= 3
        ]

    def _count_value(self, head: int) -> Value:
        """A counting atom is one value of its count's group, or of two."""
        if head in self.counts.of:
            number, n = self.counts.of[head]
            return SetValue((self._count_bit(self.counts.sets[number], n),))
        squares, n, m = self.pairs.of[head]
        one = self._count_bit(frozenset(self.pairs.first[k] for k in squares), n)
        two = self._count_bit(frozenset(self.pairs.second[k] for k in squares), m)
        return CubeValue(tuple(sorted([one, two])))

    def _count_bit(self, counted: frozenset[int], n: int) -> tuple[int, int]:
        """Group of a count and the mask of one value: bit n stands for n."""
        if counted not in self.count_groups:
            group = self._add_group([], (1 << (len(counted) + 1)) - 1, True)
            self.count_groups[counted] = group
            self.counted[group] = counted
        return self.count_groups[counted], 1 << n

    def _count_literal(self, group: int, mask: int) -> int:
        """Literal of a set of values of a count."""
        if group not in self.counters:
            literals = [self._literal(self._value_of(a)) for a in sorted(self.counted[group])]
            self.counters[group] = Counter(self.graph, literals)
        return self.counters[group].member(mask)

    # ---- leaves and groups -----------------------------------------------------------------------

    def _add_group(self, members: list[int], full: int, exact: bool) -> int:
        """The number of a new group; the values of a count are no leaves."""
        number = len(self.full)
        self.place.update({gate: (number, 1 << bit) for bit, gate in enumerate(members)})
        self.members.append(members)
        self.full.append(full)
        self.exact.append(exact)
        return number

    def _group_leaves(self, gates: Iterable[int], exact: bool) -> int:
        """The number of a new group of leaves."""
        members = sorted(gates)
        return self._add_group(members, (1 << len(members)) - 1, exact)

    def _leaves(self, care: Care) -> None:
        """Values of bases and inputs; each leaf is in at most one group."""
        program = self.program
        constant = dict.fromkeys(care.never, FALSE) | dict.fromkeys(care.always, TRUE)
        for group in sorted(care.groups, key=lambda g: (not g.some, -len(g.members), g.members)):
            members = [1 + i for i in group.members if i not in constant]
            free = [g for g in members if g not in self.place]
            if len(free) == len(members) and len(free) > 1:
                self._group_leaves(free, group.some)
            elif not group.some and len(free) > 1:
                self._group_leaves(free, False)
        for i, base in enumerate(program.bases):
            place = self.place.get(1 + i)
            self.value[base.true] = constant[i] if i in constant else 2 * (1 + i) if place is None else SetValue((place,))
        first = 1 + len(program.bases)
        joint = care.moves[0] if care.moves else ()
        if joint:
            self.move_groups.add(self._group_leaves([first + j for j in joint], True))
        roles: list[list[int]] = [[] for _ in program.roles]
        for j, pair in enumerate(program.inputs):
            roles[pair.role].append(j)
        inside = set(joint) if joint else set(range(len(program.inputs)))
        for row in roles:
            if not joint:
                self.move_groups.add(self._group_leaves([first + j for j in row], True))
            own = [j for j in row if j in inside]
            self.move_of.update({program.inputs[j].does: first + j for j in own})
            if len(own) < len(row):
                last = len(self.full) - 1
                rest = self.full[last] & ~sum(self.place[first + j][1] for j in own)
                others: Value = SetValue(((last, rest),)) if rest else FALSE
                self.value.update({program.inputs[j].does: others for j in row if j not in inside})

    def _value_of(self, atom: int) -> Value:
        """Value of an atom; one without rules never holds. A move's set is made anew: it takes as many bits as there
        are moves.
        """
        gate = self.move_of.get(atom)
        return self.value.get(atom, FALSE) if gate is None else SetValue((self.place[gate],))

    # ---- the whole program -----------------------------------------------------------------------

    def build(self) -> Net:
        """Legal moves first, since what they imply simplifies the rest."""
        program = self.program
        order = self.order
        table = self.table
        needed = set(np.flatnonzero(depends(table, [pair.legal for pair in program.inputs])).tolist())
        for stratum in order:
            if stratum[0] in needed:
                self._stratum(stratum)
        self._legal_implications()
        then = {base.next for base in program.bases} & self.bodies.keys()
        read = set(np.unique(np.abs(table.items)).tolist())
        unread = then - read
        last = sorted(a for a in unread - needed if a not in self.counts.of and a not in self.pairs.of)
        for stratum in order:
            if stratum[0] not in needed and (len(stratum) > 1 or stratum[0] not in unread):
                self._stratum(stratum)
        self._successors(last)
        asked = set(program.outputs)
        literals = {
            atom: self._literal(value)
            for atom, value in self.value.items()
            if atom in asked or not (atom in self.counts.of or isinstance(value, CubeValue))
        }
        literals.update({atom: 2 * gate for atom, gate in self.move_of.items()})
        net = net_of(program, self.graph.finished(), lambda atom: literals.get(atom, FALSE))
        return build_sets(net, {literal: self._gates(parts) for parts, literal in self.pseudo.items()})

    def _gates(self, parts: Parts) -> tuple[int, ...]:
        """The leaves of some sets, ascending."""
        return tuple(sorted(self.members[group][bit] for group, mask in parts for bit in bits_of(mask)))

    def _successors(self, heads: list[int]) -> None:
        """The `next` atoms, all at once: what moves carry is factored over many of them."""
        cubes = {head: self._merge(self._cubes(head, split=True)) for head in heads}
        for group in sorted(self.move_groups):
            terms: dict[int, dict[Rest, int]] = {}
            limit = self.full[group].bit_count() // 4
            for head, own in cubes.items():
                found: dict[Rest, int] = {}
                for plain, sets in own:
                    mask = next((mask for other, mask in sets if other == group), 0)
                    if mask and (plain or len(sets) > 1) and mask.bit_count() <= limit:
                        rest = plain, tuple([item for item in sets if item[0] != group])
                        found[rest] = found.get(rest, 0) | mask
                if len(found) > 1:
                    terms[head] = found
            for family in families(terms):
                self._factor(family, group, cubes)
        for head, own in cubes.items():
            self.value[head] = self._sum(self._unite_roles(own))

    def _factor(self, family: Family, group: int, cubes: dict[int, dict[Cube, None]]) -> None:
        """Replace the terms of a family by its bracket and the moves to each head."""
        inside: dict[Cube, None] = {
            (plain, tuple(sorted((*sets, (group, union))))): None for (plain, sets), union in family.unions.items()
        }
        bracket = self._literal(self._sum(inside))
        for head, terms in family.heads.items():
            total = 0
            for mask in terms.values():
                total |= mask
            kept: dict[Cube, None] = {}
            for plain, sets in cubes[head]:
                rest = (plain, tuple(item for item in sets if item[0] != group))
                if rest not in terms or dict(sets).get(group, 0) & ~terms[rest]:
                    kept[plain, sets] = None
            kept[frozenset([bracket]), ((group, total),)] = None
            cubes[head] = kept

    def _stratum(self, stratum: list[int]) -> None:
        negated = {-head for head in stratum}
        inside = negated.union(stratum)
        if all(inside.isdisjoint(body) for head in stratum for body in self.bodies[head]):
            for head in stratum:
                counted = head in self.counts.of or head in self.pairs.of
                value = self._count_value(head) if counted else self._sum(self._cubes(head))
                self.value[head] = value
                if isinstance(value, SetValue) and not value.negative and len(value.sets) > 1:
                    self.mixed.add(head)
            return
        if not all(negated.isdisjoint(body) for head in stratum for body in self.bodies[head]):
            raise CycleError([self.program.names[atom] for atom in stratum])
        gates = []
        for head in stratum:
            literal = self.graph.placeholder()
            self.value[head] = literal
            gates.append(literal >> 1)
        for head, gate in zip(stratum, gates, strict=True):
            self.graph.feedback[gate] = self._literal(self._sum(self._cubes(head)))
        self.graph.groups.append(gates)

    # ---- cubes -----------------------------------------------------------------------------------

    def _cubes(self, head: int, *, split: bool = False) -> dict[Cube, None]:
        """The bodies of a head as cubes, impossible ones left out.

        With `split`, a body with "some move of any role" becomes one cube for each role.
        """
        moves, others = self._moves_among(self.bodies[head])
        cubes: dict[Cube, None] = dict.fromkeys(moves)
        for body in others:
            if not split or self.mixed.isdisjoint(body):
                cube = self._cube(body)
                if cube is not None:
                    cubes[cube] = None
                continue
            mixed = next(x for x in body if x in self.mixed)
            value = self.value[mixed]
            assert isinstance(value, SetValue)
            rest = tuple([x for x in body if x != mixed])
            found = [self._cube(rest, part) for part in value.sets]
            cubes.update(dict.fromkeys(cube for cube in found if cube is not None))
        return cubes

    def _moves_among(self, bodies: list[tuple[int, ...]]) -> tuple[list[Cube], list[tuple[int, ...]]]:
        """What the bodies that are just one move each come to, a cube for each group; and the other bodies."""
        moves: dict[int, list[int]] = {}
        others = []
        for body in bodies:
            gate = self.move_of.get(body[0]) if len(body) == 1 else None
            if gate is None:
                others.append(body)
            else:
                group, mask = self.place[gate]
                moves.setdefault(group, []).append(mask.bit_length() - 1)
        return [(frozenset(), ((group, mask_of(bits)),)) for group, bits in moves.items()], others

    def _unite_roles(self, cubes: dict[Cube, None]) -> dict[Cube, None]:
        """Undo the split: the same rest beside moves of several roles is one product."""
        masks: dict[Cube, dict[int, int]] = {}
        kept: dict[Cube, None] = {}
        for plain, sets in cubes:
            moved = [item for item in sets if item[0] in self.move_groups]
            if len(moved) == 1:
                rest = tuple(item for item in sets if item[0] not in self.move_groups)
                masks.setdefault((plain, rest), {})[moved[0][0]] = moved[0][1]
            else:
                kept[plain, sets] = None
        for (plain, rest), found in masks.items():
            if len(found) == 1:
                kept[plain, tuple(sorted((*rest, *found.items())))] = None
            else:
                kept[plain | {self._or_literal(tuple(sorted(found.items())))}, rest] = None
        return kept

    def _cube(self, body: tuple[int, ...], part: tuple[int, int] | None = None) -> Cube | None:
        plain: set[int] = set()
        sets: dict[int, int] = dict([part] if part else [])
        for x in body:
            value = self._value_of(abs(x))
            if isinstance(value, CubeValue):
                if x > 0:
                    if not all(self._restrict(sets, plain, (part,), False) for part in value.sets):
                        return None
                    continue
                value = self._literal(value)
            if isinstance(value, int):
                literal = value ^ (x < 0)
                if literal == FALSE or literal ^ 1 in plain:
                    return None
                if literal != TRUE:
                    plain.add(literal)
            elif not self._restrict(sets, plain, value.sets, value.negative ^ (x < 0)):
                return None
        if sets and self.implied:
            self._drop_implied(plain, sets)
        return frozenset(plain), tuple(sorted(sets.items())) if len(sets) > 1 else tuple(sets.items())

    def _restrict(self, sets: dict[int, int], plain: set[int], parts: Parts, negative: bool) -> bool:
        """Conjoin a disjunction of sets (or its complement); False if nothing is left."""
        if not negative:
            if len(parts) > 1:
                plain.add(self._or_literal(parts))
                return True
            group, mask = parts[0]
            sets[group] = sets.get(group, self.full[group]) & mask
            if not self.exact[group] and sets[group] == self.full[group]:
                plain.add(self._or_literal(parts))  # "some member" says something here
            return sets[group] != 0
        for group, mask in parts:
            if self.exact[group] or group in sets:
                sets[group] = sets.get(group, self.full[group]) & ~mask
                if sets[group] == 0:
                    return False
            else:
                plain.add(self._or_literal(((group, mask),)) ^ 1)
        return True

    def _drop_implied(self, plain: set[int], sets: dict[int, int]) -> None:
        """Beside a move, whatever the legality of every such move implies is redundant."""
        for group in self.move_groups & sets.keys():
            mask = sets[group]
            if mask == self.full[group] or mask.bit_count() > 4096:
                continue
            literals, unions = self._all_imply(group, mask)
            plain -= literals
            for other in list(sets):
                if other not in self.move_groups and other in unions and not unions[other] & ~sets[other]:
                    del sets[other]

    def _all_imply(self, group: int, mask: int) -> Implied:
        """What the legality of each of some moves implies."""
        nothing: Implied = (frozenset(), {})
        gates = self.members[group]
        if mask & (mask - 1) == 0:
            return self.implied.get(gates[mask.bit_length() - 1], nothing)
        if (group, mask) not in self.common:
            if len(self.common) == _REMEMBERED:
                self.common.clear()
            found = [self.implied.get(gates[bit], nothing) for bit in bits_of(mask)]
            plain: frozenset[int] = frozenset.intersection(*[literals for literals, _ in found])
            unions = dict(found[0][1])
            for _, own in found[1:]:
                unions = {group: union | own[group] for group, union in unions.items() if group in own}
            self.common[group, mask] = plain, unions
        return self.common[group, mask]

    def _legal_implications(self) -> None:
        """What holds whenever a move is legal: literals of all its cubes, unions of their sets."""
        first = 1 + len(self.program.bases)
        implied: dict[int, Implied] = {}
        for j, pair in enumerate(self.program.inputs):
            value = self.value.get(pair.legal, FALSE)
            if pair.legal not in self.bodies or value == TRUE:
                continue
            cubes = list(self._merge(self._cubes(pair.legal)))
            if not cubes:
                continue
            plain = frozenset.intersection(*[cube[0] for cube in cubes])
            unions: dict[int, int] = {}
            shared = set.intersection(*[{g for g, _ in cube[1]} for cube in cubes])
            for _, sets in cubes:
                for group, mask in sets:
                    if group in shared:
                        unions[group] = unions.get(group, 0) | mask
            implied[first + j] = (plain, unions)
        self.implied, self.common = implied, {}

    def _merge(self, cubes: dict[Cube, None]) -> dict[Cube, None]:
        """Unite cubes that differ in one set only, absorb cubes inside others; moves first, then bases.

        What comes of several cubes takes the place of the first.
        """
        if len(cubes) < 2:
            return cubes
        place = {cube: number for number, cube in enumerate(cubes)}
        having: dict[int, dict[Cube, None]] = {}  # group to the cubes with a set of it
        for cube in cubes:
            for group, _ in cube[1]:
                having.setdefault(group, {})[cube] = None
        slots = sorted(having, key=lambda g: (g not in self.move_groups, g))
        before = 0
        while before != len(place) > 1:
            before = len(place)
            for group in slots:
                self._unite(group, place, having)
        return dict.fromkeys(sorted(place, key=place.__getitem__))

    def _unite(self, group: int, place: dict[Cube, int], having: dict[int, dict[Cube, None]]) -> None:
        """Unite the cubes that differ in their set of one group."""
        alike: dict[Cube, list[Cube]] = {}
        for cube in having[group]:
            rest = tuple([item for item in cube[1] if item[0] != group])
            alike.setdefault((cube[0], rest), []).append(cube)
        for (plain, rest), found in alike.items():
            whole = (plain, rest)
            union = 0
            for cube in found:
                union |= next(mask for g, mask in cube[1] if g == group)
            absorbed = whole in place or (union == self.full[group] and self.exact[group])
            if len(found) == 1 and not absorbed:
                continue
            first = min(place[cube] for cube in found)
            for cube in found:
                del place[cube]
                for g, _ in cube[1]:
                    del having[g][cube]
            made = whole if absorbed else (plain, tuple(sorted((*rest, (group, union)))))
            place[made] = min(first, place.get(made, first))
            for g, _ in made[1]:
                having[g][made] = None

    def _sum(self, cubes: dict[Cube, None]) -> Value:
        """The disjunction of cubes: a set where it is one, else a literal."""
        cubes = self._merge(cubes)
        if not cubes:
            return FALSE
        if any(not plain and not sets for plain, sets in cubes):
            return TRUE
        if len(cubes) == 1:
            plain, sets = next(iter(cubes))
            if not plain and len(sets) == 1:
                return self._value(sets)
            if not plain and all(group in self.counted for group, _ in sets):
                return CubeValue(sets)
        if all(not plain and len(sets) == 1 and sets[0][0] in self.move_groups for plain, sets in cubes):
            return self._value(tuple(sorted(sets[0] for _, sets in cubes)))
        products = [[*plain, *[self._or_literal((part,)) for part in sets]] for plain, sets in cubes]
        return self.graph.sum(products)

    # ---- values ----------------------------------------------------------------------------------

    def _value(self, parts: Parts) -> Value:
        """A disjunction of sets, one set by its smaller side."""
        if len(parts) == 1:
            ((group, mask),) = parts
            if mask == 0:
                return FALSE
            if self.exact[group]:
                other = self.full[group] & ~mask
                if other == 0:
                    return TRUE
                if other.bit_count() < mask.bit_count():
                    return SetValue(((group, other),), True)
        return SetValue(parts)

    def _or_literal(self, parts: Parts) -> int:
        """Literal of a disjunction of sets: a leaf, or a placeholder until the sets are built."""
        return self._literal(self._value(parts))

    def _literal(self, value: Value) -> int:
        if isinstance(value, int):
            return value
        if isinstance(value, CubeValue):
            return self.graph.conjunction([self._or_literal((part,)) for part in value.sets])
        sign = int(value.negative)
        if len(value.sets) == 1:
            ((group, mask),) = value.sets
            if group in self.counted:
                return self._count_literal(group, mask) ^ sign
            if mask & (mask - 1) == 0:
                return 2 * self.members[group][mask.bit_length() - 1] ^ sign
        if value.sets not in self.pseudo:
            self.pseudo[value.sets] = self.graph.placeholder()
        return self.pseudo[value.sets] ^ sign


def build_with_sets(program: GroundProgram, care: Care, limit: int = 20_000_000) -> Net:
    """The translation with multi-valued variables."""
    return SumBuilder(program, care, limit=limit).build()
