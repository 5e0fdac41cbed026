"""Balance and spelling: what is no s-expression is refused with its place, at any size and depth."""

from __future__ import annotations

import pytest

from gdl import Law, Source
from gdl.problems import Problem, Reporter
from gdl.reader import MAX_DEPTH, Expressions, read
from gdl.terms import kif


def reading(text: str) -> tuple[Expressions | None, list[Problem]]:
    reporter = Reporter(Source(text), [])
    return read(reporter.source, reporter), reporter.found


def good(text: str) -> list[str]:
    expressions, found = reading(text)
    assert expressions is not None
    assert found == []
    return [kif(term) for term in expressions.terms]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("   \n\t ", []),
        ("; only a comment", []),
        ("(role me)", ["(role me)"]),
        ("(role me)(role you)", ["(role me)", "(role you)"]),
        ("( role\r\n\tme\f)", ["(role me)"]),
        ("(a (b (c d)) e)", ["(a (b (c d)) e)"]),
        ("(a ; here )\n b)", ["(a b)"]),
        ("(a b;here (\n)", ["(a b)"]),
        ("atom ?var", ["atom", "?var"]),
        ("(MARK ?X Ü)", ["(mark ?x ü)"]),
        ("(a ?)", ["(a ?)"]),
        ("(a b)c", ["(a b)", "c"]),
        ("(a\u00a0b)", ["(a b)"]),
    ],
)
def test_good_texts(text: str, expected: list[str]) -> None:
    assert good(text) == expected


@pytest.mark.parametrize(
    ("text", "places"),
    [
        (")", [(1, 1)]),
        ("(a))", [(1, 4)]),
        ("))", [(1, 1), (1, 2)]),
        ("(a", [(1, 1)]),
        ("(a (b", [(1, 1)]),
        ("(a b\n(c d)\n(e", [(1, 1), (3, 1)]),
        ("(a b\n  (c d)\n(e)", [(1, 1)]),
        ("(a ; )", [(1, 1)]),
    ],
)
def test_faults_of_balance(text: str, places: list[tuple[int, int]]) -> None:
    expressions, found = reading(text)
    assert expressions is None
    assert [(p.place.line, p.place.column) for p in found] == places
    assert all(p.law is Law.SYNTAX and p.is_error for p in found)


def test_the_first_spelling_of_each_name_is_kept_with_its_place() -> None:
    expressions, _ = reading("(Cell A) (cell a) (Cell b)")
    assert expressions is not None
    assert expressions.words == {"Cell": 1, "A": 6, "cell": 10, "a": 15, "b": 24}


def test_where_terms_stand() -> None:
    expressions, _ = reading("(f a\n (g (h ?x)))")
    assert expressions is not None
    (term,) = expressions.terms
    assert [part.at for part in (term, *term.arguments)] == [0, 3, 6]  # type: ignore[union-attr]


def test_ten_million_open_parentheses_are_one_problem() -> None:
    expressions, found = reading("(" * 10_000_000)
    assert expressions is None
    assert [(p.law, p.at) for p in found] == [(Law.SYNTAX, MAX_DEPTH)]


@pytest.mark.parametrize("text", [")" * 1_000_000, "(a\n" * 9_000])
def test_a_flood_of_faults_does_not_fill_the_screen(text: str) -> None:
    expressions, found = reading(text)
    assert expressions is None
    assert len(found) == 100


def test_nesting_just_within_the_limit_is_read_and_beyond_it_refused() -> None:
    def nested(depth: int) -> str:
        return "(f " * depth + "a" + ")" * depth

    assert good(nested(MAX_DEPTH)) == [nested(MAX_DEPTH)]
    for depth in (MAX_DEPTH + 1, 100_000):
        expressions, found = reading(nested(depth))
        assert expressions is None
        assert [(p.law, p.place.column) for p in found] == [(Law.SYNTAX, 3 * MAX_DEPTH + 1)]
