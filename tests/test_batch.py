"""Batch simulation as users see it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ggp
from ggp.batch import Lanes
from tests.conftest import Open
from tests.helpers import GAMES, rulesheets


@pytest.fixture(scope="module")
def lanes() -> Lanes:
    return ggp.Lanes(GAMES / "tic_tac_toe.kif", width=100, seed=7)


def test_shapes(lanes: Lanes) -> None:
    lanes.reset()
    assert lanes.legal().shape == (100, len(lanes.inputs))
    assert lanes.positions().shape == (100, len(lanes.bases))
    assert lanes.terminal().shape == (100,)
    assert lanes.goals().shape == (100, 2)
    assert not lanes.terminal().any()
    assert lanes.legal().sum() == 100 * 10


def test_random_steps_end_every_game(lanes: Lanes) -> None:
    lanes.reset()
    for _ in range(9):
        lanes.step()
    assert lanes.terminal().all()
    assert (lanes.goals().sum(axis=1) == 100).all()


def test_given_and_random_moves_mix(lanes: Lanes) -> None:
    lanes.reset()
    centre = next(n for n, (role, move) in enumerate(lanes.inputs) if role == 0 and str(move) == "(mark 2 2)")
    moves = np.full((100, 2), -1)
    moves[:50, 0] = centre
    lanes.step(moves)
    marked = next(n for n, fluent in enumerate(lanes.bases) if str(fluent) == "(marked 2 2 x)")
    holds = lanes.positions()[:, marked]
    assert holds[:50].all()
    assert not holds[50:].all()


def test_an_illegal_move_is_an_error(lanes: Lanes) -> None:
    lanes.reset()
    moves = np.full((100, 2), -1)
    moves[3, 0] = next(n for n, (role, _) in enumerate(lanes.inputs) if role == 1)
    with pytest.raises(ValueError, match="lane 3"):
        lanes.step(moves)
    with pytest.raises(ValueError, match="shape"):
        lanes.step(moves[:5])


def test_some_lanes_can_be_reset_and_loaded(lanes: Lanes) -> None:
    lanes.reset()
    start = lanes.positions()[0]
    lanes.step()
    moved = lanes.positions()
    lanes.reset([0, 5])
    after = lanes.positions()
    assert (after[[0, 5]] == start).all()
    assert (after[1] == moved[1]).all()
    lanes.load(moved[[2]], [0])
    assert (lanes.positions()[0] == moved[2]).all()


def test_the_same_seed_gives_the_same_plays() -> None:
    def play() -> np.ndarray:
        lanes = ggp.Lanes(GAMES / "nim.kif", width=64, seed=11)
        for _ in range(6):
            lanes.step()
        return lanes.positions()

    assert (play() == play()).all()


@pytest.mark.slow
@pytest.mark.parametrize("path", rulesheets(only=["amazons"]))
def test_a_game_of_half_a_million_gates(path: Path, prolog: Open) -> None:
    """Thousands of legal moves in each lane: the same positions as Prolog's, whether moves are given or random."""
    lanes = ggp.Lanes(path, width=64, seed=3)
    machine, reference = lanes.machine, prolog(path.read_text())
    assert machine.circuit.size > 500_000
    rng = np.random.default_rng(5)
    for _ in range(6):
        legal, before = lanes.legal(), lanes.positions()
        moves = np.full((64, 2), -1)
        for lane in (0, 17, 63):
            position = machine.position([t for t, holds in zip(lanes.bases, before[lane], strict=True) if holds])
            here = reference.position(machine.fluents(position))
            found, want = machine.situation(position), reference.situation(here)
            assert (found.terminal, found.legal) == (want.terminal, want.legal)
            assert bool(lanes.terminal()[lane]) == want.terminal
            assert tuple((int(g),) for g in lanes.goals()[lane]) == want.goals == found.goals
            numbers = np.flatnonzero(legal[lane])
            assert {lanes.inputs[n] for n in numbers} == {(r, m) for r, row in enumerate(want.legal) for m in row}
            moves[lane] = [rng.choice([n for n in numbers if lanes.inputs[n][0] == role]) for role in (0, 1)]
        lanes.step(moves)
        after = lanes.positions()
        assert (after != before).any(axis=1).all()
        for lane in (0, 17, 63):
            position = machine.position([t for t, holds in zip(lanes.bases, before[lane], strict=True) if holds])
            joint = (lanes.inputs[moves[lane, 0]][1], lanes.inputs[moves[lane, 1]][1])
            assert (machine.bits(machine.next(position, joint)) == after[lane]).all()
            there = reference.next(reference.position(machine.fluents(position)), joint)
            assert reference.fluents(there) == tuple(machine.fluents(machine.next(position, joint)))
    totals = machine.playouts(machine.initial(), count=100, seconds=1, limit=1000, seed=1)
    assert totals.unfinished == 0
    assert sum(totals.goal_sums) == 100 * totals.playouts
