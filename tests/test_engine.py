"""Clingo's grounder: what it writes, and what it says where it refuses."""

from __future__ import annotations

import pytest

from gdl.errors import GroundingError
from gdl.grounding.codes import Codes, clingo_lines
from gdl.grounding.engine import run
from gdl.grounding.guard import Guard, TooLargeError, guard, guarded
from gdl.grounding.native import HEADER, USED
from gdl.grounding.rules import Literal, Rule
from gdl.grounding.spelling import MAX_DEPTH, spell_terms, take_apart

RULES = [
    Rule(("role", "me")),
    Rule(("init", ("at", "a", ("s", "b")))),
    Rule(("next", ("at", "?x", "?y")), (Literal(("true", ("at", "?x", "?y"))),)),
    Rule(("pair", "?x", "?y"), (Literal(("true", ("at", "?x", "?z"))), Literal(("true", ("at", "?y", "?z"))))),
    Rule("over", (Literal(("pair", "?x", "?x")),)),
]


def texts(rules: list[Rule]) -> set[str]:
    """All atoms as KIF text, by way of clingo and back."""
    codes = Codes()
    atoms = take_apart(run(rules, clingo_lines(rules, codes)).symbols)
    spelled = spell_terms(atoms.symbols, list(codes.constants), list(codes.functors))
    names = {f"r{number}": name for (name, _), number in codes.relations.items()}
    found = set()
    for row, which in enumerate(atoms.which.tolist()):
        words = [names.get(atoms.names[which], atoms.names[which]), *spelled[atoms.starts[row] : atoms.starts[row + 1]]]
        found.add(" ".join(words))
    return found


def test_atoms_come_back_as_they_were_spelled() -> None:
    at = "(at a (s b))"
    assert texts(RULES) == {"role me", f"init {at}", f"true {at}", f"next {at}", "pair a a", "over"}


def test_one_name_with_several_numbers_of_arguments() -> None:
    rules = [Rule(("init", ("f", "a"))), Rule(("init", ("f", "a", "b"))), Rule(("init", "f"))]
    assert {text for text in texts(rules) if text.startswith("init")} == {"init (f a)", "init (f a b)", "init f"}


def test_terms_that_are_nested_too_deep_are_refused() -> None:
    steps = [Rule(("step", str(i), str(i + 1))) for i in range(MAX_DEPTH + 2)]
    grown = Rule(("deep", "?j", ("s", "?x")), (Literal(("deep", "?i", "?x")), Literal(("step", "?i", "?j"))))
    assert "deep 1 (s a)" in texts([Rule(("deep", "0", "a")), Rule(("step", "0", "1")), grown])
    with pytest.raises(GroundingError, match="nested more than"):
        texts([Rule(("deep", "0", "a")), *steps, grown])


def test_a_full_tape_ends_it() -> None:
    lines = clingo_lines(RULES, Codes())
    used = int(run(RULES, lines).tape[USED]) - HEADER
    for guarding, error in ((Guard(used - 1), GroundingError), (Guard(used - 1, 1e6), TooLargeError)):
        with guarded(guarding), pytest.raises(error):
            run(RULES, lines)
    with guarded(Guard(used)):
        run(RULES, lines)


def test_more_work_than_is_allowed_is_not_begun() -> None:
    rules = [rule for rule in RULES if rule.head != ("init", ("at", "a", ("s", "b")))]
    lines = clingo_lines(rules, Codes())
    with guarded(Guard(1000, 1e6)):
        run(rules, lines)
        with pytest.raises(TooLargeError):  # of a term inside a term no domain is known
            run(RULES, clingo_lines(RULES, Codes()))
    assert not guard().is_strict


def test_what_clingo_refuses_is_named() -> None:
    with pytest.raises(GroundingError, match=r"nothing binds \?x in a rule for \(free \?x\)"):
        run([Rule(("free", "?x"))], clingo_lines([Rule(("free", "?x"))], Codes()))
    with pytest.raises(GroundingError, match=r"clingo refuses a rule for \(role me\): .*syntax error"):
        run([Rule(("role", "me")), Rule("over")], ["", "role(me)).", "over."])
