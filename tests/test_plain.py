"""Reading canonical texts back."""

from __future__ import annotations

import pickle

import pytest

from gdl.parser import parse_term
from gdl.plain import PlainTerms
from gdl.terms import Symbol, kif


@pytest.mark.parametrize(
    "text",
    [
        "noop",
        "-7",
        "(on 1)",
        "(move a (plus 1 2))",
        "(f (g (h x)) y (k z))",
        "(f (g x) (h (i (j k))))",
        "(f (g (h (i x))))",
    ],
)
def test_a_term_is_what_the_grammar_makes_of_it(text: str) -> None:
    (term,) = PlainTerms([text])
    assert term == parse_term(text) and hash(term) == hash(parse_term(text))
    assert kif(term) == text


def test_terms_keep_their_order_and_share_symbols() -> None:
    first, second, third = PlainTerms(["(on 1)", "1", "(on 1)"])
    assert (first, second) == (third, Symbol("1"))


def test_lists_may_be_deep() -> None:
    text = "(f " * 5000 + "x" + ")" * 5000
    assert kif(PlainTerms([text])[0]) == text


def test_each_is_made_once_and_found_again() -> None:
    terms = PlainTerms(["(on 1)", "(on 2)", "on"])
    assert terms[1] is terms[1]
    assert terms.place(parse_term("(on 2)")) == 1 and terms.place(parse_term("(on 3)")) is None
    assert list(terms[1:]) == [parse_term("(on 2)"), Symbol("on")]


@pytest.mark.parametrize("texts", [[], ["noop"], ["(on 1)", "noop"]])
def test_pickled_terms_are_the_same(texts: list[str]) -> None:
    terms = PlainTerms(texts)
    again = pickle.loads(pickle.dumps(terms))
    assert again == terms and list(again) == list(terms)
    assert again != PlainTerms([*texts, "more"]) and again != texts
