"""Terms: text, equality, walking, substitution, unification; and depth, which must not matter."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gdl import parse_term
from gdl.terms import (
    Compound,
    Symbol,
    Term,
    Variable,
    arguments,
    is_ground,
    kif,
    rebuild,
    substitute,
    unify,
    variables,
    walk,
)
from tests import strategies


def deep(depth: int) -> Term:
    term: Term = Symbol("z")
    for _ in range(depth):
        term = Compound("s", (term,))
    return term


def test_where_a_term_stands_takes_no_part_in_comparison() -> None:
    assert Symbol("a", 3) == Symbol("a", 9)
    assert Compound("f", (Variable("?x", 1),), 2) == Compound("f", (Variable("?x", 5),), 7)
    assert hash(Compound("f", (Symbol("a", 1),), 2)) == hash(Compound("f", (Symbol("a", 5),), 7))


def test_kinds_of_terms_differ() -> None:
    assert (
        len({Symbol("a"), Symbol("b"), Variable("?a"), Compound("a", (Symbol("b"),)), Compound("b", (Symbol("b"),))}) == 5
    )
    assert Compound("f", (Symbol("a"),)) != Compound("f", (Symbol("a"), Symbol("a")))
    assert Compound("f", (Symbol("a"),)) != Compound("f", (Compound("a", (Symbol("a"),)),))
    assert Compound("f", (Symbol("a"),)) != "(f a)"


def test_parts_in_the_order_of_the_text() -> None:
    term = parse_term("(f ?x (g a ?y) ?x)")
    assert [part.name for part in walk(term)] == ["f", "?x", "g", "a", "?y", "?x"]
    assert [v.name for v in variables(term)] == ["?x", "?y", "?x"]
    assert not is_ground(term)
    assert is_ground(parse_term("(f a (g b))"))
    assert arguments(Symbol("a")) == ()


def test_substitution_is_done_once() -> None:
    x, y = Variable("?x"), Variable("?y")
    assert kif(substitute(parse_term("(f ?x (g ?y))"), {x: y, y: Symbol("a")})) == "(f ?y (g a))"
    assert substitute(y, {}) is y


def test_unification() -> None:
    found = unify(parse_term("(f ?x (g ?y) b)"), parse_term("(f (h ?z) (g a) ?z)"))
    assert found == {Variable("?x"): parse_term("(h b)"), Variable("?y"): Symbol("a"), Variable("?z"): Symbol("b")}
    for first, second in [("(f a)", "(f b)"), ("(f a)", "(g a)"), ("(f a)", "(f a a)"), ("a", "(a b)"), ("?x", "(f ?x)")]:
        assert unify(parse_term(first), parse_term(second)) is None
    assert unify(parse_term("(p ?x ?y)"), parse_term("(p (f ?y) (f ?x))")) is None


def test_terms_nested_100_000_deep_can_be_used() -> None:
    one, other = deep(100_000), deep(100_000)
    assert one == other
    assert hash(one) == hash(other)
    assert one != deep(99_999)
    assert kif(one).count("(") == 100_000
    assert sum(1 for _ in walk(one)) == 100_001
    assert rebuild(one, lambda leaf: leaf) == one
    assert unify(one, other) == {}


@given(strategies.terms)
def test_the_text_of_a_term_gives_the_term_back(term: Term) -> None:
    assert parse_term(kif(term)) == term


@given(strategies.terms)
def test_rebuilding_with_nothing_changed_gives_the_same(term: Term) -> None:
    assert rebuild(term, lambda leaf: leaf) == term


@given(strategies.terms, strategies.terms)
def test_unification_makes_both_terms_equal(first: Term, second: Term) -> None:
    bindings = unify(first, second)
    if bindings is not None:
        assert substitute(first, bindings) == substitute(second, bindings)


@given(strategies.terms, st.data())
def test_a_term_unifies_with_its_instances(term: Term, data: st.DataObject) -> None:
    bindings = {v: data.draw(strategies.ground_terms) for v in dict.fromkeys(variables(term))}
    found = unify(term, substitute(term, bindings))
    assert found is not None
    assert {v: found[v] for v in bindings} == bindings
