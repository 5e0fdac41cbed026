"""Permanent fluents: what stays as it was in the first position is a static relation.

Some rulesheets tell a map or the walls of a maze by fluents that no rule changes: all there is of them is
`(<= (next (wall ?x)) (true (wall ?x)))`. To the grounder each may hold or not; where the first position is asked instead,
all that depends on them alone is worked out while grounding. The fluents stay in the position.
"""

from __future__ import annotations

from collections.abc import Sequence

from gdl.grounding.rules import Literal, Rule, Term, is_variable, relation, variables

PREFIX = "permanent#"
"""Prefix of the relations that tell which permanent fluents hold."""


def read_permanent_fluents(rules: Sequence[Rule]) -> list[Rule]:
    """The same game with `(true (wall ?x))` read from the first position where no `wall` ever changes."""
    heads = [rule for rule in rules if relation(rule.head) in (("next", 1), ("init", 1))]
    if any(is_variable(_fluent(rule.head)) for rule in heads):
        return list(rules)
    begun = {relation(_fluent(rule.head)) for rule in heads if relation(rule.head)[0] == "init"}
    changing = {relation(_fluent(rule.head)) for rule in heads if relation(rule.head)[0] == "next" and not _keeps(rule)}
    kept = {relation(_fluent(rule.head)) for rule in heads if relation(rule.head)[0] == "next" and _keeps(rule)}
    permanent = (begun & kept) - changing
    if not permanent:
        return list(rules)
    result = []
    for rule in rules:
        keeping = relation(rule.head) == ("next", 1) and relation(_fluent(rule.head)) in permanent
        result.append(rule if keeping else Rule(rule.head, tuple([_read(x, permanent) for x in rule.body])))
        if relation(rule.head) == ("init", 1) and relation(_fluent(rule.head)) in permanent:
            result.append(Rule(_told(_fluent(rule.head)), rule.body))
    return result


def _fluent(atom: Term) -> Term:
    assert isinstance(atom, tuple)
    return atom[1]


def _keeps(rule: Rule) -> bool:
    """Does the rule keep a fluent whatever is done? Somebody doing something is no condition."""
    fluent = _fluent(rule.head)
    arguments = list(variables(fluent))
    if (isinstance(fluent, tuple) and arguments != list(fluent[1:])) or len(set(arguments)) < len(arguments):
        return False
    conditions = [literal for literal in rule.body if literal != Literal(("true", fluent))]
    if len(conditions) == len(rule.body):
        return False
    return all(_always(literal, arguments) for literal in conditions) and len(conditions) < 2


def _always(literal: Literal, bound: Sequence[str]) -> bool:
    """Is it `(does ?anybody ?anything)`?"""
    if not literal.positive or relation(literal.atom) != ("does", 2):
        return False
    assert isinstance(literal.atom, tuple)
    role, move = literal.atom[1:]
    return is_variable(role) and is_variable(move) and role != move and not {role, move} & set(bound)


def _read(literal: Literal, permanent: set[tuple[str, int]]) -> Literal:
    if relation(literal.atom) != ("true", 1) or is_variable(_fluent(literal.atom)):
        return literal
    if relation(_fluent(literal.atom)) not in permanent:
        return literal
    return Literal(_told(_fluent(literal.atom)), literal.positive)


def _told(fluent: Term) -> Term:
    """The atom of the static relation."""
    return PREFIX + fluent if isinstance(fluent, str) else (PREFIX + str(fluent[0]), *fluent[1:])
