"""One-hot groups as multi-valued variables: the leaves of which one holds are the values of one variable.

A set of values is a mask in *positional notation*: bit i is set where the i-th value is of the set. So conjunction is
intersection, disjunction union, and negation complement.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

from ggp.circuits.masks import bits_of
from ggp.circuits.solver import Care

Part: TypeAlias = tuple[int, int]
"""The number of a group, and a set of its values, which is not empty."""
Parts: TypeAlias = tuple[Part, ...]
"""Of different groups, in ascending order."""


class OneHot(NamedTuple):
    """A group as a variable.

    members   leaf gates, ascending: one for each value; the values of a count have none
    full      all values
    exact     does the variable always have one of them? Otherwise it may have none.
    """

    members: list[int]
    full: int
    exact: bool


class Groups:
    """The variables of a program: each leaf is a value of one of them at most.

    all      the groups by their numbers
    place    leaf gate to its group and its value there
    moves    groups of inputs: the moves of a role, or of all roles together
    """

    def __init__(self) -> None:
        self.all: list[OneHot] = []
        self.place: dict[int, Part] = {}
        self.moves: set[int] = set()

    def add(self, gates: Iterable[int], *, exact: bool) -> int:
        """The number of a new group of leaves."""
        number, members = len(self.all), sorted(gates)
        self.place.update({gate: (number, 1 << bit) for bit, gate in enumerate(members)})
        self.all.append(OneHot(members, (1 << len(members)) - 1, exact))
        return number

    def add_moves(self, gates: Iterable[int]) -> int:
        """The number of a new group of inputs, of which one is done in every joint move."""
        number = self.add(gates, exact=True)
        self.moves.add(number)
        return number

    def add_count(self, values: int) -> int:
        """The number of a new group for a count with so many values; they are no leaves."""
        self.all.append(OneHot([], (1 << values) - 1, True))
        return len(self.all) - 1

    def add_bases(self, care: Care) -> None:
        """Add the proved groups, the exact and the large ones first. Of one that is not exact, a part will do as well."""
        constant = {*care.never, *care.always}
        for group in sorted(care.groups, key=lambda g: (not g.exact, -len(g.members), g.members)):
            members = [1 + i for i in group.members if i not in constant]
            free = [gate for gate in members if gate not in self.place]
            if len(free) > 1 and (len(free) == len(members) or not group.exact):
                self.add(free, exact=group.exact)

    def leaves(self, parts: Parts) -> tuple[int, ...]:
        """The leaf gates of some sets, ascending."""
        return tuple(sorted(self.all[group].members[bit] for group, mask in parts for bit in bits_of(mask)))
