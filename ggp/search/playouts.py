"""What new positions are worth: playouts on lanes, by a policy, with what it learns and the best line that they find."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple, Protocol

from ggp.core.kernels import bound
from ggp.core.seeds import split_seed
from ggp.lanes.bank import Bank
from ggp.lanes.engine import Engine, Runner, Strides
from ggp.lanes.policies import POLICIES, Evidence
from ggp.search.adapting import Adapting
from ggp.search.arrays import Work
from ggp.search.contextual import Contextual
from ggp.search.forest import ReplyForest
from ggp.search.kernels.playout import harvest, load_playing
from ggp.search.kernels.preferring import forget_played
from ggp.search.lastgood import LastGood
from ggp.search.learning import Learner, Playing, Replier
from ggp.search.mast import Mast
from ggp.search.ngrams import NGrams
from ggp.search.settings import AUTO, SearchSettings
from ggp.search.trace import Tracer


class Evaluator(Protocol):
    """Says what the positions are worth that slots have come to."""

    def advance(self) -> bool:
        """Take up slots that are ready, work for a while, and add what is known to the edges of their descents.

        Whether there was anything to do.
        """
        ...


class Eagerness(NamedTuple):
    """When lanes are looked at: seldom costs simulations that could have begun, often costs the looks."""

    busy: float
    """Growing lanes step again at once while at least this share of the slots waits for them."""
    few: float
    many: float
    """Shares of the playing slots that should be done when they are looked at."""


_EAGER = Eagerness(0.2, 0.15, 0.4)
"""Where each slot has a graph of its own, nobody need wait for others."""
_BRISK = Eagerness(0.1, 0.15, 0.3)
"""In large circuits to look is cheap, and lanes that wait are dear."""
_PATIENT = Eagerness(0.4, 0.7, 0.95)
"""Else to look costs more than to play on: with most of the slots done, connect four is half as fast again."""
_LARGE = 10_000
"""Gates of a large circuit."""
_LONGEST = 4096
"""Laps between two looks, at most."""
LEARNERS: Mapping[str, type[Learner]] = {
    "mast": Mast,
    "decisive+mast": Mast,
    "contextual": Contextual,
    "lgr": LastGood,
    "forest": ReplyForest,
    "nst": NGrams,
    "ppa": Adapting,
}
"""For the policies that learn."""


def eagerness_of(engine: Engine, graphs: int) -> Eagerness:
    """What suits a circuit, and so many graphs."""
    return _EAGER if graphs > 1 else _BRISK if engine.circuit.gates >= _LARGE else _PATIENT


def policy_of(engine: Engine, settings: SearchSettings) -> str:
    """The policy that is played by: that of the settings, where the game offers it."""
    return "uniform" if settings.policy == AUTO else engine.offered(settings.policy)


def program_of(engine: Engine, policy: str, settings: SearchSettings) -> Runner:
    """The program of the playouts, with the evidence that the policy or the selection learns from."""
    return engine.rollout(policy, Evidence.PLAYED if settings.rave else POLICIES[policy].evidence)[1]


def played_rows(engine: Engine, policy: str) -> int:
    """The first of the rows that tell what was played, in programs with that evidence."""
    return engine.rows.total + engine.parameters(policy)


class Playouts:
    """Plays on from positions to the end, `settings.playouts` times each, many steps between two looks."""

    def __init__(self, work: Work, playing: Bank, settings: SearchSettings, policy: str, seed: int) -> None:
        engine, graphs = playing.engine, len(work.graph.head)
        self._work, self._playing, self._width = work, playing, settings.playouts
        self._program = program_of(engine, policy, settings)
        self._limit = -(-settings.step_limit // engine.phases.period)
        self._eagerness = eagerness_of(engine, graphs)
        self._laps, self._lap = 1, 0
        self.learner = self._learner(policy, settings, split_seed(seed, policy))
        self.tracer: Tracer | None = None
        if work.graph.proof.shape[1] == 1 and graphs == 1:
            told = engine.rollout(policy, Evidence.LAST)[1]
            own = slice(engine.rows.total, engine.rows.total + engine.parameters(policy))
            started = work.lanes.started
            self.tracer = Tracer(work.graph, work.slots, started, playing, self._width, told, own)
        self._forget: Callable[[], None] | None = None
        if settings.rave and POLICIES[policy].evidence is not Evidence.PLAYED:  # else the learner sees to it
            changed = work.lanes.mask[: playing.lanes // 64]
            rows = playing.memory, played_rows(engine, policy), engine.rows.inputs, changed
            self._forget = partial(bound(forget_played, *rows), *rows)
        self._load_playing = bound(load_playing, work.slots, work.lanes, 1, 1)
        self._harvest = bound(harvest, *work, 1, 1, 1)

    def _learner(self, policy: str, settings: SearchSettings, seed: int) -> Learner | None:
        if policy not in LEARNERS:
            return None
        changed = self._work.lanes.mask[: self._playing.lanes // 64]
        owner = self._work.slots.slot["graph"]
        playing = Playing(self._playing, changed, owner, self._width, settings, self._work)
        return LEARNERS[policy](playing, len(self._work.graph.head), seed)

    def advance(self) -> bool:
        """A number of laps of the playing lanes, and the updates with what is done. Whether any were needed."""
        before, oldest = self._load_playing(self._work.slots, self._work.lanes, self._width, self._lap)
        if not before:
            return False
        if self._forget is not None:
            self._forget()
        if self.learner is not None:
            self.learner.begin()
        if self.tracer is not None:
            self.tracer.before_laps(self._lap, self._laps, oldest)
        self._play(self._laps)
        self._lap += self._laps
        left = self._harvest(*self._work, self._width, self._lap, self._limit)
        if self.learner is not None:
            self.learner.end()
        if self.tracer is not None:
            self.tracer.look()
        self._adapt(1 - left / before)
        return True

    def _play(self, laps: int) -> None:
        """So many laps of the playing lanes; of those that reply, step by step."""
        if not isinstance(self._program, Strides):
            self._playing.run(self._program, laps)
            return
        assert isinstance(self.learner, Replier)
        for _ in range(laps):
            for t, step in enumerate(self._program.steps):
                self._playing.run(step, 1)
                self.learner.reply(t)

    def _adapt(self, share: float) -> None:
        """Look earlier or later the next time, by the share of the slots that were done."""
        if share < self._eagerness.few:
            self._laps = min(self._laps + self._laps // 4 + 1, _LONGEST, self._limit)
        elif share > self._eagerness.many:
            self._laps = max(1, self._laps - self._laps // 4 - 1)
