"""Hypothesis strategies: random terms, rules and descriptions."""

from __future__ import annotations

from hypothesis import strategies as st

from gdl.laws.keywords import RESERVED
from gdl.rules import And, Distinct, Formula, Not, Or, Rule
from gdl.terms import Atom, Compound, Symbol, Term, Variable

_ODD = [
    "+",
    "++",
    "_",
    "-5",
    "a-b",
    "x.y",
    "nil",
    "[]",
    "don't",
    "\\",
    '"',
    ",halt,",
    "%41",
    "|",
    "{}",
    "é",
    "日本",
    "🎲",
    "0'a",
]


def _is_name(name: str) -> bool:
    return bool(name) and name[0] != "?" and name not in RESERVED and name == name.lower()


names = st.sampled_from(_ODD) | st.text("abcxyz019_+-<>=.!'", min_size=1, max_size=4).filter(_is_name)
"""Names that are no keywords; many are unusual."""

symbols = names.map(Symbol)
variables = st.text("abxy01", min_size=1, max_size=2).map(lambda name: Variable(f"?{name}"))


def _compounds(inner: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
    return st.builds(lambda name, parts: Compound(name, tuple(parts)), names, st.lists(inner, min_size=1, max_size=3))


def _terms(leaf: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
    return st.recursive(leaf, _compounds, max_leaves=8)


terms: st.SearchStrategy[Term] = _terms(st.one_of(symbols, variables))
ground_terms: st.SearchStrategy[Term] = _terms(st.one_of(symbols))


@st.composite
def _atoms(draw: st.DrawFn) -> Atom:
    arguments = tuple(draw(st.lists(terms, max_size=3)))
    name = draw(names)
    return Compound(name, arguments) if arguments else Symbol(name)


atoms: st.SearchStrategy[Atom] = _atoms()
_distincts = st.builds(Distinct, terms, terms)


def _connectives(inner: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
    lists = st.lists(inner, min_size=1, max_size=3).map(tuple)
    return st.one_of(st.builds(Not, inner), st.builds(And, lists), st.builds(Or, lists))


formulas: st.SearchStrategy[Formula] = st.recursive(st.one_of(atoms, _distincts), _connectives, max_leaves=6)
rules = st.builds(Rule, atoms, st.lists(formulas, max_size=4).map(tuple))
descriptions = st.lists(rules, max_size=8).map(tuple)
