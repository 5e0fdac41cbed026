"""Estimated sizes: exact for static relations, never below the truth for domains."""

from __future__ import annotations

import pytest

from gdl import parse_term
from gdl.grounding.counting import estimate
from gdl.grounding.estimates import find_domains, flat, static_rules
from gdl.grounding.grounder import ground
from gdl.grounding.rules import Literal, Term, relation
from gdl.terms import Compound, Symbol
from gdl.terms import Term as GdlTerm
from tests.ground_games import flat_rules

CHAIN = "(role me) (legal me wait) (goal me 0) terminal (init (on 1))" + "".join(f"(link {i} {i + 1})" for i in range(9))
CHAIN += "(<= (before ?x ?y) (link ?x ?y)) (<= (before ?x ?z) (link ?x ?y) (before ?y ?z))"
CHAIN += "(<= (next (on ?y)) (true (on ?x)) (link ?x ?y))"


def test_static_relations_are_counted() -> None:
    sizes = estimate(flat_rules(CHAIN))
    assert sizes.of(("link", "?x", "?y")) == 9
    assert sizes.of(("before", "?x", "?y")) == 45
    assert sizes.of(("link", "1", "?y")) == 1
    assert sizes.of(("nothing", "?x")) == 0
    assert {("link", 2), ("before", 2)} <= sizes.static


def test_a_join_is_larger_than_what_it_is_made_of_and_an_equal_variable_makes_it_smaller() -> None:
    sizes = estimate(flat_rules(CHAIN))
    free = sizes.join([Literal(("link", "?x", "?y")), Literal(("link", "?u", "?v"))])
    joined = sizes.join([Literal(("link", "?x", "?y")), Literal(("link", "?y", "?z"))])
    assert free == 81
    assert joined == pytest.approx(9)
    assert sizes.join([Literal(("link", "?x", "?y")), Literal(("link", "?x", "?y"), positive=False)]) == 9


def test_what_depends_on_the_position_is_not_static() -> None:
    heads = {relation(rule.head) for rule in static_rules(flat_rules(CHAIN))}
    assert heads >= {("link", 2), ("before", 2)}
    assert not heads & {("next", 1), ("init", 1), ("legal", 2)}


@pytest.mark.parametrize(
    "name", ["tic_tac_toe", "nim", "connect_four", "eight_puzzle", "pawn_whopping", "dots_and_boxes"]
)
def test_domains_hold_all_that_is_ground(name: str) -> None:
    rules = flat_rules(name)
    domains = find_domains(rules)
    for base in ground(rules).bases:
        fluent = parse_term(f"(true {base.fluent})")
        key, arguments = flat(plain(fluent))
        assert key in domains, base.fluent
        for argument, domain in zip(arguments, domains[key], strict=True):
            assert not isinstance(argument, str) or argument in domain


def plain(term: GdlTerm) -> Term:
    if isinstance(term, Compound):
        return (term.name, *map(plain, term.arguments))
    assert isinstance(term, Symbol)
    return term.name
