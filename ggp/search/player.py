"""The player that searches."""

from __future__ import annotations

import gc
import logging
import math
import threading
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from gdl.terms import Term, kif
from ggp.machines.auto import AutoMachine
from ggp.machines.circuit import CircuitMachine, Position
from ggp.machines.machine import Machine
from ggp.players import Turn
from ggp.search.choice import MoveStats
from ggp.search.judging import careful_tells_more
from ggp.search.search import Search, Spent
from ggp.search.settings import SearchSettings, Thinking

_LOG = logging.getLogger(__name__)
_RETURN = 0.03
"""Seconds that are kept to return a move in time, at least."""
_CAUTION, _DECAY = 2.0, 0.98
"""What is kept after a delay: so much more than it was, and less from move to move."""
_MOST = 0.3
"""The part of the time for a move that is kept, at most."""
_FIRST_STEPS = 2
"""Steps after which the first playout of a slow search is given up, if there is a deadline."""
_CAREFUL_C = 2.0
"""How much more a search explores where careful playouts were found to tell more; see `judging`."""
_JUDGING = 5.0
"""Seconds that must be left to find out which playouts tell more: a start clock, not the time for a move."""


class SearchPlayer:
    """Plays the move that its search finds best. The graph lives as long as the player: one match.

    It searches on lanes as soon as its machine has a circuit; until then, and where there is none, one simulation at a
    time.
    """

    def __init__(self, name: str, settings: SearchSettings, thinking: Thinking, seed: int) -> None:
        self._name, self.settings, self.thinking, self.seed = name, settings, thinking, seed
        self._search: Search | None = None
        self._report: dict[str, object] = {}
        self._plan: dict[Position, tuple[int, int]] = {}
        self._reserve = _RETURN

    @property
    def name(self) -> str:
        """The name that matches and tables show."""
        return self._name

    def choose(self, turn: Turn) -> Term:
        """The best move found in the time there is; the only move at once."""
        if len(turn.legal) == 1:
            self._report = {"simulations": 0, "forced": True}
            return turn.legal[0]
        if turn.deadline is None:
            circuit = circuit_of(turn.machine)
            if circuit is not None:
                self._searching(circuit, turn)  # to prepare is not part of the time for a move
            return self._choose(turn, None if self.settings.simulations else time.monotonic() + self.thinking.seconds)
        deadline = turn.deadline - min(self._reserve, _MOST * (turn.deadline - time.monotonic()))
        move = self._choose(turn, deadline)
        self._reserve = max(_RETURN, _DECAY * self._reserve, _CAUTION * (time.monotonic() - deadline))
        return move

    def _choose(self, turn: Turn, deadline: float | None) -> Term:
        circuit = circuit_of(turn.machine)
        if circuit is None:
            return self._choose_slowly(turn, deadline)
        search = self._searching(circuit, turn)
        spent = search.run(
            deadline=deadline, simulations=self.settings.simulations or None, stop=turn.stop, role=turn.role
        )
        best = search.best(turn.role)
        self._remember(circuit, search)
        known = self._plan.get(search.position)
        if known is not None and (best is None or best.proven is None or known[1] >= best.proven):
            self._report = {"simulations": spent.simulations, "expected": known[1], "line": "remembered"}
            return circuit.inputs[known[0]]
        if best is None:
            _LOG.warning("no simulation was finished in time: the first legal move is played")
            self._report = {"simulations": 0}
            return turn.legal[0]
        self._report = _told(circuit, search, spent, best)
        return circuit.inputs[best.input]

    def ponder(self, turn: Turn) -> None:
        """Search below a position until the turn's deadline or `stop`; at first, prepare for that."""
        circuit = circuit_of(turn.machine)
        if circuit is not None and not turn.situation.terminal and all(turn.situation.legal):
            search = self._searching(circuit, turn)
            search.run(deadline=turn.deadline, stop=turn.stop)

    def report(self) -> Mapping[str, object]:
        """What stood behind the last choice."""
        return self._report

    def close(self) -> None:
        """Give back the graph."""
        self._search = None
        gc.unfreeze()

    def _searching(self, circuit: CircuitMachine, turn: Turn) -> Search:
        search, thinking = self._search, self.thinking
        position = circuit.position(turn.machine.fluents(turn.position))
        if search is not None and search.machine is circuit:
            search.start(position)
            return search
        settings = self.settings
        if settings.careful == "auto":
            careful = self._judged(circuit, turn)
            settings = replace(settings, careful=careful, c=settings.c * (_CAREFUL_C if careful == "yes" else 1))
        self._search = search = Search(circuit, settings, self.seed, memory=thinking.memory, threads=thinking.threads)
        search.start(position)
        search.prepare()
        gc.freeze()  # the many parts of a circuit stay: looking for garbage among them takes 100 ms
        return search

    def _judged(self, circuit: CircuitMachine, turn: Turn) -> Literal["no", "yes"]:
        """Whether playouts look ahead. To find out takes up to half of the time left, if there is enough of it."""
        now = time.monotonic()
        until = math.inf if turn.deadline is None else (now + turn.deadline) / 2
        if turn.deadline is not None and turn.deadline - now < _JUDGING:
            return "no"
        stop = turn.stop or threading.Event()
        better = careful_tells_more(circuit, self.seed, lambda: time.monotonic() < until and not stop.is_set())
        _LOG.info("playouts that look one move ahead tell %s", "more" if better else "no more, or there was no time")
        return "yes" if better else "no"

    def _remember(self, circuit: CircuitMachine, search: Search) -> None:
        """In a game for one role: keep the best line found, as the move to make in each of its positions and its goal."""
        line = search.best_line()
        position = search.position
        if line is None or (position in self._plan and self._plan[position][1] >= line.goal):
            return
        self._plan = {}
        for number in line.inputs:
            self._plan[position] = number, line.goal
            position = circuit.next(position, (circuit.inputs[number],))

    def _choose_slowly(self, turn: Turn, deadline: float | None) -> Term:
        from ggp.search.reference import RandomPlay, ReferenceSearch

        begun = time.monotonic()
        settings = replace(self.settings, playouts=1)  # several at a time cost nothing on lanes alone
        dice = RandomPlay(turn.machine, settings, self.seed)
        search = ReferenceSearch(turn.machine, turn.position, settings, self.seed, dice)
        halt = turn.stop or threading.Event()
        count, longest = 0, 0.0
        if deadline is not None:
            dice.limit = _FIRST_STEPS
        while not halt.is_set() and (not self.settings.simulations or count < self.settings.simulations):
            now = time.monotonic()
            if deadline is not None and now + _CAUTION * longest >= deadline:
                break
            search.simulate(halt)
            count += 1
            taken = time.monotonic() - now
            longest = max(longest, taken)
            if deadline is not None and dice.limit < self.settings.step_limit and taken < (deadline - now) / 8:
                dice.limit *= 2  # nobody knows how long a playout takes, before one is done
        moves = search.moves(turn.role)
        if not moves:
            self._report = {"simulations": 0}
            return turn.legal[0]
        move, visits, mean = max(moves, key=lambda m: (m[1], m[2]))
        self._report = {
            "engine": "prolog",
            "simulations": count,
            "simulations_per_second": round(count / max(1e-6, time.monotonic() - begun)),
            "expected": round(mean, 2),
            "visits": visits,
            "seconds": round(time.monotonic() - begun, 3),
        }
        return move


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
        "careful": search.settings.careful == "yes",
        "line": [" ".join(kif(circuit.inputs[i]) for i in joint) for joint in search.line(6)],
    }


def circuit_of(machine: Machine[Any]) -> CircuitMachine | None:
    """The circuit behind a machine, if it has one by now."""
    engine = machine.engine if isinstance(machine, AutoMachine) else machine
    return engine if isinstance(engine, CircuitMachine) else None
