"""Rules: a head that holds if every formula of its body holds.

A formula is an atom, or `Not`, `Distinct`, `And` or `Or` of formulas, as it was written; `gdl.normalize` brings rules
into the narrower form that engines want.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from gdl.terms import Atom, Compound, Symbol, Term, Variable, kif, variables

Relation: TypeAlias = tuple[str, int]
"""A relation's name and its number of arguments."""


@dataclass(frozen=True, slots=True)
class Not:
    """Holds where its formula does not."""

    formula: Formula
    at: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Distinct:
    """Holds where two terms differ."""

    left: Term
    right: Term
    at: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class And:
    """Holds where all of its formulas do."""

    parts: tuple[Formula, ...]
    at: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Or:
    """Holds where one of its formulas does."""

    branches: tuple[Formula, ...]
    at: int = field(default=-1, compare=False, repr=False)


Formula: TypeAlias = Symbol | Compound | Not | Distinct | And | Or


@dataclass(frozen=True, slots=True)
class Rule:
    """A head and its body; a fact has an empty body."""

    head: Atom
    body: tuple[Formula, ...] = ()
    at: int = field(default=-1, compare=False, repr=False)

    def __str__(self) -> str:
        if not self.body:
            return kif(self.head)
        return f"(<= {kif(self.head)} {' '.join(map(formula_text, self.body))})"


def relation(atom: Atom) -> Relation:
    """The relation of an atom.

    >>> relation(Symbol("terminal"))
    ('terminal', 0)
    """
    return (atom.name, len(atom.arguments)) if isinstance(atom, Compound) else (atom.name, 0)


def formula_text(formula: Formula) -> str:
    """The canonical text of a formula."""
    match formula:
        case Not(inner):
            return f"(not {formula_text(inner)})"
        case Distinct(left, right):
            return f"(distinct {kif(left)} {kif(right)})"
        case And(parts):
            return f"(and {' '.join(map(formula_text, parts))})"
        case Or(branches):
            return f"(or {' '.join(map(formula_text, branches))})"
        case _:
            return kif(formula)


def parts(formula: Formula, positive: bool = True) -> Iterator[tuple[Symbol | Compound | Distinct, bool]]:
    """The atoms and distincts of a formula in the order of the text, each with whether it stands unnegated."""
    match formula:
        case Not(inner):
            yield from parts(inner, not positive)
        case And(inners) | Or(inners):
            for inner in inners:
                yield from parts(inner, positive)
        case _:
            yield formula, positive


def body_parts(rule: Rule) -> Iterator[tuple[Symbol | Compound | Distinct, bool]]:
    """`parts` of all formulas of a rule's body."""
    for formula in rule.body:
        yield from parts(formula)


def body_atoms(rule: Rule) -> Iterator[tuple[Atom, bool]]:
    """The atoms of a rule's body, each with whether it stands unnegated."""
    for part, positive in body_parts(rule):
        if not isinstance(part, Distinct):
            yield part, positive


def formula_variables(formula: Formula) -> Iterator[Variable]:
    """The variables of a formula in the order of the text."""
    for part, _ in parts(formula):
        if isinstance(part, Distinct):
            yield from variables(part.left)
            yield from variables(part.right)
        else:
            yield from variables(part)
