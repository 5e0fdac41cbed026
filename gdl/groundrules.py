"""The rules of a ground program in three arrays instead of a million tuples."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias, overload

GroundRule: TypeAlias = tuple[int, tuple[int, ...]]
"""Head, and body literals: +atom or -atom."""


@dataclass(frozen=True, eq=False)
class GroundRules(Sequence[GroundRule]):
    """Rule i has heads[i] for its head and literals[starts[i]:starts[i + 1]] for its body.

    As a sequence it is one of pairs, made anew each time: who goes through a large program often takes the arrays, which
    `numpy.asarray` reads as int32 without copying.

    >>> rules = GroundRules.of([(3, (1, -2)), (4, ())])
    >>> list(rules), rules.starts.tolist(), rules == ((3, (1, -2)), (4, ()))
    ([(3, (1, -2)), (4, ())], [0, 2, 2], True)
    """

    heads: array[int]
    starts: array[int]
    literals: array[int]

    @classmethod
    def of(cls, rules: Iterable[GroundRule]) -> GroundRules:
        """Pairs as arrays; arrays as they are."""
        if isinstance(rules, GroundRules):
            return rules
        made = cls(array("i"), array("i", [0]), array("i"))
        for head, body in rules:
            made.heads.append(head)
            made.literals.extend(body)
            made.starts.append(len(made.literals))
        return made

    def __len__(self) -> int:
        return len(self.heads)

    def __iter__(self) -> Iterator[GroundRule]:
        literals, starts = self.literals.tolist(), self.starts.tolist()
        for head, start, end in zip(self.heads.tolist(), starts, starts[1:], strict=False):
            yield head, tuple(literals[start:end])

    @overload
    def __getitem__(self, index: int) -> GroundRule: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[GroundRule, ...]: ...
    def __getitem__(self, index: int | slice) -> GroundRule | tuple[GroundRule, ...]:
        if isinstance(index, slice):
            return tuple([self[i] for i in range(*index.indices(len(self)))])
        index = range(len(self))[index]
        return self.heads[index], tuple(self.literals[self.starts[index] : self.starts[index + 1]])

    def __eq__(self, other: object) -> bool:
        if isinstance(other, GroundRules):
            return (self.heads, self.starts, self.literals) == (other.heads, other.starts, other.literals)
        return isinstance(other, tuple) and len(self) == len(other) and tuple(self) == other

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))
