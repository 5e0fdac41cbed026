"""Each law alone: what it reports, at which place, and that it reports nothing else."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from gdl import Source, check, parse
from gdl.check import LAWS
from gdl.grounding import GroundLimits
from gdl.laws import dependence, keywords, names, safety
from gdl.laws.ground import ground_cycle
from gdl.problems import Problem, Reporter
from gdl.ruleset import Ruleset
from tests.helpers import TINY, problems
from tests.random_games import random_game

Lawful = Callable[[Ruleset, Reporter], None]


def alone(law: Lawful, text: str) -> list[Problem]:
    """What one law finds in a text."""
    description = parse(Source(text, "game.kif"))
    reporter = Reporter(description.source, [])
    law(Ruleset(description), reporter)
    return reporter.found


CASES: list[tuple[Lawful, str, str, bool]] = [
    (safety.safety, "(<= (next (on ?x)) (true (on 1)))", "nothing in the body binds ?x", True),
    (safety.safety, "(<= (big ?x) (true (on 1)))", "the rule works only where ?x is given", False),
    (safety.safety, "(<= (p ?x) (true (on ?x)) (distinct ?x ?y))", "no positive literal binds ?y", True),
    (safety.safety, "(<= (p ?x) (true (on ?x)) (not (q ?x ?y)))", "holds for no ?y", False),
    (safety.safety, "(<= (goal ?r 0) (true (on 1)))", "nothing binds ?r; in the place of a role it ranges", False),
    (names.arities, "(p 1) (p 1 2)", "relation p has 2 arguments here and 1 before", False),
    (names.arities, "(p (f 1)) (p (f 1 2))", "function f has 2 arguments here and 1 before", False),
    (names.relation_or_function, "(f 1) (p (f 1))", "f is a function here and a relation elsewhere", False),
    (names.defined_and_used, "(<= p (q 1))", "no rule defines q with 1 argument", False),
    (names.defined_and_used, "(idle 1 2)", "idle with 2 arguments is defined but never used", False),
    (names.case, "(Thing 1) (thing 2)", "thing and Thing differ by case alone", False),
    (names.characters, "(p \u00e4)", "has unusual characters", False),
    (dependence.stratification, "(<= p (not q)) (<= q (not p))", "p depends on its own negation", True),
    (dependence.stratification, "(<= (p ?x) (true (on ?x)) (not (p 3)))", "unless the cycle vanishes", False),
    (dependence.recursion, "(<= (p ?x) (p (s ?x)))", "nothing outside the recursion binds (s ?x)", False),
    (dependence.static_relations, "(<= (init (on ?x)) (true (on ?x)))", "init depends on true", True),
    (dependence.static_relations, "(<= (base ?x) (does me ?x))", "base depends on does", False),
    (dependence.no_does, "(<= (legal me ?m) (p ?m)) (<= (p ?m) (does me ?m))", "legal depends on does", True),
    (keywords.goal_values, "(goal me 101)", "101 is no integer from 0 to 100", False),
]


@pytest.mark.parametrize(("law", "text", "message", "is_error"), CASES)
def test_a_breach_is_reported_at_its_place(law: Lawful, text: str, message: str, is_error: bool) -> None:
    found = [problem for problem in alone(law, TINY + text) if message in problem.message]
    assert found and all(problem.is_error == is_error for problem in found)
    assert all(str(problem.place).startswith("game.kif:7:") for problem in found)
    assert not alone(law, TINY)


@pytest.mark.parametrize("seed", range(30))
def test_all_laws_together_find_what_each_finds_alone(seed: int) -> None:
    """In a random game from which conditions were taken away."""
    generator = random.Random(seed)
    lines = random_game(generator).splitlines()
    text = "\n".join(line for line in lines if generator.random() < 0.8) + "\n(<= (p ?x) (q ?y) (not (p ?y)))"
    description = parse(Source(text, "game.kif"))
    one_by_one = [str(problem) for law in LAWS for problem in alone(law, text)]
    together = [str(problem) for problem in check(description).problems]
    assert sorted(one_by_one + [str(problem) for problem in description.problems]) == sorted(together)
    assert any("p depends on its own negation" in problem for problem in together)


def test_random_games_break_no_law_that_is_an_error() -> None:
    for seed in range(20):
        assert not [problem for problem in problems(random_game(random.Random(seed))) if problem.is_error]


NEGATED = "(<= (odd ?x) (true (on ?x)) (not (even ?x))) (<= (even ?x) (true (on ?x)) (not (odd ?x)))"


@pytest.mark.parametrize(("text", "atoms"), [
    (NEGATED + "(<= (legal me jump) (odd 1))", ("(even 1)", "(odd 1)")),
    (NEGATED.replace("(not (odd ?x))", "(distinct ?x 1) (not (odd ?x))") + "(<= (legal me jump) (odd 1))", ()),
    ("(<= p (not q)) (<= q p)", ()),  # an error without grounding, told already
    ("", ()),
])  # fmt: skip
def test_a_cycle_in_doubt_is_decided_on_ground_rules(text: str, atoms: tuple[str, ...]) -> None:
    found = ground_cycle(check(parse(Source(TINY + text, "game.kif"))), GroundLimits())
    assert [problem.is_error for problem in found] == [True] * bool(atoms)
    assert all(atom in problem.message for problem in found for atom in atoms)
