"""Plays: every rulesheet from start to end, endings, seeds; and the golden records."""

from __future__ import annotations

from pathlib import Path

import pytest

from gdl import load
from ggp.core.seeds import split_seed
from ggp.machines import Limits
from ggp.machines.machine import by_text
from ggp.machines.plays import Ending, Step, play, random_play
from ggp.players.match import play_match
from ggp.players.simple import LegalPlayer
from tests.conftest import Open
from tests.golden import PLAY, path_of, record
from tests.helpers import GAMES, RULESHEETS, TINY, game_files, games, rulesheet_index, rulesheets, terms, texts

STUCK = """(role me) (init (on 1)) (<= (legal me go) (true (on 1))) (goal me 0)
    (<= (next (on 2)) (does me go)) (<= terminal (true (on 3)))"""
FOREVER = "(role me) (legal me go) (goal me 50) (<= terminal (true (on 3)))"


@pytest.mark.parametrize(
    ("game", "ending", "steps"), [(TINY, Ending.TERMINAL, 1), (STUCK, Ending.STUCK, 1), (FOREVER, Ending.LIMIT, 7)]
)
def test_a_play_says_why_it_ended(game: str, ending: Ending, steps: int, prolog: Open) -> None:
    found = list(random_play(prolog(game), 1, 7))
    assert [step.number for step in found] == list(range(steps + 1))
    assert [step.ending for step in found] == [None] * steps + [ending]
    assert [step.joint is None for step in found] == [False] * steps + [True]


def test_the_same_seed_gives_the_same_play_and_another_seed_another(prolog: Open) -> None:
    machine = prolog(load(GAMES / "tic_tac_toe.kif"))

    def moves(seed: int) -> list[object]:
        return [step.joint for step in random_play(machine, seed, 100)]

    assert moves(1) == moves(1)
    assert len({tuple(moves(seed)) for seed in range(5)}) == 5


def test_a_play_may_start_anywhere(prolog: Open) -> None:
    machine = prolog(TINY)
    (step,) = play(machine, lambda *_: terms("wait"), 5, machine.position(terms("(on 2)")))
    assert (step.number, step.ending, step.goals) == (0, Ending.TERMINAL, (100,))


def test_a_match_asks_one_player_for_each_role(prolog: Open) -> None:
    machine = prolog("""(role a) (role b) (<= (legal ?r (go ?n)) (role ?r) (number ?n)) (number 1) (number 2) (goal ?r 50)
        (<= (next (went ?r ?m)) (does ?r ?m)) (<= terminal (true (went ?r ?m)))""")
    steps = list(play_match(machine, [LegalPlayer(1), LegalPlayer(2)], 10))
    assert steps[0].joint == terms("(go 1)", "(go 1)")
    assert texts(machine.fluents(steps[-1].position)) == ["(went a (go 1))", "(went b (go 1))"]


def test_seeds_of_parts_differ_and_stay() -> None:
    assert split_seed(1, "a", 2) == split_seed(1, "a", 2)
    assert len({split_seed(s, *path) for s in range(3) for path in ((), (1,), (1, 2), ("a",))}) == 12


# ---- every rulesheet --------------------------------------------------------------------------------------------

QUICK = frozenset({
    "ticTacToe", "connectFour", "pentago", "switches", "dresden-cubicup", "dresden-wallmaze", "dresden-maze",
    "dresden-sudoku_simple", "dresden-gt_attrition", "blobwars", "biddingTicTacToe", "nonogram_5x5_1", "laikLee_hex",
    "montyhall", "meier", "kriegTTT_5x5", "bender-Hanoi", "dresden-uf20-01.cnf.SAT",
})  # fmt: skip
"""Rulesheets of every kind that are played quickly; the others are marked slow."""


def is_sound(step: Step, roles: int) -> bool:
    """A step in which everyone can move and did, or which says why the play ends there."""
    situation = step.situation
    if len(situation.legal) != roles or len(situation.goals) != roles:
        return False
    if any(moves != by_text(moves) for moves in situation.legal):
        return False
    if step.ending is None:
        return step.joint is not None and all(m in moves for m, moves in zip(step.joint, situation.legal, strict=True))
    return step.joint is None and (step.ending is Ending.TERMINAL) == situation.terminal


@pytest.mark.parametrize("path", rulesheets(slow={row["name"] for row in rulesheet_index()} - QUICK))
def test_every_rulesheet_can_be_played_through(path: Path, prolog: Open) -> None:
    rules = load(path)
    machine = prolog(rules, Limits(seconds=60))
    for seed in (1, 2, 3):
        steps = list(random_play(machine, seed, 300))
        assert all(is_sound(step, len(rules.roles)) for step in steps)
        assert steps[-1].ending is not None
        for step in (steps[0], steps[len(steps) // 2], steps[-1]):
            assert machine.position(machine.fluents(step.position)) == step.position


KNOWN = [row for row in rulesheet_index() if int(row["reference_playouts"] or 0) >= 100]
"""Rulesheets whose lengths of random playouts are known well enough from another engine."""


@pytest.mark.slow
@pytest.mark.parametrize("row", [pytest.param(row, id=row["name"]) for row in KNOWN])
def test_random_playouts_are_as_long_as_those_of_another_engine(row: dict[str, str], prolog: Open) -> None:
    machine = prolog(load(RULESHEETS / f"{row['name']}.kif"))
    totals = machine.playouts(machine.initial(), count=200, seconds=60, limit=1000, seed=1)
    mean, longest = float(row["reference_mean_length"]), float(row["reference_max_length"])
    assert abs(totals.steps / totals.playouts - mean) <= max(1.0, 0.25 * longest)


# ---- golden records ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", games())
def test_the_golden_play_through(path: Path) -> None:
    """If the change is meant: python -m tests.golden --write."""
    assert record(path) == path_of(path).read_text(encoding="utf-8")


def test_each_golden_record_has_its_game() -> None:
    assert {path.stem for path in PLAY.glob("*.txt")} == {path.stem for path in game_files()}
