"""What a position is worth, learned from quick matches: logistic regression on the bases that hold.

Plain searches play a few hundred quick matches against each other. How often each base goes with which result gives it a
weight, for each role; the sum of the weights of a position tells how far between the lowest and the highest goal it is
expected to come. That knows of material, places and counters, nothing of tactics: it is a part of payoffs, never all
(`kernels.valuing`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl.ruleset import CHANCE
from ggp.core.seeds import split_seed
from ggp.machines.circuit import Compiled
from ggp.machines.kept import find_part, keep_part
from ggp.search.batch import Bits, see_matches
from ggp.search.kernels.layout import Floats
from ggp.search.settings import SearchSettings, uct
from ggp.search.weights import KNOWN, Value

_MATCHES, _SIMULATIONS, _STEPS = 256, 64, 300
"""Quick matches, the simulations for each of their moves, and their steps, at most."""
_POSITIONS, _BASES = 10_000, 1_200
"""Positions that are learned from, and bases that vary in them, at most: the work grows with the square of these."""
_RIDGE = 3.0
"""How much a weight must explain to be far from nothing."""
_LATE = 2 / 3
"""How far a match is when it is asked whether a value tells what it comes to."""
_ROUNDS, _STILL = 12, 1e-3
"""Steps of Newton's method, at most; and how small one is when it is done."""
_SEED = 2
"""What is learned hangs on the rules alone, the same for every player."""
_PART = "value"


def provide(machine: Compiled, *settings: SearchSettings, go_on: Callable[[], bool] = lambda: True) -> bool:
    """See to it that searches with these settings find weights, if they want any.

    They are known in this process, kept on disk, or learned now. False where `go_on`, which is asked again and again, has
    said that there is no time.
    """
    engine = machine.engine
    if engine not in KNOWN and any(s.learned for s in settings):
        value = find_part(engine, _PART)
        if value is None:
            value = _learn(machine, go_on)
            if value is None:
                return False
            keep_part(engine, _PART, value)
        KNOWN[engine] = value
    return True


def agreement(machine: Compiled, go_on: Callable[[], bool] = lambda: True) -> float:
    """How well a learned value tells what matches come to (see `Value`); 0 if there was no time to find out."""
    return KNOWN[machine.engine].agreement if provide(machine, SearchSettings(value=1.0), go_on=go_on) else 0.0


def _learn(machine: Compiled, go_on: Callable[[], bool]) -> Value | None:
    seen = _quick_matches(machine, go_on)
    if not go_on():
        return None
    circuit = machine.circuit
    weights = np.zeros((64 * max(1, -(-circuit.bases // 64)) + 1, circuit.roles))
    if not len(seen.positions):
        return Value(weights, 0.0)
    varies = np.flatnonzero(seen.positions.any(axis=0) & ~seen.positions.all(axis=0))
    told = seen.positions[:, varies[:_BASES]]
    agreements = []
    for role, values in enumerate(_goals_of(circuit.goal_roles, circuit.goal_values, circuit.roles)):
        if machine.roles[role] == CHANCE or len(values) < 2:
            continue
        share = (seen.goals[:, role] - values.min()) / (values.max() - values.min())
        found = regression(told, share)
        weights[varies[:_BASES], role], weights[-1, role] = found[:-1], found[-1]
        agreements.append(_agreement(told, share, seen))
    return Value(weights, float(np.mean(agreements)) if agreements else 0.0)


def _agreement(told: Bits, shares: Floats, seen: _Told) -> float:
    """The correlation with results in the last third of half of the matches, learned from the others: of both halves."""
    found = []
    for own in (seen.matches < _MATCHES // 2, seen.matches >= _MATCHES // 2):
        asked = ~own & (seen.progress > _LATE)
        if not own.any() or not asked.any():
            return 0.0
        weights = regression(told[own], shares[own])
        said, came = 1 / (1 + np.exp(-(told[asked] @ weights[:-1] + weights[-1]))), shares[asked]
        found.append(np.corrcoef(said, came)[0, 1] if min(np.ptp(said), np.ptp(came)) > 0 else 0.0)
    return float(np.mean(found))


def _goals_of(roles: NDArray[np.integer], values: NDArray[np.integer], count: int) -> Sequence[NDArray[np.integer]]:
    return [values[roles == role] for role in range(count)]


class _Told(NamedTuple):
    """Positions of quick matches that came to an end."""

    positions: Bits
    """[n, bases]"""
    goals: Floats
    """What their matches came to, [n, roles]."""
    matches: NDArray[np.int64]
    """The numbers of their matches, [n]."""
    progress: Floats
    """How far in its match each was, 0 to 1, [n]."""


def _quick_matches(machine: Compiled, go_on: Callable[[], bool]) -> _Told:
    quick = uct(solver=False, reuse=False, simulations=_SIMULATIONS)
    seeds = [split_seed(_SEED, "value", i) for i in range(_MATCHES)]
    seen = see_matches(machine, quick, seeds, limit=_STEPS, go_on=go_on)
    goals = np.array([result.goals for result in seen.results], np.float64)
    lengths = np.array([max(1, result.steps) for result in seen.results])
    ended = np.flatnonzero(np.array([result.complete for result in seen.results])[seen.matches])
    ended = ended[:: -(-len(ended) // _POSITIONS) or 1]
    matches = seen.matches[ended]
    return _Told(seen.positions[ended], goals[matches], matches, seen.steps[ended] / lengths[matches])


def regression(told: NDArray[np.bool_], shares: Floats) -> Floats:
    """Weights of logistic regression with a ridge, and a constant after them; told: [n, columns], shares: [n], 0 to 1.

    >>> told = np.array([[True], [True], [True], [False], [False], [False]] * 20)
    >>> weight, constant = regression(told, np.array([1.0, 1.0, 0.0, 0.0, 0.0, 0.5] * 20)).tolist()
    >>> weight > 1, constant < -1
    (True, True)
    """
    rows = np.hstack([told, np.ones((len(told), 1), np.bool_)]).astype(np.float64)
    weights = np.zeros(rows.shape[1])
    ridge = np.full(len(weights), _RIDGE)
    ridge[-1] = 1e-3
    for _ in range(_ROUNDS):
        expected = 1 / (1 + np.exp(-np.clip(rows @ weights, -30, 30)))
        sure = np.maximum(expected * (1 - expected), 1e-4)
        curve = (rows * sure[:, None]).T @ rows
        curve[np.diag_indices_from(curve)] += ridge
        step = np.linalg.solve(curve, rows.T @ (expected - shares) + ridge * weights)
        weights -= step
        if np.abs(step).max() < _STILL:
            break
    return weights
