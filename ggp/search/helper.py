"""What a worker of a cluster does for a player elsewhere: it searches the same root on its own graph (see `cluster`).

A player asks again and again, and every question says what to search, and for how long unless it is asked again: who
hears no more of a player stops by itself. The answer is what is known by now and never waited for. A search goes on in a
thread of its own; its graph lives as long as the player's match.
"""

from __future__ import annotations

import logging
import pickle
import threading
import time
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:  # the first question is answered at once, before numba is loaded
    from ggp.search.elsewhere import Elsewhere
    from ggp.search.search import Search
    from ggp.search.tree import Tree

_FORGET = 300.0
"""Seconds without a question, after which a player is forgotten."""
_OFTEN = 0.1
"""Seconds between two looks at what the search knows, at least."""
_SHARE = 20
"""And so many times as long as a look takes."""


class Order(NamedTuple):
    """What a player wants."""

    player: str
    """Who asks: the same for a whole match, and of nobody else."""
    parcel: int
    """The number of the last parcel: of the game, as it is to be searched now."""
    root: bytes | None
    """The position; None: nothing is to be searched."""
    seconds: float
    """How long, from now on, unless there is another question."""


class Parcel(NamedTuple):
    """What is sent once: a game and how it is searched."""

    content: bytes
    """See `packed`."""
    seed: int
    memory: int
    """Bytes of the graphs, at most."""
    threads: int


class Told(NamedTuple):
    """The answer."""

    parcel: int
    """The number of the parcel that is here; -1: there is none."""
    root: bytes | None
    known: Elsewhere | None
    """Of the root."""
    simulations: int
    """Since the root was asked for first."""
    problem: str
    is_ready: bool
    """Whether the parcel has been opened: a search can begin at once."""


def ask(order: Order, parcel: Parcel | None) -> Told:
    """Answer a player. `parcel`: that of the order, if the player believes that it is not here."""
    with _GUARD:
        _LOG.addFilter(_is_news)
        helper = _HELPERS.get(order.player)
        if helper is None:
            if parcel is None:
                return Told(-1, None, None, 0, "", is_ready=False)
            helper = _HELPERS[order.player] = Helper(order.player)
    return helper.ask(order, parcel)


def forget(player: str) -> None:
    """The player's match is over."""
    with _GUARD:
        helper = _HELPERS.pop(player, None)
    if helper is not None:
        helper.close()


class Helper:
    """Searches for one player."""

    def __init__(self, player: str) -> None:
        self._player = player
        self._changed = threading.Condition()
        self._parcel: tuple[int, Parcel] | None = None
        self._root: bytes | None = None
        self._until = self._asked = time.monotonic()
        self._done_with: tuple[int, bytes] | None = None
        """A parcel and a root that need no more searching."""
        self._work: tuple[int, bytes] | None = None
        """What is being searched."""
        self._known: dict[int, Elsewhere] = {}
        """Of the root, by the place of a tree: each is looked at by the thread that grows it."""
        self._looked: dict[int, tuple[float, float]] = {}
        """When a tree was looked at last, and how long that took."""
        self._before, self._trees = 0.0, 1
        self._problem = ""
        self._opened = -1
        """The number of the parcel that the search is of."""
        self._closed = False
        self._start()

    def _start(self) -> None:
        self._problem = ""
        threading.Thread(target=self._live, name="helper", daemon=True).start()

    def ask(self, order: Order, parcel: Parcel | None) -> Told:
        """Take an order, and tell what is known."""
        with self._changed:
            self._asked = time.monotonic()
            if parcel is not None and (self._parcel is None or self._parcel[0] != order.parcel):
                self._parcel = order.parcel, parcel
                if self._problem:
                    self._start()
            self._root, self._until = order.root, self._asked + order.seconds
            self._changed.notify()
            number = -1 if self._parcel is None else self._parcel[0]
            is_known = self._work == (number, order.root) and len(self._known) == self._trees
            if order.root is None or not is_known:
                return Told(number, order.root, None, 0, self._problem, self._opened == number >= 0)
            known = list(self._known.values())
        found = known[0] if len(known) == 1 else _together(known)
        return Told(number, order.root, found, max(0, round(found.visits - self._before)), self._problem, is_ready=True)

    def close(self) -> None:
        """Stop."""
        with self._changed:
            self._closed = True
            self._changed.notify()

    def is_set(self) -> bool:
        """Whether the search is to stop: it was asked for something else, or was not asked again."""
        return self._closed or self._wanted() != self._work

    def _wanted(self) -> tuple[int, bytes] | None:
        """What is to be searched now."""
        if self._parcel is None or self._root is None or time.monotonic() > self._until:
            return None
        return self._parcel[0], self._root

    def _live(self) -> None:
        try:
            self._serve()
        except Exception as error:  # the player hears of it, and goes on without
            self._problem = f"{type(error).__name__}: {error}"
        finally:
            if not self._problem:
                forget(self._player)

    def _serve(self) -> None:
        search: Search | None = None
        self._opened = -1
        while True:
            with self._changed:
                self._changed.wait_for(self._has_something, timeout=_FORGET)
                if self._closed or not self._has_something():
                    return
                self._work = work = self._wanted()
                parcel = self._parcel
                self._known.clear()
                self._looked.clear()
            if parcel is not None and self._opened != parcel[0]:
                search, self._opened = _opened(parcel[1], search), parcel[0]
            if search is not None and work is not None and work[0] == self._opened:
                self._search(search, work)

    def _has_something(self) -> bool:
        wanted = self._wanted()
        is_new = self._parcel is not None and self._parcel[0] != self._opened
        return self._closed or is_new or (wanted is not None and wanted != self._done_with)

    def _search(self, search: Search, work: tuple[int, bytes]) -> None:
        search.start(work[1])
        self._before, self._trees = search.visits, len(search.trees)
        search.run(stop=self, watch=lambda tree: self._look(search, tree))
        if not self.is_set():
            self._done_with = work  # all is known
        for tree in search.trees:
            self._look(search, tree, must=True)

    def _look(self, search: Search, tree: Tree, *, must: bool = False) -> None:
        from ggp.search.elsewhere import Elsewhere

        place, now = search.trees.index(tree), time.monotonic()
        last, took = self._looked.get(place, (-_FORGET, 0.0))
        if not must and now - last < max(_OFTEN, _SHARE * took):
            return
        roles = range(len(search.machine.roles))
        values = tuple(float(tree.graph.proof[tree.root, role]) for role in roles) if tree.solved else None
        known = Elsewhere(tree.visits, [tree.moves(role) for role in roles], values, tree.best_line)
        with self._changed:
            self._known[place] = known
        self._looked[place] = now, time.monotonic() - now


def _together(known: list[Elsewhere]) -> Elsewhere:
    from ggp.search.elsewhere import Totals

    totals = Totals()
    for place, one in enumerate(known):
        totals.hear(str(place), one)
    return totals.sum()


def packed(search: Search) -> bytes:
    """A game with its circuit and programs, and how it is searched: all that another process needs to do the same."""
    from ggp.search.judging import found_of

    engine, settings = search.machine.engine, search.settings
    return pickle.dumps((search.machine.twin(), settings, found_of(engine, settings, None)), protocol=5)


def _opened(parcel: Parcel, before: Search | None) -> Search:
    """A search as a parcel has it; the one before it, with all that it knows, if just the circuit is another one."""
    from ggp.lanes.engine import Engine
    from ggp.lanes.ways import usable
    from ggp.search.judging import learn
    from ggp.search.search import Search

    machine, settings, found = pickle.loads(parcel.content)
    if machine.engine.way not in usable():  # the player's processor has more than ours
        engine = Engine(machine.circuit, phases=machine.engine.phases)
        machine, found = machine.with_engine(engine), found._replace(programs=engine.programs(found.policy))
    learn(machine.engine, found)
    if before is not None and before.settings == settings and not before.is_recycling:
        before.adopt(machine)
        return before
    search = Search(machine, settings, parcel.seed, memory=parcel.memory, threads=parcel.threads)
    search.start(machine.initial())
    search.prepare()
    return search


def _is_news(record: logging.LogRecord) -> bool:
    """Dask would tell of every question."""
    return record.args != (ask.__name__,)


_LOG = logging.getLogger("distributed.worker")
_HELPERS: dict[str, Helper] = {}
_GUARD = threading.Lock()
