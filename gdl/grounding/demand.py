"""Demand transformation (magic sets): ground a relation only for the arguments somebody asks about.

Some rulesheets count with an accumulator, `(loop ?square ?seen ?total)`, which bottom-up grounding would
make for every possible `?seen`; some define a relation by rules whose head variables only the callers bind.
For such relations a guard relation is added: it holds for the bound arguments of every call, and every
defining rule gets it as a further literal. Guards restrict what is grounded, never what is true: the
grounder drops them from the ground bodies.

Where that does not bind all variables, the answers to one call may bind the arguments of the next, as Prolog does it:
lists are taken apart and put together in this way. It may have no end, so the engine allows it fewer rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gdl.grounding.estimates import Sizes
from gdl.grounding.rules import ANSWERED, GUARD, Literal, Rule, Term, relation, unbound, variables

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
    guarded = _guarded(rules, _Calls(rules, chosen))
    if any(unbound(rule) for rule in guarded):
        passing = _guarded(rules, _Calls(rules, _askers(rules, unsafe) - KEYWORDS, passing=True))
        if not any(unbound(rule) for rule in passing):
            return passing
    return guarded


def _guarded(rules: Sequence[Rule], calls: _Calls) -> list[Rule]:
    """The rules with guards for the relations that have bound arguments at every call."""
    result: list[Rule] = []
    for rule in rules:
        own = calls.guard(rule.head)
        result.append(Rule(rule.head, (own, *rule.body)) if own else rule)
        for asked, callers in calls.of(rule):
            new = Rule(asked.atom, tuple(callers))
            if new.body != (asked,):
                result.append(new)
    return list(dict.fromkeys(result))


def _askers(rules: Sequence[Rule], asked: set[Key]) -> set[Key]:
    """Relations that depend on some, and these."""
    found = set(asked)
    while True:
        more = {relation(rule.head) for rule in rules if any(relation(x.atom) in found for x in rule.body)}
        if more <= found:
            return found
        found |= more


def _widest_call(key: Key, rules: Sequence[Rule], chosen: set[Key], sizes: Sizes) -> float:
    """The largest join that asks for the relation from outside."""
    widest = 0.0
    for rule in rules:
        if relation(rule.head) != key and any(relation(x.atom) == key for x in rule.body):
            callers = [x for x in rule.body if x.binds and relation(x.atom) not in chosen]
            widest = max(widest, sizes.join(callers))
    return widest


class _Calls:
    """Where guarded relations are asked about, and what binds their arguments there."""

    def __init__(self, rules: Sequence[Rule], chosen: set[Key], *, passing: bool = False) -> None:
        """Positions bound at every call: the greatest fixpoint. With `passing`, the answers to one call may bind the
        arguments of another, as `?c` in `(append ?a ?b ?c) (member ?x ?c)`.
        """
        self.passing = passing
        self.bound = {key: list(range(key[1])) for key in sorted(chosen)}
        changed = True
        while changed:
            changed = False
            for rule in rules:
                for literal, binders in self._ordered(rule):
                    known = {v for x in binders if x.binds for v in variables(x.atom)}
                    key = relation(literal.atom)
                    keep = [i for i in self.bound[key] if set(variables(literal.atom[1 + i])) <= known]
                    if keep != self.bound[key]:
                        self.bound[key] = keep
                        changed = True
        self.bound = {key: positions for key, positions in self.bound.items() if positions}

    def guard(self, atom: Term) -> Literal | None:
        """The guard literal of an atom, if its relation is guarded."""
        key = relation(atom)
        if not self.bound.get(key) or not isinstance(atom, tuple):
            return None
        prefix = ANSWERED if self.passing else GUARD
        return Literal((f"{prefix}{key[0]}/{key[1]}", *[atom[1 + position] for position in self.bound[key]]))

    def of(self, rule: Rule) -> Iterator[tuple[Literal, list[Literal]]]:
        """The guard of each call in a rule, and the literals that bind it."""
        for literal, binders in self._ordered(rule):
            asked = self.guard(literal.atom)
            if asked:
                yield asked, binders

    def _ordered(self, rule: Rule) -> Iterator[tuple[Literal, list[Literal]]]:
        """The calls, and for each the other positive literals that are not guarded themselves; those are, too, whose
        answers are passed on.
        """
        own = self.guard(rule.head)
        first = [own] if own else []
        waiting = [x for x in rule.body if relation(x.atom) in self.bound and isinstance(x.atom, tuple)]
        free = [x for x in rule.body if x.binds and relation(x.atom) not in self.bound]
        while waiting:
            known = {v for x in [*first, *free] for v in variables(x.atom)}
            call = next((x for x in waiting if self._is_bound(x, known)), waiting[0]) if self.passing else waiting[0]
            waiting.remove(call)
            yield call, [*first, *free, *[x for x in rule.body if x.is_distinct and set(variables(x.atom)) <= known]]
            if self.passing and call.positive:
                free.append(call)

    def _is_bound(self, call: Literal, known: set[str]) -> bool:
        asked = self.guard(call.atom)
        return asked is not None and set(variables(asked.atom)) <= known
