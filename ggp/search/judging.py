"""What suits a game: which playouts, and what else a search should know.

Nothing is the best in every game. A match begins with what wins in most games, and in a second or two with what wins in
most games of its kind (`_expected`): where moves fill places for good, GRAVE does; where a learned value tells results,
the best that it promises; where it tells them well, as things are counted, uniform playouts as well. That was found out
with as many simulations as a move has.

Then a search with an idea (`verdict`) plays quick matches against one without. They search as in play, with many
simulations under way, as what wins with one at a time need not win with many; and each has as many as it makes in the
time of the other. What wins joins the best so far, and the next idea is tried on top of that. Matches as quick as that
exaggerate: only what wins them by far is taken, and only what loses them by far is dropped. Every answer is taken up
between two moves (`preparation`), and kept, so the next match of the game goes on where this one ended.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple
from weakref import WeakKeyDictionary

from gdl.ruleset import CHANCE
from ggp.circuits.circuit import Circuit
from ggp.lanes.engine import Engine, Runner
from ggp.lanes.lap import Lap
from ggp.lanes.policies import Evidence
from ggp.machines.circuit import Compiled
from ggp.machines.kept import find_part, keep_part
from ggp.search.duels import Result, duel, speeds
from ggp.search.filling import places_are_taken
from ggp.search.settings import AUTO, SearchSettings
from ggp.search.valuing import agreement
from ggp.search.verdict import (
    BLIND,
    BOTH,
    DECISIVE,
    GRAVE,
    MAST,
    MINIMAX,
    PLAIN,
    Idea,
    Verdict,
    resolved,
)
from ggp.search.weights import KNOWN as VALUES
from ggp.search.weights import Value

_WIDTH = 8
"""Playouts of a simulation, as in play."""
_FEWEST, _MOST_SIMULATIONS = 300, 8000
"""Simulations for a move of quick matches."""
_MEASURED = 2000
"""Simulations that tell how fast a search is: more only take time."""
_SECONDS, _FEW_MATCHES, _USUAL_STEPS = 10.0, 24, 60.0
"""Seconds of a processor that so many matches may take, about; and how long they are if nobody knows."""
_MOST = 180.0
"""Seconds of a processor after which nothing more is tried: the next match goes on with that."""
_ROWS = 400_000
"""Rows of the memory of playouts, up to which there is room for a search of every match: each has 128 bytes for a row."""
_GRAVE_INPUTS = 500
"""A node keeps twenty bytes for each input of the game with GRAVE: where there are more, memory would be full at once."""
_TELLING, _COUNTED = 0.4, 0.65
"""How well a learned value must tell, late in a match, what it comes to, so that to play for it is expected to win (0.46
to 0.56 in othello and dots and boxes; 0.29 in knightthrough, where that loses), and so that playouts need prefer nothing
(0.66 to 0.78 in kalah, draughts, cephalopod)."""
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
    value: Value | None
    """What was learned of the value of positions, where it is wanted."""
    is_last: bool
    """Whether nothing better is to come."""


KNOWN: WeakKeyDictionary[Engine, Verdict] = WeakKeyDictionary()
"""What was found of the games of this process: many matches of one game are judged once."""
_PART, _DUELS = "verdict", "duels"
"""What is kept of a circuit: all that was found, see `Found`; and before that, what each duel came to."""
_STOPPED = Verdict(unknown="there was no time to compare them")


def judge(
    machine: Compiled, go_on: Callable[[], bool] = lambda: True, tell: Callable[[Verdict], None] = lambda _: None
) -> Verdict:
    """Find out what suits a game. `tell` hears of each step of it.

    `go_on`, asked again and again, ends the work early: with what is known by then, and so it ends in games that take too
    long. What was found to the end is known in this process, and kept for others.
    """
    engine, begun = machine.engine, time.thread_time()
    if not recall(engine):
        known = _STOPPED
        for verdict in _steps(machine, go_on):
            if not go_on():
                return known
            known = verdict
            tell(known)
            if time.thread_time() - begun > _MOST:
                return known
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
    value = VALUES[engine] if settings.learned else None
    return Found(verdict, settings.policy, engine.programs(settings.policy, *hears), value, is_last)


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
    if found.value is not None:
        VALUES[engine] = found.value


def _steps(machine: Compiled, go_on: Callable[[], bool]) -> Iterator[Verdict]:
    """What is to be expected, then what is known after each duel."""
    usual = tuple(idea for idea in (BOTH, MAST) if _is_offered(machine, idea))[:1]
    verdict = Verdict(usual)
    yield verdict
    expected = _expected(machine, go_on)
    verdict = Verdict((*usual, *expected), knows_kind=True)
    yield verdict
    duels = _Duels(machine, go_on)
    for idea in _ideas(machine, verdict):
        without = verdict.without(idea)
        if not _is_excluded(idea, without):
            verdict = verdict.with_result(idea, duels.won(idea, without))
            yield verdict


def _expected(machine: Compiled, go_on: Callable[[], bool]) -> tuple[Idea, ...]:
    """What wins in most games of this kind."""
    if _players(machine) < 2:
        return ()
    if machine.circuit.inputs <= _GRAVE_INPUTS and places_are_taken(machine, go_on):
        return (GRAVE,)
    told = agreement(machine, go_on)
    return (PLAIN, MINIMAX) if told > _COUNTED else (MINIMAX,) if told > _TELLING else ()


def _ideas(machine: Compiled, expected: Verdict) -> Iterator[Idea]:
    """What is asked: first the ideas whose answers differ most from game to game.

    Not GRAVE: it loses quick matches where it wins in play (in havannah 17 % of them, 52 to 79 in play).
    """
    if MINIMAX in expected.taken:
        yield MINIMAX
    yield PLAIN
    if _players(machine) > 1:
        yield BLIND
    yield from (idea for idea in (MAST, DECISIVE) if _is_offered(machine, idea) and idea not in expected.taken)


def _is_excluded(idea: Idea, verdict: Verdict) -> bool:
    """Whether what is known of others says that an idea need not be tried."""
    if idea is PLAIN:
        return verdict.policy == "uniform"
    if idea is DECISIVE:
        return verdict.policy != "uniform"
    return idea is BLIND and not verdict.settings.get("prior")


def _is_offered(machine: Compiled, idea: Idea) -> bool:
    return machine.engine.offers(idea.settings["policy"])


class _Duels:
    """Plays duels, or knows from before what they came to."""

    def __init__(self, machine: Compiled, go_on: Callable[[], bool]) -> None:
        self._machine, self._go_on = machine, go_on
        self._steps = _USUAL_STEPS
        self._known: dict[tuple[str, ...], Result] = find_part(machine.engine, _DUELS) or {}

    def won(self, idea: Idea, best: Verdict) -> float:
        """What the best so far wins with an idea against itself without, in percent.

        As in play, where there is memory for that, else in lockstep; with fewer simulations in games that take long.
        """
        name = idea.name, *(other.name for other in best.taken)
        if name not in self._known:
            with_idea = best.with_idea(idea)
            measured = speeds(self._machine, *(_searches(each, _MEASURED) for each in (with_idea, best)))
            simulations, as_played = _FEWEST, self._machine.engine.rollout()[1].rows <= _ROWS
            if as_played:
                most = _SECONDS / (_FEW_MATCHES * self._steps * measured.seconds)
                simulations = int(max(_FEWEST, min(_MOST_SIMULATIONS, most)))
            one, other = _searches(with_idea, int(measured.share * simulations)), _searches(best, simulations)
            result = duel(self._machine, one, other, self._go_on, as_played=as_played)
            if not self._go_on():
                return 50.0
            self._known[name] = result
            keep_part(self._machine.engine, _DUELS, self._known)
        self._steps = max(1.0, self._known[name].steps)
        return self._known[name].won


def _searches(verdict: Verdict, simulations: int) -> SearchSettings:
    """A search as a verdict has it."""
    return resolved(SearchSettings(policy=AUTO, playouts=_WIDTH, simulations=simulations), verdict)


def _players(machine: Compiled) -> int:
    return sum(name != CHANCE for name in machine.roles)
