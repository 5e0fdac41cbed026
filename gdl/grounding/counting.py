"""Sizes with exact counts: the static relations that are cheap to ground are ground alone, and counted."""

from __future__ import annotations

from collections.abc import Sequence

from gdl.errors import GroundingError
from gdl.grounding.codes import Codes, clingo_lines
from gdl.grounding.engine import run
from gdl.grounding.estimates import Sizes, carriers, find_domains, static_rules
from gdl.grounding.guard import TooLargeError, guard
from gdl.grounding.rules import Rule, relation
from gdl.grounding.spelling import count_values, take_apart

COUNT_LIMIT = 300_000.0
"""Static rules estimated to have more instances than this are not counted exactly."""


def estimate(rules: Sequence[Rule]) -> Sizes:
    """Domains of everything, exact counts of the static relations that are cheap to count."""
    sizes = Sizes(find_domains(rules))
    static = static_rules(rules)
    sizes.static = {relation(rule.head) for rule in static}
    sizes.relations = {relation(rule.head) for rule in rules} | {("true", 1), ("does", 2)}
    _count_static(static, sizes)
    return sizes


def _count_static(rules: list[Rule], sizes: Sizes) -> None:
    """Ground the cheap static rules and count what comes out."""
    compound = carriers(rules)
    refused = {key for key in compound if key in sizes.static}
    changed = True
    while changed:
        changed = False
        for rule in rules:
            key = relation(rule.head)
            if key not in refused and (
                sizes.join(rule.body) > COUNT_LIMIT or any(relation(literal.atom) in refused for literal in rule.body)
            ):
                refused.add(key)
                changed = True
    skipped = refused | {("goal", 2), ("sees", 2), ("terminal", 0)}
    cheap = [rule for rule in rules if relation(rule.head) not in skipped and isinstance(rule.head, tuple)]
    codes = Codes()
    try:
        atoms = take_apart(run(cheap, clingo_lines(cheap, codes)).symbols)
    except TooLargeError:
        raise
    except GroundingError:  # only estimates are lost: the real grounding will report the error
        return
    names = {f"r{code}": key for key, code in codes.relations.items()} | {"role": ("role", 1)}
    for name in atoms.names:
        found = names.get(name)
        if found is None:
            continue
        table = atoms.table(name, found[1])
        sizes.rows[found] = float(len(table))
        sizes.columns[found] = [float(count_values(column)) for column in table.T]
        guard().known[found] = table
