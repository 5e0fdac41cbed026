"""Laws about what depends on what: 6, 7, 12 and 13."""

from __future__ import annotations

from gdl.dependencies import DOES, TRUE
from gdl.laws.keywords import ARITY
from gdl.problems import Law, Reporter
from gdl.rules import Relation, Rule, body_atoms, relation
from gdl.ruleset import Ruleset
from gdl.terms import Atom, Term, arguments, is_ground


def stratification(ruleset: Ruleset, report: Reporter) -> None:
    """Law 6: no relation depends on its own negation.

    A cycle between relations is a warning: it is often none between ground atoms, as when `(goal ?r 0)` stands under
    `(not (goal ?r 100))`. A cycle between propositions without variables stays when ground: that is an error.
    """
    for component in ruleset.dependencies.negative_cycles:
        members = frozenset(component)
        for member in component:
            for rule in ruleset.by_relation[member]:
                for atom, positive in body_atoms(rule):
                    if not positive and relation(atom) in members:
                        _report_cycle(ruleset, rule, atom, members, report)


def _report_cycle(ruleset: Ruleset, rule: Rule, atom: Atom, members: frozenset[Relation], report: Reporter) -> None:
    name = relation(rule.head)[0]
    if _returns(ruleset, rule, atom, members):
        report.error(Law.STRATIFICATION, atom.at, f"{name} depends on its own negation")
    else:
        message = f"{name} depends on its own negation, unless the cycle vanishes when the rules are ground"
        report.warn(Law.STRATIFICATION, atom.at, message)


def _returns(ruleset: Ruleset, rule: Rule, atom: Atom, members: frozenset[Relation]) -> bool:
    """True if rules without variables lead from the atom back to the head: such a cycle stays when ground."""
    if not is_ground(rule.head) or not is_ground(atom):
        return False
    seen: set[Atom] = {atom}
    stack = [atom]
    while stack:
        current = stack.pop()
        if current == rule.head:
            return True
        for other in ruleset.by_relation.get(relation(current), ()):
            if other.head != current:
                continue
            for used, _ in body_atoms(other):
                if relation(used) in members and is_ground(used) and used not in seen:
                    seen.add(used)
                    stack.append(used)
    return False


def recursion(ruleset: Ruleset, report: Reporter) -> None:
    """Law 7: an argument of a recursive call is ground, an argument of the head, or bound outside the recursion."""
    component_of = ruleset.dependencies.component_of
    for rule in ruleset.rules:
        head = relation(rule.head)
        if head not in ruleset.dependencies.recursive:
            continue
        circle = frozenset(component_of[head])
        outside: set[Term] = set(arguments(rule.head))
        for atom, positive in body_atoms(rule):
            if positive and relation(atom) not in circle:
                outside.update(arguments(atom))
        for atom, positive in body_atoms(rule):
            if positive and relation(atom) in circle:
                _check_call(atom, outside, report)


def _check_call(atom: Atom, outside: set[Term], report: Reporter) -> None:
    for argument in arguments(atom):
        if not is_ground(argument) and argument not in outside:
            message = f"nothing outside the recursion binds {argument} in this call; it may never end"
            report.warn(Law.RECURSION, argument.at, message)


def static_relations(ruleset: Ruleset, report: Reporter) -> None:
    """Law 12: init, base and input do not depend on true or does."""
    dependencies = ruleset.dependencies
    for name in ("init", "base", "input"):
        key = (name, ARITY[name])
        for leaf, users in ((TRUE, dependencies.on_state), (DOES, dependencies.on_moves)):
            if key not in users:
                continue
            at = _culprit(ruleset, key, users | {leaf}).head.at
            message = f"{name} depends on {leaf[0]}"
            if name == "init":
                report.error(Law.STATIC_RELATIONS, at, message)
            else:
                report.warn(Law.STATIC_RELATIONS, at, f"{message}, so it is not believed")


def no_does(ruleset: Ruleset, report: Reporter) -> None:
    """Law 13: legal, terminal and goal do not depend on does."""
    for name in ("legal", "terminal", "goal"):
        key = (name, ARITY[name])
        if key in ruleset.dependencies.on_moves:
            culprit = _culprit(ruleset, key, ruleset.dependencies.on_moves | {DOES})
            report.error(Law.NO_DOES, culprit.head.at, f"{name} depends on does")


def _culprit(ruleset: Ruleset, key: Relation, users: frozenset[Relation]) -> Rule:
    """The first rule of a relation that uses one of some others."""
    return next(r for r in ruleset.by_relation[key] if any(relation(atom) in users for atom, _ in body_atoms(r)))
