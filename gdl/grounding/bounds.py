"""A bound on what grounding looks at, to tell what is surely small from what needs a process of its own.

Estimates (`estimates`) guess; this counts the worst case: for each rule, the partial instances of a join that always
takes the literal which adds the fewest. A literal adds at most the product of the domains of its new variables; where its
relation is given by facts, or has been ground before, it adds at most as many as there are that agree in what is bound.
(Clingo chooses its order in the same spirit.)

A bound is known only where each variable has a domain. Rules that carry terms below the arguments of fluents and moves
have none, so a recursion that builds terms has no bound.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from gdl.grounding.estimates import Key, find_domains, flat
from gdl.grounding.rules import Literal, Rule, Term, is_variable, relation, substitute, variables
from gdl.grounding.shapes import Shapes, find_shapes, variable_shapes

Place = tuple[str, int, int]
Table = npt.NDArray[np.uint64]
"""The instances of a relation, in columns of numbers that stand for terms."""
_CARRIERS = frozenset({("true", 1, 0), ("does", 2, 1)})
_MOST_PASSES, _WORTH_ANOTHER = 6, 0.7
"""Passes are made while each lowers the bound to this share of what it was."""
_MOST_SPELLED = 1_000
"""Variables for whole fluents are spelled out while that makes at most this many rules of one."""
_UNREAD = {("sees", 2), ("goal", 2)}
_FEEDS = {("next", 1): ("true", 1), ("init", 1): ("true", 1), ("legal", 2): ("does", 2)}


def work_bound(rules: Sequence[Rule], known: Mapping[Key, Table], enough: float = 0.0) -> float:
    """Partial instances of all rules; infinite where some domain is not known for certain.

    `known` has the instances of relations that have been ground before. No relation has more instances than its rules
    together, so that each pass over the rules makes the next one's bound better; a bound below `enough` is not improved.
    """
    spelled = _spelled(rules)
    if spelled is None:
        return math.inf
    rules = spelled
    domains = find_domains(rules)
    compound = set(_CARRIERS)
    for rule in rules:
        compound |= {place for place, argument in _places(rule.head) if isinstance(argument, tuple)}
    read = {flat(literal.atom)[0] for rule in rules for literal in rule.body}
    if not all(_is_plain(rule, domains, compound, read) for rule in rules):
        return math.inf
    tables = _Tables.of(rules, known)
    rows: dict[Key, float] = {}
    best = math.inf
    for _ in range(_MOST_PASSES):
        total = 0.0
        found: dict[Key, float] = {}
        for rule in rules:
            work, size = _join(rule, domains, tables, rows)
            total += work
            key = flat(rule.head)[0]
            found[key] = found.get(key, 0.0) + size
        if not enough < total < best * _WORTH_ANOTHER:
            return min(total, best)
        best, rows = total, found
    return best


def _spelled(rules: Sequence[Rule]) -> list[Rule] | None:
    """The rules with constants for variables that stand for whole fluents or moves; None if they may be more."""
    shapes: Shapes | None = None
    result: list[Rule] = []
    for rule in rules:
        atoms = [rule.head, *[literal.atom for literal in rule.body]]
        whole = [x for atom in atoms for place, x in _places(atom) if place in _CARRIERS and is_variable(x)]
        if not whole:
            result.append(rule)
            continue
        shapes = shapes or find_shapes(rules)
        known = variable_shapes(rule, shapes)
        names = [name for name in dict.fromkeys(whole) if isinstance(name, str)]
        if any(name not in known or any(arity >= 0 for _, arity in known[name]) for name in names):
            return None
        if math.prod([len(known[name]) for name in names]) > _MOST_SPELLED:
            return None
        for constants in itertools.product(*[sorted(known[name]) for name in names]):
            values: dict[str, Term] = {name: constant for name, (constant, _) in zip(names, constants, strict=True)}
            body = tuple([Literal(substitute(x.atom, values), x.positive) for x in rule.body])
            result.append(Rule(substitute(rule.head, values), body))
    return result


def _places(atom: Term) -> list[tuple[Place, Term]]:
    """The arguments of an atom, with `next` and `init` read as `true` and `legal` as `does`."""
    if isinstance(atom, str):
        return []
    key = relation(atom)
    return [((*_FEEDS.get(key, key), number), argument) for number, argument in enumerate(atom[1:])]


def _is_plain(rule: Rule, domains: Mapping[Key, Sequence[set[str]]], compound: set[Place], read: set[Key]) -> bool:
    """Are the variables names of constants, all of which the domains have?"""
    bound: set[str] = set()
    for literal in rule.body:
        if not literal.binds:
            continue
        if any(is_variable(argument) and place in compound for place, argument in _places(literal.atom)):
            return False
        key, arguments = flat(literal.atom)
        if key not in domains:
            return True  # it never applies
        if any(isinstance(argument, tuple) and any(variables(argument)) for argument in arguments):
            return False
        bound |= set(variables(literal.atom))
    key, arguments = flat(rule.head)
    if key not in read and relation(rule.head) in _UNREAD:
        return True
    if any(is_variable(argument) and place in compound for place, argument in _places(rule.head)):
        return False
    return all(isinstance(x, str) and (x in bound or not is_variable(x)) for x in arguments)


@dataclass
class _Tables:
    """The relations whose instances are known, and how many of these agree in some of their positions."""

    tables: dict[Key, Table]
    degrees: dict[tuple[Key, tuple[int, ...]], float] = field(default_factory=dict)

    @classmethod
    def of(cls, rules: Sequence[Rule], known: Mapping[Key, Table]) -> _Tables:
        """Those that are known already, and those that facts alone define."""
        rows: dict[Key, list[list[int]]] = {}
        numbers: dict[Term, int] = {}
        for rule in rules:
            key, arguments = flat(rule.head)
            rows.setdefault(key, []).append([numbers.setdefault(x, len(numbers)) for x in arguments])
        for rule in rules:
            if rule.body or any(variables(rule.head)):
                rows.pop(flat(rule.head)[0], None)
        return cls({key: np.array(facts, dtype=np.uint64) for key, facts in rows.items()} | dict(known))

    def degree(self, key: Key, bound: tuple[int, ...]) -> float:
        """The most instances that have the same arguments at the bound positions; infinite if that is not known."""
        table = self.tables.get(key)
        if table is None:
            return math.inf
        known = self.degrees.get((key, bound))
        if known is None:
            groups = np.zeros(len(table), np.int64)
            for position in bound:
                values, numbers = np.unique(table[:, position], return_inverse=True)
                _, groups = np.unique(groups * len(values) + numbers, return_inverse=True)
            known = self.degrees[key, bound] = float(np.bincount(groups).max(initial=0))
        return known


def _join(
    rule: Rule, domains: Mapping[Key, Sequence[set[str]]], tables: _Tables, rows: Mapping[Key, float]
) -> tuple[float, float]:
    """Partial instances of the join of a body, all steps together, and those of the last step.

    `rows` has how many instances some relations have at most.
    """
    waiting = [(literal, *flat(literal.atom)) for literal in rule.body if literal.binds]
    if any(key not in domains for _, key, _ in waiting):
        return 1.0, 0.0
    bound: set[Term] = set()

    def adds(item: tuple[Literal, Key, tuple[Term, ...]]) -> float:
        _, key, arguments = item
        fixed = tuple([i for i, x in enumerate(arguments) if x in bound or not is_variable(x)])
        widths: dict[Term, int] = {}
        for x, domain in zip(arguments, domains[key], strict=True):
            if is_variable(x) and x not in bound:
                widths[x] = min(len(domain), widths.get(x, len(domain)))
        return min(float(math.prod(widths.values())), tables.degree(key, fixed), rows.get(key, math.inf))

    total, size = 1.0, 1.0
    while waiting:
        factors = [adds(item) for item in waiting]
        least = factors.index(min(factors))
        size *= factors[least]
        total += size
        bound |= set(variables(waiting.pop(least)[0].atom))
    return total, size
