"""Rows of relations that depend on the position, estimated from the joins that define them.

Where nothing is known of a relation but the domains of its positions, a legal move of four squares looks like 64⁴ moves;
the rules that make it, each a step from square to square, tell that they are few.
"""

from __future__ import annotations

from collections.abc import Sequence

from gdl.graphs import components
from gdl.grounding.estimates import Key, Sizes, flat
from gdl.grounding.rules import Rule, relation

ROUNDS = 8
"""A relation that depends on itself and still grows after so many rounds is taken to be as large as its domains."""
SETTLED = 1.05
"""What grows by less than this factor in a round has stopped growing."""


def estimate_rows(rules: Sequence[Rule], sizes: Sizes) -> None:
    """Add the estimated rows of relations that are not counted; those of fluents stay unknown."""
    defining: dict[Key, list[Rule]] = {}
    for rule in rules:
        key = flat(rule.head)[0]
        if relation(rule.head) not in (("next", 1), ("init", 1)) and key in sizes.domains and key not in sizes.rows:
            defining.setdefault(key, []).append(rule)
    uses = {
        key: [other for rule in found for x in rule.body if x.binds and (other := flat(x.atom)[0]) in defining]
        for key, found in defining.items()
    }
    for group in components(defining, uses.__getitem__):
        if len(group) == 1 and group[0] not in uses[group[0]]:
            sizes.rows[group[0]] = _rows(defining[group[0]], group[0], sizes)
        else:
            _iterate(group, defining, sizes)


def _iterate(group: Sequence[Key], defining: dict[Key, list[Rule]], sizes: Sizes) -> None:
    """Rows of relations that depend on one another: from nothing upwards, as the grounder finds them."""
    now = dict.fromkeys(group, 0.0)
    for _ in range(ROUNDS):
        sizes.rows |= now
        then = {key: _rows(defining[key], key, sizes) for key in group}
        settled = all(then[key] <= now[key] * SETTLED for key in group)
        now = then
        if settled:
            break
    for key in group:
        sizes.rows[key] = now[key] if settled else _product(key, sizes)


def _rows(rules: Sequence[Rule], key: Key, sizes: Sizes) -> float:
    return min(sum([sizes.join(rule.body) for rule in rules]), _product(key, sizes))


def _product(key: Key, sizes: Sizes) -> float:
    product = 1.0
    for width in sizes.widths(key):
        product *= width
    return product
