"""Places, and what can stand in them: names, and functions that have places inside.

A *place* is an argument of a relation, or of a function that stands in a place. What binds a variable of a rule are
*sources*: places that conditions read. (Both words mean something else of texts: see `gdl.source`.)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from gdl.normalize import literals_of
from gdl.rules import Distinct, Formula, Not, Or, Relation, relation
from gdl.terms import Atom, Compound, Symbol, Term, Variable, arguments

DEPTH = 4
"""Functions nested deeper than this are not looked into: anything can stand there."""


@dataclass(slots=True)
class Place:
    """What can stand in one place."""

    depth: int = 0
    anything: bool = False
    names: set[str] = field(default_factory=set)
    functions: dict[Relation, tuple[Place, ...]] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """True if nothing can stand here."""
        return not (self.anything or self.names or self.functions)

    def inside(self, function: Relation) -> tuple[Place, ...]:
        """The places inside a function, which can stand here from now on."""
        found = self.functions.get(function)
        if found is None:
            depth = self.depth + 1
            found = tuple(Place(depth, depth >= DEPTH) for _ in range(function[1]))
            self.functions[function] = found
        return found

    def add(self, other: Place) -> bool:
        """Let all stand here that stands in another place. Was anything new?"""
        if self.anything or self is other:
            return False
        if other.anything:
            self.anything = True
            return True
        before = len(self.names) + len(self.functions)
        self.names |= other.names
        inner = [
            mine.add(theirs)
            for function, places in list(other.functions.items())
            for mine, theirs in zip(self.inside(function), places, strict=True)
        ]
        return any(inner) or before != len(self.names) + len(self.functions)

    def meet(self, other: Place) -> Place:
        """What stands both here and there."""
        if self.anything or other.anything:
            return other if self.anything else self
        both = {
            function: tuple(mine.meet(theirs) for mine, theirs in zip(places, other.functions[function], strict=True))
            for function, places in self.functions.items()
            if function in other.functions
        }
        return Place(self.depth, names=self.names & other.names, functions=both)


ANYTHING = Place(anything=True)
NOTHING = Place()

Step: TypeAlias = tuple[Relation, int]
"""An argument of a relation or of a function, counted from 0."""


@dataclass(frozen=True, slots=True)
class Read:
    """A variable in a positive condition: the steps that lead to its place."""

    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Either:
    """A variable that every branch of an `or` binds."""

    branches: tuple[tuple[Source, ...], ...]


@dataclass(frozen=True, slots=True)
class Same:
    """A variable that a negated `distinct` makes equal to a name."""

    name: str


Source: TypeAlias = Read | Either | Same


def sources(literals: Iterable[Formula]) -> dict[Variable, tuple[Source, ...]]:
    """What binds each variable of literals in normal form."""
    found: dict[Variable, tuple[Source, ...]] = {}
    for literal in literals:
        for variable, source in _bindings(literal):
            found[variable] = (*found.get(variable, ()), source)
    return found


def _bindings(literal: Formula) -> Iterator[tuple[Variable, Source]]:
    match literal:
        case Or(branches):
            each = [sources(literals_of(branch)) for branch in branches]
            for variable in each[0]:
                if all(variable in branch for branch in each):
                    yield variable, Either(tuple(branch[variable] for branch in each))
        case Not(Distinct(Variable() as variable, Symbol(name)) | Distinct(Symbol(name), Variable() as variable)):
            yield variable, Same(name)
        case Symbol() | Compound():
            for variable, steps in variable_steps(literal):
                yield variable, Read(steps)


def variable_steps(atom: Atom) -> Iterator[tuple[Variable, tuple[Step, ...]]]:
    """The variables of an atom, each with the steps that lead to it."""
    stack: list[tuple[Term, tuple[Step, ...]]] = [(atom, ())]
    while stack:
        term, steps = stack.pop()
        if isinstance(term, Variable):
            yield term, steps
        elif len(steps) <= DEPTH:
            of = relation(term)
            stack.extend((inner, (*steps, (of, i))) for i, inner in enumerate(arguments(term)))


def relations_read(sources: Iterable[Source]) -> Iterator[Relation]:
    """The relations whose places some sources are."""
    for source in sources:
        if isinstance(source, Read):
            yield source.steps[0][0]
        elif isinstance(source, Either):
            for branch in source.branches:
                yield from relations_read(branch)
