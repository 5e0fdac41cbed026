"""Laws about names: 4, 15, 16, 17 and 18."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gdl.hints import count_arguments, hint
from gdl.laws.keywords import ARITY, OPTIONAL
from gdl.problems import Law, Reporter
from gdl.rules import Relation, body_atoms, body_parts, relation
from gdl.ruleset import Ruleset
from gdl.terms import Atom, Compound, Symbol, Term, arguments, walk

_STATE = (("init", 1), ("next", 1), ("base", 1))
HINTS = 20
"""Problems for which the nearest name is looked up; where there are more, something else is wrong."""
_USUAL = re.compile(r"\??[A-Za-z0-9_+\-*/<>=!.:&^%$@~?]*")


def arities(ruleset: Ruleset, report: Reporter) -> None:
    """Law 4: a relation or function has one number of arguments. Each further number is reported once."""
    relations: dict[str, dict[int, int]] = {}
    for rule in ruleset.rules:
        for atom in (rule.head, *(atom for atom, _ in body_atoms(rule))):
            name, count = relation(atom)
            if name not in ARITY:
                relations.setdefault(name, {}).setdefault(count, atom.at)
    functions: dict[str, dict[int, int]] = {}
    for term in _outer_terms(ruleset):
        for part in walk(term):
            if isinstance(part, Compound):
                functions.setdefault(part.name, {}).setdefault(len(part.arguments), part.at)
    for kind, found in (("relation", relations), ("function", functions)):
        for name, uses in found.items():
            first = next(iter(uses))
            for count, at in list(uses.items())[1:]:
                report.warn(
                    Law.ONE_ARITY,
                    at,
                    f"{kind} {name} has {count} arguments here and {first} before; these are two {kind}s",
                )


def _outer_terms(ruleset: Ruleset) -> list[Term]:
    """The arguments of all atoms, and both sides of all distincts."""
    found: list[Term] = []
    for rule in ruleset.rules:
        found.extend(arguments(rule.head))
        for part, _ in body_parts(rule):
            found.extend(arguments(part) if isinstance(part, Symbol | Compound) else (part.left, part.right))
    return found


def relation_or_function(ruleset: Ruleset, report: Reporter) -> None:
    """Law 15: a name is a relation or a function, not both. Reported once for each name."""
    relations = {
        relation(atom)[0] for rule in ruleset.rules for atom in (rule.head, *(a for a, _ in body_atoms(rule)))
    } - set(ARITY)
    reported: set[str] = set()
    for term in _outer_terms(ruleset):
        for part in walk(term):
            if isinstance(part, Compound) and part.name in relations and part.name not in reported:
                reported.add(part.name)
                report.warn(Law.RELATION_OR_FUNCTION, part.at, f"{part.name} is a function here and a relation elsewhere")


def defined_and_used(ruleset: Ruleset, report: Reporter) -> None:
    """Law 16: relations that are used are defined, and the other way round. Reported once for each relation."""
    used: dict[tuple[str, int], int] = {}
    for rule in ruleset.rules:
        for atom, _ in body_atoms(rule):
            used.setdefault(relation(atom), atom.at)
    missing = [
        ((name, count), at)
        for (name, count), at in used.items()
        if (name, count) not in ruleset.by_relation and name not in ("true", "does") and not _miscounted(name, count)
    ]
    for number, (key, at) in enumerate(missing):
        report.warn(Law.DEFINED_AND_USED, at, undefined(ruleset, key, ", so it never holds", with_hint=number < HINTS))
    for (name, count), rules in ruleset.by_relation.items():
        if (name, count) not in used and ARITY.get(name) != count and not _miscounted(name, count):
            report.warn(
                Law.DEFINED_AND_USED, rules[0].head.at, f"{name} with {count_arguments(count)} is defined but never used"
            )


def undefined(ruleset: Ruleset, name: Relation, consequence: str = "", *, with_hint: bool = True) -> str:
    """In words: nothing defines a relation, and, as a hint, what was probably meant."""
    text = f"no rule defines {name[0]} with {count_arguments(name[1])}{consequence}"
    if not with_hint:
        return text
    fluents = {relation(f) for key in _STATE for r in ruleset.by_relation.get(key, ()) for f in _fluent(r.head)}
    if name in fluents:
        return f"{text}; did you mean (true {'(' if name[1] else ''}{name[0]}{' …)' if name[1] else ''})?"
    return text + hint(name, {*ruleset.by_relation, *ARITY.items()}, "elsewhere")


def _fluent(head: Atom) -> Iterator[Atom]:
    """What a head of `init`, `next` or `base` gives, where it is written out."""
    return (term for term in arguments(head) if isinstance(term, Symbol | Compound))


def _miscounted(name: str, count: int) -> bool:
    """True for keywords with a wrong number of arguments, which law 3 has reported as an error."""
    return name not in OPTIONAL and ARITY.get(name, count) != count


def case(ruleset: Ruleset, report: Reporter) -> None:
    """Law 17: no two symbols differ by case alone."""
    first: dict[str, str] = {}
    for word, at in ruleset.description.words.items():
        known = first.setdefault(word.lower(), word)
        if known != word:
            report.warn(Law.CASE, at, f"{word} and {known} differ by case alone; they are one name")


def characters(ruleset: Ruleset, report: Reporter) -> None:
    """Law 18: names are made of usual characters."""
    for word, at in ruleset.description.words.items():
        if not _USUAL.fullmatch(word) and word != "<=":
            report.warn(Law.CHARACTERS, at, f"the name {word[:60]} has unusual characters; other systems may not read it")
        elif word == "?":
            report.warn(Law.CHARACTERS, at, "a variable without a name")
