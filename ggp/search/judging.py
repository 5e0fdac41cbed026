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

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple
from weakref import WeakKeyDictionary

from gdl.ruleset import CHANCE
from ggp.circuits.circuit import Circuit
from ggp.lanes.engine import Engine, Runner
from ggp.lanes.lap import Lap
from ggp.lanes.policies import Evidence
from ggp.machines.circuit import Compiled
from ggp.machines.kept import find_part, keep_part
from ggp.search.agreement import agreements
from ggp.search.duels import duel
from ggp.search.kernels.layout import Floats
from ggp.search.settings import AUTO, SearchSettings
from ggp.search.valuing import provide
from ggp.search.verdict import Verdict, resolved
from ggp.search.weights import KNOWN as WEIGHTS

_WIDTH = 8
"""Playouts of a simulation, as in play."""
_QUICK, _LONG = 300, 2000
"""Simulations for a move of quick matches, and of those that are played as in play."""
_ROWS = 100_000
"""Rows of the memory of playouts, up to which there is room for a search of every match: each has 128 bytes for a row."""
_GRAVE_PACE = 0.45
"""The simulations of a search with GRAVE in the time in which one without makes one."""
_GRAVE_INPUTS = 500
"""A node keeps twenty bytes for each input of the game then: where there are more, memory would be full at once."""
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
        programs = [machine.engine.rollout(policy)[1] for policy in ("uniform", "decisive")]
        found = agreements(machine, programs, go_on)
        verdict = Verdict(unknown="no quick match came to an end") if found is None else Verdict(found[0], found[1])
    yield verdict
    if not verdict.unknown:
        for better in (_with_preferring, _with_grave, _with_value):
            verdict = better(machine, verdict, go_on)
            yield verdict


def _with_preferring(machine: Compiled, verdict: Verdict, go_on: Callable[[], bool]) -> Verdict:
    """Whether it wins by preferring moves as well."""
    better = replace(verdict, preferring=100.0)
    if not machine.engine.offers(better.policy):
        return verdict
    return replace(verdict, preferring=_duels(machine, better, verdict, 1.0, go_on))


def _with_grave(machine: Compiled, verdict: Verdict, go_on: Callable[[], bool]) -> Verdict:
    """Whether it wins by what moves have led to that were played later, although that takes time."""
    if _players(machine) < 2 or machine.circuit.inputs > _GRAVE_INPUTS:
        return verdict
    return replace(verdict, grave=_duels(machine, replace(verdict, grave=100.0), verdict, _GRAVE_PACE, go_on))


def _with_value(machine: Compiled, verdict: Verdict, go_on: Callable[[], bool]) -> Verdict:
    """Whether it wins by a learned value, which takes next to no time."""
    better = replace(verdict, value=100.0)
    if _players(machine) < 2 or not provide(machine, _searches(better, _QUICK), go_on=go_on):
        return verdict
    return replace(verdict, value=_duels(machine, better, verdict, 1.0, go_on))


def _duels(machine: Compiled, one: Verdict, other: Verdict, pace: float, go_on: Callable[[], bool]) -> float:
    """What one wins against the other, if it makes `pace` simulations in the time in which the other makes one.

    Quick matches leave out what wins nothing with few simulations. What does may win nothing with many, or with many
    under way: so longer matches are played then, by searches as in play, where there is memory for these.
    """
    quick = duel(machine, _searches(one, int(pace * _QUICK)), _searches(other, _QUICK), go_on)
    if quick <= 50 or machine.engine.rollout()[1].rows > _ROWS:
        return quick
    return duel(machine, _searches(one, int(pace * _LONG)), _searches(other, _LONG), go_on, as_played=True)


def _searches(verdict: Verdict, simulations: int) -> SearchSettings:
    """A search as a verdict has it."""
    return resolved(SearchSettings(policy=AUTO, playouts=_WIDTH, simulations=simulations), verdict)


def _players(machine: Compiled) -> int:
    return sum(name != CHANCE for name in machine.roles)
