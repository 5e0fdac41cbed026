"""What the analysis of boards reads of the rules."""

from __future__ import annotations

import pytest

from gdl import load
from ggp.boards.rules import Rules
from tests.helpers import GAMES, ruleset

GAME = """
(role white) (role black)
(succ 1 2) (succ 2 3)
(index 1) (<= (index ?b) (succ ?a ?b))
(<= (square ?x ?y) (index ?x) (index ?y))
(<= (base (cell ?x ?y ?r)) (square ?x ?y) (role ?r))
(<= (init (cell ?x 1 white)) (index ?x))
(init (at (deep 1) 2))
(<= (legal ?r (mark ?x ?y)) (role ?r) (square ?x ?y) (not (true (cell ?x ?y ?r))))
(<= (next (cell ?x ?y ?r)) (does ?r (mark ?x ?y)))
(goal white 100) (goal black 0)
(<= terminal (true (cell 1 ?y black)))
"""


def test_static_relations_are_worked_out_and_so_is_the_first_position() -> None:
    rules = Rules.of(ruleset(GAME))
    assert len(rules.static["square", 2]) == 9
    assert rules.init["cell", 3] == [(x, "1", "white") for x in "123"]
    assert rules.init["at", 2] == [("(deep 1)", "2")]
    assert len(rules.base["cell", 3]) == 18


def test_domains_of_fluents_and_moves() -> None:
    rules = Rules.of(ruleset(GAME))
    assert dict(rules.fluents())["cell", 3] == [{"1", "2", "3"}, {"1", "2", "3"}, {"white", "black"}]
    assert dict(rules.moves()) == {("mark", 2): [{"1", "2", "3"}, {"1", "2", "3"}]}


def test_what_shares_the_variables_of_a_fluent() -> None:
    shared = Rules.of(ruleset(GAME)).shared(("cell", 3))
    assert shared[("does(_,mark/2)", 3), ((0, 1), (1, 2), (2, 0))] == 2  # as does, and as legal
    assert shared[("square", 2), ((0, 0), (1, 1))] == 1


@pytest.mark.parametrize("name", ["stress_static", "stress_recursion", "stress_exponential"])
def test_relations_that_are_large_or_grow_are_left_out(name: str) -> None:
    rules = Rules.of(load(GAMES / f"{name}.kif"))
    assert sum(map(len, rules.static.values())) < 20_000
    assert rules.init


def test_a_rule_that_binds_no_variable_spoils_nothing_else() -> None:
    rules = Rules.of(ruleset(GAME + "(anything ?x)"))
    assert len(rules.static["square", 2]) == 9


def test_terms_too_deep_to_be_flattened_leave_nothing_but_the_roles() -> None:
    deep = "(f " * 300 + "x" + ")" * 300
    rules = Rules.of(ruleset(GAME + f"(init (at {deep} 1))"))
    assert (rules.roles, rules.rules, rules.init) == (("white", "black"), (), {})
