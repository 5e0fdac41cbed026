"""The library of games: its index tells the truth, and its counts are the published ones."""

from __future__ import annotations

import functools
import itertools
import tomllib
from pathlib import Path
from typing import Any

import pytest

from gdl import Source, load
from ggp.machines.circuit import CircuitMachine
from tests import chess_positions
from tests.compiled import compiled, machine_of
from tests.conftest import Open
from tests.helpers import GAMES, games, terms, texts

INDEX: dict[str, Any] = tomllib.loads((GAMES / "index.toml").read_text(encoding="utf-8"))
QUICK = {"tic_tac_toe", "nim", "chomp", "lights_out", "poker_small", "sokoban", "stress_endless", "dots_and_boxes"}
MOST = 20_000
"""Levels with more positions than this are left out."""


@pytest.mark.parametrize("path", games())
def test_index(path: Path) -> None:
    entry = INDEX[path.stem]
    assert entry["roles"] == list(load(path).roles)
    assert entry["kind"] in {"turns", "simultaneous", "one player", "chance"}
    assert entry["title"]
    assert entry["source"]


def _perft(path: Path) -> None:
    known = [nodes for nodes in INDEX[path.stem].get("perft", []) if nodes <= MOST]
    machine = machine_of(load(path))
    assert [level.nodes for level in machine.perft(machine.initial(), len(known))[1:]] == known


@pytest.mark.parametrize("path", [p for p in games() if p.id in QUICK])
def test_perft(path: Path) -> None:
    _perft(path)


@pytest.mark.slow
@pytest.mark.parametrize("path", [p for p in games() if p.id not in QUICK])
def test_perft_of_all(path: Path) -> None:
    _perft(path)


@pytest.mark.parametrize(
    "fen",
    [
        pytest.param(fen, marks=pytest.mark.slow if known[2] > 300 else [])
        for fen, known in chess_positions.PERFT.items()
        if 2 in known
    ],
)
def test_chess_positions_to_depth_2_by_the_reference(fen: str, prolog: Open) -> None:
    """The start, kiwipete, and the positions of en passant and promotion."""
    text = (GAMES / "chess.kif").read_text(encoding="utf-8")
    machine = prolog(load(Source(chess_positions.variant(text, fen), "variant")))
    known = chess_positions.PERFT[fen]
    assert [level.nodes for level in machine.perft(machine.initial(), 2)] == [1, known[1], known[2]]


@pytest.mark.slow
@pytest.mark.parametrize("fen", list(chess_positions.PERFT))
def test_chess_positions(fen: str) -> None:
    """Castling, en passant, promotion and pins, in the positions that everybody tests with."""
    text = (GAMES / "chess.kif").read_text(encoding="utf-8")
    machine = CircuitMachine.compile(load(Source(chess_positions.variant(text, fen), "variant")))
    known = {depth: nodes for depth, nodes in chess_positions.PERFT[fen].items() if nodes <= 100_000}
    levels = machine.perft(machine.initial(), max(known, default=0))
    assert {depth: levels[depth].nodes for depth in known} == known


@pytest.mark.slow
def test_english_draughts_by_whole_turns() -> None:
    """The published numbers count all jumps of a turn as one move; the rules here make each a step of its own."""
    machine = compiled("english_draughts")
    (noop,) = terms("noop")

    def mover(position: Any) -> str:
        return next(fluent for fluent in texts(machine.fluents(position)) if fluent.startswith("(control"))

    @functools.cache
    def turns(position: Any, depth: int) -> int:
        situation = machine.situation(position)
        if depth == 0 or situation.terminal:
            return int(depth == 0)
        total = 0
        for joint in itertools.product(*situation.legal):
            assert noop in joint
            after = machine.next(position, joint)
            total += turns(after, depth - (mover(after) != mover(position)))
        return total

    found = [turns(machine.initial(), depth) for depth in range(1, 8)]
    assert found == [7, 49, 302, 1_469, 7_361, 36_768, 179_740]
