"""Symbols that tell pieces apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggp.boards.symbols import Symbols, short_names

WORDS = st.lists(st.text("abcx12_", min_size=1, max_size=6), max_size=30)


@pytest.mark.parametrize(
    ("words", "short"),
    [
        ("king knight queen pawn rook bishop", "k n q p r b"),
        ("1 2 10", "1 2 10"),
        ("p0001 p0110", "0001 0110"),
        ("black blue white", "b l w"),
        ("wall box", "# b"),
    ],
)
def test_short_names_are_letters_of_the_words(words: str, short: str) -> None:
    found = short_names(words.split())
    assert [found[word] for word in words.split()] == short.split()


@given(WORDS)
def test_no_two_words_have_the_same_short_name(words: list[str]) -> None:
    found = short_names(words)
    assert len({name.lower() for name in found.values()}) == len(set(words))


def test_of_two_owners_the_first_has_capitals() -> None:
    symbols = Symbols(("white", "black"), {"white", "black"}, ["king", "pawn"], ["fence"])
    assert symbols.symbol("at", "king", "white") == "K"
    assert symbols.symbol("at", "king", "black") == "k"
    assert symbols.symbol("at", None, "white") == "w"
    assert symbols.symbol("fence", None, None) == "f"


def test_of_three_owners_each_has_a_letter() -> None:
    symbols = Symbols(("red", "green", "blue"), {"red", "green", "blue"}, ["king"], [])
    assert [symbols.symbol("at", "king", role) for role in ("red", "green", "blue")] == ["kr", "kg", "kb"]
