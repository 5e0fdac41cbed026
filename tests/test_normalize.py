"""Normal form: where negation stands, what ors become, what binds what; and that truth stays the same."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given

from gdl import Compound, parse
from gdl.normalize import bound_by, literals_of, needs, normalize, shared_variables
from gdl.rules import And, Distinct, Formula, Not, Or, Rule, formula_text, parts
from gdl.terms import Atom, Symbol, Variable, kif
from tests import strategies


def rule(text: str) -> Rule:
    (found,) = parse(text).rules
    return found


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("(not (or a b))", "(not a) (not b)"),
        ("(not (and a b))", "(or (and (not a)) (and (not b)))"),
        ("(not (not a))", "a"),
        ("(and a (and b c))", "a b c"),
        ("(or a (or b (and c d)))", "(or (and a) (and b) (and c d))"),
        ("(or (and a b))", "a b"),
        ("(not (or (and a b) (not c)))", "(or (and (not a)) (and (not b))) c"),
        ("(not (distinct ?x 1)) (q ?x)", "(not (distinct ?x 1)) (q ?x)"),
        ("(and)", ""),
    ],
)
def test_negation_moves_to_atoms_and_nesting_goes(body: str, expected: str) -> None:
    assert " ".join(map(formula_text, normalize(rule(f"(<= p {body})")).body)) == expected


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("(<= (goal ?r 50) (q 1))", "(role ?r) (q 1)"),
        ("(<= (legal ?r ?m) (q ?m))", "(role ?r) (q ?m)"),
        ("(goal ?r 50)", "(role ?r)"),
        ("(<= (legal ?r ?m) (role ?r) (q ?m))", "(role ?r) (q ?m)"),
        ("(<= (own ?r 50) (q 1))", "(q 1)"),
    ],
)
def test_a_role_that_nothing_binds_ranges_over_the_roles(text: str, body: str) -> None:
    assert " ".join(map(formula_text, normalize(rule(text)).body)) == body


def names(found: frozenset[Variable]) -> str:
    return " ".join(sorted(v.name for v in found))


@pytest.mark.parametrize(
    ("body", "bound"),
    [
        ("(q ?x (f ?y))", "?x ?y"),
        ("(not (q ?x))", ""),
        ("(distinct ?x 1)", ""),
        ("(not (distinct ?x 1))", "?x"),
        ("(not (distinct ?x ?y))", ""),
        ("(not (distinct ?x (f ?y))) (q ?y)", "?x ?y"),
        ("(or (q ?x) (and (r ?x ?y) (q ?y)))", "?x"),
        ("(or (q ?x) (not (distinct ?x 1)))", "?x"),
    ],
)
def test_what_literals_bind(body: str, bound: str) -> None:
    assert names(bound_by(normalize(rule(f"(<= p {body})")).body)) == bound


def test_what_literals_need() -> None:
    body = normalize(rule("(<= (p ?x) (q ?x) (not (r ?x ?only)) (distinct ?x ?z) (or (s ?z) (not (s ?x))))")).body
    shared = shared_variables(body, [Variable("?x")])
    assert names(shared) == "?x ?z"
    assert [names(needs(literal, frozenset(), shared)) for literal in body] == ["", "?x", "?x ?z", "?x"]
    assert [names(needs(literal, frozenset(shared), shared)) for literal in body] == ["", "", "", ""]


def is_literal(formula: Formula) -> bool:
    match formula:
        case Not(inner):
            return not isinstance(inner, Not | And | Or)
        case Or(branches):
            return all(is_literal(x) and not isinstance(b, Or) for b in branches for x in literals_of(b))
        case And():
            return False
        case _:
            return True


def holds(formula: Formula, true: frozenset[Atom | Distinct]) -> bool:
    match formula:
        case Not(inner):
            return not holds(inner, true)
        case And(inners):
            return all(holds(inner, true) for inner in inners)
        case Or(branches):
            return any(holds(branch, true) for branch in branches)
        case _:
            return formula in true


@given(strategies.rules)
def test_normal_form_means_the_same(found: Rule) -> None:
    normal = normalize(Rule(Symbol("p"), found.body))
    assert all(map(is_literal, normal.body))
    assert normalize(normal) == normal
    leaves = list(dict.fromkeys(part for formula in found.body for part, _ in parts(formula)))[:7]
    for choice in product([True, False], repeat=len(leaves)):
        true = frozenset(leaf for leaf, chosen in zip(leaves, choice, strict=True) if chosen)
        assert all(holds(f, true) for f in found.body) == all(holds(f, true) for f in normal.body)


def test_places_are_kept() -> None:
    found = normalize(rule("(<= (p ?x) (q ?x) (not (or (r ?x) (s ?x))))"))
    assert found.at == 0
    assert [kif(f.formula) for f in found.body if isinstance(f, Not) and isinstance(f.formula, Compound)] == [
        "(r ?x)",
        "(s ?x)",
    ]
    assert all(f.at > 0 for f in found.body)
