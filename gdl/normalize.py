"""Rules in the narrower form that engines want.

In normal form a body is a tuple of *literals*: atoms, negated atoms, distincts, equalities (a negated distinct) and `Or`s
of branches, each branch a tuple of literals again (an `And`). Negation stands directly before atoms and distincts.
Two habits of real rulesheets are given their meaning here: a variable that nothing binds in the place of a role ranges
over the roles, and a variable that occurs in a single negated literal only means "for no value".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from gdl.rules import And, Distinct, Formula, Not, Or, Relation, Rule, formula_variables, relation
from gdl.terms import Compound, Symbol, Variable, arguments, variables

ROLE_FIRST: frozenset[Relation] = frozenset({("legal", 2), ("goal", 2), ("sees", 2), ("input", 2)})
"""Relations whose first argument is a role."""


def normalize(rule: Rule) -> Rule:
    """The rule in normal form."""
    body = tuple(_conjuncts(rule.body))
    free = _unbound_role(rule, body)
    if free is not None:
        body = (Compound("role", (free,), rule.head.at), *body)
    return replace(rule, body=body)


def _conjuncts(formulas: Iterable[Formula], positive: bool = True) -> Iterator[Formula]:
    """The literals that hold together where all formulas hold (or, negated, where none of them does)."""
    for formula in formulas:
        match formula:
            case Not(inner):
                yield from _conjuncts((inner,), not positive)
            case And(parts) if positive:
                yield from _conjuncts(parts)
            case Or(branches) if not positive:
                yield from _conjuncts(branches, False)
            case And(parts, at) | Or(parts, at):
                yield from _disjunction(parts, positive, at)
            case _:
                yield formula if positive else Not(formula, formula.at)


def _disjunction(parts: tuple[Formula, ...], positive: bool, at: int) -> Iterator[Formula]:
    """An `Or` of branches; nested ones are merged, one of a single branch is no disjunction."""
    branches: list[Formula] = []
    for part in parts:
        literals = tuple(_conjuncts((part,), positive))
        if len(literals) == 1 and isinstance(literals[0], Or):
            branches.extend(literals[0].branches)
        else:
            branches.append(And(literals, at))
    if len(branches) == 1 and isinstance(branches[0], And):
        yield from branches[0].parts
    else:
        yield Or(tuple(branches), at)


def literals_of(branch: Formula) -> tuple[Formula, ...]:
    """The literals of a branch of a normal `Or`."""
    return branch.parts if isinstance(branch, And) else (branch,)


def _unbound_role(rule: Rule, body: tuple[Formula, ...]) -> Variable | None:
    if relation(rule.head) in ROLE_FIRST:
        first = arguments(rule.head)[0]
        if isinstance(first, Variable) and first not in bound_by(body):
            return first
    return None


def bound_by(literals: Iterable[Formula], bound: frozenset[Variable] = frozenset()) -> frozenset[Variable]:
    """The variables that have a value once the literals hold, given those that had one before."""
    literals = tuple(literals)
    while True:
        more = bound.union(*(_binds(literal, bound) for literal in literals))
        if more == bound:
            return bound
        bound = more


def _binds(literal: Formula, bound: frozenset[Variable]) -> frozenset[Variable]:
    match literal:
        case Not(Distinct(left, right)):
            of_left, of_right = frozenset(variables(left)), frozenset(variables(right))
            if of_left <= bound:
                return of_right
            return of_left if of_right <= bound else frozenset()
        case Not() | Distinct():
            return frozenset()
        case Or(branches):
            return frozenset.intersection(*(bound_by(literals_of(branch), bound) for branch in branches))
        case And(parts):
            return bound_by(parts, bound)
        case Symbol() | Compound():
            return frozenset(variables(literal))


def needs(literal: Formula, bound: frozenset[Variable], shared: frozenset[Variable]) -> frozenset[Variable]:
    """The variables that must have a value before a literal can be evaluated, and have none yet.

    `shared` are the variables that occur elsewhere in the rule: a variable of a negated atom alone needs no value.
    """
    match literal:
        case Not(Distinct(left, right)):
            of_left, of_right = frozenset(variables(left)) - bound, frozenset(variables(right)) - bound
            return frozenset() if not of_left or not of_right else of_left | of_right
        case Not(atom):
            return (frozenset(formula_variables(atom)) & shared) - bound
        case Distinct(left, right):
            return (frozenset(variables(left)) | frozenset(variables(right))) - bound
        case Or(branches):
            return frozenset().union(*(_branch_needs(literals_of(b), bound, shared) for b in branches))
        case And(parts):
            return _branch_needs(parts, bound, shared)
        case Symbol() | Compound():
            return frozenset()


def _branch_needs(
    literals: tuple[Formula, ...], bound: frozenset[Variable], shared: frozenset[Variable]
) -> frozenset[Variable]:
    inside = bound_by(literals, bound)
    within = shared | shared_variables(literals)
    return frozenset().union(*(needs(literal, inside, within) for literal in literals))


def shared_variables(literals: Iterable[Formula], head: Iterable[Variable] = ()) -> frozenset[Variable]:
    """Variables that occur in the head or in more than one of the literals."""
    seen: set[Variable] = set(head)
    shared: set[Variable] = set(seen)
    for literal in literals:
        own = set(formula_variables(literal))
        shared |= own & seen
        seen |= own
    return frozenset(shared)
