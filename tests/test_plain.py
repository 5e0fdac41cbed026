"""Reading canonical texts back."""

from __future__ import annotations

import pytest

from gdl.parser import parse_term
from gdl.plain import plain_terms
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
    (term,) = plain_terms([text])
    assert term == parse_term(text) and hash(term) == hash(parse_term(text))
    assert kif(term) == text


def test_terms_keep_their_order_and_share_symbols() -> None:
    first, second, third = plain_terms(iter(["(on 1)", "1", "(on 1)"]))
    assert (first, second) == (third, Symbol("1"))


def test_lists_may_be_deep() -> None:
    text = "(f " * 5000 + "x" + ")" * 5000
    assert kif(plain_terms([text])[0]) == text
