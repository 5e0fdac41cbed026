"""Permanent fluents are read from the first position; the game stays the same, and so does what a position shows."""

from __future__ import annotations

import pytest

from gdl.grounding.grounder import ground
from gdl.grounding.permanent import PREFIX, read_permanent_fluents
from gdl.grounding.rules import relation
from tests.ground_games import flat_rules, plays

MAZE = """
(role me) (init (at 1)) (<= (init (door ?x ?y)) (gap ?x ?y)) (gap 1 2) (gap 2 3) (gap 2 1) (init lit)
(<= (legal me (go ?y)) (true (at ?x)) (true (door ?x ?y)) (true lit))
(<= (legal me (wait ?x)) (true (at ?x)) (not (true (door ?x 2))))
(<= (next (at ?y)) (does me (go ?y)))
(<= (next (at ?x)) (does me (wait ?x)))
(<= (next (door ?x ?y)) (true (door ?x ?y)))
(<= (next lit) (true lit) (does ?who ?what))
(<= terminal (true (at 4)))
(goal me 50)
"""
KEEPS = "(<= (next (door ?x ?y)) (true (door ?x ?y)))"


def permanent(text: str) -> set[str]:
    heads = {relation(rule.head)[0] for rule in read_permanent_fluents(flat_rules(text))}
    return {name.removeprefix(PREFIX) for name in heads if name.startswith(PREFIX)}


def test_what_no_rule_changes_is_read_from_the_first_position() -> None:
    rules = flat_rules(MAZE)
    read = read_permanent_fluents(rules)
    assert permanent(MAZE) == {"door", "lit"}
    assert plays(rules, read) > 10
    assert len(ground(read).rules) < len(ground(rules).rules)


@pytest.mark.parametrize(
    "rule",
    [
        "",
        "(<= (next (door ?x ?y)) (true (door ?x ?y)) (true (at ?x)))",
        "(<= (next (door ?x ?y)) (true (door ?x ?y)) (does me (go ?y)))",
        "(<= (next (door ?x ?y)) (true (door ?x ?y)) (does ?x ?y))",
        "(<= (next (door ?x ?y)) (true (door ?y ?x)))",
        "(<= (next (door ?x ?x)) (true (door ?x ?x)))",
        "(<= (next (door ?x 2)) (true (door ?x 2)))",
        "(<= (next (door ?x ?y)) (not (true (door ?x ?y))) (gap ?x ?y))",
        KEEPS + "(<= (next (door 3 4)) (true (at 3)))",
        KEEPS + "(<= (next ?f) (at_door ?f)) (at_door (door 3 4))",
    ],
)
def test_what_a_rule_changes_is_not(rule: str) -> None:
    text = MAZE.replace(KEEPS, rule)
    assert "door" not in permanent(text)
    assert plays(flat_rules(text), read_permanent_fluents(flat_rules(text))) > 2
