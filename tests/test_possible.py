"""Law 25 and what law 23 says before play: each kind of mistake by hand, none in good games, all misspellings at once."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from gdl import Compound, Law, Source, Symbol, Term, Variable, check, parse, parse_term
from gdl.laws.names import HINTS
from gdl.laws.possible import impossible, why_impossible
from gdl.parser import Description
from gdl.rules import Distinct, Rule, body_parts
from gdl.ruleset import Ruleset
from gdl.terms import arguments, walk
from ggp.cli import main
from tests.ground_games import ground_anyway
from tests.helpers import GAMES, RULESHEETS, TINY, games, rulesheets, some
from tests.random_games import random_game

GAME = """\
(role white) (role black)
(index 1) (index 2) (index 3)
(piece king) (piece rook)
(init (cell 1 1 king)) (init (control white))
(<= (legal ?p (mark ?x ?y)) (true (control ?p)) (index ?x) (index ?y))
(<= (legal ?p noop) (role ?p))
(<= (next (cell ?x ?y rook)) (does ?p (mark ?x ?y)))
(<= (next (cell ?x ?y king)) (true (cell ?x ?y king)))
(<= (next (control black)) (true (control white)))
(<= (next (told ?m)) (does white ?m))
(<= (goal ?p 50) (role ?p) (piece king) (not (true (told noop))))
"""
"""Nothing is wrong with it but that it has no end: a rule for it is added in each test."""


def said(body: str, before: str = GAME) -> list[str]:
    """The messages of warnings about a condition, with what is written at their places."""
    source = Source(f"{before}(<= terminal {body})\n", "game.kif")
    ruleset = check(parse(source))
    assert not any(problem.is_error for problem in ruleset.problems)
    found = impossible(ruleset)
    assert all(p.law in (Law.CAN_HOLD, Law.BASE_AND_INPUT, Law.DEFINED_AND_USED) and not p.is_error for p in found)
    return [f"{source.text[p.at :].lstrip('(').replace(')', ' ').split()[0]}: {p.message}" for p in found]


WRONG = [
    ("(true (cel 1 1 ?p))",
     "cel: no init, next or base gives cel with 3 arguments, so it never holds; did you mean cell?"),
    ("(true (cell 1 9 ?p))",
     "9: 9 never stands in argument 2 of cell, so it never holds; what stands there: 1, 2, 3"),
    ("(true (cell 1 1 kign))",
     "kign: kign never stands in argument 3 of cell, so it never holds; did you mean king?"),
    ("(true control)",
     "control: no init, next or base gives control, so it never holds; control has 1 argument there"),
    ("(true (told (marc 1 ?y)))",
     "marc: marc with 2 arguments never stands in argument 1 of told, so it never holds; did you mean mark?"),
    ("(true (told (mark 1 z)))",
     "z: z never stands in argument 2 of mark, so it never holds; what stands there: 1, 2, 3"),
    ("(not (true (cel 1 1 king)))",
     "cel: no init, next or base gives cel with 3 arguments, so it never holds; did you mean cell?"),
    ("(or (true (cell 1 1 rook)) (true (cel 1 1 rook)))",
     "cel: no init, next or base gives cel with 3 arguments, so it never holds; did you mean cell?"),
    ("(index 4)", "4: 4 never stands in argument 1 of index, so it never holds; what stands there: 1, 2, 3"),
    ("(true (cell ?x ?x queen))",
     "queen: queen never stands in argument 3 of cell, so it never holds; what stands there: king, rook"),
    ("(true (told (mark 1 1))) (true (cell 1 2 king)) (true (CELL 1 1 King))", ""),
    ("(piece ?x) (index ?x)",
     "?x: nothing can be ?x: argument 1 of piece and argument 1 of index have nothing in common, "
     "so this rule never applies"),
    ("(true (control ?p)) (distinct ?p whit)",
     "whit: nothing is ever whit, so all is distinct from it; did you mean white?"),
    ("(true ?f) (distinct ?f (control white))", ""),
    ("(role ?r) (distinct 3 4)", ""),
    ("(true (told ?m)) (distinct ?m noop)", ""),
    ("(not (distinct ?x 2)) (index ?x)", ""),
]  # fmt: skip


@pytest.mark.parametrize(("body", "message"), WRONG, ids=[row[0] for row in WRONG])
def test_a_condition_that_never_holds(body: str, message: str) -> None:
    assert said(body) == ([message] if message else [])


def test_a_move_that_is_never_legal() -> None:
    rule = "(<= (next (told x)) (does ?p (marc 1 ?y)))\n"
    assert said("(true (told x))", GAME + rule) == [
        "marc: no legal or input gives marc with 2 arguments, so it never holds; did you mean mark?"
    ]


def test_all_names_are_known_but_nothing_gives_them_together() -> None:
    rules = GAME.replace("(init (cell 1 1 king))", "(init (cell 1 1 king)) (init (pair a b)) (init (pair c d))")
    assert said("(true (pair a d))", rules) == ["true: no rule and no fact gives (true (pair a d)), so it never holds"]
    (message,) = said("(true (pair ?x ?x))", rules)
    assert message.startswith("?x: nothing can be ?x: argument 2 of pair and argument 1 of pair have nothing in common")
    assert said("(true (pair ?x d))", rules) == []


def test_three_mistakes_in_one_game_are_all_found() -> None:
    wrong = GAME.replace("(does ?p (mark", "(does ?p (marc")
    assert [message.split(":")[0] for message in said("(or (true (cel 1 3 ?p)) (true (cell 1 4 ?p)))", wrong)] == [
        "marc", "cel", "4"
    ]  # fmt: skip


def test_one_mistake_is_one_warning_and_not_one_at_each_place_that_depends_on_it() -> None:
    chain = "(<= (far ?x) (true (cel ?x 1 king)))\n(<= (farther ?x) (far ?x))\n"
    assert [message.split(":")[0] for message in said("(farther 2) (far 7)", GAME + chain)] == ["cel"]


def test_what_law_4_and_law_19_have_said_is_not_said_again() -> None:
    text = GAME + "(<= terminal (true (cell 1 1 king)) (true (cell 1 1)))\n(<= (next (told x)) (does whit noop))\n"
    ruleset = check(parse(text))
    assert {p.law for p in ruleset.problems} >= {Law.ONE_ARITY, Law.ROLE_ARGUMENTS}
    assert impossible(ruleset) == ()


def test_a_role_without_that_move() -> None:
    game = GAME.replace("(<= (legal ?p noop) (role ?p))", "(<= (legal black noop) (true (control white)))")
    rule = "(<= (next (told x)) (does white noop))\n"
    game = game.replace("(not (true (told noop)))", "(true (told x))")
    assert said("(true (told x))", game + rule) == [
        "does: no rule and no fact gives (does white noop), so it never holds"
    ]


def test_a_function_with_other_arguments_wherever_law_4_has_not_said_so() -> None:
    wrong = "(or (true (cell 1 1)) (and (true (cell 2 2)) (true (cell 1 1 king))))"
    assert said(wrong) == [
        "cell: no init, next or base gives cell with 2 arguments, so it never holds; cell has 3 arguments there"
    ]


def test_fluents_of_base_and_moves_of_input_count_as_given_and_variables_carry_whole_terms() -> None:
    more = "(base (old ?x)) (input white (rest 1))\n(trans wait (state 1)) (<= (next ?q) (does ?r ?m) (trans ?m ?q))\n"
    more += "(<= (legal ?r ?m) (role ?r) (trans ?m ?q)) (<= (next (told x)) (does white (rest 1)))\n"
    found = said("(true (old 5)) (true (state 1)) (true (told wait)) (true (state 2))", GAME + more)
    assert [message.split(":")[0] for message in found if " lacks " not in message] == ["2"]


def test_no_fluent_at_all_is_said_where_one_is_asked_for() -> None:
    text = "(role me) (legal me wait) (goal me 100) (<= terminal (true over)) (<= terminal (true ?x))"
    assert [p.message for p in impossible(check(parse(text)))] == ["no init, next or base gives over, so it never holds"]


def test_a_head_that_base_or_input_lacks() -> None:
    declared = TINY + "(base (on 1)) (base (on 2)) (input me wait)\n"
    assert impossible(check(parse(declared))) == ()
    wrong = (
        declared
        + "(<= (next (onn 2)) (true (on 1)))\n(<= (next (on 3)) (true (on 1)))\n(<= (legal me wiat) (true (on 2)))"
    )
    found = impossible(check(parse(wrong)))
    assert [p.message for p in found if p.law is Law.BASE_AND_INPUT] == [
        "base lacks onn with 1 argument, which next gives; did you mean on?",
        "base lacks 3 in argument 1 of on, which next gives; what stands there: 1, 2",
        "input lacks wiat, which legal gives; did you mean wait?",
    ]


def test_a_fluent_that_no_condition_asks_for_is_told_once() -> None:
    more = "(init (lit 1)) (init (lit 2)) (init (onn 1)) (<= (next (onn ?x)) (true (on ?x)))\n"
    found = impossible(check(parse(TINY + more)))
    assert {p.law for p in found} == {Law.DEFINED_AND_USED}
    assert [p.message for p in found] == [
        "no condition asks for lit with 1 argument, which init gives",
        "no condition asks for onn with 1 argument, which init gives; did you mean on?",
    ]
    assert impossible(check(parse(TINY + more + "(<= terminal (true ?any) (distinct ?any (on 1)))\n"))) == ()


def test_a_base_that_depends_on_the_state_is_not_believed() -> None:
    text = TINY + "(<= (base (on ?x)) (true (off ?x)))\n(init (off 7))\n"
    assert impossible(check(parse(text))) == ()


def test_names_are_looked_up_for_the_first_problems_only() -> None:
    names = [f"{'abcdefghij'[i // 10]}{'abcdefghij'[i % 10]}" for i in range(3 * HINTS)]
    text = TINY.replace("(on", "(fluent_on") + "".join(f"(<= terminal (true (fluent_{name} 1)))\n" for name in names)
    found = [p.message for p in impossible(check(parse(text)))]
    assert len(found) == 3 * HINTS
    assert sum(message.endswith("did you mean fluent_on?") for message in found) == HINTS


def test_terms_nested_thousands_deep_are_read() -> None:
    deep = "(s " * 5_000 + "{}" + ")" * 5_000
    text = TINY + f"(init (count {deep.format(0)}))\n(<= terminal (true (count {deep.format(0)})))\n"
    assert len(parse(text).rules) == 8
    assert impossible(Ruleset(parse(text))) == ()
    wrong = impossible(Ruleset(parse(text.replace(deep.format(0), deep.format(1), 1))))
    (message,) = [p.message for p in wrong]
    assert message.startswith("no rule and no fact gives (true (count (s (s") and len(message) < 200


WHY = [
    ("(true (markd 1 3 x))", "no init, next or base gives markd with 3 arguments; did you mean marked?"),
    ("(legal x (mark 1 4))", "4 never stands in argument 2 of mark; what stands there: 1, 2, 3"),
    ("(legl x noop)", "no rule defines legl with 2 arguments; did you mean legal?"),
    ("(marked 1 1 x)", "no rule defines marked with 3 arguments; did you mean (true (marked …))?"),
    ("(goal x)", "goal takes 2 arguments, this one has 1"),
    ("(goal x 30)", "30 never stands in argument 2 of goal; what stands there: 0, 50, 100"),
    ("(rival x x)", "no rule and no fact gives (rival x x)"),
    ("terminal", ""), ("(next (control o))", ""), ("(legal o noop)", ""), ("(index 2)", ""),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), WHY, ids=[row[0] for row in WHY])
def test_why_an_atom_never_holds(text: str, message: str) -> None:
    atom = parse_term(text)
    assert not isinstance(atom, Variable)
    found = why_impossible(check(parse(Source.read(GAMES / "tic_tac_toe.kif"))), atom)
    assert found == ([message] if message else [])


@pytest.mark.parametrize("path", games())
def test_the_projects_games_have_no_such_condition(path: Path) -> None:
    assert [p.render() for p in impossible(check(parse(Source.read(path))))] == []


KNOWN = {"dresden-uf20-01.cnf.SAT": 1, "slidingpieces": 8, "wargame01": 4}
"""Rulesheets with conditions that never hold, and how many warnings they get; each was looked at, and is right."""


@pytest.mark.parametrize("path", some(rulesheets()))
def test_rulesheets_are_warned_about_where_they_are_wrong_and_nowhere_else(path: Path) -> None:
    assert len(impossible(check(parse(Source.read(path))))) == KNOWN.get(path.stem, 0)


def test_of_the_hard_rulesheets_one_is_wrong() -> None:
    folder = RULESHEETS.parent / "rulesheets-hard"
    if not folder.exists():
        pytest.skip("no shared rulesheets here")
    found = {path.stem: len(impossible(check(parse(Source.read(path))))) for path in folder.glob("*.kif")}
    assert {name: count for name, count in found.items() if count} == {"alexChess": 6}


def test_the_command_check_warns_of_what_can_never_hold(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "game.kif"
    text = (GAMES / "tic_tac_toe.kif").read_text(encoding="utf-8")
    wrong = text.replace("(true (marked", "(true (markd", 1)
    assert wrong != text
    file.write_text(wrong)
    assert main(["check", "--plays", "0", str(file)]) == 0
    message = "no init, next or base gives markd with 3 arguments, so it never holds; did you mean marked?"
    assert f"warning: {message} [law 25]" in capsys.readouterr().out
    assert main(["check", "--plays", "0", "--strict", "--json", str(file)]) == 1
    (report,) = json.loads(capsys.readouterr().out)
    (problem,) = report["problems"]
    assert (problem["law"], problem["severity"], problem["message"]) == (25, "warning", message)
    assert wrong.splitlines()[problem["line"] - 1][problem["column"] - 1 :].startswith("(markd")


def test_the_command_check_looks_for_errors_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "game.kif"
    file.write_text(TINY + "(<= terminal (true (onn 1)) (true))\n")
    assert main(["check", "--plays", "0", str(file)]) == 1
    assert "law 25" not in capsys.readouterr().out


def written(ruleset: Ruleset) -> Iterator[tuple[int, str]]:
    """The places and names of all that conditions ask for inside true and does, and in atoms of the game's own."""
    for rule in ruleset.rules:
        for part, _ in body_parts(rule):
            terms: tuple[Term, ...] = (part.left, part.right) if isinstance(part, Distinct) else arguments(part)
            if not isinstance(part, Distinct) and part.name not in ("true", "does"):
                terms = (part,)
            for inner in (inner for term in terms for inner in walk(term)):
                if isinstance(inner, Symbol | Compound):
                    yield inner.at + isinstance(inner, Compound), inner.name


def misspelt(name: str, known: set[str], generator: random.Random) -> str:
    """The name with one letter dropped, doubled, replaced or swapped; none that is known."""
    letters = "0123456789" if name.isdigit() else "abcdefghijklmnopqrstuvwxyz"
    while True:
        i = generator.randrange(len(name))
        other = generator.choice([
            name[:i] + name[i + 1 :], name[:i] + name[i] + name[i:],
            name[:i] + generator.choice(letters) + name[i + 1 :], name[:i] + name[i : i + 2][::-1] + name[i + 2 :],
        ])  # fmt: skip
        if other and other not in known:
            return other


@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four", "eight_puzzle", "monty_hall", "lights_out"])
def test_every_misspelling_in_a_condition_is_found(name: str) -> None:
    ruleset = check(parse(Source.read(GAMES / f"{name}.kif")))
    text, generator = ruleset.source.text, random.Random(name)
    known = {*map(str.lower, ruleset.description.words), "or", "and", "not", "distinct", "true", "does"}
    places = list(written(ruleset))
    for at, right in generator.sample(places, min(16, len(places))):
        assert text[at : at + len(right)] == right
        wrong = check(parse(text[:at] + misspelt(right, known, generator) + text[at + len(right) :]))
        assert wrong.problems or impossible(wrong), text[at - 30 : at + 30]


def test_rules_with_a_condition_that_never_holds_may_as_well_be_left_out() -> None:
    """In random games: what grounding finds is the same without the rules that law 25 says never apply."""

    def reached(description: Description) -> tuple[object, ...]:
        program = ground_anyway(Ruleset(description))
        given = {head for head, _ in program.rules}
        fluents = {b.fluent for i, b in enumerate(program.bases) if b.next in given or i in program.initial}
        moves = {(pair.role, pair.move) for pair in program.inputs if pair.legal in given}
        goals = {(goal.role, goal.value) for goal in program.goals if goal.atom in given}
        return fluents, moves, goals, program.terminal in given

    left_out = 0
    for seed in range(40):
        description = parse(random_game(random.Random(seed)))
        places = {problem.at for problem in impossible(Ruleset(description)) if problem.law is Law.CAN_HOLD}

        def applies(rule: Rule, places: set[int] = places) -> bool:
            atoms = [atom for atom in rule.body if isinstance(atom, Symbol | Compound)]
            return not places & {part.at for atom in atoms for part in walk(atom)}

        kept = tuple(rule for rule in description.rules if applies(rule))
        left_out += len(description.rules) - len(kept)
        assert reached(replace(description, rules=kept)) == reached(description), seed
    assert left_out > 10
