"""Demand transformation (magic sets): ground a relation only for the arguments somebody asks about.

Some rulesheets count with an accumulator, `(loop ?square ?seen ?total)`, which bottom-up grounding would
make for every possible `?seen`; some define a relation by rules whose head variables only the callers bind.
For such relations a guard relation is added: it holds for the bound arguments of every call, and every
defining rule gets it as a further literal. Guards restrict what is grounded, never what is true: the
grounder drops them from the ground bodies.
"""

from __future__ import annotations

from collections.abc import Sequence

from gdl.grounding.estimates import Sizes
from gdl.grounding.rules import GUARD, Literal, Rule, Term, relation, unbound, variables

Key = tuple[str, int]
LIMIT = 3e7
"""Recursive relations whose rules are estimated to have more instances than this are guarded [instances]."""

CALLS = 1e6
"""A relation that would be asked about from wider joins than this is better grounded whole [instances]."""

KEYWORDS = frozenset(
    {("next", 1), ("legal", 2), ("goal", 2), ("terminal", 0), ("sees", 2), ("init", 1), ("role", 1),
     ("true", 1), ("does", 2), ("base", 1), ("input", 2)}
)  # fmt: skip


def reaches_itself(key: Key, rules: Sequence[Rule]) -> bool:
    """Does the relation depend on itself?"""
    seen: set[Key] = set()
    stack = [key]
    while stack:
        current = stack.pop()
        for rule in rules:
            if relation(rule.head) != current:
                continue
            for literal in rule.body:
                other = relation(literal.atom)
                if other == key:
                    return True
                if other not in seen:
                    seen.add(other)
                    stack.append(other)
    return False


def bind_roles(rules: Sequence[Rule]) -> list[Rule]:
    """`(goal ?p 80)` with a free ?p means every role: say so."""
    result = []
    for rule in rules:
        if relation(rule.head) in {("goal", 2), ("legal", 2), ("sees", 2)}:
            assert isinstance(rule.head, tuple)
            if rule.head[1] in unbound(rule):
                rule = Rule(rule.head, (Literal(("role", rule.head[1])), *rule.body))
        result.append(rule)
    return result


def add_guards(rules: Sequence[Rule], sizes: Sizes) -> list[Rule]:
    """The rules with guards where they are needed; the same rules if none are."""
    unsafe = {relation(rule.head) for rule in rules if unbound(rule)}
    large = {relation(rule.head) for rule in rules if sizes.join(rule.body) > LIMIT}
    chosen = (unsafe | {key for key in large if reaches_itself(key, rules)}) - KEYWORDS
    chosen -= {key for key in chosen - unsafe if _widest_call(key, rules, chosen, sizes) > CALLS}
    if not chosen:
        return list(rules)
    bound = _bound_positions(rules, chosen)
    bound = {key: positions for key, positions in bound.items() if positions}
    result: list[Rule] = []
    for rule in rules:
        own = _guard(rule.head, bound)
        result.append(Rule(rule.head, (own, *rule.body)) if own else rule)
        for number, literal in enumerate(rule.body):
            asked = _guard(literal.atom, bound)
            if asked:
                callers = [own] if own else []
                callers += _binders(rule, number, bound)
                new = Rule(asked.atom, tuple(callers))
                if new.body != (asked,):
                    result.append(new)
    return list(dict.fromkeys(result))


def _widest_call(key: Key, rules: Sequence[Rule], chosen: set[Key], sizes: Sizes) -> float:
    """The largest join that asks for the relation from outside."""
    widest = 0.0
    for rule in rules:
        if relation(rule.head) != key and any(relation(x.atom) == key for x in rule.body):
            callers = [x for x in rule.body if x.binds and relation(x.atom) not in chosen]
            widest = max(widest, sizes.join(callers))
    return widest


def _guard(atom: Term, bound: dict[Key, list[int]]) -> Literal | None:
    """The guard literal of an atom, if its relation is guarded."""
    key = relation(atom)
    if key not in bound or not isinstance(atom, tuple):
        return None
    return Literal((f"{GUARD}{key[0]}/{key[1]}", *[atom[1 + position] for position in bound[key]]))


def _binders(rule: Rule, call: int, bound: dict[Key, list[int]]) -> list[Literal]:
    """What may bind the arguments of a call: the other positive literals that are not guarded themselves."""
    literals = []
    known: set[str] = set()
    for number, literal in enumerate(rule.body):
        if number != call and literal.binds and relation(literal.atom) not in bound:
            literals.append(literal)
            known |= set(variables(literal.atom))
    own = _guard(rule.head, bound)
    known |= set(variables(own.atom)) if own else set()
    return literals + [x for x in rule.body if x.is_distinct and set(variables(x.atom)) <= known]


def _bound_positions(rules: Sequence[Rule], chosen: set[Key]) -> dict[Key, list[int]]:
    """Positions bound at every call: the greatest fixpoint."""
    bound = {key: list(range(key[1])) for key in sorted(chosen)}
    changed = True
    while changed:
        changed = False
        for rule in rules:
            for number, literal in enumerate(rule.body):
                key = relation(literal.atom)
                if key not in bound or not isinstance(literal.atom, tuple):
                    continue
                known = {v for x in _binders(rule, number, bound) if x.binds for v in variables(x.atom)}
                own = _guard(rule.head, bound)
                known |= set(variables(own.atom)) if own else set()
                keep = [i for i in bound[key] if set(variables(literal.atom[1 + i])) <= known]
                if keep != bound[key]:
                    bound[key] = keep
                    changed = True
    return bound
