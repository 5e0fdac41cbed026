"""The player that searches."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from typing import Any

from gdl.garbage import Frozen
from gdl.terms import Term, kif
from ggp.core.delays import Delays
from ggp.knowledge.shelf import shelf
from ggp.machines.circuit import CircuitMachine
from ggp.machines.machine import Machine
from ggp.players.player import Signal, Turn
from ggp.search.advice import Advice, Adviser
from ggp.search.choice import MoveStats
from ggp.search.cluster import Cluster
from ggp.search.lines import Known, Lines
from ggp.search.meantime import Meantime
from ggp.search.preparation import Either, Preparation
from ggp.search.search import Search, Spent
from ggp.search.settings import USUAL_SECONDS, SearchSettings, Thinking
from ggp.search.tempting import equals, most_tempting

_LOG = logging.getLogger(__name__)
_RETURN = 0.03
"""Seconds that are kept to return a move in time, at least."""
_MOST = 0.3
"""The part of the time for a move that is kept, at most."""
_PREPARING = 0.6
"""The part of a start clock that is given to preparing the search that is expected to suit the game, at most, before one
that is there already begins."""
_PATIENCE = 8.0
"""Seconds that somebody waits without a clock for the best search. What comes later takes over between two moves."""
_WORTH = 0.2
"""Seconds of a move that are enough to begin anew on lanes, when they come while Prolog searches."""
_SHOWN = 6
"""Moves of the line that a report shows."""


class SearchPlayer:
    """Plays the move that its search finds best. The graph lives as long as the player: one match.

    It searches on lanes as soon as its machine has a circuit; until then, and where there is none, by playouts of Prolog.
    """

    def __init__(self, name: str, settings: SearchSettings, thinking: Thinking, seed: int) -> None:
        self._name, self.settings, self.thinking, self.seed = name, settings, thinking, seed
        self._preparation: Preparation | None = None
        self._search: Search | None = None
        self._better: CircuitMachine | None = None
        """A circuit that the search is to go on with, as soon as it can."""
        self._report: dict[str, object] = {}
        self._lines = Lines()
        self._frozen = Frozen()
        self._delays = Delays(_RETURN)
        self._meantime = Meantime(settings, thinking.threads, seed)
        self._adviser = _adviser(thinking.knowledge)
        self._cluster: Cluster | None = None
        self.told: Callable[[Search], None] | None = None
        """Is told of the search after each choice on lanes: whoever keeps what players find."""

    @property
    def name(self) -> str:
        """The name that matches and tables show."""
        return self._name

    def choose(self, turn: Turn) -> Term:
        """The best move found in the time there is; the only move at once."""
        preparation = self._preparing(turn.machine)
        if len(turn.legal) == 1:
            self._report = {"simulations": 0, "forced": True}
            return turn.legal[0]
        own = self.thinking.seconds
        if turn.deadline is None:
            self._wait(preparation, turn)  # to prepare is not part of the time for a move
            seconds = USUAL_SECONDS if own is None else own
            return self._choose(turn, None if self.settings.simulations else time.monotonic() + seconds)
        preparation.step_back()
        left = turn.deadline - time.monotonic()
        deadline = turn.deadline - min(self._delays.seconds, _MOST * left)
        if own is not None:
            deadline = min(deadline, time.monotonic() + own)
        move = self._choose(turn, deadline)
        self._delays.observe(time.monotonic() - deadline)
        return move

    def _wait(self, preparation: Preparation, turn: Turn) -> None:
        """Without a clock: wait for a search, and a while for the best.

        Where simulations are counted, wait for the best in any case: so the same is found every time.
        """
        if self.settings.simulations:
            preparation.wait(preparation.done, None, turn.stop)
            return
        if self._search is None:
            preparation.wait(preparation.news, None, turn.stop)
        preparation.wait(preparation.done, preparation.begun + _PATIENCE, turn.stop)
        preparation.step_back()

    def _choose(self, turn: Turn, deadline: float | None) -> Term:
        search = self._searching(turn)
        if search is None:
            move = self._choose_slowly(turn, deadline)
            if move is not None:
                return move
            search = self._searching(turn)
            assert search is not None
        circuit, known = search.machine, self._lines.at(search.position)
        if known is not None and known.sure:
            return self._follow(circuit, known, 0)
        advice = None if self._adviser is None else self._adviser.advise(search, turn.role)
        if advice is not None and advice.proven:
            return self._advised(circuit, advice, 0)
        spent = self._run(search, deadline, turn.stop)
        if self.told is not None:
            self.told(search)
        best = search.best(turn.role)
        self._lines.remember(circuit, search)
        known = self._lines.at(search.position)
        if known is not None and (best is None or best.proven is None or known.goal >= best.proven):
            return self._follow(circuit, known, spent.simulations)
        if best is None:
            _LOG.warning("no simulation was finished in time: the first legal move is played")
            self._report = {"simulations": 0}
            return turn.legal[0]
        if advice is not None and best.proven is None and advice.outweighs(search.visits):
            return self._advised(circuit, advice, spent.simulations)
        if deadline is not None:
            best = _tempting(search, turn, best, deadline)
        self._report = {**_told(circuit, search, spent, best), **self._helped()}
        return circuit.inputs[best.input]

    def ponder(self, turn: Turn) -> None:
        """Get ready; then search below a position until the turn's deadline or `stop`, or nothing is to be gained."""
        preparation = self._preparing(turn.machine)
        is_limited = self.thinking.seconds is not None or self.settings.simulations > 0
        if is_limited or self._search is None:
            patience = turn.deadline
            if patience is not None and not is_limited:
                patience -= (1 - _PREPARING) * (patience - time.monotonic())
            preparation.wait(preparation.done if is_limited else preparation.settled, patience, turn.stop)
            if preparation.settled.is_set():
                preparation.step_back()
        if is_limited or turn.situation.terminal or not all(turn.situation.legal):
            return
        while not (turn.stop is not None and turn.stop.is_set()):
            search = self._searching(turn)
            if search is not None:
                known = self._lines.at(search.position)
                if known is not None and known.sure:
                    return
                self._run(search, turn.deadline, Either((turn.stop, preparation.news)))
                self._lines.remember(search.machine, search)
            elif not preparation.done.is_set():
                preparation.wait(preparation.news, turn.deadline, turn.stop)
            if not preparation.news.is_set():
                return

    def report(self) -> Mapping[str, object]:
        """What stood behind the last choice, and what keeps us from doing better."""
        problem = "" if self._preparation is None else self._preparation.problem
        problem = problem or ("" if self._adviser is None else self._adviser.problem)
        problem = problem or ("" if self._cluster is None else self._cluster.problem)
        return {**self._report, "problem": problem} if problem else self._report

    def close(self) -> None:
        """Give back the graph."""
        if self._preparation is not None:
            self._preparation.close()
        if self._cluster is not None:
            self._cluster.close()
        self._preparation = self._search = self._better = self._cluster = None
        self._meantime.close()
        self._frozen.thaw()

    def _preparing(self, machine: Machine[Any]) -> Preparation:
        """What makes our searches ready for a machine."""
        if self._preparation is None or self._preparation.machine is not machine:
            self.close()
            self._preparation = Preparation(machine, self.settings, self._new_search)
            if self.thinking.cluster != "no":
                self._cluster = Cluster(self.thinking.cluster, self.seed, self.thinking.memory)
        return self._preparation

    def _new_search(self, circuit: CircuitMachine, settings: SearchSettings) -> Search:
        search = Search(circuit, settings, self.seed, memory=self.thinking.memory, threads=self.thinking.threads)
        search.start(circuit.initial())
        search.prepare()
        if self._adviser is not None:
            self._adviser.open(circuit)
        return search

    def _searching(self, turn: Turn) -> Search | None:
        """The best search that is ready, at the turn's position; None while there is none."""
        assert self._preparation is not None
        search, better = self._preparation.take()
        if search is not None:
            self._better = None
            if self._search is None or not self._search.takes_up(search):
                self._search = search
            self._meantime.close()
            self._frozen.freeze()  # the many parts of a circuit stay
        elif better is not None:
            self._better = better
        if self._better is not None and self._search is not None and not self._search.is_recycling:
            self._search.adopt(self._better)
            self._better = None
            self._frozen.freeze()
        if self._search is not None:
            self._search.start(self._search.machine.position(turn.machine.fluents(turn.position)))
        return self._search

    def _run(self, search: Search, deadline: float | None, stop: Signal | None) -> Spent:
        """Search, with the workers of a cluster where there is one."""
        if self._cluster is not None:
            return self._cluster.search(search, deadline=deadline, stop=stop)
        return search.run(deadline=deadline, simulations=self.settings.simulations or None, stop=stop)

    def _helped(self) -> dict[str, object]:
        """What the workers of a cluster have done for the last choice."""
        cluster = self._cluster
        return {} if cluster is None else {"cluster": {"workers": cluster.heard, "simulations": cluster.simulations}}

    def _follow(self, circuit: CircuitMachine, known: Known, simulations: int) -> Term:
        """The next move of a remembered line."""
        self._report = {
            "engine": "circuit",
            "simulations": simulations,
            "expected": known.goal,
            "proven": known.sure,
            "remembered": True,
            "line": [kif(circuit.inputs[number]) for number in known.inputs[:_SHOWN]],
        }
        return circuit.inputs[known.inputs[0]]

    def _advised(self, circuit: CircuitMachine, advice: Advice, simulations: int) -> Term:
        """The move that was learned."""
        self._report = {
            "engine": "circuit",
            "simulations": simulations,
            "expected": round(advice.goal, 2),
            "proven": advice.proven,
            "knowledge": {"visits": advice.visits, "confidence": round(advice.confidence, 3)},
        }
        return circuit.inputs[advice.input]

    def _choose_slowly(self, turn: Turn, deadline: float | None) -> Term | None:
        """The best move that whole playouts find; None if meanwhile there are lanes, and time for them."""
        assert self._preparation is not None
        begun = time.monotonic()
        halt = Either((turn.stop, self._preparation.news))
        found = self._meantime.choose(
            turn.machine, turn.position, turn.situation, turn.role, deadline=deadline, stop=halt
        )
        is_worth_it = deadline is None or time.monotonic() < deadline - _WORTH
        if self._preparation.news.is_set() and is_worth_it and not (turn.stop is not None and turn.stop.is_set()):
            return None
        seconds = time.monotonic() - begun
        self._report = {
            "engine": "prolog",
            "simulations": found.playouts,
            "simulations_per_second": round(found.playouts / max(1e-6, seconds)),
            "expected": round(found.expected, 2),
            "visits": found.visits,
            "seconds": round(seconds, 3),
        }
        return found.move


def _tempting(search: Search, turn: Turn, best: MoveStats, deadline: float) -> MoveStats:
    """The best move, or of several that are proven as good the one after which the others err most."""
    highest = search.highest[turn.role]
    same = equals(search.moves(turn.role), best, highest)
    found = most_tempting(search, turn.role, same, deadline, turn.stop) if len(same) > 1 else None
    return best if found is None else found


def _adviser(knowledge: str) -> Adviser | None:
    """Who knows what was learned of games, by the option of players."""
    return None if knowledge == "no" else Adviser(shelf(None if knowledge == "yes" else knowledge))


def _told(circuit: CircuitMachine, search: Search, spent: Spent, best: MoveStats) -> dict[str, object]:
    """What stood behind a choice, as JSON values."""
    return {
        "engine": "circuit",
        "simulations": spent.simulations,
        "simulations_per_second": round(spent.simulations / max(1e-6, spent.seconds)),
        "expected": round(best.mean if best.proven is None else best.proven, 2),
        "proven": best.proven is not None,
        "visits": best.visits,
        "nodes": spent.nodes,
        "seconds": round(spent.seconds, 3),
        "policy": search.policy,
        "options": search.settings.options,
        "line": [" ".join(kif(circuit.inputs[i]) for i in joint) for joint in search.line(_SHOWN)],
    }
