"""The index of heads finds one that unifies exactly where trying all of them does."""

from __future__ import annotations

import random

import pytest

from gdl import Compound, Symbol, Term, Variable, parse, parse_term
from gdl.heads import Heads
from gdl.normalize import normalize
from gdl.terms import Atom, arguments, rebuild, unify

RULES = """
(p a b) (p b (f a)) (p (f b) (g a b))
(<= (p c ?x) (q ?x))
(<= (p ?x (f ?x)) (q ?x))
(<= (p (g ?x ?x) d) (q ?x))
(q a) (role me) (role you)
(init (cell 1 b))
(<= (next (cell 2 ?m)) (does ?r (put ?m)))
(<= (legal me (put ?m)) (q ?m))
(input you rest)
"""


def given(text: str) -> bool:
    atom = parse_term(text)
    assert isinstance(atom, Symbol | Compound)
    return Heads(map(normalize, parse(RULES).rules)).can_give(atom)


@pytest.mark.parametrize(
    "text",
    ["(p a b)", "(p ?x b)", "(p c (g x y))", "(p d (f d))", "(p (g a a) d)", "(p ?x ?y)", "(true (cell 2 z))",
     "(true ?f)", "(does me (put ?x))", "(does you rest)", "(does ?p rest)", "(init (cell 1 b))"],
)  # fmt: skip
def test_what_a_head_gives(text: str) -> None:
    assert given(text)


@pytest.mark.parametrize(
    "text",
    ["(p a a)", "(p d (f c))", "(p (g a b) d)", "(p b (g b b))", "(q z)", "(true (cell 1 z))", "(does you (put a))",
     "(does me rest)", "(init (cell 2 b))", "(nowhere a)", "(next (cell 1 b))", "terminal"],
)  # fmt: skip
def test_what_no_head_gives(text: str) -> None:
    assert not given(text)


def random_term(generator: random.Random, depth: int) -> Term:
    roll = generator.random()
    if depth == 0 or roll < 0.6:
        return Variable(f"?{generator.choice('xy')}") if roll < 0.3 else Symbol(generator.choice("ab"))
    return Compound("f", tuple(random_term(generator, depth - 1) for _ in range(generator.choice((1, 2)))))


def apart(term: Term) -> Term:
    return rebuild(term, lambda leaf: Variable(leaf.name + "1") if isinstance(leaf, Variable) else leaf)


def test_the_index_says_the_same_as_trying_all() -> None:
    generator = random.Random(3)

    def atom() -> Atom:
        return Compound("r", tuple(random_term(generator, 3) for _ in range(2)))

    seen = set()
    for _ in range(60):
        heads = [atom() for _ in range(4)]
        index = Heads(normalize(rule) for rule in parse("\n".join(f"(<= {head} (q a))" for head in heads)).rules)
        for asked in (atom() for _ in range(8)):
            expected = any(unify(asked, Compound("r", tuple(map(apart, arguments(head))))) is not None for head in heads)
            assert index.can_give(asked) == expected, (asked, heads)
            seen.add(expected)
    assert seen == {True, False}


def test_large_tables_are_not_searched_through() -> None:
    table = "".join(f"(succ {i} {i + 1})" for i in range(1500))
    index = Heads(parse(table).rules)
    assert index.can_give(Compound("succ", (Symbol("7"), Symbol("8"))))
    assert not index.can_give(Compound("succ", (Symbol("7"), Symbol("9"))))
    same = Compound("succ", (Variable("?x"), Variable("?x")))
    assert index.can_give(same)  # not known, so no complaint
    assert not Heads(parse(table[: table.index("(succ 900 ")]).rules).can_give(same)
