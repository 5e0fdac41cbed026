"""Laws about the keywords: 2, 3, 10, 11, 14, 19 and the static part of 20."""

from __future__ import annotations

from gdl.parser import CONNECTIVES
from gdl.problems import Law, Reporter
from gdl.rules import Rule, body_atoms, body_parts, relation
from gdl.ruleset import Ruleset
from gdl.terms import Atom, Compound, Symbol, Term, arguments, walk

ARITY = {
    "role": 1,
    "init": 1,
    "true": 1,
    "next": 1,
    "base": 1,
    "legal": 2,
    "does": 2,
    "goal": 2,
    "input": 2,
    "sees": 2,
    "terminal": 0,
}
"""The keywords that name relations, with their numbers of arguments."""

OPTIONAL = ("base", "input", "sees")
"""Keywords that came late to the language: older rulesheets use them as plain names."""

RESERVED = frozenset(ARITY) | frozenset(CONNECTIVES)


def essentials(ruleset: Ruleset, report: Reporter) -> None:
    """Law 2: role, legal, goal and terminal are present."""
    for name in ("role", "legal", "goal", "terminal"):
        if (name, ARITY[name]) not in ruleset.by_relation:
            report.error(Law.ESSENTIALS, -1, f"no rule defines {name}")


def _atoms(rule: Rule) -> list[Atom]:
    return [rule.head, *(atom for atom, _ in body_atoms(rule))]


def arities(ruleset: Ruleset, report: Reporter) -> None:
    """Law 3: keywords have their number of arguments."""
    for rule in ruleset.rules:
        for atom in _atoms(rule):
            name, count = relation(atom)
            wanted = ARITY.get(name, count)
            if count == wanted:
                continue
            what = f"{name} takes {wanted or 'no'} argument{'' if wanted == 1 else 's'}, this one has {count}"
            if name in OPTIONAL:
                report.warn(Law.KEYWORD_ARITY, atom.at, f"{what}; it is read as a relation of the game's own")
            else:
                report.error(Law.KEYWORD_ARITY, atom.at, what)


def heads(ruleset: Ruleset, report: Reporter) -> None:
    """Law 10: role, true and does never head a rule; true and does are never facts."""
    for rule in ruleset.rules:
        name = relation(rule.head)[0]
        if name in ("true", "does"):
            report.error(Law.FORBIDDEN_HEADS, rule.head.at, f"{name} is given by the state of play, it cannot be defined")
        elif name == "role" and rule.body:
            report.error(Law.FORBIDDEN_HEADS, rule.head.at, "roles are facts, they cannot be derived by rules")


def bodies(ruleset: Ruleset, report: Reporter) -> None:
    """Law 11: init, next, base and input never stand in bodies."""
    for rule in ruleset.rules:
        for atom, _ in body_atoms(rule):
            name, count = relation(atom)
            if name in ("init", "next", "base", "input") and count == ARITY[name]:
                report.warn(Law.FORBIDDEN_BODIES, atom.at, f"{name} in a body; it is read as any other relation")


def names(ruleset: Ruleset, report: Reporter) -> None:
    """Law 14: keywords are no functions or constants. Reported once for each keyword."""
    reported: set[str] = set()

    def look(term: Term) -> None:
        for part in walk(term):
            if not part.name.startswith("?") and part.name in RESERVED and part.name not in reported:
                reported.add(part.name)
                report.warn(Law.KEYWORD_NAMES, part.at, f"the keyword {part.name} is used as a plain name here")

    for rule in ruleset.rules:
        for atom in _atoms(rule):
            for argument in arguments(atom):
                look(argument)
        for part, _ in body_parts(rule):
            if not isinstance(part, Symbol | Compound):
                look(part.left)
                look(part.right)


def roles(ruleset: Ruleset, report: Reporter) -> None:
    """Law 19: the first argument of legal, does, goal, input and sees is a role (as far as it is written out)."""
    known = frozenset(ruleset.roles)
    for (term,) in ruleset.facts("role", 1):
        if not isinstance(term, Symbol):
            report.error(Law.ROLE_ARGUMENTS, term.at, f"a role is a plain name, not {term}")
    for rule in ruleset.rules:
        for atom in _atoms(rule):
            if relation(atom) not in {("legal", 2), ("does", 2), ("goal", 2), ("input", 2), ("sees", 2)}:
                continue
            first = arguments(atom)[0]
            if isinstance(first, Compound) or (isinstance(first, Symbol) and first.name not in known):
                report.warn(Law.ROLE_ARGUMENTS, first.at, f"{first} is no role, so this never matters")


def goal_values(ruleset: Ruleset, report: Reporter) -> None:
    """Law 20, as far as values are written out: integers from 0 to 100."""
    for rule in ruleset.by_relation.get(("goal", 2), ()):
        value = arguments(rule.head)[1]
        if isinstance(value, Compound) or (isinstance(value, Symbol) and goal_value(value) is None):
            report.warn(Law.GOAL_VALUES, value.at, f"{value} is no integer from 0 to 100; it is not counted as a goal")


def goal_value(term: Term) -> int | None:
    """The value of a goal's second argument; None if it is no integer from 0 to 100.

    >>> goal_value(Symbol("75"))
    75
    """
    if isinstance(term, Symbol) and term.name.isascii() and term.name.isdigit() and len(term.name) <= 3:
        value = int(term.name)
        return value if value <= 100 else None
    return None
