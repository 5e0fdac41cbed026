"""Free arguments: relations without the arguments that rules leave to whoever asks; the game stays the same."""

from __future__ import annotations

from gdl.grounding.counting import estimate
from gdl.grounding.demand import add_guards
from gdl.grounding.free import drop_free_arguments
from gdl.grounding.grounder import ground
from gdl.grounding.rules import Rule, relation
from tests.ground_games import flat_rules, plays

SQUARES = "".join(f"(square {i})" for i in range(12)) + "".join(f"(step {i} {i + 1})" for i in range(11))
MOVES = """
(role me) (init (at 0)) (init (wall 3)) (init (wall 7))
(<= (attacks ?from ?to ?gone) (step ?from ?to) (square ?gone))
(<= (attacks ?from ?to ?gone) (step ?from ?via) (not (true (wall ?via))) (attacks ?via ?to ?gone))
(<= (attacks ?from ?to ?gone) (step ?from ?gone) (attacks ?gone ?to ?gone))
(<= (legal me (go ?x ?gone)) (true (at ?y)) (square ?gone) (attacks ?y ?x ?gone))
(<= (legal me (fly ?x)) (true (at ?y)) (square ?x) (asked ?gone) (not (attacks ?y ?x ?gone)))
(<= (next (at ?x)) (does me (go ?x ?gone)))
(<= (next (at ?x)) (does me (fly ?x)))
(<= (next (wall ?x)) (does me (fly ?x)))
(<= (next (wall ?x)) (true (wall ?x)) (not (does me (fly ?x))))
(<= terminal (true (at 11)))
(goal me 100)
"""
ASKED = SQUARES + MOVES + "(asked 3) (asked 4)"
ELSEWHERE = SQUARES + MOVES + "(asked 3) (asked nowhere)"


def names(rules: list[Rule]) -> set[str]:
    return {relation(rule.head)[0] for rule in rules}


def narrowed(text: str, smallest: float = 1.0) -> tuple[list[Rule], list[Rule]]:
    rules = flat_rules(text)
    return rules, drop_free_arguments(rules, estimate(rules), smallest)


def test_a_recursion_is_ground_once_for_all_values_that_it_hands_on() -> None:
    rules, narrow = narrowed(ASKED)
    assert "attacks" not in names(narrow)
    assert plays(rules, narrow) > 10
    size = {
        key: len([name for name in ground(found).names if name.startswith(f"({key}")])
        for key, found in (("attacks", rules), ("free#attacks/3#0", narrow), ("free#attacks/3#1", narrow))
    }
    assert size["attacks"] > 2 * (size["free#attacks/3#0"] + size["free#attacks/3#1"]) > 0


def test_a_negated_literal_may_be_asked_about_values_that_are_never_free() -> None:
    rules, narrow = narrowed(ELSEWHERE)
    assert "attacks" in names(narrow)
    assert plays(rules, narrow) > 10


def test_small_relations_stay_and_so_do_rules_without_free_arguments() -> None:
    rules, narrow = narrowed(ASKED, smallest=1e9)
    assert narrow == rules
    rules, narrow = narrowed("connect_four")
    assert narrow == rules


def test_an_argument_that_nothing_binds_is_free() -> None:
    text = SQUARES + MOVES.replace(" (square ?gone))\n(<= (attacks", ")\n(<= (attacks", 1) + "(asked 3) (asked nowhere)"
    rules, narrow = narrowed(text)
    assert "attacks" not in names(narrow)
    assert plays(add_guards(rules, estimate(rules)), narrow) > 10


def test_terms_in_the_place_of_constants() -> None:
    boxes = "(asked (box 1)) (asked 4) (box_of (box 1))"
    rules, narrow = narrowed(SQUARES + MOVES + boxes)
    assert plays(rules, narrow) > 10


def test_pairs_of_which_each_goes_with_each_are_taken_apart() -> None:
    cells = "(<= (cell ?x ?y) (square ?x) (square ?y))"
    apart = """(role me) (init (at 1 1)) (<= (legal me (go ?x ?y)) (cell ?x ?y)) (goal me 50)
    (<= (next (at ?x ?y)) (does me (go ?x ?y))) (<= terminal (true (at 9 9)))
    (<= (next (at ?x ?y)) (does me (go ?u ?v)) (true (at ?x ?y)) (apart ?x ?y ?u ?v))
    (<= (apart ?x ?y ?u ?v) (cell ?x ?y) (cell ?u ?v) (distinct ?x ?u))
    (<= (apart ?x ?y ?u ?v) (cell ?x ?y) (cell ?u ?v) (distinct ?y ?v))"""
    rules, narrow = narrowed(SQUARES + cells + apart)
    assert "apart" not in names(narrow)
    assert plays(rules, narrow) > 10
    holes = "".join(f"(cell {x} {y})" for x in range(12) for y in range(12) if (x, y) != (3, 3))
    rules, narrow = narrowed(SQUARES + holes + apart)
    assert narrow == rules
