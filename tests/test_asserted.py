"""Assertions: planted faults are found, by a line of play that the reference confirms; what is true is not refuted."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from gdl import DescriptionError, Ruleset, Source, load, parse_term
from gdl.asked import Question, asked
from ggp.machines import PrologMachine
from ggp.machines.asserted import NAME, Verdict, assertions
from tests.helpers import GAMES, TINY, ruleset


class Case(NamedTuple):
    """An assertion that is true of a game, how it is decided, and a change of the rules that makes it false."""

    game: str
    assertion: str
    verdict: str
    rule: str
    instead: str


CASES = [
    Case("tic_tac_toe", "(not (and (true (marked ?x ?y x)) (true (marked ?x ?y o))))", "proved",
         "(not (true (marked ?x ?y o)))", ""),
    Case("connect_four", "(or (not (does ?p (drop ?x))) (true (control ?p)))", "proved",
         "(<= (legal ?p (drop ?x))\n    (true (control ?p))", "(<= (legal ?p (drop ?x))\n    (role ?p)"),
    Case("breakthrough", "(not (and (true (man ?x ?y white)) (true (man ?x ?y black))))", "proved",
         "\n    (not (enters ?x ?y ?q))", ""),
    Case("nim", "(not (and (true (heap ?h ?m)) (true (heap ?h ?n)) (distinct ?m ?n)))", "proved",
         "(not (touched ?h))", "(not (touched a))"),
    Case("knights_tour", "(or (not (true (knight ?x ?y))) (true (visited ?x ?y)))", "proved",
         "(<= (next (visited ?x ?y))\n    (does player (move ?x ?y)))",
         "(<= (next (visited ?x ?y))\n    (does player (move ?y ?x)))"),
    Case("eight_puzzle", "(or (not (true (gap ?x ?y))) (not (true (tile ?x ?y ?t))))", "proved",
         "(<= (next (gap ?x ?y))\n    (does player (slide ?x ?y)))",
         "(<= (next (gap ?x ?y))\n    (does player (slide ?y ?x)))"),
    Case("tron", "(or (not (true (cycle ?p ?x ?y))) (true (wall ?x ?y)))", "proved",
         "(<= (next (wall ?x ?y))\n    (enters ?p ?x ?y))", "(<= (next (wall ?x ?y))\n    (enters red ?x ?y))"),
    Case("hex_5x5", "(or (not (true (stone ?c ?r black))) (not (true (stone ?c ?r white))))", "proved",
         "(empty ?c ?r))\n(<= (legal ?p noop)",
         "(column ?c)\n    (row ?r)\n    (not (true (stone ?c ?r ?p))))\n(<= (legal ?p noop)"),
    Case("blocks_world", "(not (and (true (on ?a ?c)) (true (on ?b ?c)) (distinct ?a ?b)))", "proved",
         "    (clear ?a)\n    (clear ?b)", "    (clear ?a)\n    (block ?b)"),
    Case("othello", "(not (and (true (disc ?x ?y white)) (true (disc ?x ?y black))))", "proved",
         "\n    (not (turned ?x ?y)))", ")"),
]  # fmt: skip
QUICK = {"eight_puzzle"}
WAYS = [pytest.param(case, id=case.game, marks=[pytest.mark.slow] * (case.game not in QUICK)) for case in CASES]


def changed(case: Case) -> Ruleset:
    """The game with the fault."""
    text = (GAMES / f"{case.game}.kif").read_text(encoding="utf-8")
    assert text.count(case.rule) == 1
    return load(Source(text.replace(case.rule, case.instead), f"{case.game}.kif"))


def fails(rules: Ruleset, verdict: Verdict) -> bool:
    """Whether the reference says so too: each move of the line is legal, and the instance fails where it leads."""
    question = Question.read(Source(verdict.assertion, NAME))
    told = asked(rules, [question])
    machine = PrologMachine(told.ruleset)
    try:
        position, joint = machine.initial(), None
        line = [tuple(map(parse_term, joint)) for joint in verdict.line]
        for joint in line[: len(line) - question.needs_moves]:
            assert all(move in legal for move, legal in zip(joint, machine.situation(position).legal, strict=True))
            position = machine.next(position, joint)
        if question.needs_moves:
            joint = line[-1]
            assert all(move in legal for move, legal in zip(joint, machine.situation(position).legal, strict=True))
        answer = parse_term(" ".join([f"({told.percept}", "0", *(value for _, value in verdict.values)]) + ")")
        return answer in machine.sees(position, joint or tuple(parse_term("nothing") for _ in rules.roles))[0]
    finally:
        machine.close()


@pytest.mark.parametrize("case", WAYS)
def test_a_planted_fault_is_found_and_what_is_true_is_not_refuted(case: Case) -> None:
    (true,) = assertions(load(GAMES / f"{case.game}.kif"), [case.assertion])
    assert true.verdict == case.verdict
    rules = changed(case)
    (false,) = assertions(rules, [case.assertion])
    assert false.verdict == "refuted" and fails(rules, false)


def test_what_random_play_does_not_meet_and_no_proof_reaches_is_said_to_have_held() -> None:
    """Of 2,000,000 random plays not one opens a lock of twenty digits; the proof would need to count them."""
    steps = " ".join(f"(follows {n} {n + 1})" for n in range(20))
    lock = (
        f"(role me) (init (at 0)) {steps} (digit 0) (digit 1) (digit 2) (digit 3) (<= (legal me ?d) (digit ?d))"
        "(<= (next (at ?n)) (true (at ?m)) (follows ?m ?n) (does me 3)) (<= (next (at 0)) (not (does me 3)))"
        "(goal me 0) (<= terminal (true (at 20)))"
    )
    (verdict,) = assertions(ruleset(lock), ["(not (true (at 20)))"])
    assert (verdict.verdict, verdict.positions) == ("held", 2_048_000)
    assert "held in 2,048,000 positions of random play; not proved" in verdict.lines(["me"])[0]


def test_assertions_are_proved_together_that_cannot_be_proved_alone() -> None:
    """Two switches that are always turned together: one is never on alone, which is so because neither is."""
    rules = ruleset(
        "(role me) (init (lamp 0)) (<= (next (lamp 0)) (true (lamp 0))) (legal me turn) (legal me wait)"
        "(switch a) (switch b) (<= (next (on ?s)) (switch ?s) (does me turn) (not (true (on ?s))))"
        "(<= (next (on ?s)) (does me wait) (true (on ?s)))"
        "(goal me 0) (<= terminal (true (on a)) (not (true (on b))))"
    )
    one, other = "(or (not (true (on a))) (true (on b)))", "(or (not (true (on b))) (true (on a)))"
    assert [verdict.verdict for verdict in assertions(rules, [one])] == ["held"]
    assert [verdict.verdict for verdict in assertions(rules, [one, other])] == ["proved", "proved"]


def test_terminal_positions_and_the_first_one_are_positions_too() -> None:
    rules = ruleset(TINY)
    texts = ["(not terminal)", "(not (true (on 1)))", "(or (true (on 1)) (goal me 100))", "(not (legal me wait))"]
    found = assertions(rules, texts)
    assert [(v.verdict, len(v.line)) for v in found] == [("refuted", 1), ("refuted", 0), ("proved", 0), ("refuted", 0)]
    assert found[0].lines(["me"]) == ["(not terminal): refuted after 1 step", "  me wait"]
    assert found[1].lines(["me"]) == ["(not (true (on 1))): refuted in the first position"]


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("(not (true (on 1))", 1, "this list is not closed"),
        ("(true (on 1)) (true (on 2))", 15, "one formula is wanted, and a second one begins here"),
        ("; nothing", 10, "one formula is wanted, and there is none"),
        ("(not (true (off 1)))", 12, "no init, next or base gives off with 1 argument"),
        ("(or (not (true (on ?x))) (distinct ?x 7))", 20, "nothing can be ?x"),
        ("(or terminal (true (on ?x)))", 24, "nothing says for which ?x this is meant"),
        ("(not (done ?x))", 6, "no rule defines done with 1 argument"),
        ("(not (legal you wait))", 13, "you is no role"),
        ("(not (true on 1))", 6, "true takes 1 argument, this one has 2"),
        ("(not (next (on 1)))", 6, "next is for heads of rules"),
        ("(not)", 1, "not takes one formula"),
    ],
)
def test_an_assertion_without_a_meaning_is_told_with_its_place(text: str, column: int, message: str) -> None:
    with pytest.raises(DescriptionError) as caught:
        assertions(ruleset(TINY), [text])
    (problem, *_) = caught.value.problems
    assert (problem.source.name, problem.place.column) == (NAME, column), problem.render()
    assert message in problem.message
