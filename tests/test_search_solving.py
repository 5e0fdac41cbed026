"""The search solves what can be solved: tactics, puzzles, and small games from every position."""

from __future__ import annotations

import re
import time
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from _pytest.mark import ParameterSet

from gdl import kif, parse_term
from gdl.terms import arguments
from ggp.machines.circuit import CircuitMachine
from ggp.machines.machine import goal
from ggp.match.builtin import make_player
from ggp.players.match import play_match
from ggp.search.search import Search
from ggp.search.settings import SearchSettings
from tests.chess_positions import fluents as fluents_of_fen
from tests.compiled import compiled, compiled_text
from tests.helpers import GAMES
from tests.solver import Solver

SIMULATIONS = 100_000
SECONDS = 2.0
"""Processor time for one position."""
SLOW = {"chess"}
"""Games that take long to compile."""


# ---- tactics ----------------------------------------------------------------------------------------------------


def tactics() -> list[ParameterSet]:
    """The positions of `tactics.toml`."""
    text = (Path(__file__).parent / "tactics.toml").read_text(encoding="utf-8")
    found, counts = [], dict[str, int]()
    for data in tomllib.loads(text)["position"]:
        game = data["game"]
        counts[game] = counts.get(game, 0) + 1
        found.append(
            pytest.param(data, id=f"{game}-{counts[game]}", marks=[pytest.mark.slow] if game in SLOW else [])
        )  # fmt: skip
    return found


def follow(machine: CircuitMachine, text: str) -> bytes:
    """The position after moves of those who have a choice; the others have none."""
    position = machine.initial()
    for move in arguments(parse_term(f"(moves {text})")):
        legal = machine.situation(position).legal
        while max(map(len, legal)) == 1:
            position = machine.next(position, tuple(moves[0] for moves in legal))
            legal = machine.situation(position).legal
        position = machine.next(position, tuple(move if len(moves) > 1 else moves[0] for moves in legal))
    return position


def position_of(machine: CircuitMachine, data: dict[str, Any]) -> bytes:
    """The position that an entry of `tactics.toml` tells."""
    if "played" in data:
        return follow(machine, data["played"])
    texts = fluents_of_fen(data["fen"]) if "fen" in data else map(kif, arguments(parse_term(f"(all {data['fluents']})")))
    return machine.position(map(parse_term, texts))


def test_there_are_many_tactics_of_many_games() -> None:
    entries: list[Any] = [each.values[0] for each in tactics()]
    assert len(entries) >= 30
    assert len({entry["game"] for entry in entries}) >= 8
    assert sum(entry["depth"] > 0 for entry in entries) >= 30, "verified by brute force"


@pytest.mark.parametrize("data", tactics())
def test_a_tactic_is_found(data: dict[str, Any]) -> None:
    machine = compiled(data["game"])
    position = position_of(machine, data)
    legal = machine.situation(position).legal
    role = max(range(len(legal)), key=lambda r: len(legal[r]))
    solver = Solver(machine)
    if data["depth"]:
        low = {kif(move): values[0] for move, values in solver.bounds(position, data["depth"]).items()}
        assert {move for move, value in low.items() if value >= data["worth"]} == set(data["right"])
    search = Search(machine, SearchSettings(), 1, memory=2**27)
    search.start(position)
    search.run(simulations=2)  # loads the kernels
    begun = time.thread_time()
    search.run(simulations=data.get("simulations", SIMULATIONS))
    seconds = time.thread_time() - begun
    best = search.best(role)
    assert best is not None
    move = machine.inputs[best.input]
    if kif(move) not in data["right"]:  # another win, which takes longer: brute force must agree
        assert best.proven == data["worth"] == 100, f"{kif(move)} is played"
        after = machine.next(position, tuple(move if r == role else moves[0] for r, moves in enumerate(legal)))
        assert {high for _, high in solver.bounds(after, best.length - 1).values()} == {0}
    assert best.proven == data["worth"] or not data.get("proof", data["worth"] == 100)
    assert seconds < SECONDS


# ---- puzzles ----------------------------------------------------------------------------------------------------

PEGS = {
    "cross": (".......", "...o...", "..ooo..", "...o...", "...o..."),
    "fireplace": ("..ooo..", "..ooo..", "..ooo..", "..o.o.."),
    "pyramid": (".......", "...o...", "..ooo..", ".ooooo.", "ooooooo"),
}
"""Classic small starts of peg solitaire: one last peg in the centre can be reached from each."""
DIAMOND = ("...o...", "..ooo..", ".ooooo.", "ooo.ooo", ".ooooo.", "..ooo..", "...o...")


def pegs(machine: CircuitMachine, rows: tuple[str, ...]) -> tuple[bytes, int]:
    """A position of peg solitaire, and how many pegs it has."""
    cells = [(x, y) for y, row in enumerate(rows, 1) for x, c in enumerate(row, 1) if c == "o"]
    fluents = [parse_term(f"(peg {x} {y})") for x, y in cells] + [parse_term(f"(pegs {len(cells)})")]
    return machine.position(fluents), len(cells)


@pytest.mark.parametrize("name", PEGS)
def test_proven_moves_do_not_keep_a_puzzle_from_being_solved(name: str) -> None:
    machine = compiled("peg_solitaire")
    position, count = pegs(machine, PEGS[name])
    exact = Solver(machine).bounds(position, count)
    assert max(exact.values()) == (100, 100)
    search = Search(machine, SearchSettings(), 1, memory=2**26)
    search.start(position)
    search.run(simulations=60_000)
    best = search.best(0)
    assert search.solved and best is not None and best.proven == 100
    assert exact[machine.inputs[best.input]] == (100, 100)


@pytest.mark.slow
def test_the_diamond_of_24_pegs_is_solved() -> None:
    machine = compiled("peg_solitaire")
    position, _ = pegs(machine, DIAMOND)
    assert played_out(machine, position, 400_000) == 100


PUZZLES = [
    "eight_puzzle", "sokoban", "knights_tour", "n_queens", "lights_out", "towers_of_hanoi", "blocks_world",
    "peg_solitaire",
]  # fmt: skip


@pytest.mark.parametrize("game", PUZZLES)
def test_a_puzzle_is_solved_by_the_player(game: str) -> None:
    *_, last = play_match(compiled(game), [make_player("ucd:simulations=300000,memory=128", 1)], 1000)
    assert last.goals == (100,)


def played_out(machine: CircuitMachine, position: bytes, simulations: int) -> int:
    """The goal that best moves lead to, in a game for one."""
    search = Search(machine, SearchSettings(), 1, memory=2**27)
    while not (situation := machine.situation(position)).terminal:
        search.start(position)
        search.run(simulations=simulations)
        best = search.best(0)
        move = situation.legal[0][0] if best is None else machine.inputs[best.input]
        position = machine.next(position, (move,))
    return goal(situation.goals[0])


# ---- perfect play -----------------------------------------------------------------------------------------------


@cache
def hex_of(size: int) -> CircuitMachine:
    """Hex on a small board, from the rules of the larger one."""
    text = (GAMES / "hex_5x5.kif").read_text(encoding="utf-8")
    for letter, number in list(zip("abcde", range(1, 6), strict=True))[size:]:
        text = re.sub(rf"^\((column|right_of)\b.* {letter}\)$", "", text, flags=re.MULTILINE)
        text = re.sub(rf"^\((row|below)\b.* {number}\)$", "", text, flags=re.MULTILINE)
    last = "abcde"[size - 1]
    text = text.replace("(goal_edge black ?c 5)", f"(goal_edge black ?c {size})").replace(
        "(goal_edge white e ?r)", f"(goal_edge white {last} ?r)"
    )
    machine = compiled_text(text)
    assert len(machine.situation(machine.initial()).legal[0]) == size * size
    return machine


def perfect(machine: CircuitMachine, depth: int, simulations: int) -> int:
    """Assert that the search keeps the value of every position; how many there are.

    All are searched in one graph, as in a match; each has so many simulations more.
    """
    search = Search(machine, SearchSettings(), 1, memory=2**27)
    count = 0
    for position, role, exact in Solver(machine).all_choices(machine.initial(), depth):
        search.start(position)
        search.run(simulations=simulations)
        best = search.best(role)
        assert best is not None
        move = machine.inputs[best.input]
        assert exact[move] == max(exact.values()), (list(map(kif, machine.fluents(position))), kif(move))
        assert best.proven is None or best.proven == exact[move]
        count += 1
    return count


def test_perfect_play_in_tic_tac_toe() -> None:
    assert perfect(compiled("tic_tac_toe"), 9, 3000) > 4000


def test_perfect_play_in_nim() -> None:
    assert perfect(compiled("nim"), 16, 3000) > 2000


def test_perfect_play_in_small_hex() -> None:
    assert perfect(hex_of(3), 9, 5000) > 4000
