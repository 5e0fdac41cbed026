"""Resolution: goals proved from the top down."""

from __future__ import annotations

import pytest

from gdl.grounding.resolution import Prover, UnprovedError
from gdl.grounding.rules import Literal, Term
from tests.ground_games import flat_rules

LISTS = """
(role me) (legal me wait) (goal me 100) (<= terminal (not (true done)))
(p a) (p b) (p c)
(<= (append nil ?l ?l))
(<= (append (cons ?x ?l) ?m (cons ?x ?n)) (append ?l ?m ?n))
(<= (member ?x (cons ?x ?l)))
(<= (member ?x (cons ?y ?l)) (distinct ?x ?y) (member ?x ?l))
(<= (fresh ?x ?l) (p ?x) (not (member ?x ?l)))
(<= (round ?x) (round ?x))
(<= (long ?x) (long (s ?x)))
(<= (some ?l) (append ?l ?m ?n) (not (member ?n ?l)))
"""


def listed(*items: str) -> Term:
    result: Term = "nil"
    for item in reversed(items):
        result = ("cons", item, result)
    return result


def answer(*goals: tuple[Term, ...], term: Term = "yes", negated: bool = False) -> Term | None:
    return Prover(flat_rules(LISTS)).answer([Literal(goal, not negated) for goal in goals], term)


def test_lists_are_joined_and_taken_apart() -> None:
    assert answer(("append", listed("a", "b"), listed("c"), "?l"), term="?l") == listed("a", "b", "c")
    assert answer(("append", "?l", listed("c"), listed("a", "c")), term=("found", "?l")) == ("found", listed("a"))
    assert answer(("append", "?l", listed("b"), listed("a", "c"))) is None


def test_a_later_goal_may_ask_for_another_proof_of_an_earlier_one() -> None:
    assert answer(("append", "?l", "?m", listed("a", "b")), ("member", "b", "?l"), term="?m") == "nil"
    assert answer(("p", "?x"), ("distinct", "?x", "a"), term="?x") == "b"


def test_negation_is_failure_to_prove() -> None:
    assert answer(("fresh", "?x", listed("a", "b")), term="?x") == "c"
    assert answer(("fresh", "?x", listed("a", "b", "c"))) is None
    assert answer(("member", "a", listed("b"))) is None
    assert answer(("member", "a", listed("b")), negated=True) == "yes"
    assert answer(("nowhere", "a"), negated=True) == "yes"


@pytest.mark.parametrize("goal", [("round", "a"), ("long", "a"), ("some", listed("a")), ("long", "?x")])
def test_what_does_not_end_is_given_up(goal: tuple[Term, ...]) -> None:
    with pytest.raises(UnprovedError):
        answer(goal)


def test_no_term_is_part_of_itself() -> None:
    assert answer(("append", "nil", ("s", "?x"), "?x")) is None
