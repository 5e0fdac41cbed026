"""What a move carries: factor sums of (something here) and (a move from here to there) over many heads.

A piece that stays the same piece when it moves gives, for every target t, next(t) = OR over s of A(s) and
M(s,t): as many products as there are moves, for every kind of piece. Exactly one move is done, so with U(s)
= all moves from s and T(t) = all moves to t, and U(s) and T(t) having just M(s,t) in common,

    next(t) = T(t) and (OR over s of A(s) and U(s)),

where the bracket, "the thing that moves is of this kind", is one for all targets. A *family* is a set of
heads that may share a bracket; families are grown greedily and every condition is checked on the sets
themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ggp.circuits.multivalued.cubes import Cube


@dataclass
class Family:
    """Heads with, for each, the move set beside each rest: a *rest* is a cube without its move set.

    unions   U: every move beside a rest in any head
    total    every move to any head
    others   of each rest in U, every move to a head that is not beside the rest there; of any other rest it is the total
    """

    heads: dict[int, dict[Cube, int]]
    unions: dict[Cube, int]
    total: int
    others: dict[Cube, int]
    number: int

    @classmethod
    def of(cls, head: int, terms: dict[Cube, int], number: int) -> Family:
        """A head alone."""
        total = 0
        for mask in terms.values():
            total |= mask
        return cls({head: terms}, terms, total, {rest: total & ~mask for rest, mask in terms.items()}, number)

    def _meets(self, other: Family) -> bool:
        """Does a head of this family meet a U of the other in more than its own move set?"""
        total, others = self.total, self.others
        return any(union & others.get(rest, total) for rest, union in other.unions.items())

    def united(self, other: Family, number: int) -> Family | None:
        """Both together; nothing unless every head meets every U in just its own move set."""
        if self._meets(other) or other._meets(self):
            return None
        unions, others = dict(self.unions), {}
        for rest, union in other.unions.items():
            unions[rest] = unions.get(rest, 0) | union
        for rest in unions:
            others[rest] = self.others.get(rest, self.total) | other.others.get(rest, other.total)
        return Family({**self.heads, **other.heads}, unions, self.total | other.total, others, number)

    @property
    def gain(self) -> int:
        """Products saved, roughly."""
        products = sum(len(terms) for terms in self.heads.values())
        return products - len(self.unions) - len(self.heads)


def families(terms: Mapping[int, dict[Cube, int]]) -> list[Family]:
    """Families worth factoring: start with single heads, merge along shared rests, most shared first."""
    owner: dict[int, Family] = {}
    readers: dict[Cube, list[int]] = {}
    for head, own in terms.items():
        if len(own) > 1:
            owner[head] = Family.of(head, own, len(owner))
            for rest in own:
                readers.setdefault(rest, []).append(head)
    refused: set[tuple[int, int]] = set()
    made = len(terms)
    for rest in sorted(readers, key=lambda r: (-len(readers[r]), readers[r], sorted(r.plain), r.sets)):
        heads = readers[rest]
        for head in heads[1:]:
            one, two = owner[heads[0]], owner[head]
            if one is two or (one.number, two.number) in refused:
                continue
            made += 1
            both = one.united(two, made)
            if both is not None:
                for member in both.heads:
                    owner[member] = both
            else:
                refused.add((one.number, two.number))
    unique = {family.number: family for family in owner.values()}
    return [family for family in unique.values() if family.gain > 0]
