"""Decision diagrams for static conditions on many variables: the game stays the same, and nothing wide is listed."""

from __future__ import annotations

import pytest

from gdl.grounding.counting import estimate
from gdl.grounding.demand import add_guards
from gdl.grounding.diagrams import use_diagrams
from gdl.grounding.grounder import ground
from gdl.grounding.rules import Rule, relation
from gdl.grounding.split import relevant_rules, split_rules
from tests.ground_games import flat_rules, plays

DIGITS = "".join(f"(digit {i}) (eq {i} {i})" for i in range(1, 5)) + "".join(f"(less {i} {i + 1})" for i in range(1, 4))
BOARD = """
(role me) (init (mark 1 1))
(<= (legal me (put ?c ?d)) (digit ?c) (digit ?d) (not (true (mark ?c ?d))))
(<= (next (mark ?c ?d)) (does me (put ?c ?d)))
(<= (next (mark ?c ?d)) (true (mark ?c ?d)))
(<= terminal (not open)) (<= open (digit ?c) (digit ?d) (not (true (mark ?c ?d))))
(<= row (true (mark 1 ?a)) (true (mark 2 ?b)) (true (mark 3 ?c)) (true (mark 4 ?d)) ASKED)
(<= (goal me 100) row)
(<= (goal me 0) (not row))
"""
FIRST = """
(<= (first ?z ?a ?b ?c ?d) (eq ?z ?a) (digit ?b) (digit ?c) (digit ?d)
  (not (eq ?z ?b)) (not (eq ?z ?c)) (not (eq ?z ?d)))
(<= (one ?z ?a ?b ?c ?d) (first ?z ?a ?b ?c ?d))
(<= (one ?z ?a ?b ?c ?d) (first ?z ?b ?a ?c ?d))
(<= (one ?z ?a ?b ?c ?d) (first ?z ?c ?a ?b ?d))
(<= (one ?z ?a ?b ?c ?d) (first ?z ?d ?a ?b ?c))
"""
ONE = " ".join(f"(one {i} ?a ?b ?c ?d)" for i in range(1, 5))


def game(asked: str, definitions: str) -> str:
    """A board of four cells, each of which may have several digits: `asked` is about one of each."""
    return DIGITS + BOARD.replace("ASKED", asked) + definitions


def stepwise(text: str, wide: float = 1.0) -> tuple[list[Rule], list[Rule]]:
    rules = relevant_rules(flat_rules(text))
    return rules, relevant_rules(use_diagrams(rules, estimate(rules), wide))


def names(rules: list[Rule]) -> set[str]:
    return {relation(rule.head)[0] for rule in rules}


def test_all_different_is_a_walk_over_sets_of_digits() -> None:
    rules, walked = stepwise(game(ONE, FIRST))
    assert not {"one", "first"} & names(walked)
    edges = [sum(relation(rule.head)[0] == f"diagram#0#{layer}" for rule in walked) for layer in range(4)]
    assert edges == [4, 12, 12, 4]
    assert plays(rules, walked, count=12, steps=17) > 100


@pytest.mark.parametrize(
    ("asked", "definitions"),
    [
        # negated conditions, and one that speaks of one variable twice
        ("(not (one 2 ?a ?b ?c ?d)) (one 3 ?a ?b ?c ?c)", FIRST),
        # facts among the definitions, heads with constants and with one variable twice
        (
            "(fits ?a ?b ?c ?d)",
            "(<= (fits ?a ?b ?b 4) (less ?a ?b)) (fits 1 1 1 1) (<= (fits ?a ?a ?c ?d) (digit ?a) (less ?c ?d))",
        ),
        # variables inside of definitions, distinct, a negated definition
        (
            "(fits ?a ?b ?c ?d)",
            """(<= (fits ?a ?b ?c ?d) (less ?a ?x) (less ?x ?b) (digit ?c) (digit ?d) (distinct ?c ?d) (not (top ?d)))
               (<= (top ?d) (eq ?d 4))""",
        ),
        # a condition that nothing fulfils, and one without a definition
        ("(fits ?a ?b ?c ?d)", "(<= (fits ?a ?b ?c ?d) (eq ?a ?b) (digit ?c) (digit ?d) (less ?a ?b))"),
        (
            "(not (fits ?a ?b ?c ?d))",
            "(<= (fits ?a ?b ?c ?d) (less ?a ?b) (less ?c ?d)) (<= (fits ?a ?b ?c ?d) (eq ?b ?c) (nowhere ?a ?d))",
        ),
    ],
)
def test_conditions_of_every_kind_keep_their_meaning(asked: str, definitions: str) -> None:
    rules, walked = stepwise(game(asked, definitions))
    assert not {"one", "fits", "top"} & names(walked)
    assert plays(rules, walked, count=8, steps=17) > 50


def test_a_condition_may_leave_values_to_whoever_asks() -> None:
    loose = "(<= (fits ?a ?b ?c ?d) (less ?a ?b) (distinct ?c ?d)) (<= (fits ?a ?b ?c ?d) (less ?d ?c))"
    rules, walked = stepwise(game("(fits ?a ?b ?c ?d)", loose))
    assert "fits" not in names(walked)
    assert plays(add_guards(rules, estimate(rules)), walked, count=8, steps=17) > 50


@pytest.mark.parametrize(
    "definitions",
    [
        "(<= (fits ?a ?b ?c ?d) (upto ?a ?b) (digit ?c) (digit ?d)) "
        "(<= (upto ?a ?b) (less ?a ?b)) (<= (upto ?a ?c) (less ?a ?b) (upto ?b ?c))",  # a recursion
        "(<= (fits ?a ?b ?c ?d) (digit ?a) (digit ?b) (digit ?c) (digit ?d) (not (some ?a)))"
        "(<= (some ?a) (less ?a ?b) (less ?b ?c))",  # a negation of what has variables inside
    ],
)
def test_rules_stay_where_a_diagram_cannot_be_made(definitions: str) -> None:
    rules, walked = stepwise(game("(fits ?a ?b ?c ?d)", definitions))
    assert walked == rules


def test_small_relations_stay() -> None:
    rules, walked = stepwise(game(ONE, FIRST), wide=1e6)
    assert walked == rules
    rules, walked = stepwise("connect_four", wide=1e6)
    assert walked == rules


def test_a_relation_that_cannot_be_listed_is_ground() -> None:
    digits = "".join(f"(digit {i}) (eq {i} {i})" for i in range(1, 10))
    cells = [f"?m{i}" for i in range(1, 10)]
    one = "".join(
        f"(<= (one ?z {' '.join(cells)}) (eq ?z {cell}) "
        + " ".join([f"(digit {other}) (not (eq ?z {other}))" for other in cells if other != cell])
        + ")"
        for cell in cells
    )
    asked = " ".join([f"(true (mark {i} ?m{i}))" for i in range(1, 10)])
    asked += " ".join([f"(one {i} {' '.join(cells)})" for i in range(1, 10)])
    text = f"""{digits} {one} (role me) (init (mark 1 1))
    (<= (legal me (put ?c ?d)) (digit ?c) (digit ?d)) (<= (next (mark ?c ?d)) (does me (put ?c ?d)))
    (<= (next (mark ?c ?d)) (true (mark ?c ?d))) (<= terminal row) (<= row {asked}) (<= (goal me 100) row)"""
    program = ground(split_rules(flat_rules(text)))
    assert 2_304 <= len(program.rules) < 5_000
