"""Whole-term variables become the shapes that they can have, and the game stays the same."""

from __future__ import annotations

import pytest

from gdl.grounding.rules import Literal, Rule
from gdl.grounding.shapes import expand_shapes, find_shapes
from tests.ground_games import flat_rules, plays

CARRIED = [
    Rule(("can", "me", ("go", "?x")), (Literal(("true", ("at", "?x"))),)),
    Rule(("can", "me", "wait")),
    Rule(("legal", "?r", "?m"), (Literal(("can", "?r", "?m")),)),
]


def test_the_shapes_of_each_place() -> None:
    found = find_shapes(CARRIED)
    assert found["can", 2, 1] == {("go", 1), ("wait", -1)}
    assert found["does", 2, 1] == found["can", 2, 1]


def test_a_variable_for_a_move_becomes_its_moves() -> None:
    expanded = expand_shapes(CARRIED)
    assert expanded[2:] == [
        Rule(("legal", "?r", ("go", "?m.0")), (Literal(("can", "?r", ("go", "?m.0"))),)),
        Rule(("legal", "?r", "wait"), (Literal(("can", "?r", "wait")),)),
    ]


def test_rules_without_such_variables_stay() -> None:
    plain = [Rule(("p", "?x"), (Literal(("q", "?x")),)), Rule(("q", "a"))]
    assert expand_shapes(plain) == plain


@pytest.mark.parametrize("name", ["tic_tac_toe", "kriegspiel_tic_tac_toe", "nim", *map(str, range(40))])
def test_the_game_stays_the_same(name: str) -> None:
    rules = flat_rules(name)
    assert plays(rules, expand_shapes(rules)) > 0


def test_what_comes_from_the_inside_of_a_term_is_not_known() -> None:
    rules = [
        Rule(("can", ("go", "1"))),
        Rule(("can", "?x"), (Literal(("true", ("at", "?x"))),)),
        Rule(("init", ("at", "stay"))),
        Rule(("legal", "me", "?m"), (Literal(("can", "?m")),)),
    ]
    assert find_shapes(rules)["can", 1, 0] is None
    assert rules[3] in expand_shapes(rules)
