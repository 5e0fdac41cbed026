"""Laws 20 to 23, which only play can check, each with a tiny game that breaks it."""

from __future__ import annotations

from pathlib import Path

import pytest

from gdl import Law, load
from ggp.machines import Limits
from ggp.machines.playcheck import playcheck
from tests.conftest import Open
from tests.helpers import GAMES, TINY, ruleset

GROWS = TINY + "(<= (count (s ?n)) (count ?n))\n(<= (count z) (true (on 2)))\n(<= (goal me ?n) (count ?n))\n"

BAD = [
    (TINY.replace("(goal me 100)", "(goal me 100) (goal me 50)"),
     Law.GOAL_VALUES, 5, "me has goal values 50, 100 at the end"),
    (TINY.replace("(goal me 100)", "(<= (goal me 100) (true (on 1)))"),
     Law.GOAL_VALUES, 5, "me has no goal value at the end"),
    (TINY.replace("(goal me 100)", "(goal me 100.5)"), Law.GOAL_VALUES, 5, "me has no goal value at the end"),
    (TINY.replace("(legal me wait)", "(<= (legal me wait) (true (on 3)))"), Law.LEGAL_MOVES, 3, "me has no legal move"),
    (TINY.replace("(true (on 2))", "(true (on 3))"), Law.TERMINATION, 6, "the play does not end within 1000 steps"),
    (TINY + "(base (on 1))", Law.BASE_AND_INPUT, None, "base lacks (on 2), which holds"),
    (TINY + "(input me go)", Law.BASE_AND_INPUT, None, "input lacks (me wait), which is legal"),
    (GROWS, Law.TERMINATION, 6, "the play with seed 0 cannot go on"),
]  # fmt: skip


@pytest.mark.parametrize(("game", "law", "line", "message"), BAD, ids=[row[3] for row in BAD])
def test_a_bad_example_gives_its_law(game: str, law: Law, line: int | None, message: str, prolog: Open) -> None:
    rules = ruleset(game)
    machine = prolog(rules, Limits(seconds=2 if game is GROWS else 60))
    (problem,) = playcheck(rules, machine, 1 if game is GROWS else 2).problems
    assert (problem.law, problem.severity) == (law, "warning")
    assert problem.message.startswith(message)
    if line is None:
        assert problem.at == -1
    else:
        assert (problem.place.line, problem.place.column) == (line, 1)
        assert problem.render().splitlines()[2] == "    ^"


def test_several_problems_are_found_at_once(prolog: Open) -> None:
    rules = ruleset(TINY.replace("(goal me 100)", "(<= (goal me 100) (true (on 1)))") + "(base (on 1)) (input me go)")
    found = playcheck(rules, prolog(rules), 3).problems
    assert sorted(problem.law.number for problem in found) == [20, 23, 23]


def test_base_that_depends_on_the_state_is_not_believed(prolog: Open) -> None:
    rules = ruleset(TINY + "(<= (base (on 3)) (true (on 1)))")
    assert playcheck(rules, prolog(rules), 2).problems == ()


def test_good_games_have_no_problem(prolog: Open) -> None:
    rules = ruleset(TINY + "(base (on 1)) (base (on 2)) (input me wait)")
    assert playcheck(rules, prolog(rules), 2).problems == ()


def test_plays_end_with_their_budget_and_tell_how_far_they_came(prolog: Open) -> None:
    rules = ruleset(BAD[0][0])
    machine = prolog(rules)
    assert playcheck(rules, machine, 3) == playcheck(rules, machine, 3, 1e9)
    whole, cut = playcheck(rules, machine, 3), playcheck(rules, machine, 3, 0)
    assert (whole.plays, whole.ran_out, len(whole.problems)) == (3, False, 1)
    assert (cut.plays, cut.ran_out, cut.problems) == (0, True, ())


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(
            path, id=path.stem, marks=[] if path.stem in ("tic_tac_toe", "monty_hall", "nim") else pytest.mark.slow
        )
        for path in sorted(GAMES.glob("*.kif"))
    ],
)
def test_the_projects_games_keep_the_laws_of_play(path: Path, prolog: Open) -> None:
    rules = load(path)
    expected = [Law.TERMINATION] if path.stem == "stress_endless" else []
    assert [problem.law for problem in playcheck(rules, prolog(rules), 5).problems] == expected
