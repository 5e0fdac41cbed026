"""Rule splitting: the split rules are the same game, and ground smaller."""

from __future__ import annotations

import pytest

from gdl.grounding.grounder import ground
from gdl.grounding.rules import Literal, Rule, variables, variables_of
from gdl.grounding.split import SplitSettings, relevant_rules, split_rules
from tests.ground_games import flat_rules, plays

EAGER = SplitSettings(smallest=1.0, gain=1.0, unfold=2.0, free=2.0, branches=24)
"""Splits, unfolds and drops free arguments wherever it may."""
GAMES = ["tic_tac_toe", "nim", "connect_four", "eight_puzzle", "monty_hall", "hex_5x5", "pawn_whopping"]

WALKS = "(role me) (init (lit 3)) (<= (legal me (switch ?x)) (node ?x)) (<= (next (lit ?x)) (does me (switch ?x)))"
WALKS += "(<= (next (lit ?x)) (true (lit ?x))) (<= terminal (reach 3)) (<= (goal me 50) (reach ?x)) (goal me 0)"
WALKS += "".join(f"(node {i}) " + "".join(f"(link {i} {(i * 7 + k) % 12})" for k in range(3)) for i in range(12))
WALKS += "(<= (reach ?a) (node ?a) (link ?a ?b) (true (lit ?b)) (link ?b ?c) (true (lit ?c)) (link ?c ?d) (true (lit ?d))"
WALKS += " (link ?d ?e) (true (lit ?e)))"
"""Walks of four links: hundreds of instances, of which only the first node matters."""


@pytest.mark.parametrize("settings", [SplitSettings(), EAGER], ids=["usual", "eager"])
@pytest.mark.parametrize("name", [*GAMES, *map(str, range(30))])
def test_the_split_rules_are_the_same_game(name: str, settings: SplitSettings) -> None:
    rules = flat_rules(name)
    assert plays(rules, split_rules(rules, settings)) > 0


def test_wide_rules_ground_small() -> None:
    rules = flat_rules(WALKS)
    split = split_rules(rules)
    assert plays(rules, split) > 2
    assert len(ground(split).rules) < len(ground(rules).rules) / 2
    assert max(len(variables_of(rule.body)) for rule in split) < max(len(variables_of(rule.body)) for rule in rules)


def test_no_rule_gets_unsafe_and_heads_keep_their_variables() -> None:
    for name in ("connect_four", "hex_5x5", *map(str, range(20))):
        for rule in split_rules(flat_rules(name), EAGER):
            bound = {v for literal in rule.body if literal.binds for v in variables(literal.atom)}
            assert set(variables(rule.head)) | variables_of(rule.body) <= bound, rule


def test_rules_that_nothing_needs_are_left_out() -> None:
    needed = Rule("terminal", (Literal(("over", "?x")),))
    under = Rule(("over", "1"))
    assert relevant_rules([needed, under, Rule(("idle", "1"))]) == [needed, under]


SHIFT = "(role me) (init (at 1 1)) (<= (legal me (go ?x ?y)) (square ?x) (square ?y)) (<= terminal (true (at 9 9)))"
SHIFT += "(<= (next (at ?x ?y)) (does me (go ?x ?y))) (goal me 50)"
SHIFT += "(<= (next (at ?x ?y)) (does me (go ?u ?v)) (true (at ?x ?y)) (apart ?x ?y ?u ?v))"
SHIFT += "(<= (apart ?x ?y ?u ?v) (square ?x) (square ?y) (square ?u) (square ?v) (distinct ?x ?u))"
SHIFT += "(<= (apart ?x ?y ?u ?v) (square ?x) (square ?y) (square ?u) (square ?v) (distinct ?y ?v))"
SHIFT += "".join(f"(square {i})" for i in range(10))
"""What is apart differs in one of two arguments: each is enough, and what moves need not meet every square."""


def test_a_static_relation_is_taken_apart_where_that_grounds_smaller() -> None:
    rules = flat_rules(SHIFT)
    split = split_rules(rules)
    assert plays(rules, split) > 10
    assert len(ground(split).rules) < len(ground(split_rules(rules, SplitSettings(free=1e9))).rules) / 2
