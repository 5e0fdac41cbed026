"""What suits a game: which playouts, and what else a search should know.

Nothing is the best in every game. What tells settings apart takes some seconds; this is looked at, one after the other:

- Do decisive playouts tell more than uniform ones? Quick matches of a plain search against itself show how well the
  mean of either kind goes with the result, from the positions of each step. Where decisive ones tell more, moves differ
  more by them, and a search must explore more: with c = 40 they lost two matches of three in connect four, with c = 80
  they won seven of eight.
- Does a search win by preferring moves as well (MAST)? What playouts learn cannot be compared without a search that they
  learn in; so it plays quick matches against one that does without. It explores as usual: its matches are lost with more.
- Does it win by what moves have led to that were played later (GRAVE), or by a value of positions that was learned from
  quick matches (`valuing`)? Each is added to the best so far, if that wins with as much time as the other has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import NamedTuple
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
from ggp.search.batch import Bits, MatchResult, play_matches
from ggp.search.kernels.layout import Floats
from ggp.search.settings import AUTO, SearchSettings, uct
from ggp.search.valuing import provide
from ggp.search.weights import KNOWN as WEIGHTS

_MATCHES, _SIMULATIONS, _STEPS = 96, 100, 300
_WIDTH = 8
"""Playouts of a simulation, as in play."""
_DUELS, _ROUND, _CLEAR = 48, 24, 20.0
"""Matches of one setting against another; those that are played at once; and how far from even, in percent, what they
come to may be for more to be wanted."""
_QUICK, _LONG = 300, 2000
"""Simulations for a move of quick matches, and of those that are played as in play."""
_ROWS = 100_000
"""Rows of the memory of playouts, up to which there is room for a search of every match: each has 128 bytes for a row."""
_WON, _PREFERS = 55.0, 50.0
"""What must be won, in percent of the points; and what is enough for preferring moves, which wins in most games."""
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
_HEARING: Mapping[str, float] = {"rave": 100.0, "rave_ref": 50.0}
"""A search by what moves have led to that were played later: GRAVE."""
_HEARING_C = 0.25
"""How much it explores, for each point that others do."""
_HEARS = 0.45
"""The simulations it makes in the time in which one without makes one."""
_HEARD_INPUTS = 500
"""A node keeps twenty bytes for each input of the game then: where there are more, memory would be full at once."""
_SHARE = 0.3
"""What a learned value counts of a payoff."""
_PREFERRING: Mapping[str, str] = {"uniform": "mast", "decisive": "decisive+mast"}
"""The policy that prefers moves as well, for each that does not."""
_SEED = 1
"""What is found hangs on the rules alone, the same for every player."""
_ALL = np.uint64(2**64 - 1)
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
    hearing: float = 0.0
    """What one that knows of moves played later has won against the best of these."""
    learned: float = 0.0
    """And what one with a learned value has won against the best so far."""
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
        return _PREFERRING[plain] if not self.unknown and self.preferring > _PREFERS else plain

    @property
    def exploration(self) -> float:
        """How much more a search should explore than usual."""
        if "rave" in self.knows:
            return _HEARING_C
        return _DECISIVE_C if self.policy == "decisive" else 1.0

    @property
    def knows(self) -> Mapping[str, float]:
        """What a search should know beside its playouts, as settings."""
        found: dict[str, float] = {}
        if not self.unknown and self.hearing >= _WON:
            found |= _HEARING
        if not self.unknown and self.learned >= _WON:
            found |= {"value": _SHARE}
        return found

    @property
    def why(self) -> str:
        """What it stands on, in words."""
        if self.unknown:
            return self.unknown
        tell = "decisive ones tell more" if self.is_decisive else "decisive ones tell no more"
        kinds = self.blind or f"{tell}: agreement with results {self.decisive:.3f}, uniform {self.uniform:.3f}"
        duels = {
            "preferring moves": self.preferring,
            "counting later moves": self.hearing,
            "a learned value": self.learned,
        }
        won = [f"{name} won {percent:.0f} %" for name, percent in duels.items() if percent]
        return "; ".join([kinds, *([", ".join(won) + " of its matches"] if won else [])])

    def __str__(self) -> str:
        return f"{self.policy} playouts: {self.why}"


class Found(NamedTuple):
    """What was found of a game, and what was made for it: that takes time, so other processes take it over."""

    verdict: Verdict | None
    """None: nothing was to be judged."""
    policy: str
    programs: Programs
    """Of the policy, with the evidence that is wanted; none where it is not offered."""
    weights: Floats | None
    """Of the learned value, where it is wanted."""
    is_last: bool
    """Whether nothing better is to come."""


def resolved(settings: SearchSettings, verdict: Verdict) -> SearchSettings:
    """Settings without `auto`: what a verdict makes of them."""
    if settings.policy != AUTO:
        return settings
    if settings.rave or settings.value:  # what was said is taken
        verdict = replace(verdict, hearing=0.0, learned=0.0)
    c = settings.c * verdict.exploration
    return replace(settings, policy=verdict.policy, c=c, **verdict.knows)  # type: ignore[arg-type]


KNOWN: WeakKeyDictionary[Engine, Verdict] = WeakKeyDictionary()
"""What was found of the games of this process: many matches of one game are judged once."""
_PART = "verdict"
"""What is kept of a circuit: all that was found, see `Found`."""
_STOPPED = Verdict(unknown="there was no time to compare them")


def judge(
    machine: Compiled, go_on: Callable[[], bool] = lambda: True, tell: Callable[[Verdict], None] = lambda _: None
) -> Verdict:
    """Find out what suits a game. `tell` hears of each step of it.

    `go_on`, asked again and again, ends the work early: with what is known by then. What was found to the end is known in
    this process, and kept for others.
    """
    engine = machine.engine
    if not recall(engine):
        known = _STOPPED
        for verdict in _steps(machine, go_on):
            if not go_on():
                return known
            known = verdict
            tell(known)
        if known is _STOPPED:
            return known
        KNOWN[engine] = known
        keep_part(engine, _PART, found_of(engine, SearchSettings(policy=AUTO), known))
    return KNOWN[engine]


def found_of(engine: Engine, settings: SearchSettings, verdict: Verdict | None, *, is_last: bool = True) -> Found:
    """All that a search with these settings needs of an engine, for another process."""
    if verdict is not None:
        settings = resolved(settings, verdict)
    hears = [Evidence.PLAYED] if settings.rave else []
    weights = WEIGHTS[engine] if settings.value else None
    return Found(verdict, settings.policy, engine.programs(settings.policy, *hears), weights, is_last)


def recall(engine: Engine) -> bool:
    """Whether an engine has been judged, here or by another process that kept the verdict and the programs."""
    if engine not in KNOWN:
        kept = find_part(engine, _PART)
        if kept is None:
            return False
        learn(engine, kept)
    return True


def learn(engine: Engine, found: Found) -> None:
    """Take over what was found of an engine elsewhere."""
    if found.verdict is not None and found.is_last:
        KNOWN[engine] = found.verdict
    engine.take_over(found.policy, found.programs)
    if found.weights is not None:
        WEIGHTS[engine] = found.weights


def _steps(machine: Compiled, go_on: Callable[[], bool]) -> Iterator[Verdict]:
    """What is known after each of the questions."""
    if not go_on():
        return
    verdict = Verdict(blind="to look ahead would take too many operations")
    if machine.engine.offers("decisive"):
        verdict = _compared(machine, go_on)
    yield verdict
    if not verdict.unknown:
        for better in (_with_preferring, _with_hearing, _with_learned):
            verdict = better(machine, verdict, go_on)
            yield verdict


def _with_preferring(machine: Compiled, verdict: Verdict, go_on: Callable[[], bool]) -> Verdict:
    """Whether it wins by preferring moves as well."""
    better = replace(verdict, preferring=100.0)
    if not machine.engine.offers(better.policy):
        return verdict
    return replace(verdict, preferring=_duels(machine, better, verdict, 1.0, go_on))


def _with_hearing(machine: Compiled, verdict: Verdict, go_on: Callable[[], bool]) -> Verdict:
    """Whether it wins by what moves have led to that were played later, although that takes time."""
    if _players(machine) < 2 or machine.circuit.inputs > _HEARD_INPUTS:
        return verdict
    return replace(verdict, hearing=_duels(machine, replace(verdict, hearing=100.0), verdict, _HEARS, go_on))


def _with_learned(machine: Compiled, verdict: Verdict, go_on: Callable[[], bool]) -> Verdict:
    """Whether it wins by a learned value, which takes next to no time."""
    better = replace(verdict, learned=100.0)
    if _players(machine) < 2 or not provide(machine, _searches(better, _QUICK), go_on=go_on):
        return verdict
    return replace(verdict, learned=_duels(machine, better, verdict, 1.0, go_on))


def _duels(machine: Compiled, one: Verdict, other: Verdict, pace: float, go_on: Callable[[], bool]) -> float:
    """What one wins against the other, if it makes `pace` simulations in the time in which the other makes one.

    Quick matches leave out what wins nothing with few simulations. What does may win nothing with many, or with many
    under way: so longer matches are played then, by searches as in play, where there is memory for these.
    """
    quick = duel(machine, _searches(one, int(pace * _QUICK)), _searches(other, _QUICK), go_on)
    if quick < 50 or machine.engine.rollout()[1].rows > _ROWS:
        return quick
    return duel(machine, _searches(one, int(pace * _LONG)), _searches(other, _LONG), go_on, as_played=True)


def _searches(verdict: Verdict, simulations: int) -> SearchSettings:
    """A search as a verdict has it."""
    return resolved(SearchSettings(policy=AUTO, playouts=_WIDTH, simulations=simulations), verdict)


def _players(machine: Compiled) -> int:
    return sum(name != CHANCE for name in machine.roles)


def duel(
    machine: Compiled, one: SearchSettings, other: SearchSettings, go_on: Callable[[], bool], *, as_played: bool = False
) -> float:  # fmt: skip
    """What one wins against another in quick matches, in percent: 50, and half of what it gains in the mean of the seats.

    In a match one plays for a single role, the other for the rest. Matches of a game for one role are compared.
    """
    seats = [role for role, name in enumerate(machine.roles) if name != CHANCE]
    places = [*seats, -1] if len(seats) == 1 else seats
    each: list[int] = []
    results: list[MatchResult] = []
    won = 50.0
    while len(each) < _DUELS and abs(won - 50) < _CLEAR and go_on():
        numbers = range(len(each), len(each) + _ROUND)
        own = [places[i % len(places)] for i in numbers]
        sitting = [tuple(one if role == seat else other for role in range(len(machine.roles))) for seat in own]
        seeds = [split_seed(_SEED, "duel", i // len(places)) for i in numbers]
        each += own
        results += play_matches(machine, sitting, seeds, limit=_STEPS, watch=lambda *_: go_on(), as_played=as_played)
        won = _won(seats, each, results)
    return won


def _won(seats: Sequence[int], each: Sequence[int], results: Sequence[MatchResult]) -> float:
    """What one has won of matches in which it had the seat `each`, or none of the seats."""
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
