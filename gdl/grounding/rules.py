"""What the grounder works on: rules whose bodies are flat lists of literals.

A term is a string (a variable when it starts with `?`, else a constant) or a tuple `(functor, argument,
...)`. Relations without arguments are plain strings: `(terminal)` and `terminal` are one atom.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

Term: TypeAlias = str | tuple["Term", ...]

GUARD = "guard#"
"""Prefix of relations that only restrict what is grounded: dropped from ground bodies as if always true."""
ANSWERED = GUARD + "answered#"
"""Prefix of those whose arguments may be bound by the answers to other calls: what they hold for may have no end."""


@dataclass(frozen=True)
class Literal:
    """An atom or its negation; the atom `("distinct", a, b)` is built in."""

    atom: Term
    positive: bool = True

    @property
    def is_distinct(self) -> bool:
        """Is this `distinct` (or its negation, an equality)?"""
        return isinstance(self.atom, tuple) and self.atom[0] == "distinct"

    @property
    def binds(self) -> bool:
        """Does a join over this literal give its variables values?"""
        return self.positive and not self.is_distinct


@dataclass(frozen=True)
class Rule:
    """`head` holds when every literal of `body` does."""

    head: Term
    body: tuple[Literal, ...] = ()


def is_variable(term: Term) -> bool:
    """Whether a term is a variable.

    >>> is_variable("?x"), is_variable("x")
    (True, False)
    """
    return isinstance(term, str) and term.startswith("?")


def variables(term: Term) -> Iterator[str]:
    """The variables of a term, left to right, with repetitions."""
    if isinstance(term, str):
        if term.startswith("?"):
            yield term
    else:
        for argument in term[1:]:
            yield from variables(argument)


def variables_of(literals: Iterable[Literal]) -> set[str]:
    """All variables of some literals."""
    return {v for literal in literals for v in variables(literal.atom)}


def unbound(rule: Rule) -> list[str]:
    """The variables of a rule that no literal of its body gives a value, those of the head first."""
    bound = {v for literal in rule.body if literal.binds for v in variables(literal.atom)}
    found = dict.fromkeys([*variables(rule.head), *sorted(variables_of(rule.body))])
    return [v for v in found if v not in bound]


def relation(atom: Term) -> tuple[str, int]:
    """Name and number of arguments.

    >>> relation(("cell", "1", "?y"))
    ('cell', 2)
    """
    if isinstance(atom, str):
        return atom, 0
    name = atom[0]
    assert isinstance(name, str)
    return name, len(atom) - 1


def substitute(term: Term, values: dict[str, Term]) -> Term:
    """The term with its variables replaced."""
    if isinstance(term, str):
        return values.get(term, term)
    return (term[0], *[substitute(argument, values) for argument in term[1:]])


def renamed(rule: Rule, suffix: str) -> Rule:
    """The rule with variables no other rule has."""
    names: dict[str, Term] = {v: f"{v}#{suffix}" for v in {*variables(rule.head), *variables_of(rule.body)}}
    body = tuple([Literal(substitute(x.atom, names), x.positive) for x in rule.body])
    return Rule(substitute(rule.head, names), body)


def text(term: Term) -> str:
    """KIF text.

    >>> text(("cell", "1", "x"))
    '(cell 1 x)'
    """
    return term if isinstance(term, str) else "(" + " ".join(map(text, term)) + ")"
