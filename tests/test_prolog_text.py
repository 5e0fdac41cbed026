"""GDL as Prolog text and back: any name, any depth."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdl.terms import Compound, Symbol, Term, Variable
from ggp.machines.prolog_text import atom_text, bare_atom, list_text, read_answer, term_text
from tests import strategies


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x", "'.x'"),
        ("10", "'.10'"),
        ("++", "'.++'"),
        ("don't", "'.don%27t'"),
        ("\\", "'.%5c'"),
        ("%41", "'.%2541'"),
        ("[]", "'.%5b%5d'"),
        ("a.b", "'.a%2eb'"),
        ("é", "'.%c3%a9'"),
        (",halt,", "'.%2chalt%2c'"),
    ],
)
def test_names(name: str, text: str) -> None:
    assert atom_text(name) == text
    assert read_answer(bare_atom(name)) == Symbol(name)


@given(st.text(min_size=1))
def test_no_name_can_leave_its_quotes(name: str) -> None:
    assert re.fullmatch(r"'\.[a-z0-9_+\-*/<>=!?:&^$@~%]*'", atom_text(name))


@given(strategies.ground_terms)
def test_a_term_written_for_prolog_reads_back(term: Term) -> None:
    assert read_answer(term_text(term).replace("'", "")) == term


@given(st.lists(strategies.ground_terms))
def test_a_list_written_for_prolog_reads_back(terms: list[Term]) -> None:
    assert read_answer(list_text(map(term_text, terms)).replace("'", "")) == terms


def test_variables_take_the_names_they_are_given() -> None:
    term = Compound("f", (Variable("?x"), Compound("g", (Variable("?y"), Variable("?x")))))
    assert term_text(term, {Variable("?x"): "V0", Variable("?y"): "V1"}) == "'.f'(V0,'.g'(V1,V0))"


def test_words_numbers_and_lists_of_the_reasoner() -> None:
    assert read_answer("totals(3,-1,0.25,[],[[.a],[]],true)") == (
        "totals", [3, -1, 0.25, [], [[Symbol("a")], []], "true"],
    )  # fmt: skip


def test_deep_terms_need_no_stack() -> None:
    deep: Term = Symbol("z")
    for _ in range(50_000):
        deep = Compound("s", (deep,))
    assert read_answer(term_text(deep).replace("'", "")) == deep
