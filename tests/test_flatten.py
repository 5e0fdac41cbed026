"""Flat rules: no connectives, equalities applied, and unification."""

from __future__ import annotations

import random

import pytest

from gdl import GroundingError, Variable, parse, parse_term
from gdl.grounding.flatten import flatten, unify
from gdl.grounding.grounder import ground
from gdl.grounding.rules import Literal, Rule, Term, substitute, variables
from tests.helpers import ruleset
from tests.naive import Evaluator as Naive
from tests.random_games import random_game


@pytest.mark.parametrize("seed", range(60))
def test_the_first_position_is_that_of_the_rules(seed: int) -> None:
    """Or, nor, equality and negation without a value are all in random games."""
    game = ruleset(random_game(random.Random(seed)))
    naive = Naive(game)
    rules = flatten(game.rules)
    assert all(not {"or", "and", "not"} & {part[0] for part in atoms(rule)} for rule in rules)
    program = ground(rules)
    assert sorted(program.bases[i].fluent for i in program.initial) == sorted(naive.initial())
    from ggp.circuits.evaluate import Evaluator

    now = Evaluator(program).evaluate(program.initial)
    _, legal, _ = naive.situation([parse_term(fluent) for fluent in naive.initial()])
    found = [
        sorted(pair.move for pair in program.inputs if pair.role == role and now.holds(pair.legal))
        for role in range(len(program.roles))
    ]
    assert found == [sorted(moves) for moves in legal]


def atoms(rule: Rule) -> list[tuple[Term, ...]]:
    return [atom for atom in (rule.head, *(x.atom for x in rule.body)) if isinstance(atom, tuple)]


def rules_of(text: str) -> list[Rule]:
    return flatten(ruleset(f"(role me) (legal me wait) (goal me 0) terminal (init (p a)) (init (q a b)) {text}").rules)


def test_a_disjunction_becomes_rules() -> None:
    found = [rule for rule in rules_of("(<= (r ?x) (or (true (p ?x)) (true (q ?x b))))") if rule.head == ("r", "?x")]
    assert [rule.body for rule in found] == [
        (Literal(("true", ("p", "?x"))),),
        (Literal(("true", ("q", "?x", "b"))),),
    ]


def test_many_disjunctions_become_relations_of_their_own() -> None:
    either = " ".join(f"(or (true (p ?x{i})) (true (q ?x{i} b)) (true (q b ?x{i})))" for i in range(5))
    found = rules_of(f"(<= r {either})")
    assert len(found) < 50
    assert any(str(rule.head).count("or#") for rule in found)


def test_equalities_are_applied() -> None:
    found = [r for r in rules_of("(<= (r ?x ?y) (true (q ?x ?y)) (not (distinct ?x a)))") if r.head[0] == "r"]
    assert found[0] == Rule(("r", "a", "?y"), (Literal(("true", ("q", "a", "?y"))),))


@pytest.mark.parametrize("seed", range(200))
def test_a_unifier_makes_terms_equal(seed: int) -> None:
    generator = random.Random(seed)

    def term(depth: int) -> Term:
        roll = generator.random()
        if depth == 0 or roll < 0.5:
            return generator.choice(["?x", "?y", "?z", "a", "b"])
        return ("f" if roll < 0.8 else "g", *[term(depth - 1) for _ in range(2)])

    one, other = (("f", *[term(1) for _ in range(3)]) for _ in range(2))
    values = unify(one, other)
    grounds = [dict(zip(("?x", "?y", "?z"), row, strict=True)) for row in assignments()]
    if values is None:
        assert all(substitute(one, g) != substitute(other, g) for g in grounds)
        return
    same = substitute(one, values)
    assert same == substitute(other, values)
    assert not set(values) & set(variables(same))


def assignments() -> list[tuple[Term, Term, Term]]:
    small: list[Term] = ["a", "b", ("f", "a", "b"), ("g", "a", "a"), ("f", ("f", "a", "a"), "b")]
    return [(x, y, z) for x in small for y in small for z in small]


def test_what_cannot_be_equal() -> None:
    assert unify("?x", ("f", "?x", "a")) is None
    assert unify(("f", "a", "b"), ("g", "a", "b")) is None
    assert isinstance(parse_term("?x"), Variable)


def test_disjunctions_within_disjunctions_are_lifted_one_by_one() -> None:
    def nested(depth: int) -> str:
        if not depth:
            return "(true (on ?x))"
        inner = nested(depth - 1)
        return f"(or (and {inner} (true (a ?x))) (and {inner} (true (b ?x))))" if depth % 3 else f"(or {inner} (true c))"

    both = f"(or (and {nested(7)} {nested(6)} {nested(8)}) (true (d ?x)))"  # hundreds of thousands of conjunctions
    rules = rules_of(f"(<= (r ?x) (true (e ?x)) {both})")
    assert len(rules) < 500


def test_a_thousand_equalities() -> None:
    chain = " ".join(f"(not (distinct ?x{i} ?x{i + 1}))" for i in range(1_500))
    (rule,) = flatten(parse(f"(<= (r ?x0) (q ?x1500) {chain})").rules)
    assert len(rule.body) == 1


@pytest.mark.parametrize("arguments", [pytest.param("?x{0}", marks=pytest.mark.slow), "?x{0} ?x{0}"])
def test_equalities_that_make_huge_terms_are_refused(arguments: str) -> None:
    doubled = " ".join(f"(not (distinct ?x{i} (f {arguments.format(i + 1)})))" for i in range(210))
    with pytest.raises(GroundingError, match="equalities make terms"):
        flatten(parse(f"(<= (r ?x0) (q ?x210) {doubled})").rules)
