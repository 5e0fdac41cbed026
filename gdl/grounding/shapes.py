"""Expand whole-term variables: `(legal ?r ?m)` from `(legal2 ?r ?m)` becomes one rule per functor that ?m
can have.

Afterwards a relation that carries moves or fluents is as easy to estimate and to split as one that carries
constants. Only the outermost functor is looked at, and a variable whose shapes are not known for certain is
left alone.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TypeAlias

from gdl.grounding.rules import Literal, Rule, Term, is_variable, relation, substitute, variables

Shape: TypeAlias = tuple[str, int]
"""Functor and number of arguments; a constant is its own functor with -1 arguments."""

CONSTANT = -1
LIMIT = 40
"""A variable with more shapes than this is left alone."""

Shapes: TypeAlias = dict[tuple[str, int, int], set[Shape] | None]
"""What can stand in an argument of a relation; None where that is not known."""

_FEEDS = {("next", 1): ("true", 1), ("init", 1): ("true", 1), ("legal", 2): ("does", 2)}


def place(atom: Term) -> tuple[str, int]:
    """Relation, with `next` and `init` read as `true` and `legal` as `does`."""
    key = relation(atom)
    return _FEEDS.get(key, key)


def find_shapes(rules: Sequence[Rule]) -> Shapes:
    """Shapes of every argument position; not known where a variable comes from the inside of a term."""
    shapes: Shapes = {}
    changed = True
    while changed:
        changed = False
        for rule in rules:
            if not isinstance(rule.head, tuple):
                continue
            known = variable_shapes(rule, shapes)
            name, arity = place(rule.head)
            for position, argument in enumerate(rule.head[1:]):
                target = shapes.setdefault((name, arity, position), set())
                if target is None:
                    continue
                if is_variable(argument):
                    assert isinstance(argument, str)
                    if argument not in known:
                        shapes[name, arity, position] = None
                        changed = True
                        continue
                    new = known[argument]
                elif isinstance(argument, str):
                    new = {(argument, CONSTANT)}
                else:
                    assert isinstance(argument[0], str)
                    new = {(argument[0], len(argument) - 1)}
                if not new <= target:
                    target |= new
                    changed = True
    return shapes


def variable_shapes(rule: Rule, shapes: Shapes) -> dict[str, set[Shape]]:
    """What each variable that is a whole argument of a positive literal can be, as far as that is known."""
    known: dict[str, set[Shape]] = {}
    for literal in rule.body:
        if not literal.binds or not isinstance(literal.atom, tuple):
            continue
        name, arity = place(literal.atom)
        for position, argument in enumerate(literal.atom[1:]):
            if isinstance(argument, str) and argument.startswith("?"):
                possible = shapes.get((name, arity, position), set())
                if possible is None:
                    continue
                known[argument] = known[argument] & possible if argument in known else set(possible)
    return known


def expand_shapes(rules: Sequence[Rule]) -> list[Rule]:
    """The same rules with compound whole-term variables replaced by their possible shapes."""
    shapes = find_shapes(rules)
    if not any(arity >= 0 for found in shapes.values() for _, arity in found or ()):
        return list(rules)
    result: list[Rule] = []
    for rule in rules:
        result += _expand(rule, shapes)
    return result


def _expand(rule: Rule, shapes: Shapes) -> list[Rule]:
    """One rule for each combination of shapes of its compound variables."""
    known = variable_shapes(rule, shapes)
    compound = [v for v, found in known.items() if any(arity >= 0 for _, arity in found)]
    choices = [sorted(known[v]) for v in compound]
    total = 1
    for options in choices:
        total *= len(options)
    if not compound or not 0 < total <= LIMIT:
        return [rule]
    taken = set(variables(rule.head)) | {v for x in rule.body for v in variables(x.atom)}
    result = []
    for combination in itertools.product(*choices):
        values: dict[str, Term] = {}
        for name, (functor, arity) in zip(compound, combination, strict=True):
            fresh = [f"{name}.{i}" for i in range(arity)] if arity >= 0 else []
            assert not taken & set(fresh)
            values[name] = (functor, *fresh) if arity >= 0 else functor
        body = tuple(Literal(substitute(x.atom, values), x.positive) for x in rule.body)
        result.append(Rule(substitute(rule.head, values), body))
    return result
