"""Histories that only keep a recursion from going in circles are dropped; all others stay."""

from __future__ import annotations

import pytest

from gdl.grounding.histories import drop_histories
from gdl.grounding.rules import Rule, relation
from gdl.grounding.split import relevant_rules, split_rules
from tests.ground_games import flat_rules, plays

BOARD = """
(role me) (init (at 1 1)) (name 1 1 a) (name 1 2 b) (name 2 1 c) (name 2 2 d)
(edge 1 1 1 2) (edge 1 2 1 1) (edge 1 2 2 2) (edge 2 2 2 1) (edge 2 1 1 1) (edge 2 2 1 2)
(<= (legal me (put ?x ?y)) (name ?x ?y ?n))
(<= (next (at ?x ?y)) (does me (put ?x ?y)) (not (true (at ?x ?y))))
(<= (next (at ?x ?y)) (true (at ?x ?y)) (not (does me (put ?x ?y))))
(<= (goal me 100) (linked 1 1 2 1 nil)) (<= (goal me 0) (not (linked 1 1 2 1 nil)))
(<= terminal (linked 2 2 1 1 nil) (linked 1 2 2 1 nil) (not (true (at 2 2))))
(<= (near ?x ?y ?u ?v) (edge ?x ?y ?u ?v) (true (at ?u ?v)))
"""
TWO_RELATIONS = """
(<= (linked ?x ?y ?u ?v ?l) (name ?x ?y ?n) (added ?n ?l ?m) (linked2 ?x ?y ?u ?v ?m))
(<= (linked2 ?x ?y ?u ?v ?l) (near ?x ?y ?u ?v) (list ?l))
(<= (linked2 ?x ?y ?u ?v ?l) (near ?x ?y ?a ?b) (linked ?a ?b ?u ?v ?l) (list ?l))
"""
ADDED = """
(<= (added ?n nil (cons ?n nil)) (letter ?n))
(<= (added ?n (cons ?h ?t) (cons ?h ?u)) (letter ?n) (letter ?h) (distinct ?n ?h) (list ?t) (added ?n ?t ?u) (list ?u))
"""
LETTERS = "(letter a) (letter b) (letter c) (letter d)"


def lists(longest: int) -> str:
    """Lists of letters up to a length."""
    rules, term, letters = ["(list nil)"], "nil", ""
    for number in range(longest):
        term, letters = f"(cons ?e{number} {term})", f"{letters} (letter ?e{number})"
        rules.append(f"(<= (list {term}) {letters})")
    return " ".join(rules)


GAME = BOARD + TWO_RELATIONS + ADDED + LETTERS + lists(4)
NEVER_TWICE = """
(<= (linked ?x ?y ?u ?v ?l) (name ?x ?y ?n) (not (member ?n ?l)) (near ?x ?y ?u ?v))
(<= (linked ?x ?y ?u ?v ?l) (near ?x ?y ?a ?b) (name ?x ?y ?n) (not (member ?n ?l)) (linked ?a ?b ?u ?v (cons ?n ?l)))
(<= (member ?n (cons ?n ?l))) (<= (member ?n (cons ?m ?l)) (distinct ?n ?m) (member ?n ?l))
"""


def dropped(text: str) -> tuple[list[Rule], list[Rule]]:
    rules = relevant_rules(flat_rules(text))
    return rules, relevant_rules(drop_histories(rules))


def names(rules: list[Rule]) -> set[str]:
    return {relation(rule.head)[0] for rule in rules}


def test_a_list_of_the_squares_passed_is_left_out() -> None:
    rules, short = dropped(GAME)
    assert "idle#linked/5" in names(short)
    assert not {"linked", "linked2", "list", "added"} & names(short)
    assert plays(rules, short, count=6, steps=20) > 50


def test_what_is_not_a_member_yet_may_be_passed() -> None:
    rules, short = dropped(BOARD + NEVER_TWICE)
    assert not {"linked", "member"} & names(short)
    assert plays(short, relevant_rules(drop_histories(dropped(GAME)[0])), count=6, steps=20) > 50
    assert plays(split_rules(rules), short) > 20


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(letter d)", ""),  # one square may not be passed
        (lists(4), lists(3)),  # no list is long enough for all squares
        ("(linked 1 2 2 1 nil)", "(linked 1 2 2 1 (cons a nil))"),  # squares may be excluded from the outset
        ("(linked 1 2 2 1 nil)", "(linked2 1 2 2 1 nil)"),  # the inner relation is asked for
        ("(distinct ?n ?h)", "(distinct ?n ?h) (before ?h ?n)"),  # an order of squares, which must be ascending
        ("(distinct ?n ?h)", "(distinct ?n ?h) (distinct ?n c)"),  # one square is named
        ("(name 2 2 d)", "(name 2 2 a)"),  # two squares look alike
        ("(linked2 ?x ?y ?u ?v ?m))", "(linked2 ?x ?y ?u ?v ?m) (not (true (last ?m))))"),  # of the position
        (
            "(list ?l))\n(<= (linked2",
            "(linked3 ?x ?y ?u ?v ?l)) (<= (linked3 ?x ?y ?u ?v ?l) (linked2 ?x ?y ?u ?v ?l))\n(<= (linked2",
        ),
        ("(near ?x ?y ?a ?b) (linked ?a", "(near ?x ?y ?a ?b) (linked ?u ?v ?a ?b ?l) (linked ?a"),  # not linear
    ],
)
def test_other_lists_stay(old: str, new: str) -> None:
    assert old in GAME
    rules, short = dropped(GAME.replace(old, new) + "(before a b) (before b c) (before c d)")
    assert short == rules


def test_recursions_without_history_stay() -> None:
    for name in ("hex_5x5", "chess", "connect_four", "go_6x6"):
        rules, short = dropped(name)
        assert short == rules
