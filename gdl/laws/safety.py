"""Law 5: every variable of a head, a distinct or a negated literal occurs in a positive literal of the body."""

from __future__ import annotations

from gdl.laws.keywords import ARITY
from gdl.normalize import bound_by, literals_of, needs, normalize, shared_variables
from gdl.problems import Law, Reporter
from gdl.rules import Formula, Not, Or, Rule, formula_variables, relation
from gdl.ruleset import Ruleset
from gdl.terms import Compound, Symbol, Variable, kif, variables


def safety(ruleset: Ruleset, report: Reporter) -> None:
    """Report each variable that nothing binds."""
    for rule in ruleset.rules:
        _check_rule(rule, report)


def _check_rule(rule: Rule, report: Reporter) -> None:
    normal = normalize(rule)
    bound = bound_by(normal.body)
    if len(normal.body) > len(rule.body) and rule.body and normal.body[0].at == rule.head.at:
        first = next(variables(rule.head))
        report.warn(Law.SAFETY, first.at, f"nothing binds {first}; in the place of a role it ranges over the roles")
    head = frozenset(variables(rule.head))
    if rule.body and not head <= bound:
        _report_head(rule, bound, report)
        bound = bound_by(normal.body, head)
    shared = shared_variables(normal.body, head)
    _check_literals(normal.body, bound, shared, report)


def _report_head(rule: Rule, bound: frozenset[Variable], report: Reporter) -> None:
    """Variables of a head without a value: an error where the game itself asks, else it is up to those who ask."""
    for variable in dict.fromkeys(variables(rule.head)):
        if variable in bound:
            continue
        message = f"nothing in the body binds {variable}"
        if ARITY.get(relation(rule.head)[0]) == relation(rule.head)[1]:
            report.error(Law.SAFETY, variable.at, message)
        else:
            report.warn(Law.SAFETY, variable.at, f"{message}; the rule works only where {variable} is given")


def _check_literals(
    literals: tuple[Formula, ...], bound: frozenset[Variable], shared: frozenset[Variable], report: Reporter
) -> None:
    for literal in literals:
        if isinstance(literal, Or):
            for branch in literal.branches:
                parts = literals_of(branch)
                _check_literals(parts, bound_by(parts, bound), shared | shared_variables(parts), report)
            continue
        missing = needs(literal, bound, shared)
        for variable in dict.fromkeys(formula_variables(literal)):
            if variable in missing:
                report.error(Law.SAFETY, variable.at, f"no positive literal binds {variable}")
            elif isinstance(literal, Not) and isinstance(literal.formula, Symbol | Compound) and variable not in bound:
                text = kif(literal.formula)
                meaning = f"no positive literal binds {variable}; it is read as: {text} holds for no {variable}"
                report.warn(Law.SAFETY, variable.at, meaning)
