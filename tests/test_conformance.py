"""Every machine and all lanes against Prolog: same legal moves, next position, end and goals at every step.

A failure names the game, the seed and the moves that lead there.
"""

from __future__ import annotations

import math
import re
import time
from pathlib import Path

import numpy as np
import pytest

import ggp
from gdl import GdlError, Ruleset, Source, check, kif, load, parse
from gdl.grounding import ground
from ggp.batch import Lanes
from ggp.circuits.compile import Compilation
from ggp.core.errors import GgpError, MachineError
from ggp.lanes.engine import Engine
from ggp.machines import PrologMachine
from ggp.machines.circuit import CircuitMachine, packed
from ggp.machines.machine import goal
from ggp.machines.plays import Step, random_play
from tests.compiled import machine_of
from tests.helpers import GAMES, games, rulesheets

TOO_LARGE = {"bender-Corridor", "amazons", "comp2006-BIRD_S.3359288923"}
"""Rulesheets left to the slow run: they take minutes to ground, or are refused."""
SLOW = {
    "battlebrushes", "blobwars", "cephalopodMicro", "checkers", "chess_200", "gomoku_11x11", "hex", "hexPie", "merrills",
    "majorities", "othello-comp2007", "quarto", "reversi", "skirmish", "battle", "comp2006-GHANA.3361209631", "quad",
    "dotsAndBoxes", "tictactoe_3d_2player", "rubiksCube", "mummymaze1p", "wargame01", "pacman3p", "sudokuGrade1",
    "biddingTicTacToe_10coins", "breakthrough", "dresden-cubicup", "dresden-sudoku_simple", "dresden-uf20-01.cnf.SAT",
    "factoringMediumTurtleBrain", "kalaha5x2x3", "slidingpieces", "stateSpaceLarge", "duplicateStateMedium",
    "3pffa", "2pffa", "chineseCheckers3", "cittaceot", "dresden-wallmaze", "ghostMaze2p", "pentago", "racer4",
    "amazons", "bender-Corridor", "comp2006-BIRD_S.3359288923", "queens08lg", "knightsTour", "endgame",
    "pancakes6", "snakeParallel",
}  # fmt: skip
SLOW_GAMES = {
    "capture_the_king", "chess", "chess_200", "chinese_checkers_6", "english_draughts", "go_6x6", "go_9x9", "go_13x13",
    "gomoku_15x15",
    "havannah_5", "hex_11x11", "kalah", "left_right", "lines_of_action", "merrills", "nogo_7x7", "nogo_9x9", "othello",
    "sudoku", "stress_static", "stress_recursion",
}  # fmt: skip


def agree(path: Path, plays: int, steps: int, seconds: float = math.inf) -> int:
    """Compare the circuit machine, and the one without proofs, with Prolog along seeded plays; how many positions.

    No play begins after so many `seconds`: where Prolog needs seconds for a step, twenty plays would take hours.
    """
    ruleset = load(path)
    try:
        circuit = machine_of(ruleset)
    except (GdlError, GgpError) as error:
        pytest.skip(f"no circuit: {error}")
    first = circuit.with_engine(Engine(Compilation(circuit.program).quick()))
    prolog = PrologMachine(ruleset)
    compared, end = 0, time.monotonic() + seconds
    try:
        for seed in range(plays):
            if time.monotonic() > end:
                break
            moves: list[str] = []
            for ours, reference in zip(random_play(circuit, seed, steps), random_play(prolog, seed, steps), strict=True):
                where = f"{path.stem}, seed {seed}, after {moves}"
                _same_step(circuit, prolog, ours, reference, where)
                assert first.situation(ours.position) == ours.situation, where
                if ours.joint is not None:
                    assert first.next(ours.position, ours.joint) == circuit.next(ours.position, ours.joint), where
                    assert first.sees(ours.position, ours.joint) == circuit.sees(ours.position, ours.joint), where
                compared += 1
                moves.append(" ".join(map(kif, ours.joint or ())))
    except MachineError as error:
        pytest.skip(f"Prolog gives up: {error}")
    finally:
        prolog.close()
    return compared


def _same_step(circuit: CircuitMachine, prolog: PrologMachine, ours: Step, reference: Step, where: str) -> None:
    assert circuit.fluents(ours.position) == prolog.fluents(reference.position), where
    assert ours.situation == reference.situation, where
    assert ours.ending == reference.ending, where
    if ours.joint is not None and reference.joint is not None:
        assert circuit.sees(ours.position, ours.joint) == prolog.sees(reference.position, reference.joint), where


@pytest.mark.parametrize("path", [p for p in games() if p.id not in SLOW_GAMES])
def test_games(path: Path) -> None:
    assert agree(path, plays=1, steps=80) > 0


@pytest.mark.slow
@pytest.mark.parametrize("path", games())
def test_games_at_length(path: Path) -> None:
    assert agree(path, plays=20, steps=400, seconds=200) > 0


@pytest.mark.parametrize("path", [p for p in rulesheets() if p.id not in SLOW | TOO_LARGE])
def test_rulesheets(path: Path) -> None:
    assert agree(path, plays=1, steps=60) > 0


@pytest.mark.slow
@pytest.mark.parametrize("path", rulesheets())
def test_rulesheets_at_length(path: Path) -> None:
    assert agree(path, plays=20, steps=300, seconds=200) > 0


@pytest.mark.usefixtures("compiled_once")
@pytest.mark.parametrize("name", ["tic_tac_toe", "hex_5x5", "bidding_tic_tac_toe", "breakthrough", "monty_hall"])
def test_all_lanes_agree_with_the_machine(name: str) -> None:
    assert lanes_agree(GAMES / f"{name}.kif", width=128, steps=12) > 128


@pytest.mark.slow
@pytest.mark.parametrize("path", [*games(), *rulesheets()])
def test_all_lanes_of_every_game_agree_with_the_machine(path: Path) -> None:
    try:
        assert lanes_agree(path, width=128, steps=40) > 128
    except (GdlError, GgpError) as error:
        pytest.skip(f"no circuit: {error}")


def lanes_agree(path: Path, width: int, steps: int) -> int:
    """Every lane goes where the circuit machine, which evaluates gate by gate, goes with the same moves.

    The number of positions compared.
    """
    lanes = ggp.Lanes(path, width=width, seed=3)
    machine, compared = lanes.machine, 0
    for _ in range(steps):
        before, legal, over = lanes.positions(), lanes.legal(), lanes.terminal()
        goals = lanes.goals()
        moves = _random_moves(lanes, legal, over)
        lanes.step(moves)
        after = lanes.positions()
        for lane in range(lanes.width):
            position = packed(before[lane])
            situation = machine.situation(position)
            where = (path.stem, lane, compared)
            compared += 1
            assert situation.terminal == over[lane], where
            if over[lane]:
                assert (after[lane] == before[lane]).all(), where
                assert [goal(values) for values in situation.goals] == goals[lane].tolist(), where
                continue
            joint = tuple(machine.inputs[number] for number in moves[lane])
            assert machine.next(position, joint) == packed(after[lane]), where
            for role, options in enumerate(situation.legal):
                assert set(options) == {m for n, (r, m) in enumerate(lanes.inputs) if r == role and legal[lane, n]}, where
        if over.all():
            break
    return compared


def _random_moves(lanes: Lanes, legal: np.ndarray, over: np.ndarray) -> np.ndarray:
    """A random legal joint move for each lane; any inputs for lanes that are over."""
    generator = np.random.default_rng(int(legal.sum()))
    starts = lanes.machine.circuit.role_starts
    moves = np.tile(starts[:-1].astype(np.int64), (lanes.width, 1))
    for lane in np.flatnonzero(~over):
        for role in range(len(lanes.roles)):
            options = np.flatnonzero(legal[lane, starts[role] : starts[role + 1]]) + starts[role]
            moves[lane, role] = generator.choice(options)
    return moves


@pytest.mark.parametrize("name", ["connect_four", "tic_tac_toe", "nim"])
def test_a_dropped_literal_is_caught(name: str) -> None:
    """Nearly every condition matters: dropping one changes the plays, and the comparison sees it."""
    text = (GAMES / f"{name}.kif").read_text()
    reference = PrologMachine(load(Source(text)))
    caught = tried = 0
    try:
        for mutant in _mutants(text):
            tried += 1
            caught += _differs(reference, mutant)
    finally:
        reference.close()
    assert tried >= 8
    assert caught >= tried * 0.6, (caught, tried)


def _mutants(text: str) -> list[Ruleset]:
    """Rulesets with one `(true …)` or `(not …)` condition less, as far as they are still valid."""
    found = []
    for match in re.finditer(r"\n    \((?:not|true|does) .*?\)(?=\)?\n)", text):
        mutated = text[: match.start()] + text[match.end() :]
        ruleset = check(parse(Source(mutated)))
        if not any(p.is_error for p in ruleset.problems):
            found.append(ruleset)
    return found[:14]


def _differs(reference: PrologMachine, mutant: Ruleset) -> bool:
    try:
        program = ground(mutant)
        machine = CircuitMachine(mutant, program, Engine(Compilation(program).quick()))
        for seed in range(3):
            for ours, theirs in zip(random_play(machine, seed, 60), random_play(reference, seed, 60), strict=True):
                if ours.situation != theirs.situation or machine.fluents(ours.position) != reference.fluents(
                    theirs.position
                ):
                    return True
    except (GdlError, GgpError, ValueError):
        return True  # zip found plays of different lengths, or the mutant has no meaning left
    return False
