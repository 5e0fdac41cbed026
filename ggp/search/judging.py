"""Which playouts tell more of a game: plain random ones, or those that look one move ahead.

Neither is better in every game. What tells them apart takes some seconds: quick matches of a plain search against
itself, and how well the mean of either kind of playouts goes with the result, from the positions of each step. Where
decisive playouts tell more, moves differ more by them, and a search must explore more: with c = 40 they lost two matches
of three in connect four, with c = 80 they won seven of eight.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ggp.circuits.circuit import Circuit
from ggp.core.seeds import split_seed
from ggp.lanes.bank import Bank
from ggp.lanes.engine import Engine, Runner
from ggp.machines.circuit import Compiled
from ggp.machines.kept import find_part, keep_part
from ggp.search.batch import Bits, play_matches
from ggp.search.settings import AUTO, SearchSettings, uct

_MATCHES, _SIMULATIONS, _STEPS = 96, 100, 300
_PLAYOUTS = 64
"""From each position."""
_TOGETHER = 64
"""Positions that are played out at a time."""
_LAPS = 500
"""Of a playout, at most."""
_MARGIN = 1.04
"""How much better decisive playouts must agree with the results: they cost more."""

_DECISIVE_C = 2.0
"""How much more a search explores where decisive playouts were found to tell more."""
_SEED = 1
"""What is found hangs on the rules alone, the same for every player."""
_ALL = np.uint64(2**64 - 1)
Values = NDArray[np.float64]


@dataclass(frozen=True)
class Game:
    """What is judged: the least that lanes need to be played on."""

    roles: tuple[str, ...]
    engine: Engine

    @property
    def circuit(self) -> Circuit:
        """The circuit."""
        return self.engine.circuit


@dataclass(frozen=True)
class Verdict:
    """How well either kind of playouts goes with the results of matches: correlations, or why they are not known."""

    uniform: float = 0.0
    decisive: float = 0.0
    unknown: str = ""

    @property
    def is_decisive(self) -> bool:
        """Whether decisive playouts go clearly better with the results."""
        return not self.unknown and self.decisive > _MARGIN * self.uniform

    @property
    def why(self) -> str:
        """What it stands on, in words."""
        if self.unknown:
            return self.unknown
        tell = "they tell more" if self.is_decisive else "decisive ones tell no more"
        return f"{tell}: agreement with results {self.decisive:.3f} decisive, {self.uniform:.3f} uniform"

    def __str__(self) -> str:
        return f"{'decisive' if self.is_decisive else 'uniform'} playouts: {self.why}"


def resolved(settings: SearchSettings, verdict: Verdict) -> SearchSettings:
    """Settings without `auto`: what a verdict makes of them."""
    if settings.policy != AUTO:
        return settings
    if verdict.is_decisive:
        return replace(settings, policy="decisive", c=settings.c * _DECISIVE_C)
    return replace(settings, policy="uniform")


KNOWN: WeakKeyDictionary[Engine, Verdict] = WeakKeyDictionary()
"""What was found of the games of this process: many matches of one game are judged once."""
_PART = "playouts"
"""What is kept of a circuit: the programs of decisive playouts, and the verdict."""
JUDGED = "decisive"
"""The policy that is compared with the uniform one."""
_STOPPED = Verdict(unknown="there was no time to compare them")


def judge(machine: Compiled, go_on: Callable[[], bool] = lambda: True) -> Verdict:
    """Compare the two kinds of playouts. `go_on`, asked again and again, ends the work early.

    What was found of an engine once is known in this process, and kept for others.
    """
    engine = machine.engine
    if not recall(engine):
        verdict = _compared(machine, go_on)
        if verdict is _STOPPED:
            return verdict
        KNOWN[engine] = verdict
        keep_part(engine, _PART, (engine.programs(JUDGED), verdict))
    return KNOWN[engine]


def recall(engine: Engine) -> bool:
    """Whether an engine has been judged, here or by another process that kept the verdict and the programs."""
    if engine not in KNOWN:
        kept = find_part(engine, _PART)
        if kept is None:
            return False
        programs, KNOWN[engine] = kept
        engine.take_over(JUDGED, programs)
    return True


def _compared(machine: Compiled, go_on: Callable[[], bool]) -> Verdict:
    engine = machine.engine
    if not go_on():
        return _STOPPED
    if not engine.offers(JUDGED):
        return Verdict(unknown="to look ahead would take too many operations")
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
    if not go_on():
        return _STOPPED
    if not seen:
        return Verdict(unknown="no quick match came to an end")
    steps = np.array([step for step, _, _ in seen])
    goals = np.array([results[match].goals for _, match, _ in seen], np.float64)
    positions = np.array([position for _, _, position in seen])
    uniform, decisive = (
        agreement(_expected(engine, program, positions, split_seed(_SEED, "playouts"), go_on), goals, steps)
        for program in (engine.rollout()[1], engine.rollout(JUDGED)[1])
    )
    return Verdict(uniform, decisive) if go_on() else _STOPPED


def agreement(expected: Values, goals: Values, steps: NDArray[np.int64]) -> float:
    """The correlation of two values [positions, roles] within the steps; 0 where one of them never varies."""
    x, y = expected.copy(), goals.copy()
    for step in np.unique(steps):
        here = steps == step
        x[here] -= x[here].mean(axis=0)
        y[here] -= y[here].mean(axis=0)
    size = float(np.sqrt((x * x).sum() * (y * y).sum()))
    return float((x * y).sum()) / size if size > 0 else 0.0


def _expected(engine: Engine, program: Runner, positions: Bits, seed: int, go_on: Callable[[], bool]) -> Values:
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
