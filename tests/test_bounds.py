"""Bounds: never below what grounding gives, and infinite where nothing is known."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gdl.grounding.bounds import work_bound
from gdl.grounding.grounder import ground
from gdl.grounding.rules import Literal, Rule
from gdl.grounding.split import split_rules
from tests.ground_games import flat_rules

STEPS = "(role me) (init (on 1)) (legal me wait) (goal me 0) terminal" + "".join(f"(link {i} {i + 1})" for i in range(9))


@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four", "eight_puzzle", "hex_5x5", *map(str, range(40))])
def test_no_game_has_more_ground_rules(name: str) -> None:
    for rules in (flat_rules(name), split_rules(flat_rules(name))):
        assert work_bound(rules, {}) >= len(ground(rules).rules)


def test_facts_join_by_what_they_agree_in() -> None:
    chain = "(<= (next (on ?d)) (true (on ?a)) (link ?a ?b) (link ?b ?c) (link ?c ?d))"
    assert work_bound(flat_rules(STEPS + chain), {}) < 100
    apart = "(<= (next (on 1)) (link ?a ?b) (link ?c ?d) (link ?e ?f))"
    assert 9**3 < work_bound(flat_rules(STEPS + apart), {}) < 9**3 + 200


def test_what_has_been_ground_before_is_known() -> None:
    rules = flat_rules(STEPS + "(<= (same ?x ?x) (link ?x ?y)) (<= (next (on ?b)) (true (on ?a)) (same ?a ?b))")
    table = np.array([[i, i] for i in range(9)], dtype=np.uint64)
    assert work_bound(rules, {("same", 2): table}) < work_bound(rules, {})


def test_terms_below_the_arguments_have_no_bound() -> None:
    assert work_bound(flat_rules(STEPS + "(<= (next (on (s ?x))) (true (on ?x)))"), {}) == math.inf
    assert work_bound(flat_rules(STEPS + "(<= (next (on ?x)) (true (on (s ?x))))"), {}) == math.inf
    assert work_bound(flat_rules(STEPS + "(<= (p (s ?x)) (link ?x ?y)) (<= (q ?x) (p ?x)) (<= terminal (q ?x))"), {}) == (
        math.inf
    )


def test_variables_for_moves_without_arguments_are_spelled_out() -> None:
    rules = [
        Rule(("way", "left")),
        Rule(("way", "right")),
        Rule(("legal", "me", "?m"), (Literal(("way", "?m")),)),
        Rule(("next", ("did", "?m")), (Literal(("does", "me", "?m")),)),
    ]
    assert work_bound(rules, {}) < 20
    inside = Rule(("legal", "me", "?x"), (Literal(("true", ("did", "?x"))),))
    assert work_bound([*rules, inside], {}) == math.inf
