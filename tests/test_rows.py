"""Rows of relations that depend on the position: what their rules tell, never more than their domains allow."""

from __future__ import annotations

from gdl.grounding.counting import estimate
from gdl.grounding.estimates import Sizes
from gdl.grounding.rows import estimate_rows
from tests.ground_games import flat_rules

STEPS = "".join(f"(step {i} {i + 1})" for i in range(20))
WALK = """
(role me) (init (at 0))
(<= (legal me (go ?x ?y)) (true (at ?x)) (step ?x ?y))
(<= (next (at ?y)) (does me (go ?x ?y)))
(<= (next (at ?x)) (true (at ?x)))
(<= (reach ?x ?y) (true (at ?x)) (step ?x ?y))
(<= (reach ?x ?z) (step ?x ?y) (true (at ?x)) (reach ?y ?z))
(<= (pair ?x ?y) (true (at ?x)) (true (at ?y)))
(<= (near ?x ?z) (step ?x ?y) (step ?y ?z) (true (at ?y)))
(<= terminal (reach 0 20) (pair 0 1) (near 0 2))
(goal me 50)
"""


def sizes(text: str) -> Sizes:
    rules = flat_rules(text)
    found = estimate(rules)
    estimate_rows(rules, found)
    return found


def test_rules_tell_more_than_domains() -> None:
    found = sizes(STEPS + WALK)
    assert found.of(("does", "me", ("go", "?x", "?y"))) < 40
    assert found.of(("near", "?x", "?y")) < 40
    assert found.of(("pair", "?x", "?y")) == 21 * 21


def test_a_recursion_stays_within_its_domains() -> None:
    found = sizes(STEPS + WALK)
    assert 20 <= found.of(("reach", "?x", "?y")) <= 20 * 20
