"""Three small variables and cubes over them, with what they mean: every assignment is tried."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from hypothesis import strategies as st

from ggp.circuits.multivalued.cubes import Cube
from ggp.circuits.multivalued.groups import Groups, Parts

MOVES, PIECES, MARKS = 0, 1, 2


def small_groups() -> Groups:
    """Three moves, a variable that has one of three values, and one that has one of two or none."""
    groups = Groups()
    groups.add_moves([7, 8, 9])
    groups.add([1, 2, 3], exact=True)
    groups.add([4, 5], exact=False)
    return groups


@dataclass(frozen=True)
class Assignment:
    """The value of each variable as a mask, 0 for none; and the literals that hold."""

    values: tuple[int, ...]
    literals: frozenset[int]

    def holds_part(self, parts: Parts) -> bool:
        """Does one of some sets hold?"""
        return any(self.values[group] & mask for group, mask in parts)

    def holds(self, cube: Cube) -> bool:
        return cube.plain <= self.literals and all(self.holds_part((part,)) for part in cube.sets)

    def holds_one(self, cubes: Iterable[Cube]) -> bool:
        return any(map(self.holds, cubes))


def assignments() -> Iterator[Assignment]:
    """All of them; the plain literals are 20 to 23."""
    for values in itertools.product((1, 2, 4), (1, 2, 4), (0, 1, 2)):
        for signs in itertools.product((0, 1), repeat=2):
            yield Assignment(values, frozenset(20 + 2 * n + sign for n, sign in enumerate(signs)))


def parts(*, least: int = 0) -> st.SearchStrategy[Parts]:
    """Sets of different variables."""
    masks = st.fixed_dictionaries(
        {}, optional={MOVES: st.integers(1, 7), PIECES: st.integers(1, 7), MARKS: st.integers(1, 3)}
    )
    return masks.map(lambda found: tuple(sorted(found.items()))).filter(lambda found: len(found) >= least)


def cubes() -> st.SearchStrategy[dict[Cube, None]]:
    """Some cubes in some order."""
    plain = st.frozensets(st.integers(20, 23), max_size=2)
    return st.lists(st.builds(Cube, plain, parts()), max_size=8).map(dict.fromkeys)
