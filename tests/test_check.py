"""Every law has its bad examples here, with severity, line and column; good examples have no problem."""

from __future__ import annotations

from pathlib import Path

import pytest

from gdl import Law, Source, check, parse
from gdl.check import LAWS
from tests.helpers import TINY, games, problems, rulesheet_index, rulesheets, some

ERROR, WARNING = "error", "warning"

# Lines that are put behind TINY, which has six: the first of them is line 7. Then the only problem that must be found.
ADDED: list[tuple[str, Law, str, int, int]] = [
    ("(p a", Law.SYNTAX, ERROR, 7, 1),
    ("(p (q (r a)\n(q a)", Law.SYNTAX, ERROR, 7, 1),
    ("  (p a))", Law.SYNTAX, ERROR, 7, 8),
    ("()", Law.SYNTAX, ERROR, 7, 1),
    ("(<= terminal (true ()))", Law.SYNTAX, ERROR, 7, 20),
    ("(<= terminal (true (?x)))", Law.SYNTAX, ERROR, 7, 21),
    ("(<= terminal ((true on)))", Law.SYNTAX, ERROR, 7, 15),
    ("(<=)", Law.SYNTAX, ERROR, 7, 1),
    ("?x", Law.SYNTAX, ERROR, 7, 1),
    ("(<= ?x (true (on 1)))", Law.SYNTAX, ERROR, 7, 5),
    ("(<= terminal ?x)", Law.SYNTAX, ERROR, 7, 14),
    ("(not (true (on 1)))", Law.SYNTAX, ERROR, 7, 1),
    ("(<= (distinct 1 2) (true (on 1)))", Law.SYNTAX, ERROR, 7, 5),
    ("(<= (legal me) (true (on 1)))", Law.KEYWORD_ARITY, ERROR, 7, 5),
    ("(<= terminal (true on 1))", Law.KEYWORD_ARITY, ERROR, 7, 14),
    ("(<= terminal\n    (true (on ?x))\n    (distinct ?x))", Law.KEYWORD_ARITY, ERROR, 9, 5),
    ("(<= (terminal now) (true (on 1)))", Law.KEYWORD_ARITY, ERROR, 7, 5),
    ("(p 1)\n(p 1 2)\n(<= terminal (p 1) (p 1 2))", Law.ONE_ARITY, WARNING, 8, 1),
    ("(<= terminal (true (on 1 2)))", Law.ONE_ARITY, WARNING, 7, 20),
    ("(<= (next (on ?x)) (true (on 1)))", Law.SAFETY, ERROR, 7, 15),
    ("(<= terminal (true (on 1)) (distinct 1 ?x))", Law.SAFETY, ERROR, 7, 40),
    ("(<= terminal (or (true (on 1)) (distinct ?y 1)))", Law.SAFETY, ERROR, 7, 42),
    ("(<= terminal (true (on 1)) (not (true (on ?x))))", Law.SAFETY, WARNING, 7, 43),
    ("(<= (goal ?r 50) (true (on 1)))", Law.SAFETY, WARNING, 7, 11),
    ("(<= (p ?x) (true (on 1)))\n(<= terminal (p 1))", Law.SAFETY, WARNING, 7, 8),
    ("(<= p (not q))\n(<= q p)\n(<= terminal p)", Law.STRATIFICATION, ERROR, 7, 12),
    ("(<= (goal me 0)\n    (not (goal me 100)))", Law.STRATIFICATION, WARNING, 8, 10),
    ("(<= (p ?x) (true (on ?x)) (not (p ?x)))\n(<= terminal (p 1))", Law.STRATIFICATION, WARNING, 7, 32),
    ("(<= (p ?x) (true (on ?x)) (p (s ?x)))\n(<= terminal (p 1))", Law.RECURSION, WARNING, 7, 30),
    ("(<= (p ?x) (true (on ?x)) (p ?y))\n(<= terminal (p 1))", Law.RECURSION, WARNING, 7, 30),
    ("(<= terminal (not))", Law.FORMULAS, ERROR, 7, 14),
    ("(<= terminal (or))", Law.FORMULAS, ERROR, 7, 14),
    ("(<= terminal (not (true (on 1)) (true (on 2))))", Law.FORMULAS, ERROR, 7, 14),
    ("(<= terminal (not (or (true (on 1)) (true (on 2)))))", Law.FORMULAS, WARNING, 7, 14),
    ("(<= (legal me stay))", Law.FORMULAS, WARNING, 7, 1),
    ("(<= terminal (distinct 1 1))", Law.FORMULAS, WARNING, 7, 14),
    ("(p ?x)\n(<= terminal (p 1))", Law.VARIABLES_IN_RULES, WARNING, 7, 4),
    ("(true (on 1))", Law.FORBIDDEN_HEADS, ERROR, 7, 1),
    ("(<= (true (on ?x)) (true (on ?x)))", Law.FORBIDDEN_HEADS, ERROR, 7, 5),
    ("(<= (does me ?m) (legal me ?m))", Law.FORBIDDEN_HEADS, ERROR, 7, 5),
    ("(<= (role you) (true (on 1)))", Law.FORBIDDEN_HEADS, ERROR, 7, 5),
    ("(<= terminal (init (on 3)))", Law.FORBIDDEN_BODIES, WARNING, 7, 14),
    ("(<= (init (on 3)) (true (on 2)))", Law.STATIC_RELATIONS, ERROR, 7, 5),
    ("(<= (init (on 3)) p)\n(<= p (does me wait))\n(<= (next (on 4)) p)", Law.STATIC_RELATIONS, ERROR, 7, 5),
    ("(<= (base (on 3)) (true (on 2)))", Law.STATIC_RELATIONS, WARNING, 7, 5),
    ("(<= (input me stay) (true (on 2)))", Law.STATIC_RELATIONS, WARNING, 7, 5),
    ("(<= (next (on 3)) (true (role 2)))", Law.KEYWORD_NAMES, WARNING, 7, 25),
    ("(<= (next does) (true (on 2)))", Law.KEYWORD_NAMES, WARNING, 7, 11),
    ("(<= terminal (true (on ?x)) (on ?x))\n(on 3)", Law.RELATION_OR_FUNCTION, WARNING, 2, 7),
    ("(<= terminal (nowhere 1))", Law.DEFINED_AND_USED, WARNING, 7, 14),
    ("(unused 1)", Law.DEFINED_AND_USED, WARNING, 7, 1),
    ("(<= terminal (true (ON 3)))", Law.CASE, WARNING, 7, 21),
    ("(<= terminal (true (on 日本)))", Law.CHARACTERS, WARNING, 7, 24),
    ("(<= terminal (true (on don't)))", Law.CHARACTERS, WARNING, 7, 24),
    ("(<= terminal (true (on ?)))", Law.CHARACTERS, WARNING, 7, 24),
    ("(legal you wait)", Law.ROLE_ARGUMENTS, WARNING, 7, 8),
    ("(<= (next (on 5)) (does you wait))", Law.ROLE_ARGUMENTS, WARNING, 7, 25),
    ("(role (a b))", Law.ROLE_ARGUMENTS, ERROR, 7, 7),
    ("(<= (goal me 101) (true (on 3)))", Law.GOAL_VALUES, WARNING, 7, 14),
    ("(<= (goal me winner) (true (on 3)))", Law.GOAL_VALUES, WARNING, 7, 14),
    ("(<= terminal (true (over)))", Law.BARE_NAMES, WARNING, 7, 20),
    ("(<= (terminal) (true (on 3)))", Law.BARE_NAMES, WARNING, 7, 5),
]


@pytest.mark.parametrize(("text", "law", "severity", "line", "column"), ADDED, ids=[row[0] for row in ADDED])
def test_a_bad_example_gives_its_law_and_place_and_nothing_else(
    text: str, law: Law, severity: str, line: int, column: int
) -> None:
    found = [(p.law, p.severity, p.place.line, p.place.column) for p in problems(TINY + text + "\n")]
    assert found == [(law, severity, line, column)]


@pytest.mark.parametrize("missing", ["role", "legal", "goal", "terminal"])
def test_law_2_names_what_is_missing(missing: str) -> None:
    kept = [line for line in TINY.splitlines() if f"({missing} " not in line and f"<= {missing} " not in line]
    errors = [p for p in problems("\n".join(kept)) if p.is_error]
    assert [(p.law, p.at) for p in errors] == [(Law.ESSENTIALS, -1)]
    assert errors[0].render() == f"game.kif: error: no rule defines {missing} [law 2]"


@pytest.mark.parametrize("leaf", ["legal me stay", "terminal", "goal me 50"])
def test_law_13_legal_terminal_and_goal_do_not_depend_on_does(leaf: str) -> None:
    head = leaf if leaf == "terminal" else f"({leaf})"
    found = [p for p in problems(TINY + f"(<= {head} moved)\n(<= moved (does me wait))\n") if p.is_error]
    assert [(p.law, p.place.line) for p in found] == [(Law.NO_DOES, 7)]


def test_every_law_that_needs_no_play_has_an_example_here() -> None:
    shown = {law for _, law, _, _, _ in ADDED} | {Law.ESSENTIALS, Law.NO_DOES}
    of_play = {Law.LEGAL_MOVES, Law.TERMINATION, Law.BASE_AND_INPUT}  # see test_playcheck.py
    assert shown | of_play | {Law.CAN_HOLD} == set(Law)  # see test_possible.py


def test_laws_are_numbered_without_gaps() -> None:
    assert [law.number for law in Law] == list(range(1, 26))
    assert len(LAWS) == len(set(LAWS))


def test_a_caret_stands_under_the_place() -> None:
    (problem,) = problems(TINY + "(<= terminal\n\t(true (on ?x)) (not (nowhere ?x)))\n")
    assert problem.render().splitlines() == [
        "game.kif:8:22: warning: no rule defines nowhere with 1 argument, so it never holds [law 16]",
        "     (true (on ?x)) (not (nowhere ?x)))",
        "                         ^",
    ]


@pytest.mark.parametrize(
    ("condition", "meant"),
    [
        ("(plase 1 2)", "; did you mean place?"),
        ("(place 1)", "; place has 2 arguments elsewhere"),
        ("(on 1)", "; did you mean (true (on …))?"),
        ("shining", "; did you mean (true shining)?"),
        ("(legall me wait)", "; did you mean legal?"),
        ("(nowhere 1)", ""),
    ],
)
def test_law_16_suggests_what_was_meant(condition: str, meant: str) -> None:
    more = "(place 1 2) (<= (next shining) (true (on 1)))"
    messages = [p.message for p in problems(f"{TINY}{more} (<= terminal {condition})") if p.law is Law.DEFINED_AND_USED]
    assert [m.partition("so it never holds")[2] for m in messages if "never holds" in m] == [meant]


def test_all_problems_are_found_at_once_in_the_order_of_the_text() -> None:
    text = "(role me)\n(<= (next (on ?x)) (true (on ?y)))\n(true (on 1))\n(legal you go)\n(<= terminal (nowhere))\n"
    found = [(p.law.number, p.severity, p.place.line) for p in problems(text) if p.at >= 0]
    assert found == [(5, ERROR, 2), (10, ERROR, 3), (19, WARNING, 4), (16, WARNING, 5), (24, WARNING, 5)]
    assert [p.message for p in problems(text) if p.at < 0] == ["no rule defines goal"]


def test_every_place_of_a_variable_that_nothing_binds_is_found() -> None:
    found = problems(TINY + "(<= terminal (not (true (on ?x))) (distinct ?x 1))")
    assert [(p.law, p.severity, p.place.column) for p in found] == [(Law.SAFETY, ERROR, 29), (Law.SAFETY, ERROR, 45)]


def test_each_broken_rule_is_found_when_several_do_not_close() -> None:
    found = problems("(role me\n(legal me wait)\n(goal me 100\n(<= terminal (true on))\n")
    assert [(p.law, p.place.line, p.place.column) for p in found] == [(Law.SYNTAX, 1, 1), (Law.SYNTAX, 3, 1)]


def test_a_tiny_good_game_has_no_problem() -> None:
    assert problems(TINY) == ()


GOOD = [
    "(<= terminal (distinct ?x 1) (true (on ?x)))",  # a distinct before what binds its variables
    "(<= terminal (true (on ?x)) (not (distinct ?x 1)))",
    "(<= terminal (or (true (on 1)) (true (on 2)) (and (true (on 3)) (or (true (on 4)) (not (true (on 5)))))))",
    "(<= (reach ?x ?y) (edge ?x ?y))\n(<= (reach ?x ?z) (reach ?x ?y) (edge ?y ?z))\n(edge 1 2)\n"
    "(<= terminal (reach 1 2))",
    "(<= (sees me (on ?x)) (true (on ?x)))",
    "(base (on 1))\n(base (on 2))\n(input me wait)",
    "(role random)\n(legal random roll)\n(goal random 0)",
    "; a comment with ( parentheses\n(<= terminal ; inside\n (true (on 3)))",
    "(<= terminal (true (++ < > -5 a-b x.y nil is mod)))",
    "(<= (next ?f) (keeps ?f))\n(<= (keeps ?f) (true ?f) (does me wait))",
]


@pytest.mark.parametrize("text", GOOD)
def test_good_examples_have_at_most_a_note_on_formulas(text: str) -> None:
    assert [p for p in problems(TINY + text) if p.law is not Law.FORMULAS] == []


@pytest.mark.parametrize("path", games())
def test_the_projects_games_have_no_problem_at_all(path: Path) -> None:
    assert [p.render() for p in check(parse(Source.read(path))).problems] == []


@pytest.mark.parametrize("path", some(rulesheets()))
def test_no_rulesheet_has_an_error(path: Path) -> None:
    found = check(parse(Source.read(path))).problems
    assert [p.render() for p in found if p.is_error] == []


INVALID = {
    "dresden-gt_attrition": Law.BARE_NAMES,
    "dresden-wallmaze": Law.BARE_NAMES,
    "dresden-maze": Law.FORMULAS,
    "dresden-sudoku_simple": Law.ONE_ARITY,
}


@pytest.mark.parametrize("path", rulesheets(only=INVALID))
def test_the_law_is_named_for_rulesheets_that_others_reject(path: Path) -> None:
    assert {row["name"] for row in rulesheet_index() if row["invalid"]} == set(INVALID)
    assert INVALID[path.stem] in {p.law for p in check(parse(Source.read(path))).problems}
