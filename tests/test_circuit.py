"""The circuit machine: its own answers, its counts, and what it refuses. Agreement with Prolog: test_conformance.py."""

from __future__ import annotations

import functools

import pytest

from gdl import GroundingError, parse_term
from gdl.grounding import GroundLimits
from ggp.core.errors import CycleError, RulesError
from ggp.machines.circuit import CircuitMachine
from tests.compiled import compiled
from tests.helpers import TINY, ruleset, terms, texts


@pytest.fixture(scope="module")
def tic_tac_toe() -> CircuitMachine:
    return compiled("tic_tac_toe")


def test_first_position(tic_tac_toe: CircuitMachine) -> None:
    situation = tic_tac_toe.situation(tic_tac_toe.initial())
    assert not situation.terminal
    assert texts(tic_tac_toe.fluents(tic_tac_toe.initial())) == ["(control x)"]
    assert [len(moves) for moves in situation.legal] == [9, 1]
    assert situation.goals == ((50,), (50,))


def test_positions_are_equal_if_their_fluents_are(tic_tac_toe: CircuitMachine) -> None:
    after = tic_tac_toe.next(tic_tac_toe.initial(), terms("(mark 2 2)", "noop"))
    assert tic_tac_toe.position(terms("(control o)", "(marked 2 2 x)")) == after
    assert hash(after) == hash(tic_tac_toe.position(tic_tac_toe.fluents(after)))


def test_what_no_rule_can_reach_is_refused(tic_tac_toe: CircuitMachine) -> None:
    with pytest.raises(RulesError, match="holds in no position"):
        tic_tac_toe.position(terms("(marked 9 9 x)"))
    with pytest.raises(RulesError, match="never legal"):
        tic_tac_toe.next(tic_tac_toe.initial(), terms("(mark 9 9)", "noop"))


def test_perft_of_the_whole_tree(tic_tac_toe: CircuitMachine) -> None:
    levels = tic_tac_toe.perft(tic_tac_toe.initial(), 9)
    assert sum(level.terminals for level in levels) == 255_168
    assert sum(level.nodes for level in levels) == 549_946


@pytest.mark.parametrize(
    ("name", "nodes"),
    [
        ("connect_four", [1, 7, 49, 343, 2_401, 16_807, 117_649, 823_536]),
        ("othello", [1, 4, 12, 56, 244, 1_396, 8_200, 55_092]),
        ("english_draughts", [1, 7, 49, 302, 1_469, 7_361]),
    ],
)
def test_published_perft(name: str, nodes: list[int]) -> None:
    machine = compiled(name)
    assert [level.nodes for level in machine.perft(machine.initial(), len(nodes) - 1)] == nodes


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "depth", "nodes"),
    [
        ("breakthrough", 5, 6_182_818),
        ("chess", 4, 197_281),
        ("chess_200", 4, 197_281),
        ("othello", 9, 3_005_288),
        ("connect_four", 8, 5_673_234),
    ],
)
def test_deep_perft(name: str, depth: int, nodes: int) -> None:
    machine = compiled(name)
    assert machine.perft(machine.initial(), depth)[-1].nodes == nodes


def test_random_playouts_have_the_known_balance(tic_tac_toe: CircuitMachine) -> None:
    """Of random tic-tac-toe games x wins 58.5 %, o 28.8 %: goals 64.84 and 35.16 on average."""
    totals = tic_tac_toe.playouts(tic_tac_toe.initial(), count=400_000, seconds=60, limit=100, seed=5)
    assert totals.playouts >= 400_000
    assert totals.unfinished == 0
    assert totals.goal_sums[0] / totals.playouts == pytest.approx(64.84, abs=0.5)
    assert sum(totals.goal_sums) == 100 * totals.playouts
    assert totals.steps / totals.playouts == pytest.approx(7.64, abs=0.02)


def test_a_lane_may_end_twice_in_a_lap() -> None:
    """Chomp can be over after one move, and its lap has two steps: each end counts. The mean is worked out exactly."""

    @functools.cache
    def mover_wins(heights: tuple[int, ...]) -> float:
        bites = [(x, y) for x, height in enumerate(heights) for y in range(height)]
        left = (tuple(min(h, y) if i >= x else h for i, h in enumerate(heights)) for x, y in bites)
        return sum(1 - mover_wins(after) for after in left) / len(bites) if bites else 1.0

    machine = compiled("chomp")
    totals = machine.playouts(machine.initial(), count=20_000_000, seconds=60, limit=100, seed=5)
    assert sum(totals.goal_sums) == 100 * totals.playouts
    assert totals.goal_sums[0] / totals.playouts == pytest.approx(100 * mover_wins((4,) * 7), abs=0.05)


def test_playouts_start_at_the_first_position_only(tic_tac_toe: CircuitMachine) -> None:
    after = tic_tac_toe.next(tic_tac_toe.initial(), terms("(mark 2 2)", "noop"))
    with pytest.raises(RulesError, match="first position"):
        tic_tac_toe.playouts(after, count=1, seconds=1, limit=10, seed=1)


def test_a_game_without_end_is_cut_off() -> None:
    machine = CircuitMachine.compile(
        ruleset(
            "(role me) (init (on 1)) (legal me wait) (goal me 100)\n(<= (next ?f) (true ?f)) (<= terminal (true over))"
        )
    )
    totals = machine.playouts(machine.initial(), count=10, seconds=0.5, limit=50, seed=1)
    assert totals.unfinished == totals.playouts > 0


def test_several_goals_and_none() -> None:
    text = TINY.replace("(goal me 100)", "(goal me 30) (<= (goal me 70) (true (on 2)))").replace(
        "(role me)", "(role me) (role you) (legal you wait)"
    )
    machine = CircuitMachine.compile(ruleset(text))
    assert machine.situation(machine.initial()).goals == ((30,), ())
    end = machine.next(machine.initial(), terms("wait", "wait"))
    assert machine.situation(end).goals == ((30, 70), ())


def test_negation_through_a_ground_cycle_is_refused() -> None:
    text = (
        TINY + "(<= (odd ?x) (true (on ?x)) (not (even ?x))) (<= (even ?x) (true (on ?x)) (not (odd ?x)))"
        "(<= (legal me jump) (odd 1))"
    )
    with pytest.raises(CycleError, match="odd"):
        CircuitMachine.compile(ruleset(text))


def test_a_negated_cycle_that_vanishes_is_none() -> None:
    text = TINY.replace(
        "(goal me 100)", "(<= (goal me 100) (true (on 2))) (<= (goal ?r 0) (role ?r) (not (goal ?r 100)))"
    )
    machine = CircuitMachine.compile(ruleset(text))
    assert machine.situation(machine.initial()).goals == ((0,),)


def test_grounding_that_explodes_is_stopped() -> None:
    digits = " ".join(f"(digit {d})" for d in range(10))
    wide = " ".join(f"?d{i}" for i in range(9))
    body = " ".join(f"(digit ?d{i})" for i in range(9))
    text = TINY + f"{digits} (<= (legal me (dial {wide})) {body})"
    with pytest.raises(GroundingError, match=r"takes more than"):
        CircuitMachine.compile(ruleset(text), GroundLimits(seconds=1, bytes=1 << 30))


def test_names_of_any_kind() -> None:
    text = TINY.replace("on", "),halt,(".replace("(", "[").replace(")", "]")).replace("wait", "don't\"\\日本")
    machine = CircuitMachine.compile(ruleset(text))
    (moves,) = machine.situation(machine.initial()).legal
    assert moves == (parse_term("don't\"\\日本"),)
    assert machine.situation(machine.next(machine.initial(), moves)).terminal
