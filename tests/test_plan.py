"""The order in which Prolog asks the literals of a body."""

from __future__ import annotations

from pathlib import Path

import pytest

from gdl import Ruleset, load
from gdl.normalize import normalize
from gdl.rules import And, Formula, Not, Or, Rule, formula_text
from gdl.terms import Symbol, Term
from ggp.machines.plan import Plan, Size
from ggp.machines.prolog_program import clauses, predicates, state_tables
from tests.helpers import TINY, games, ruleset, rulesheets, some


def plan(text: str, **sizes: tuple[int, ...]) -> Plan:
    """A plan of a game with static relations of some sizes: the number of atoms, then of values of each argument."""
    known = {(name, len(numbers) - 1): Size(numbers[0], numbers[1:]) for name, numbers in sizes.items()}
    return Plan(ruleset(TINY + text), known, {("at", 2): Size(64, (8, 8))})


def order(plan: Plan, name: str, count: int) -> list[str]:
    """The bodies of a relation's rules, as text."""
    return [" ".join(map(formula_text, rule.body)) for rule in plan.ordered[name, count]]


def test_few_answers_come_first_and_tests_as_soon_as_they_can_be_asked() -> None:
    made = plan(
        "(<= (p ?x) (distinct ?x ?y) (big ?x ?z) (not (true (on ?y))) (true (on ?x)) (small ?y))\n(<= terminal (p ?x))\n"
        "(big 1 2) (small 1)",
        big=(1000, 100, 100), small=(2, 2),
    )  # fmt: skip
    (body,) = order(made, "p", 1)
    assert body == "(true (on ?x)) (small ?y) (distinct ?x ?y) (not (true (on ?y))) (big ?x ?z)" or body.index(
        "(small ?y)"
    ) < body.index("(big ?x ?z)")
    assert body.index("(small ?y)") < body.index("(not (true (on ?y)))")
    assert max(body.index("(small ?y)"), body.index("(true (on ?x))")) < body.index("(distinct ?x ?y)")


def test_the_recursive_call_comes_last() -> None:
    made = plan("(<= (way ?x ?z) (way ?x ?y) (link ?y ?z))\n(<= (way ?x ?y) (link ?x ?y))\n(link 1 2)\n"
                "(<= terminal (way 1 2))", link=(1, 1, 1))  # fmt: skip
    assert order(made, "way", 2)[0] == "(link ?y ?z) (way ?x ?y)"


def test_recursion_that_builds_terms_keeps_the_order_of_the_text_and_is_not_remembered() -> None:
    made = plan("(append nil ?l ?l)\n(<= (append (cons ?x ?k) ?l (cons ?x ?m)) (append ?k ?l ?m))\n"
                "(<= terminal (append nil nil nil))")  # fmt: skip
    assert ("append", 3) not in made.remembering_helps


def test_recursion_that_ends_by_remembering_is_remembered_even_beside_functions() -> None:
    made = plan(
        "(<= (way ?x ?y) (true (link (f ?x) ?y)))\n(<= (way ?x ?z) (way ?x ?y) (way ?y ?z))\n(<= terminal (way 1 2))"
    )
    assert ("way", 2) in made.remembering_helps


def test_recursion_that_hands_on_terms_from_elsewhere_is_not_remembered() -> None:
    """As in rulesheets that keep the path of a connection in a list: each list would be remembered."""
    made = plan("(<= (longer ?x nil (list ?x nil)) (true (on ?x)))\n"
                "(<= (way ?x ?y ?l) (true (link ?x ?y)) (longer ?x ?l ?m))\n"
                "(<= (way ?x ?z ?l) (true (link ?x ?y)) (longer ?x ?l ?m) (way ?y ?z ?m))\n"
                "(<= (left (f ?x) ?z) (left (f ?x) ?y) (true (link ?y ?z)))\n"
                "(<= terminal (way 1 2 nil) (left 1 2))")  # fmt: skip
    assert ("way", 3) not in made.remembering_helps
    assert ("left", 2) in made.remembering_helps  # the term stays the same


def test_rules_that_leave_variables_to_whoever_asks_are_known() -> None:
    made = plan("(<= (likes ?x ?y) (true (on ?y)))\n(<= terminal (likes 1 2))")
    assert made.unsafe == {("likes", 2)}


def literals(body: tuple[Formula, ...]) -> list[str]:
    """The literals of a body in the order of the alphabet, those in branches too."""
    found: list[str] = []
    for formula in body:
        match formula:
            case Or(branches):
                found.append("|".join(sorted(" ".join(literals((branch,))) for branch in branches)))
            case And(inner):
                found.extend(literals(inner))
            case _:
                found.append(formula_text(formula))
    return sorted(found)


def is_sound(rule: Rule, original: Rule) -> bool:
    return literals(rule.body) == literals(normalize(original).body) and rule.head == original.head


@pytest.mark.parametrize("path", some([*games(), *rulesheets()]))
def test_a_plan_changes_nothing_but_the_order(path: Path) -> None:
    rules: Ruleset = load(path)
    made = Plan(rules, {}, {})
    for name, originals in rules.by_relation.items():
        assert all(map(is_sound, made.ordered[name], originals))
        for rule in made.ordered[name]:
            assert not any(isinstance(f, Not) and isinstance(f.formula, And | Or) for f in rule.body)


def test_a_question_that_binds_more_has_rules_in_an_order_of_its_own() -> None:
    rules = ruleset(
        TINY + "(<= (free ?x ?y) (big ?x ?z) (true (at ?x ?y)) (small ?y ?z))\n"
        "(<= (legal me (go ?x ?y)) (free ?x ?y))\n(<= terminal (free 1 1))\n(big 1 2) (small 1 2)"
    )
    sizes = {("big", 2): Size(1000, (100, 100)), ("small", 2): Size(20, (10, 10))}
    made = Plan(rules, sizes, {("at", 2): Size(64, (8, 8))}, special=True)
    both = frozenset({0, 1})
    assert list(made.versions(("free", 2))) == [frozenset(), both]
    assert made.version(("free", 2), both) == both
    assert made.version(("free", 2), frozenset({0})) == frozenset()
    text = clauses(made, [("free", 2), ("terminal", 0), ("legal", 2)], frozenset())
    assert "'.terminal' :- ('0_1_.free'('.1','.1')->true)." in text or "'.terminal' :- '0_1_.free'('.1','.1')." in text
    assert list(predicates(made, [("free", 2)])) == ["'.free'/2", "'0_1_.free'/2"]
    assert not Plan(rules, sizes, {})._special


def test_a_recursive_call_that_is_as_bound_as_the_question_comes_before_guesses() -> None:
    made = plan(
        "(<= (count ?x ?n) (next_to ?x ?y) (more ?m ?n) (count ?y ?m))\n(<= (count 9 ?n) (true (on ?n)))\n"
        "(<= terminal (count 1 ?n))\n(next_to 1 2) (more 1 2)",
        next_to=(8, 8, 8), more=(50, 50, 50),
    )  # fmt: skip
    assert order(made, "count", 2)[0] == "(next_to ?x ?y) (count ?y ?m) (more ?m ?n)"


LINE = "(<= (line ?x ?y ?d) (step ?d ?x ?z) (true (on ?z)) (line ?z ?y ?d))\n(<= (line ?x ?y ?d) (step ?d ?x ?y))\n"
STEPS = [("e", "1", "2"), ("e", "2", "3"), ("w", "3", "2"), ("w", "2", "1")]


@pytest.mark.parametrize(
    ("rules", "steps", "remembered"),
    [
        ("", STEPS, False),  # east and west lead back, but not in one direction
        ("", [*STEPS, ("e", "3", "1")], True),
        ("", [("e", str(i), str(k)) for i in range(14) for k in range(i + 1, 14)], True),  # in thousands of ways
        ("(<= (line ?x ?y ?d) (true (on ?x)) (line ?y ?x ?d))\n", STEPS, True),
    ],
)
def test_a_relation_that_goes_down_an_order_of_several_arguments_is_not_remembered(
    rules: str, steps: list[tuple[str, str, str]], remembered: bool
) -> None:
    facts = "".join(f"(step {' '.join(row)})" for row in steps)
    made = plan(LINE + rules + facts + "\n(<= terminal (line 1 3 e))", step=(len(steps), 2, 3, 3))
    rows: list[tuple[Term, ...]] = [tuple(map(Symbol, row)) for row in steps]
    tabled = state_tables(made, [("line", 3), ("terminal", 0)], {("step", 3): rows})
    assert (("line", 3) in tabled) == remembered
