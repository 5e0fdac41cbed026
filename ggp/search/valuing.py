"""What a position is worth, learned from quick matches: logistic regression on the bases that hold.

Plain searches play a few hundred quick matches against each other. How often each base goes with which result gives it a
weight, for each role; the sum of the weights of a position tells how far between the lowest and the highest goal it is
expected to come. That knows of material, places and counters, nothing of tactics: it is a part of payoffs, never all
(`kernels.valuing`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from gdl.ruleset import CHANCE
from ggp.core.seeds import split_seed
from ggp.machines.circuit import Compiled
from ggp.machines.kept import find_part, keep_part
from ggp.search.batch import Bits, play_matches
from ggp.search.kernels.layout import Floats
from ggp.search.settings import SearchSettings, uct
from ggp.search.weights import KNOWN

_MATCHES, _SIMULATIONS, _STEPS = 256, 64, 300
"""Quick matches, the simulations for each of their moves, and their steps, at most."""
_POSITIONS, _BASES = 10_000, 1_200
"""Positions that are learned from, and bases that vary in them, at most: the work grows with the square of these."""
_RIDGE = 3.0
"""How much a weight must explain to be far from nothing."""
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
        weights = find_part(engine, _PART)
        if weights is None:
            weights = _learn(machine, go_on)
            if weights is None:
                return False
            keep_part(engine, _PART, weights)
        KNOWN[engine] = weights
    return True


def _learn(machine: Compiled, go_on: Callable[[], bool]) -> Floats | None:
    positions, goals = _quick_matches(machine, go_on)
    if not go_on():
        return None
    circuit = machine.circuit
    weights = np.zeros((64 * max(1, -(-circuit.bases // 64)) + 1, circuit.roles))
    if not len(positions):
        return weights
    varies = np.flatnonzero(positions.any(axis=0) & ~positions.all(axis=0))
    told = positions[:, varies[:_BASES]]
    for role, values in enumerate(_goals_of(circuit.goal_roles, circuit.goal_values, circuit.roles)):
        if machine.roles[role] == CHANCE or len(values) < 2:
            continue
        share = (goals[:, role] - values.min()) / (values.max() - values.min())
        found = regression(told, share)
        weights[varies[:_BASES], role], weights[-1, role] = found[:-1], found[-1]
    return weights


def _goals_of(roles: NDArray[np.integer], values: NDArray[np.integer], count: int) -> Sequence[NDArray[np.integer]]:
    return [values[roles == role] for role in range(count)]


def _quick_matches(machine: Compiled, go_on: Callable[[], bool]) -> tuple[Bits, Floats]:
    """Positions of quick matches that came to an end, bool [n, bases], and what they came to, [n, roles]."""
    seen: list[tuple[int, NDArray[np.bool_]]] = []

    def watch(_: int, matches: Sequence[int], positions: Bits) -> bool:
        seen.extend(zip(matches, positions, strict=True))
        return go_on()

    quick = uct(solver=False, reuse=False, simulations=_SIMULATIONS)
    seats = [(quick,) * len(machine.roles)] * _MATCHES
    seeds = [split_seed(_SEED, "value", i) for i in range(_MATCHES)]
    results = play_matches(machine, seats, seeds, limit=_STEPS, watch=watch)
    ended = [(match, position) for match, position in seen if results[match].complete]
    ended = ended[:: -(-len(ended) // _POSITIONS) or 1]
    positions = np.array([position for _, position in ended]).reshape(len(ended), machine.circuit.bases)
    goals = np.array([results[match].goals for match, _ in ended], np.float64).reshape(len(ended), len(machine.roles))
    return positions, goals


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
