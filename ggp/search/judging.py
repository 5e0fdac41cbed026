"""Which playouts suit a game: plain random ones, those that look one move ahead, and either with preferences.

None is the best in every game. What tells them apart takes some seconds, and two things are looked at:

- Do decisive playouts tell more than uniform ones? Quick matches of a plain search against itself show how well the
  mean of either kind goes with the result, from the positions of each step. Where decisive ones tell more, moves differ
  more by them, and a search must explore more: with c = 40 they lost two matches of three in connect four, with c = 80
  they won seven of eight.
- Does a search win by preferring moves as well (MAST)? What playouts learn cannot be compared without a search that they
  learn in; so it plays quick matches against one that does without. It explores as usual: its matches are lost with more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from gdl.ruleset import CHANCE
from ggp.circuits.circuit import Circuit
from ggp.core.seeds import split_seed
from ggp.lanes.bank import Bank
from ggp.lanes.engine import Engine, Runner
from ggp.lanes.lap import Lap
from ggp.lanes.policies import Evidence
from ggp.machines.circuit import Compiled
from ggp.machines.kept import find_part, keep_part
from ggp.search.batch import Bits, play_matches
from ggp.search.settings import AUTO, SearchSettings, uct

_MATCHES, _SIMULATIONS, _STEPS = 96, 100, 300
_DUELS, _WIDTH = 64, 8
"""Matches with preferences against without, and the playouts of each of their simulations: as many as in play."""
_QUICK = 200
"""Simulations for a move of theirs."""
_WON = 55.0
"""What must be won of them, in percent of the points: with chance alone, one in five would reach it."""
_PLAYOUTS = 64
"""From each position."""
_TOGETHER = 64
"""Positions that are played out at a time."""
_LAPS = 500
"""Of a playout, at most."""
_MARGIN = 1.04
"""How much better decisive playouts must agree with the results: they cost more."""

_DECISIVE_C = 2.0
"""How much more a search explores where decisive playouts were found to tell more, and moves are not preferred."""
_PREFERRING: Mapping[str, str] = {"uniform": "mast", "decisive": "decisive+mast"}
"""The policy that prefers moves as well, for each that does not."""
_SEED = 1
"""What is found hangs on the rules alone, the same for every player."""
_ALL = np.uint64(2**64 - 1)
Values = NDArray[np.float64]
Programs = Mapping[Evidence, tuple[Lap, Runner]]
"""Those that a policy runs; none where it is not offered."""


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
    """How well either kind of playouts goes with the results of matches, and whether preferring moves wins any."""

    uniform: float = 0.0
    decisive: float = 0.0
    """Correlations; 0 where that was not looked at."""
    preferring: float = 0.0
    """What a search that prefers moves as well has won against one that does not: percent of the points."""
    unknown: str = ""
    """Why nothing is known."""
    blind: str = ""
    """Why decisive playouts were not compared."""

    @property
    def is_decisive(self) -> bool:
        """Whether decisive playouts go clearly better with the results."""
        return not self.unknown and self.decisive > _MARGIN * self.uniform

    @property
    def policy(self) -> str:
        """How roles should choose in playouts."""
        plain = "decisive" if self.is_decisive else "uniform"
        return _PREFERRING[plain] if not self.unknown and self.preferring >= _WON else plain

    @property
    def exploration(self) -> float:
        """How much more a search should explore than usual."""
        return _DECISIVE_C if self.policy == "decisive" else 1.0

    @property
    def why(self) -> str:
        """What it stands on, in words."""
        if self.unknown:
            return self.unknown
        tell = "decisive ones tell more" if self.is_decisive else "decisive ones tell no more"
        kinds = self.blind or f"{tell}: agreement with results {self.decisive:.3f}, uniform {self.uniform:.3f}"
        return f"{kinds}; preferring moves won {self.preferring:.0f} % of quick matches"

    def __str__(self) -> str:
        return f"{self.policy} playouts: {self.why}"


def resolved(settings: SearchSettings, verdict: Verdict) -> SearchSettings:
    """Settings without `auto`: what a verdict makes of them."""
    if settings.policy != AUTO:
        return settings
    return replace(settings, policy=verdict.policy, c=settings.c * verdict.exploration)


KNOWN: WeakKeyDictionary[Engine, Verdict] = WeakKeyDictionary()
"""What was found of the games of this process: many matches of one game are judged once."""
_PART = "playouts"
"""What is kept of a circuit: the verdict, and the programs of the policy that was found best."""
_STOPPED = Verdict(unknown="there was no time to compare them")


def judge(machine: Compiled, go_on: Callable[[], bool] = lambda: True) -> Verdict:
    """Find out which playouts suit a game. `go_on`, asked again and again, ends the work early.

    What was found of an engine once is known in this process, and kept for others.
    """
    engine = machine.engine
    if not recall(engine):
        verdict = _judged(machine, go_on)
        if verdict is _STOPPED:
            return verdict
        KNOWN[engine] = verdict
        keep_part(engine, _PART, (verdict, engine.programs(verdict.policy)))
    return KNOWN[engine]


def recall(engine: Engine) -> bool:
    """Whether an engine has been judged, here or by another process that kept the verdict and the programs."""
    if engine not in KNOWN:
        kept = find_part(engine, _PART)
        if kept is None:
            return False
        learn(engine, *kept)
    return True


def learn(engine: Engine, verdict: Verdict, programs: Programs) -> None:
    """Take over what was found of an engine elsewhere."""
    KNOWN[engine] = verdict
    if verdict.policy != "uniform":
        engine.take_over(verdict.policy, programs)


def _judged(machine: Compiled, go_on: Callable[[], bool]) -> Verdict:
    if not go_on():
        return _STOPPED
    verdict = Verdict(blind="to look ahead would take too many operations")
    if machine.engine.offers("decisive"):
        verdict = _compared(machine, go_on)
    if verdict is _STOPPED or verdict.unknown:
        return verdict
    quick = SearchSettings(playouts=_WIDTH, simulations=_QUICK)
    plain = replace(quick, policy=verdict.policy, c=quick.c * verdict.exploration)
    preferring = replace(quick, policy=_PREFERRING[verdict.policy])
    if not machine.engine.offers(preferring.policy):
        return verdict
    won = duel(machine, preferring, plain, go_on)
    return replace(verdict, preferring=won) if go_on() else _STOPPED


def duel(machine: Compiled, one: SearchSettings, other: SearchSettings, go_on: Callable[[], bool]) -> float:
    """What one wins against another in quick matches, in percent: 50, and half of what it gains in the mean of the seats.

    In a match one plays for a single role, the other for the rest. Matches of a game for one role are compared.
    """
    seats = [role for role, name in enumerate(machine.roles) if name != CHANCE]
    places = [*seats, -1] if len(seats) == 1 else seats
    each = [places[i % len(places)] for i in range(_DUELS)]
    sitting = [tuple(one if role == own else other for role in range(len(machine.roles))) for own in each]
    seeds = [split_seed(_SEED, "duel", i // len(places)) for i in range(_DUELS)]
    results = play_matches(machine, sitting, seeds, limit=_STEPS, watch=lambda *_: go_on())
    gains = []
    for role in seats:
        own = [result.goals[role] for result, who in zip(results, each, strict=True) if result.complete and who == role]
        rest = [result.goals[role] for result, who in zip(results, each, strict=True) if result.complete and who != role]
        if own and rest:
            gains.append(fmean(own) - fmean(rest))
    return 50 + fmean(gains) / 2 if gains else 50.0


def _compared(machine: Compiled, go_on: Callable[[], bool]) -> Verdict:
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
    if not go_on():
        return _STOPPED
    if not seen:
        return Verdict(unknown="no quick match came to an end")
    steps = np.array([step for step, _, _ in seen])
    goals = np.array([results[match].goals for _, match, _ in seen], np.float64)
    positions = np.array([position for _, _, position in seen])
    uniform, decisive = (
        agreement(_expected(engine, program, positions, split_seed(_SEED, "playouts"), go_on), goals, steps)
        for program in (engine.rollout()[1], engine.rollout("decisive")[1])
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
