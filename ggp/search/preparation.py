"""Making the searches of a match ready while others play: no move waits for it, and nothing is lost by it.

As soon as there is a circuit there is a search with uniform playouts, its kernels loaded. Better circuits of the same
rules are taken up by that search between two moves, with all that it knows. Where other playouts are asked for, or are to
be judged, that takes seconds more, in a process of its own; the search that goes with them takes the place of the first.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakKeyDictionary

from ggp.core.errors import GgpError
from ggp.lanes.engine import Engine
from ggp.machines.circuit import CircuitMachine
from ggp.machines.machine import Machine
from ggp.players.player import Signal
from ggp.search.judging import KNOWN, Game, learn, recall
from ggp.search.search import Search
from ggp.search.settings import AUTO, SearchSettings
from ggp.search.verdict import Verdict, resolved
from ggp.search.workshop import Workshop

_LOG = logging.getLogger(__name__)
_LOOK = 0.05
"""Seconds between two looks at whether there is something else to do."""
_TURNS: WeakKeyDictionary[Engine, threading.Lock] = WeakKeyDictionary()
"""Whose turn it is to have playouts of a circuit judged."""
MakeSearch = Callable[[CircuitMachine, SearchSettings], Search]


@dataclass(frozen=True)
class Either:
    """One of several signals."""

    signals: tuple[Signal | None, ...]

    def is_set(self) -> bool:
        """Whether one of them has come."""
        return any(signal is not None and signal.is_set() for signal in self.signals)


class Preparation:
    """Makes searches ready in a thread of its own, from the moment it is made."""

    def __init__(self, machine: Machine[Any], settings: SearchSettings, make: MakeSearch) -> None:
        """`make` gives a search for a circuit; it is called in our thread."""
        self.machine = machine
        self.verdict: Verdict | None = None
        """What judging found, once it has."""
        self.problem = ""
        """What went wrong, if something did."""
        self.news = threading.Event()
        """Set while there is a search, or a circuit, that was not taken."""
        self.settled = threading.Event()
        """Set when there is the search that is expected to suit the game: only quick matches may find a better one."""
        self.done = threading.Event()
        """Set when nothing more is to come."""
        self.begun = time.monotonic()
        self._settings, self._make = settings, make
        self._lock = threading.Lock()
        self._newest: Search | None = None
        self._published: SearchSettings | None = None
        self._better: CircuitMachine | None = None
        self._workshop: Workshop | None = None
        self._steps_back = False
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="preparation", daemon=True)
        self._thread.start()

    def take(self) -> tuple[Search | None, CircuitMachine | None]:
        """The search that is better than the one taken before, or a better circuit for that one, if there is one."""
        with self._lock:
            self.news.clear()
            search, self._newest = self._newest, None
            better, self._better = self._better, None
            return search, better

    def wait(self, awaited: threading.Event, until: float | None, stop: Signal | None) -> None:
        """Wait for one of our events; no longer than `until` or `stop`, and not where nothing more is to come."""
        while not (awaited.is_set() or self.done.is_set() or (stop is not None and stop.is_set())):
            left = _LOOK if until is None else until - time.monotonic()
            if left <= 0:
                return
            awaited.wait(min(left, _LOOK))

    def step_back(self) -> None:
        """From now on, take processor time from nobody: a clock is running."""
        self.machine.step_back()
        with self._lock:
            self._steps_back = True
            if self._workshop is not None:
                self._workshop.step_back()

    def close(self) -> None:
        """Stop."""
        with self._lock:
            self._closed.set()
            if self._workshop is not None:
                self._workshop.close()
        self._thread.join()
        self._newest = None

    def _run(self) -> None:
        try:
            self._prepare()
        except GgpError as error:
            if not self._closed.is_set():
                self.problem = f"the search stays as it is: {error}"
                _LOG.warning("%s", self.problem)
        except Exception as error:  # the match goes on with what there is
            self.problem = f"preparing a search failed: {type(error).__name__}: {error}"
            _LOG.exception("preparing a search failed")
        finally:
            self.settled.set()
            self.done.set()

    def _circuits(self) -> Iterator[CircuitMachine]:
        """Circuits of our own, each better than the one before it, as they come."""
        last: CircuitMachine | None = None
        while not self._closed.is_set():
            is_last = self.machine.wait(0)
            circuit = self.machine.compiled(_LOOK, than=last)
            if circuit is not None:
                last = circuit
                yield circuit.twin()
            elif is_last:
                return

    def _publish(self, circuit: CircuitMachine, settings: SearchSettings) -> None:
        self._published = settings
        search = self._make(circuit, settings)
        with self._lock:
            self._newest, self._better = search, None
            self.news.set()

    def _improve(self, circuit: CircuitMachine) -> None:
        """Have the search that was published go on with a better circuit."""
        with self._lock:
            if self._newest is not None:
                self._newest.adopt(circuit)
            else:
                self._better = circuit
                self.news.set()

    def _prepare(self) -> None:
        """A search, better circuits for it, and where other playouts have yet to be made, another one in the end."""
        first = replace(self._settings, policy="uniform", value=0.0, minimax=0.0)
        is_judged = self._settings.policy == AUTO
        circuit: CircuitMachine | None = None
        for circuit in self._circuits():
            if is_judged and recall(circuit.engine):
                continue
            if self._published is None:
                self._publish(circuit, first)
            else:
                self._improve(circuit)
        if circuit is None:
            return
        if self._settings.policy != "uniform" or self._settings.learned:
            self._work(circuit)
        self._settle(circuit, KNOWN.get(circuit.engine))

    def _settle(self, circuit: CircuitMachine, verdict: Verdict | None) -> None:
        """Have a search with what is known to suit the game, if that is another one than before."""
        if self._closed.is_set():
            return  # nobody takes another search
        self.verdict = verdict
        settings = resolved(self._settings, verdict or Verdict())
        if settings != self._published:
            self._publish(circuit, settings)

    def _work(self, circuit: CircuitMachine) -> None:
        """Have the programs of other playouts made, and judged; where players share a circuit, by one of them."""
        engine = circuit.engine
        turn = _TURNS.setdefault(engine, threading.Lock())
        while not turn.acquire(timeout=_LOOK):
            if self._closed.is_set():
                return
        try:
            if not (self._settings.policy == AUTO and recall(engine)):
                self._order(circuit)
        finally:
            turn.release()

    def _order(self, circuit: CircuitMachine) -> None:
        """Let a workshop do it; what it finds first is taken up while it looks for more."""
        with self._lock:
            if self._closed.is_set():
                return
            workshop = self._workshop = Workshop()
            if self._steps_back:
                workshop.step_back()
        try:
            workshop.order(Game(circuit.roles, circuit.engine), self._settings)
            for found in workshop.made():
                learn(circuit.engine, found)
                if found.verdict is not None:
                    _LOG.info("%s", found.verdict)
                    self._settle(circuit, found.verdict)
                    if found.verdict.knows_kind:
                        self.settled.set()
        finally:
            with self._lock:
                self._workshop = None
            workshop.close()
