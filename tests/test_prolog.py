"""The Prolog machine on tiny games whose answers are known, and on published counts."""

from __future__ import annotations

import time

import pytest

from gdl import load, parse_term
from ggp.core.errors import RulesError
from ggp.machines.bridge import Patience
from ggp.machines.machine import Level
from tests.conftest import Open
from tests.helpers import GAMES, TINY, legal_moves, terms, texts

ASK = """
(role me) (legal me stop)
(<= (legal me (answer ?x)) (ask ?x))
(goal me 100) (<= terminal (true over))
(link a b) (link b c) (link c a) (link c d) (node a) (node b) (node c) (node d)
(init (at a)) (init (at c)) (init (pair a b)) (init (pair b b)) (init flag)
"""
"""A game whose legal moves are the answers of `ask`."""

ANSWERS = [
    ("negation", "(<= (ask ?x) (node ?x) (not (true (at ?x))))", "b d"),
    ("negation before what binds it", "(<= (ask ?x) (not (true (at ?x))) (node ?x))", "b d"),
    ("distinct", "(<= (ask ?x) (node ?x) (distinct ?x a))", "b c d"),
    ("distinct before what binds it", "(<= (ask ?x) (distinct ?x ?y) (node ?x) (true (at ?y)) (link ?x ?y))", "b c"),
    ("distinct of compound terms", "(<= (ask ?x) (node ?x) (distinct (f ?x) (f a)))", "b c d"),
    ("equality by a negated distinct", "(<= (ask ?x) (node ?x) (not (distinct ?x b)))", "b"),
    ("equality that binds", "(<= (ask ?y) (not (distinct ?y (f ?x))) (true (at ?x)))", "(f a) (f c)"),
    ("equality that takes apart", "(held (f d))\n(<= (ask ?x) (held ?t) (not (distinct ?t (f ?x))))", "d"),
    ("or", "(<= (ask ?x) (or (true (at ?x)) (true (pair b ?x))))", "a b c"),
    ("or of many", "(<= (ask ?x) (node ?x) (or (distinct ?x ?x) (link ?x d) (true (pair ?x a)) (true (at ?x))))", "a c"),
    ("or over not", "(<= (ask ?x) (node ?x) (or (not (true (at ?x))) (link ?x d)))", "b c d"),
    ("or whose branches bind different variables",
     "(<= (ask ?x) (or (and (link ?x ?y) (true (at ?y))) (and (link ?z ?x) (not (true (at ?z))))))", "b c"),
    ("nested or and and",
     "(<= (ask ?x) (or (and (node ?x) (or (and (link a ?x) (true flag)) (link c ?x))) (true (pair ?x zz))))", "a b d"),
    ("not over or", "(<= (ask ?x) (node ?x) (not (or (true (at ?x)) (link c ?x))))", "b"),
    ("not over and", "(<= (ask ?x) (node ?x) (not (and (true (at ?x)) (link ?x d))))", "a b d"),
    ("not over not", "(<= (ask ?x) (node ?x) (not (not (true (at ?x)))))", "a c"),
    ("negation for no value", "(<= (ask ?x) (node ?x) (not (link ?x ?any)))", "d"),
    ("negation for no value, of a fluent", "(<= (ask yes) (not (true (pair c ?any))))", "yes"),
    ("negation for no value, that fails", "(<= (ask yes) (not (true (pair a ?any))))", ""),
    ("a variable twice in a negated atom", "(<= (ask ?x) (node ?x) (not (true (pair ?y ?y))))", ""),
    ("left recursion over a circle",
     "(<= (way ?x ?z) (way ?x ?y) (link ?y ?z))\n(<= (way ?x ?y) (link ?x ?y))\n(<= (ask ?x) (way b ?x))", "a b c d"),
    ("right recursion over a circle",
     "(<= (way ?x ?z) (link ?x ?y) (way ?y ?z))\n(<= (way ?x ?y) (link ?x ?y))\n(<= (ask ?x) (way ?x ?x))", "a b c"),
    ("double recursion",
     "(<= (way ?x ?z) (way ?x ?y) (way ?y ?z))\n(<= (way ?x ?y) (link ?x ?y))\n(<= (ask ?x) (way d ?x))", ""),
    ("mutual recursion over a circle",
     "(<= (even ?x) (link ?y ?x) (odd ?y))\n(<= (odd ?x) (link ?y ?x) (even ?y))\n(even a)\n(<= (ask ?x) (odd ?x))",
     "a b c d"),
    ("recursion through the state over a circle",
     "(<= (way ?x ?y) (true (at ?x)) (link ?x ?y))\n(<= (way ?x ?z) (way ?x ?y) (link ?y ?z) (not (true (pair ?z ?z))))\n"
     "(<= (ask ?y) (way ?x ?y))", "a b c d"),
    ("recursion over a circle beside a function",
     "(<= (way ?x ?y) (true (pair (f ?x) ?y)))\n(<= (way ?x ?y) (true (at ?x)) (link ?x ?y))\n"
     "(<= (way ?x ?z) (link ?y ?z) (way ?x ?y))\n(<= (ask ?y) (way ?x ?y))", "a b c d"),
    ("recursion and negation in the next stratum",
     "(<= (way ?x ?y) (link ?x ?y))\n(<= (way ?x ?z) (way ?x ?y) (link ?y ?z))\n"
     "(<= (ask ?x) (node ?x) (not (way ?x ?x)))", "d"),
    ("lists built by recursion",
     "(append nil ?l ?l)\n(<= (append (cons ?x ?k) ?l (cons ?x ?m)) (append ?k ?l ?m))\n"
     "(<= (ask ?l) (append (cons a (cons b nil)) (cons c nil) ?l))", "(cons a (cons b (cons c nil)))"),
    ("lists taken apart by recursion",
     "(append nil ?l ?l)\n(<= (append (cons ?x ?k) ?l (cons ?x ?m)) (append ?k ?l ?m))\n"
     "(<= (ask (parts ?k ?l)) (append ?k ?l (cons a (cons b nil))))",
     "(parts (cons a (cons b nil)) nil) (parts (cons a nil) (cons b nil)) (parts nil (cons a (cons b nil)))"),
    ("counting in successors of zero",
     "(less z (s ?x))\n(<= (less (s ?x) (s ?y)) (less ?x ?y))\n"
     "(<= (ask ?x) (number ?x) (less ?x (s (s z))))\n(number z) (number (s z)) (number (s (s z)))", "(s z) z"),
    ("a fact with a variable", "(likes ?x a)\n(<= (ask ?x) (node ?x) (likes ?x a))", "a b c d"),
    ("a rule without a body, with a variable", "(<= (likes ?x a))\n(<= (ask ?x) (node ?x) (likes ?x a))", "a b c d"),
    ("a head variable that the body does not bind",
     "(<= (likes ?x ?y) (node ?y))\n(<= (ask ?x) (node ?x) (likes ?x d))", "a b c d"),
    ("a whole fluent as a variable", "(<= (ask ?f) (true ?f))", "(at a) (at c) (pair a b) (pair b b) flag"),
    ("a whole fluent as a bound variable",
     "(<= (ask ?f) (wanted ?f) (true ?f))\n(wanted flag) (wanted (at b)) (wanted (at c))", "(at c) flag"),
    ("a whole fluent as a variable, negated",
     "(<= (ask ?f) (wanted ?f) (not (true ?f)))\n(wanted flag) (wanted (at b)) (wanted 3)", "(at b) 3"),
    ("a fluent without arguments", "(<= (ask yes) (true flag))\n(<= (ask no) (true (flag)) (not (true flag)))", "yes"),
    ("nested functions", "(box (f (g a) (h (i b))))\n(<= (ask ?x) (box (f (g ?y) (h ?x))))", "(i b)"),
    ("a relation that nothing defines", "(<= (ask ?x) (nowhere ?x))\n(<= (ask yes) (not (nowhere a)))", "yes"),
    ("one name as relation, function and constant", "(at (at at))\n(<= (ask ?x) (at (at ?x)) (true (at a)))", "at"),
    ("one name with two arities", "(p 1) (p 1 2)\n(<= (ask ?x) (p ?x))\n(<= (ask (two ?x)) (p ?y ?x))", "(two 2) 1"),
    ("keywords as plain names", "(<= (ask ?x) (node ?x) (distinct ?x does))\n(node not) (node does)", "a b c d not"),
    ("variables that differ by case are one", "(<= (ask ?X) (node ?x) (true (AT ?X)))", "a c"),
    ("numbers are names", "(n 01) (n 1) (n -1)\n(<= (ask ?x) (n ?x) (distinct ?x 1))", "-1 01"),
    ("a negated circle that vanishes when ground",
     "(<= (win ?x) (step ?x ?y) (not (win ?y)))\n(step 3 2) (step 2 1) (step 1 0)\n(<= (ask ?x) (win ?x))", "1 3"),
    ("init in a body", "(<= (ask ?x) (init (at ?x)))", "a c"),
    ("the same answer in several ways", "(<= (ask a) (node ?x))\n(<= (ask a) (link ?x ?y))", "a"),
    ("a long body", "(<= (ask yes) " + " ".join(["(node a)"] * 100) + " (true (at a)) (not (true (at b))))", "yes"),
    ("a relation of 50 arguments",
     f"(wide {' '.join(map(str, range(50)))})\n(<= (ask ?x49) (wide {' '.join(f'?x{i}' for i in range(50))}))", "49"),
]  # fmt: skip


@pytest.mark.parametrize(("rules", "expected"), [row[1:] for row in ANSWERS], ids=[row[0] for row in ANSWERS])
def test_known_answers(rules: str, expected: str, prolog: Open) -> None:
    moves = legal_moves(prolog(ASK + rules))
    assert " ".join(move.removeprefix("(answer ")[:-1] for move in moves if move != "stop") == expected


# ---- goals, moves and steps -------------------------------------------------------------------------------------


def goals(machine: object) -> list[tuple[int, ...]]:
    return list(machine.situation(machine.initial()).goals)  # type: ignore[attr-defined]


def test_goals_may_be_several_or_none_or_no_numbers(prolog: Open) -> None:
    machine = prolog("""(role one) (role two) (role three) (legal one a) (legal two a) (legal three a)
        (goal one 50) (goal one 100) (goal one 7) (goal three win) (goal three 101) (goal three -5) (goal three 3)
        (<= terminal (true over))""")
    assert goals(machine) == [(7, 50, 100), (), (3,)]


def test_a_goal_may_read_terminal_and_other_goals(prolog: Open) -> None:
    machine = prolog("""(role me) (role you) (legal me a) (legal you a) (init end)
        (<= terminal (true end)) (<= (goal me 100) terminal) (<= (goal ?r 0) (role ?r) (not (goal ?r 100)))""")
    assert goals(machine) == [(100,), (0,)]


def test_a_role_that_nothing_binds_ranges_over_the_roles(prolog: Open) -> None:
    machine = prolog("""(role me) (role you) (init (on 1)) (<= (legal ?r go) (true (on 1))) (goal ?r 50)
        (<= terminal (true (on 2))) (<= (next (on 2)) (does ?r go))""")
    situation = machine.situation(machine.initial())
    assert [texts(moves) for moves in situation.legal] == [["go"], ["go"]]
    assert situation.goals == ((50,), (50,))


def test_a_role_without_legal_moves(prolog: Open) -> None:
    machine = prolog("(role me) (role you) (legal me a) (goal me 0) (goal you 0) (<= terminal (true over))")
    assert [len(moves) for moves in machine.situation(machine.initial()).legal] == [1, 0]
    assert machine.perft(machine.initial(), 2) == [Level(1, 0), Level(0, 0), Level(0, 0)]
    assert machine.playouts(machine.initial(), count=3, seconds=60, limit=9, seed=1).unfinished == 3


def test_roles_keep_their_order_and_repeated_ones_count_once(prolog: Open) -> None:
    machine = prolog(
        "(role zed) (role abe) (role zed) (legal zed a) (legal abe b) (goal zed 1) (goal abe 2) (<= terminal (true x))"
    )
    assert machine.roles == ("zed", "abe")
    assert [texts(moves) for moves in machine.situation(machine.initial()).legal] == [["a"], ["b"]]


def test_no_init_is_an_empty_first_position(prolog: Open) -> None:
    machine = prolog("""(role me) (<= (legal me go) (not (true (done)))) (goal me 5)
        (<= (next (done)) (does me go)) (<= terminal (true (done)))""")
    assert machine.fluents(machine.initial()) == ()
    after = machine.next(machine.initial(), terms("go"))
    assert texts(machine.fluents(after)) == ["done"]
    assert machine.situation(after).terminal


def test_init_by_rules_with_negation(prolog: Open) -> None:
    machine = prolog(TINY + "(thing a) (thing b) (special b) (<= (init (has ?x)) (thing ?x) (not (special ?x)))")
    assert texts(machine.fluents(machine.initial())) == ["(has a)", "(on 1)"]


def test_next_and_legal_of_whole_terms(prolog: Open) -> None:
    machine = prolog("""(role me) (init (on 1)) (goal me 0) (<= terminal (true stop))
        (<= (legal ?r ?m) (can ?r ?m)) (can me (go 1)) (can me halt)
        (<= (next ?q) (true ?p) (trans ?p ?q)) (trans (on 1) (on 2)) (trans (on 2) three) (trans three (on 1))""")
    assert legal_moves(machine) == ["(go 1)", "halt"]
    position = machine.initial()
    seen = []
    for _ in range(4):
        seen.append(texts(machine.fluents(position)))
        position = machine.next(position, terms("halt"))
    assert seen == [["(on 1)"], ["(on 2)"], ["three"], ["(on 1)"]]


def test_does_may_be_asked_in_any_way(prolog: Open) -> None:
    machine = prolog("""(role me) (role you) (legal ?r (say ?r a)) (legal ?r wait) (goal ?r 0) (<= terminal (true never))
        (<= (next (all ?r ?m)) (does ?r ?m)) (<= (next (said ?x)) (does ?r (say ?x ?y)))
        (<= (next quiet) (not (does me (say me a)))) (<= (next (other ?r)) (role ?r) (not (does ?r wait)))""")
    after = machine.next(machine.initial(), terms("(say me a)", "wait"))
    assert texts(machine.fluents(after)) == ["(all me (say me a))", "(all you wait)", "(other me)", "(said me)"]


def test_what_roles_see(prolog: Open) -> None:
    machine = prolog("""(role random) (role me) (legal random (roll 1)) (legal random (roll 2)) (legal me guess)
        (init (on 1))
        (goal me 0) (goal random 0) (<= terminal (true (on 2))) (<= (next (on 2)) (does me guess))
        (<= (sees me (rolled ?x)) (does random (roll ?x))) (<= (sees me (was ?x)) (true (on ?x)))""")
    seen = machine.sees(machine.initial(), terms("(roll 2)", "guess"))
    assert [texts(terms) for terms in seen] == [[], ["(rolled 2)", "(was 1)"]]
    assert texts(machine.fluents(machine.initial())) == ["(on 1)"]


def test_moves_do_not_leak_into_other_questions(prolog: Open) -> None:
    machine = prolog(TINY)
    start = machine.initial()
    before = machine.situation(start)
    machine.sees(start, terms("wait"))
    after = machine.next(start, terms("wait"))
    assert machine.situation(start) == before
    assert machine.situation(after).terminal
    assert machine.next(start, terms("wait")) == after


def test_a_move_or_fluent_with_a_variable_is_an_error_of_the_rules(prolog: Open) -> None:
    game = "(role me) (any ?x) (<= (legal me (go ?x)) (any ?x)) (goal me 0) (<= terminal (true x))"
    machine = prolog(game)
    with pytest.raises(RulesError, match="variable"):
        machine.situation(machine.initial())
    machine = prolog("(role me) (any ?x) (legal me go) (<= (next (at ?x)) (any ?x)) (goal me 0) (<= terminal (true x))")
    with pytest.raises(RulesError, match="variable"):
        machine.next(machine.initial(), terms("go"))
    assert legal_moves(machine) == ["go"]


# ---- positions --------------------------------------------------------------------------------------------------


def test_positions_are_equal_if_and_only_if_their_fluents_are(prolog: Open) -> None:
    machine = prolog(TINY)
    one = machine.position(terms("(on 1)", "(on 2)", "x", "(f (g 1) y)"))
    assert one == machine.position(terms("(f (g 1) y)", "x", "(on 2)", "(on 1)", "x"))
    assert hash(one) == hash(machine.position(reversed(terms("(on 1)", "(on 2)", "x", "(f (g 1) y)"))))
    assert one != machine.position(terms("(on 1)", "(on 2)", "x"))
    assert machine.position(terms("(on 1)")) == machine.initial()
    assert texts(machine.fluents(one)) == ["(f (g 1) y)", "(on 1)", "(on 2)", "x"]
    assert machine.fluents(machine.position(())) == ()


def test_a_position_of_play_and_the_same_one_made_of_its_fluents_are_one(prolog: Open) -> None:
    machine = prolog(load(GAMES / "tic_tac_toe.kif"))
    position = machine.initial()
    for _ in range(4):
        joint = tuple(moves[0] for moves in machine.situation(position).legal)
        position = machine.next(position, joint)
        assert machine.position(machine.fluents(position)) == position


def test_any_fluent_may_be_put_into_a_position(prolog: Open) -> None:
    machine = prolog(TINY + "(<= (legal me (take ?f)) (true ?f))")
    position = machine.position(terms("(never (seen before) here)", "(on 2 3 4)"))
    assert texts(machine.situation(position).legal[0]) == [
        "(take (never (seen before) here))",
        "(take (on 2 3 4))",
        "wait",
    ]


# ---- names ------------------------------------------------------------------------------------------------------

NAMES = [",halt,", "_", "+", "don't", "[]", "\\", '"', "'", "{}", "|", "!", ",", ".", ":-", "%", "%41", "/*", "0'a", "é",
         "日本", "🎲", "e\u0301", "\u202eabc", "שלום",
         "a.b", "1e5", "0x1f", "-5", "x?", "state", "rules", "true1", "\x01"]  # fmt: skip


@pytest.mark.parametrize("part", range(3))
def test_names_of_all_sorts_go_through_a_playing_game(part: int, prolog: Open) -> None:
    """Each name as a relation, a function, a constant, a fluent, a move and a role."""
    names = NAMES[part::3]
    lines = ["(role me) (goal me 1) (<= terminal (true (done ?x)))"]
    for name in names:
        lines.append(
            f"(role {name}) (legal {name} {name}) (goal {name} 50) ({name} {name} ({name} {name})) (init ({name} {name}))"
        )
        lines.append(f"(<= (legal me ({name} ?x)) ({name} ?y ({name} ?x)) (true ({name} ?y)) (distinct ?x me))")
        lines.append(f"(<= (next (done {name})) (does me ({name} {name})) (does {name} {name}))")
    machine = prolog("\n".join(lines))
    start = machine.initial()
    assert machine.roles == ("me", *names)
    assert set(texts(machine.fluents(start))) == {f"({name} {name})" for name in names}
    situation = machine.situation(start)
    assert set(texts(situation.legal[0])) == {f"({name} {name})" for name in names}
    for name in names:
        joint = (parse_term(f"({name} {name})"), *(moves[0] for moves in situation.legal[1:]))
        after = machine.next(start, joint)
        assert texts(machine.fluents(after)) == [f"(done {name})"]
        assert machine.situation(after).terminal


def test_the_name_that_would_stop_prolog(prolog: Open) -> None:
    machine = prolog(TINY + "(<= (legal me ,halt,) (true (on 1)))")
    assert legal_moves(machine) == [",halt,", "wait"]


def test_terms_nested_thousands_deep_survive(prolog: Open) -> None:
    deep = "(s " * 5000 + "z" + ")" * 5000
    machine = prolog(TINY + f"(init (n {deep})) (<= (legal me (show ?x)) (true (n ?x)))")
    assert legal_moves(machine) == [f"(show {deep})", "wait"]


# ---- published counts -------------------------------------------------------------------------------------------

COUNTS = [
    ("tic_tac_toe", [1, 9, 72, 504, 3024]),
    ("connect_four", [1, 7, 49, 343, 2401]),
    ("othello", [1, 4, 12, 56, 244]),
    pytest.param("connect_four", [1, 7, 49, 343, 2401, 16807, 117649], marks=pytest.mark.slow),
    pytest.param("othello", [1, 4, 12, 56, 244, 1396, 8200], marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("name", "nodes"), COUNTS)
def test_perft(name: str, nodes: list[int], prolog: Open) -> None:
    machine = prolog(load(GAMES / f"{name}.kif"))
    assert [level.nodes for level in machine.perft(machine.initial(), len(nodes) - 1)] == nodes


@pytest.mark.slow
def test_the_complete_tree_of_tic_tac_toe(prolog: Open) -> None:
    machine = prolog(load(GAMES / "tic_tac_toe.kif"))
    levels = machine.perft(machine.initial(), 9)
    assert sum(level.nodes for level in levels) == 549_946
    assert sum(level.terminals for level in levels) == 255_168


def test_playouts_are_the_same_for_the_same_seed_and_add_up(prolog: Open) -> None:
    machine = prolog(load(GAMES / "tic_tac_toe.kif"))
    first, second, other = (
        machine.playouts(machine.initial(), count=50, seconds=60, limit=100, seed=s) for s in (1, 1, 2)
    )
    assert (first.playouts, first.steps, first.goal_sums) == (second.playouts, second.steps, second.goal_sums)
    assert (first.steps, first.goal_sums) != (other.steps, other.goal_sums)
    assert first.playouts == 50
    assert first.unfinished == 0
    assert sum(first.goal_sums) == 50 * 100
    assert 50 * 5 <= first.steps <= 50 * 9


def test_playouts_stop_at_the_limit_of_steps_and_of_time(prolog: Open) -> None:
    machine = prolog(load(GAMES / "tic_tac_toe.kif"))
    totals = machine.playouts(machine.initial(), count=4, seconds=60, limit=3, seed=1)
    assert (totals.playouts, totals.steps, totals.unfinished, totals.goal_sums) == (4, 12, 4, (0, 0))
    assert machine.playouts(machine.initial(), count=10**9, seconds=0.2, limit=99, seed=1).playouts < 10**6


def test_tries_begin_with_the_move_and_tell_of_each_playout(prolog: Open) -> None:
    machine = prolog(load(GAMES / "tic_tac_toe.kif"))
    start = machine.initial()
    moves = machine.situation(start).legal[0]
    tried = machine.tries(start, 0, moves, limit=100, seed=1, patience=Patience())
    assert tried == machine.tries(start, 0, moves, limit=100, seed=1, patience=Patience())
    assert len(tried) == len(moves) and all(5 <= one.steps <= 9 for one in tried)
    assert all(one.goals is not None and sum(one.goals) == 100 for one in tried)
    (single,) = machine.tries(start, 0, moves[:1], limit=1, seed=1, patience=Patience())
    assert (single.steps, single.goals) == (1, None)


@pytest.mark.parametrize("name", ["go_6x6", "tic_tac_toe"])  # with tables, and without
def test_interrupted_tries_leave_a_machine_that_answers_as_before(name: str, prolog: Open) -> None:
    machine = prolog(load(GAMES / f"{name}.kif"))
    start = machine.initial()
    situation = machine.situation(start)
    after = machine.next(start, tuple(moves[0] for moves in situation.legal))
    for number in range(1, 8):
        patience = Patience(until=time.monotonic() + 0.02 * number)
        machine.tries(start, 0, situation.legal[0][:1] * 10_000, limit=100, seed=number, patience=patience)
        assert machine.situation(start) == situation
        assert machine.next(start, tuple(moves[0] for moves in situation.legal)) == after
