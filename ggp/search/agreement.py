"""Agreement: how well what playouts say of positions goes with how matches from there ended."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ggp.core.seeds import split_seed
from ggp.lanes.bank import Bank
from ggp.lanes.engine import Engine, Runner
from ggp.machines.circuit import Compiled
from ggp.search.batch import Bits, play_matches
from ggp.search.kernels.layout import Floats
from ggp.search.settings import SearchSettings, uct

_MATCHES, _SIMULATIONS, _STEPS = 96, 100, 300
"""Quick matches, the simulations for each of their moves, and their steps, at most."""
_PLAYOUTS = 64
"""From each position."""
_TOGETHER = 64
"""Positions that are played out at a time."""
_LAPS = 500
"""Of a playout, at most."""
_SEED = 1
"""What is found hangs on the rules alone, the same for every player."""
_ALL = np.uint64(2**64 - 1)


def agreements(machine: Compiled, programs: Sequence[Runner], go_on: Callable[[], bool]) -> list[float] | None:
    """How well the mean of playouts by some programs goes with the results of quick matches; 1: as well as can be.

    None where no match came to an end. Where `go_on`, asked again and again, says no, that is without a meaning.
    """
    engine = machine.engine
    seen: list[tuple[int, int, Bits]] = []  # step, match, position

    def watch(step: int, matches: Sequence[int], positions: Bits) -> bool:
        if step % engine.phases.period == 0:  # lanes are loaded with phase 0 below
            seen.extend((step, match, position) for match, position in zip(matches, positions, strict=True))
        return go_on()

    quick: SearchSettings = uct(solver=False, reuse=False, simulations=_SIMULATIONS)
    seats = [(quick,) * len(machine.roles)] * _MATCHES
    seeds = [split_seed(_SEED, "judging", i) for i in range(_MATCHES)]
    results = play_matches(machine, seats, seeds, limit=_STEPS, watch=watch)
    seen = [(step, match, position) for step, match, position in seen if results[match].complete]
    if not seen or not go_on():
        return None
    steps = np.array([step for step, _, _ in seen])
    goals = np.array([results[match].goals for _, match, _ in seen], np.float64)
    positions = np.array([position for _, _, position in seen])
    seed = split_seed(_SEED, "playouts")
    return [agreement(_expected(engine, each, positions, seed, go_on), goals, steps) for each in programs]


def agreement(expected: Floats, goals: Floats, steps: NDArray[np.int64]) -> float:
    """The correlation of two values [positions, roles] within the steps; 0 where one of them never varies."""
    x, y = expected.copy(), goals.copy()
    for step in np.unique(steps):
        here = steps == step
        x[here] -= x[here].mean(axis=0)
        y[here] -= y[here].mean(axis=0)
    size = float(np.sqrt((x * x).sum() * (y * y).sum()))
    return float((x * y).sum()) / size if size > 0 else 0.0


def _expected(engine: Engine, program: Runner, positions: Bits, seed: int, go_on: Callable[[], bool]) -> Floats:
    """The mean goal of each role after playouts from positions (bool [n, bases])."""
    bank, rows = Bank(engine, _TOGETHER * _PLAYOUTS, seed), engine.rows
    means = np.zeros((len(positions), engine.circuit.roles))
    for lo in range(0, len(positions), _TOGETHER):
        part = positions[lo : lo + _TOGETHER]
        lanes = np.arange(len(part) * _PLAYOUTS)
        bank.load(lanes, np.repeat(part, _PLAYOUTS, axis=0))
        bank.memory[:, rows.done] = bank.memory[:, rows.stuck] = 0
        bank.memory[:, rows.goal : rows.goal + rows.goals] = 0
        for _ in range(_LAPS):
            bank.run(program, 1)
            if (bank.memory[:, rows.done] == _ALL).all():
                break
        means[lo : lo + len(part)] = bank.goals(lanes).reshape(len(part), _PLAYOUTS, -1).mean(axis=1)
        if not go_on():
            break
    return means
