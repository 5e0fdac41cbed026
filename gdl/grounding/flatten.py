"""Rules to flat rules: connectives expanded or lifted, equalities applied by substitution.

What a body may hold afterwards is an atom, a negated atom, or a distinct. A disjunction is expanded while that makes few
rules, else it becomes an auxiliary relation; so does a negated atom with a variable that nothing binds.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

from gdl import rules as gdl_rules
from gdl.errors import GroundingError
from gdl.grounding.rules import Literal, Rule, Term, substitute, variables
from gdl.normalize import normalize
from gdl.rules import And, Distinct, Formula, Not, Or
from gdl.terms import Compound, Symbol, Variable
from gdl.terms import Term as GdlTerm

PRODUCT_LIMIT = 64
"""Expand the `or`s of one rule while the product of their branches is at most this; lift them above it."""
_MAX_DEPTH = 200
"""Terms nested deeper than this are refused: no game that can be grounded has them."""
_MAX_SIZE = 100_000
"""So are terms that equalities make larger than this [symbols]."""


def flatten(rules: Iterable[gdl_rules.Rule]) -> list[Rule]:
    """All rules in order, without connectives."""
    fresh = (f"or#{i}" for i in itertools.count())
    flat: list[Rule] = []
    for rule in map(normalize, rules):
        flat += _without_or(_term(rule.head), [_formula(part) for part in rule.body], fresh)
    return _without_loose_negations(flat)


def _term(term: GdlTerm, depth: int = 0) -> Term:
    if isinstance(term, Compound):
        if depth > _MAX_DEPTH:
            raise GroundingError(f"terms are nested more than {_MAX_DEPTH} deep")
        return (term.name, *[_term(argument, depth + 1) for argument in term.arguments])
    assert isinstance(term, Symbol | Variable)
    return term.name


def _formula(formula: Formula) -> Term:
    """A formula in normal form as a term with connectives for functors."""
    match formula:
        case Not(inner):
            return ("not", _formula(inner))
        case Distinct(left, right):
            return ("distinct", _term(left), _term(right))
        case And(parts):
            return ("and", *map(_formula, parts))
        case Or(branches):
            return ("or", *map(_formula, branches))
        case Symbol() | Compound():
            return _term(formula)


def _branches(formula: Term) -> int:
    """How many conjunctions the formula expands to."""
    if isinstance(formula, tuple) and formula[0] == "or":
        return sum(map(_branches, formula[1:]))
    if isinstance(formula, tuple) and formula[0] == "and":
        product = 1
        for part in formula[1:]:
            product *= _branches(part)
        return product
    return 1


def _expand(formulas: list[Term]) -> Iterator[tuple[Literal, ...]]:
    """Disjunctive normal form of a conjunction."""
    choices: list[list[tuple[Literal, ...]]] = []
    for formula in formulas:
        if isinstance(formula, tuple) and formula[0] == "or":
            choices.append([body for part in formula[1:] for body in _expand([part])])
        elif isinstance(formula, tuple) and formula[0] == "and":
            choices.append(list(_expand(list(formula[1:]))))
        elif isinstance(formula, tuple) and formula[0] == "not":
            choices.append([(Literal(formula[1], False),)])
        else:
            choices.append([(Literal(formula),)])
    for combination in itertools.product(*choices):
        yield tuple(dict.fromkeys(itertools.chain.from_iterable(combination)))


def _without_or(head: Term, body: list[Term], fresh: Iterator[str]) -> list[Rule]:
    """Expand the disjunctions of a rule, or lift each to an auxiliary relation where the product is large."""
    total = 1
    for formula in body:
        total *= _branches(formula)
    if total <= PRODUCT_LIMIT:
        return [rule for literals in _expand(body) if (rule := _with_equalities(Rule(head, literals)))]
    rules: list[Rule] = []
    rest = [f for f in body if _branches(f) == 1]
    binders = [f for f in rest if not (isinstance(f, tuple) and f[0] in ("not", "distinct"))]
    for formula in body:
        if _branches(formula) == 1:
            continue
        inside = dict.fromkeys(_formula_variables(formula))
        bound = [f for f in binders if set(_formula_variables(f)) & set(inside)]
        visible = set(variables(head)) | {v for f in body if f is not formula for v in _formula_variables(f)}
        atom: Term = (next(fresh), *[v for v in inside if v in visible])
        atom = atom if len(atom) > 1 else atom[0]
        for branch in formula[1:]:
            rules += _without_or(atom, [*bound, *_conjuncts(branch)], fresh)
        rest.append(atom)
    rules += [rule for literals in _expand(rest) if (rule := _with_equalities(Rule(head, literals)))]
    return rules


def _conjuncts(formula: Term) -> tuple[Term, ...]:
    return formula[1:] if isinstance(formula, tuple) and formula[0] == "and" else (formula,)


def _formula_variables(formula: Term) -> Iterator[str]:
    """Variables of a formula; its connectives look like functors, so terms' variables will do."""
    return variables(formula)


def _with_equalities(rule: Rule) -> Rule | None:
    """Apply `(not (distinct a b))`, an equality, by substitution; None if it can never hold."""
    equalities = [x.atom for x in rule.body if x.is_distinct and not x.positive]
    values: dict[str, Term] = {}
    for atom in equalities:
        assert isinstance(atom, tuple)
        more = unify(substitute(atom[1], values), substitute(atom[2], values))
        if more is None:
            return None
        values = {name: substitute(term, more) for name, term in values.items()} | more
        for term in values.values():
            if isinstance(term, tuple):
                _refuse_large(term)
    if not equalities:
        return rule
    rest = [x for x in rule.body if not x.is_distinct or x.positive]
    body = tuple([Literal(substitute(x.atom, values), x.positive) for x in rest])
    made = Rule(substitute(rule.head, values), body)
    for changed in (made.head, *[x.atom for x in body]):
        _refuse_large(changed)
    return made


def _refuse_large(term: Term) -> None:
    """Each equality can double a term, and nest it deeper."""
    size, stack = 0, [(term, 0)]
    while stack:
        part, depth = stack.pop()
        size += 1
        if depth > _MAX_DEPTH or size > _MAX_SIZE:
            raise GroundingError(f"equalities make terms nested more than {_MAX_DEPTH} deep or of {_MAX_SIZE:,} symbols")
        if isinstance(part, tuple):
            stack += [(argument, depth + 1) for argument in part[1:]]


def unify(a: Term, b: Term) -> dict[str, Term] | None:
    """Most general unifier of two terms."""
    values: dict[str, Term] = {}
    work = [(a, b)]
    while work:
        x, y = work.pop()
        x, y = substitute(x, values), substitute(y, values)
        if x == y:
            continue
        if isinstance(y, str) and y.startswith("?"):
            x, y = y, x
        if isinstance(x, str) and x.startswith("?"):
            _refuse_large(y)
            if x in set(variables(y)):
                return None
            values = {v: substitute(t, {x: y}) for v, t in values.items()}
            values[x] = y
        elif isinstance(x, str) or isinstance(y, str) or len(x) != len(y) or x[0] != y[0]:
            return None
        else:
            work += zip(x[1:], y[1:], strict=True)
    return values


def _without_loose_negations(rules: list[Rule]) -> list[Rule]:
    """`(not (p ?x ?y))` where nothing binds ?y means that no ?y exists: p is projected to ?x first."""
    made: dict[Term, Rule] = {}
    return [_tightened(rule, made) for rule in rules] + list(made.values())


def _tightened(rule: Rule, made: dict[Term, Rule]) -> Rule:
    bound = {v for literal in rule.body if literal.binds for v in variables(literal.atom)}
    bound |= set(variables(rule.head))
    body: list[Literal] = []
    for literal in rule.body:
        loose = [v for v in dict.fromkeys(variables(literal.atom)) if v not in bound]
        if literal.positive or literal.is_distinct or not loose:
            body.append(literal)
            continue
        kept = [v for v in dict.fromkeys(variables(literal.atom)) if v in bound]
        names: dict[str, Term] = {v: f"?k{i}" for i, v in enumerate(kept)}
        names |= {v: f"?l{i}" for i, v in enumerate(loose)}
        inner = substitute(literal.atom, names)
        arguments = [names[v] for v in kept]
        if inner not in made:
            name = f"some#{len(made)}"
            made[inner] = Rule((name, *arguments) if arguments else name, (Literal(inner),))
        head = made[inner].head
        name = head if isinstance(head, str) else str(head[0])
        body.append(Literal((name, *kept) if kept else name, False))
    return Rule(rule.head, tuple(body))
