"""Duels: matches of one setting of a search against another, to find out which suits a game."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from statistics import fmean
from typing import NamedTuple

from gdl.ruleset import CHANCE
from ggp.core.seeds import split_seed
from ggp.machines.circuit import Compiled
from ggp.search.batch import MatchResult, Trees, play_matches
from ggp.search.settings import SearchSettings

_MATCHES, _ROUND, _CLEAR = 24, 12, 100.0
"""Matches of a duel; those after which one looks whether it is clear; and how far from even, in percent times the root of
their number, what they come to must be for that: two standard errors, where no match is drawn. More would tell even ideas
from good ones, but to take an even one does no harm, and the next one waits."""
_STEPS = 300
"""Of a match, at most."""
_SEED = 1
"""What is found hangs on the rules alone, the same for every player."""


_LOOKS, _SLOWEST = 4, 0.2
"""How often the time of a search is taken, and the least share that is told."""


class Speeds(NamedTuple):
    """How fast two searches are, as in play."""

    share: float
    """The simulations of the one in the time in which the other makes one; 1 at most."""
    seconds: float
    """What the other takes for a simulation."""


class Result(NamedTuple):
    """What a duel came to."""

    won: float
    """What one has won against the other, in percent: 50, and half of what it gains in the mean of the seats."""
    steps: float
    """Of a match, in the mean."""


def speeds(machine: Compiled, one: SearchSettings, other: SearchSettings) -> Speeds:
    """How fast two searches with the same number of simulations are."""
    trees, start = Trees(machine, (one, other)), machine.circuit.initial[None, :]
    seconds = [math.inf, math.inf]
    for _ in range(_LOOKS):
        for i, settings in enumerate((one, other)):
            begun = time.thread_time()
            trees.search([i], start, [settings], [_SEED])
            seconds[i] = min(seconds[i], time.thread_time() - begun)
    return Speeds(max(_SLOWEST, min(1.0, seconds[1] / seconds[0])), seconds[1] / other.simulations)


def duel(
    machine: Compiled, one: SearchSettings, other: SearchSettings, go_on: Callable[[], bool], *, as_played: bool = False
) -> Result:  # fmt: skip
    """Quick matches of one search against another.

    In a match one plays for a single role, the other for the rest. Matches of a game for one role are compared.
    """
    seats = [role for role, name in enumerate(machine.roles) if name != CHANCE]
    places = [*seats, -1] if len(seats) == 1 else seats
    each: list[int] = []
    results: list[MatchResult] = []
    won = 50.0
    while len(each) < _MATCHES and abs(won - 50) * math.sqrt(len(each)) < _CLEAR and go_on():
        numbers = range(len(each), len(each) + _ROUND)
        own = [places[i % len(places)] for i in numbers]
        sitting = [tuple(one if role == seat else other for role in range(len(machine.roles))) for seat in own]
        seeds = [split_seed(_SEED, "duel", i // len(places)) for i in numbers]
        each += own
        results += play_matches(machine, sitting, seeds, limit=_STEPS, watch=lambda *_: go_on(), as_played=as_played)
        won = _won(seats, each, results)
    return Result(won, fmean(result.steps for result in results) if results else 0.0)


def _won(seats: Sequence[int], each: Sequence[int], results: Sequence[MatchResult]) -> float:
    """What one has won of matches in which it had the seat `each`, or none of the seats."""
    gains = []
    for role in seats:
        own = [result.goals[role] for result, who in zip(results, each, strict=True) if result.complete and who == role]
        rest = [result.goals[role] for result, who in zip(results, each, strict=True) if result.complete and who != role]
        if own and rest:
            gains.append(fmean(own) - fmean(rest))
    return 50 + fmean(gains) / 2 if gains else 50.0
