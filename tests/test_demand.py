"""Guards: a relation is ground only for what somebody asks about, and what holds of that does not change."""

from __future__ import annotations

from gdl.grounding.demand import add_guards, bind_roles, reaches_itself
from gdl.grounding.estimates import estimate
from gdl.grounding.grounder import ground
from gdl.grounding.rules import GUARD, Literal, Rule, relation, unbound
from tests.ground_games import flat_rules, plays

UNSAFE = """
(role me) (init (at 1)) (next_to 1 2) (next_to 2 3)
(<= (same ?x ?x))
(<= (legal me (go ?y)) (true (at ?x)) (next_to ?x ?y) (same ?x ?x))
(<= (legal me stay) (true (at 3)))
(<= (next (at ?y)) (does me (go ?y)))
(<= (next (at ?x)) (true (at ?x)) (does me stay))
(<= terminal (true (at 3)))
(goal me 100)
"""
BOUND = UNSAFE.replace("(<= (same ?x ?x))", "(same 1 1) (same 2 2) (same 3 3)")


def test_a_relation_that_only_its_callers_bind_is_guarded() -> None:
    rules = flat_rules(UNSAFE)
    assert any(unbound(rule) for rule in rules)
    guarded = add_guards(rules, estimate(rules))
    assert not any(unbound(rule) for rule in guarded)
    assert any(relation(rule.head)[0].startswith(GUARD) for rule in guarded)
    assert plays(guarded, flat_rules(BOUND)) > 2
    assert not any(GUARD in name for name in ground(guarded).names)


def test_rules_that_need_no_guard_stay() -> None:
    rules = flat_rules(BOUND)
    assert add_guards(rules, estimate(rules)) == rules


def test_a_free_role_means_every_role() -> None:
    goal = Rule(("goal", "?p", "80"))
    assert bind_roles([goal]) == [Rule(("goal", "?p", "80"), (Literal(("role", "?p")),))]
    bound = Rule(("goal", "?p", "80"), (Literal(("true", ("won", "?p"))),))
    assert bind_roles([bound]) == [bound]


def test_recursion_is_found_through_other_relations() -> None:
    rules = [Rule(("p", "?x"), (Literal(("q", "?x")),)), Rule(("q", "?x"), (Literal(("p", "?x")),)), Rule(("r", "a"))]
    assert reaches_itself(("p", 1), rules)
    assert not reaches_itself(("r", 1), rules)
