"""Guards: a relation is ground only for what somebody asks about, and what holds of that does not change."""

from __future__ import annotations

import pytest

from gdl.errors import GroundingError
from gdl.grounding.counting import estimate
from gdl.grounding.demand import add_guards, bind_roles, reaches_itself
from gdl.grounding.grounder import ground
from gdl.grounding.rules import GUARD, Literal, Rule, relation, unbound
from gdl.grounding.split import split_rules
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


LISTS = """
(role me) (init (kept 1)) (after 0 1) (after 1 2) (after 2 3) (after 3 4)
(<= (legal me (keep ?x)) (after ?y ?x) (not (true (kept ?x))))
(<= (legal me stay))
(<= (next (kept ?x)) (does me (keep ?x)))
(<= (next (kept ?x)) (true (kept ?x)))
(<= (list 0 nil))
(<= (list ?x (cons ?x ?l)) (after ?y ?x) (list ?y ?l) (true (kept ?x)))
(<= (list ?x ?l) (after ?y ?x) (list ?y ?l) (not (true (kept ?x))))
"""
TAKEN_APART = """
(<= (append nil ?l ?l))
(<= (append (cons ?x ?l) ?m (cons ?x ?n)) (append ?l ?m ?n))
(<= (member ?x (cons ?x ?l)))
(<= (member ?x (cons ?y ?l)) (member ?x ?l))
(<= (without ?x nil nil))
(<= (without ?x (cons ?x ?l) ?m) (without ?x ?l ?m))
(<= (without ?x (cons ?y ?l) (cons ?y ?m)) (distinct ?x ?y) (without ?x ?l ?m))
(<= (both ?l) (list 2 ?a) (list 4 ?b) (append ?a ?b ?c) (without 2 ?c ?l))
(<= terminal (both ?l) (member 4 ?l))
(<= (goal me 100) (both ?l) (not (member 3 ?l)))
(<= (goal me 0) (both ?l) (member 3 ?l))
"""
SAID_PLAINLY = "(<= terminal (true (kept 4))) (<= (goal me 100) (not (true (kept 3)))) (<= (goal me 0) (true (kept 3)))"


def test_answers_to_one_call_bind_the_arguments_of_another() -> None:
    rules = flat_rules(LISTS + TAKEN_APART)
    guarded = add_guards(rules, estimate(rules))
    assert not any(unbound(rule) for rule in guarded)
    assert plays(guarded, flat_rules(LISTS + SAID_PLAINLY), count=8) > 20
    assert plays(split_rules(rules), flat_rules(LISTS + SAID_PLAINLY), count=8) > 20


def test_a_call_may_be_negated_within_a_recursion() -> None:
    minus = """
    (<= (minus nil ?s nil))
    (<= (minus (cons ?x ?l) ?s (cons ?x ?m)) (not (member ?x ?s)) (minus ?l ?s ?m))
    (<= (minus (cons ?x ?l) ?s ?m) (member ?x ?s) (minus ?l ?s ?m))
    (<= (both ?l) (list 2 ?a) (list 4 ?b) (append ?a ?b ?c) (minus ?c (cons 2 (cons 1 nil)) ?l))
    """
    lines = TAKEN_APART.splitlines(keepends=True)
    text = LISTS + "".join([line for line in lines if not line.startswith(("(<= (without", "(<= (both"))]) + minus
    assert plays(split_rules(flat_rules(text)), flat_rules(LISTS + SAID_PLAINLY), count=8) > 20


def test_questions_without_end_are_refused_with_the_rule_that_asks() -> None:
    grows = "(<= (grown ?l ?l) (true (kept 4))) (<= (grown ?l ?m) (append ?l (cons 1 nil) ?n) (grown ?n ?m))"
    text = LISTS + TAKEN_APART + grows + "(<= terminal (list 3 ?l) (grown ?l ?m) (member 4 ?m))"
    with pytest.raises(GroundingError, match=r"nothing binds \?l.* in a rule for \(grown \?l \?l\) but who asks"):
        ground(split_rules(flat_rules(text)))


def test_what_no_call_binds_is_left_to_the_grounder_to_refuse() -> None:
    rules = flat_rules(LISTS + TAKEN_APART.replace("(list 4 ?b)", ""))
    assert any(unbound(rule) for rule in add_guards(rules, estimate(rules)))
