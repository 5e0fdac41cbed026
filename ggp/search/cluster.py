"""A search for one move on many machines: the workers of a Dask scheduler search the same root beside the player.

Every worker grows a graph of its own, from a seed of its own (`helper`), and is asked a few times a second what it knows;
that is added up, and counts beside what the player's search finds. The game with its circuit and programs is sent to a
worker once, when it is first asked; graphs are kept from move to move.

No move waits for anybody: a thread of its own talks to the workers, each at its own pace, and what was heard by the
deadline counts. A worker that has died, lags or was never there costs its own part; without any, a player searches alone.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Protocol
from uuid import uuid4

from ggp.core.dask import distributed
from ggp.core.seeds import split_seed
from ggp.machines.circuit import Position
from ggp.players.player import Signal
from ggp.search.elsewhere import NOTHING, Totals
from ggp.search.helper import Order, Parcel, Told, ask, forget, packed
from ggp.search.preparation import Either
from ggp.search.search import Search, Spent, Watch

_LOG = logging.getLogger(__name__)
_EVERY, _EACH = 0.2, 0.002
"""Seconds between two questions to a worker: at least, and for each worker that is asked."""
_LEASE = 10
"""Workers search on for so many times that long, unless they are asked again."""
_CENSUS = 2.0
"""Seconds between two looks at which workers there are, and before somebody who gave no answer is asked again."""
_PATIENCE = 10.0
"""Seconds to wait for the scheduler."""
_TOLD = 3
"""Problems that are told of at once."""


class Workers(Protocol):
    """The way to the workers. Whatever goes wrong is an exception."""

    async def open(self) -> None:
        """Go to the scheduler."""
        ...

    async def threads(self) -> Mapping[str, int]:
        """The workers there are now, and how many threads each has."""
        ...

    async def ask(self, worker: str, order: Order, parcel: Parcel | None) -> Told:
        """Ask one of them."""
        ...

    async def close(self, player: str) -> None:
        """Tell them that the player's match is over, and leave."""
        ...


class DaskWorkers:
    """Those of a Dask scheduler. They answer beside the tasks that they are doing."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._client: Any = None

    async def open(self) -> None:
        """Go to the scheduler."""
        self._client = await distributed().Client(
            self._address, asynchronous=True, set_as_default=False, timeout=_PATIENCE
        )

    async def threads(self) -> Mapping[str, int]:
        """The workers there are now, and how many threads each has."""
        found: Mapping[str, int] = await self._client.nthreads()
        return found

    async def ask(self, worker: str, order: Order, parcel: Parcel | None) -> Told:
        """Ask one of them."""
        told: Told = (await self._client.run(ask, order, parcel, workers=[worker]))[worker]
        return told

    async def close(self, player: str) -> None:
        """Tell them that the player's match is over, and leave."""
        client, self._client = self._client, None
        if client is not None:
            with suppress(Exception):  # who does not hear it forgets in a while
                await asyncio.wait_for(client.run(forget, player, on_error="ignore"), _EVERY)
            await client.close(timeout=1)


class Cluster:
    """Searches with the workers of a cluster, for one player and one match."""

    def __init__(self, address: str, seed: int, memory: int, workers: Workers | None = None) -> None:
        """`memory`: bytes of the graphs of each worker, at most."""
        self._problems: dict[str, str] = {}
        """What is wrong now: with whom, and what."""
        self._address, self._seed, self._memory = address, seed, memory
        self._workers = DaskWorkers(address) if workers is None else workers
        self._player = uuid4().hex
        self._lock = threading.Lock()
        self._given: tuple[Search, object] | None = None
        """The search that was sent, and its machine at that time."""
        self._number, self._content = -1, b""
        self._to_pack: Search | None = None
        self._root: Position | None = None
        self._totals = Totals()
        self._simulations: dict[str, int] = {}
        """For the root, by worker."""
        self._ready: set[str] = set()
        """Who has opened the last parcel."""
        self._there: dict[str, asyncio.Task[None]] = {}
        self._loop = asyncio.new_event_loop()
        self._changed = asyncio.Event()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="cluster", daemon=True)
        self._thread.start()

    # ---- for the player --------------------------------------------------------------------------------------------

    def is_set(self) -> bool:
        """Whether the exact value of the root is known to a worker: then there is nothing left to search."""
        return self._totals.values is not None

    def search(
        self,
        search: Search,
        *,
        deadline: float | None,
        stop: Signal | None = None,
        watch: Watch | None = None,
    ) -> Spent:
        """Search as `search` does, with all workers that there are; afterwards it knows what they know as well."""
        self.give(search)
        self._want(search.position)
        try:
            return search.run(deadline=deadline, stop=Either((stop, self)), watch=watch)
        finally:
            with self._lock:
                search.elsewhere = self._totals.sum() if self._totals.visits else NOTHING
            self._want(None)

    def give(self, search: Search) -> None:
        """Send a search to the workers, unless they have it."""
        if self._given is None or self._given[0] is not search or self._given[1] is not search.machine:
            self._given = search, search.machine
            with self._lock:
                self._number, self._content, self._to_pack = self._number + 1, b"", search
                self._ready.clear()
                self._totals, self._simulations = Totals(), {}
            self._tell()

    @property
    def problem(self) -> str:
        """What is wrong now, if something is."""
        return "; ".join(list(self._problems.values())[:_TOLD])

    @property
    def heard(self) -> int:
        """How many workers have told something about the last root."""
        return self._totals.heard

    @property
    def simulations(self) -> int:
        """How many simulations the workers have told of, for the last root."""
        with self._lock:
            return sum(self._simulations.values())

    def wait(self, seconds: float, workers: int = 1) -> bool:
        """Wait until all workers there are, and at least so many, are ready to search; whether one is after that time."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and self._thread.is_alive():
            if len(self._ready) >= max(workers, len(self._there)):
                break
            time.sleep(_EVERY / 4)
        return bool(self._ready)

    def close(self) -> None:
        """Leave the workers to others."""
        self._closed = True
        self._tell()
        self._thread.join(2)

    def _want(self, root: Position | None) -> None:
        with self._lock:
            if root is not None:
                self._totals, self._simulations = Totals(), {}
            self._root = root
        self._tell()

    def _tell(self) -> None:
        with suppress(RuntimeError):  # the thread has ended
            self._loop.call_soon_threadsafe(self._alarm)

    # ---- in the thread that talks ----------------------------------------------------------------------------------

    def _alarm(self) -> None:
        """Let everybody look at what has changed."""
        self._changed.set()
        self._changed = asyncio.Event()

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self._live())
        except Exception as error:  # the player goes on alone
            self._complain(self._address, "the cluster is left", error)
            _LOG.exception("talking to the cluster failed")
        finally:
            with suppress(Exception):
                self._loop.close()

    async def _live(self) -> None:
        while not self._closed:
            try:
                await asyncio.wait_for(self._workers.open(), _PATIENCE)
                while not self._closed:
                    await self._count(await asyncio.wait_for(self._workers.threads(), _PATIENCE))
                    self._problems.pop(self._address, None)
                    await self._pause(_CENSUS)
            except Exception as error:
                self._complain(self._address, f"no Dask scheduler answers at {self._address}", error)
            for task in self._there.values():
                task.cancel()
            self._there.clear()
            with suppress(Exception):
                await asyncio.wait_for(self._workers.close(self._player), 2)
            if not self._closed:
                await self._pause(_CENSUS)

    async def _count(self, there: Mapping[str, int]) -> None:
        """Attend to those who have come, and leave those who are gone. What they have told still counts."""
        for worker in self._there.keys() - there.keys():
            self._there.pop(worker).cancel()
            self._ready.discard(worker)
            self._problems.pop(worker, None)
        for worker in there.keys() - self._there.keys():
            seed = split_seed(self._seed, "worker", worker)
            self._there[worker] = asyncio.create_task(self._attend(worker, seed, there[worker]))

    async def _attend(self, worker: str, seed: int, threads: int) -> None:
        """Ask one worker again and again while there is something to search."""
        has = -1
        while not self._closed and worker in self._there:  # Python 3.11 may lose that a task is cancelled
            changed = self._changed
            every = max(_EVERY, _EACH * len(self._there))
            number, content = self._parcel()
            root = self._root
            if number >= 0:
                parcel = None if has == number else Parcel(content, seed, self._memory, threads)
                try:
                    told = await self._workers.ask(worker, Order(self._player, number, root, _LEASE * every), parcel)
                    has = told.parcel
                    self._hear(worker, number, told)
                except Exception as error:  # this worker's part is lost, and no other
                    if worker not in self._there:
                        return
                    has = -1
                    self._ready.discard(worker)
                    self._complain(worker, f"{worker} cannot help", error)
                    await self._pause(_CENSUS)
            is_idle = self._root is None and self._to_pack is None and worker in self._ready
            with suppress(TimeoutError):
                await asyncio.wait_for(changed.wait(), None if is_idle else every)  # at once, if it has changed since

    def _parcel(self) -> tuple[int, bytes]:
        """The last parcel and its number; -1 if there is none."""
        with self._lock:
            number, search = self._number, self._to_pack
        if search is not None:
            try:
                content = packed(search)
            except RuntimeError:  # programs are being made at this moment; the next question brings it
                return -1, b""
            with self._lock:
                if number == self._number:
                    self._content, self._to_pack = content, None
        with self._lock:
            return (self._number, self._content) if self._content else (-1, b"")

    def _hear(self, worker: str, number: int, told: Told) -> None:
        """Add what one worker knows, if it is of what is searched now."""
        if told.problem:
            self._complain(worker, f"{worker} cannot help", told.problem)
        else:
            self._problems.pop(worker, None)
        with self._lock:
            if number != self._number or told.parcel != number:
                return
            if told.is_ready:
                self._ready.add(worker)
            if told.known is not None and self._root is not None and told.root == self._root:
                self._totals.hear(worker, told.known)
                self._simulations[worker] = told.simulations

    def _complain(self, whose: str, what: str, why: object) -> None:
        problem = f"{what}: {str(why) or type(why).__name__}"
        if problem != self._problems.get(whose):
            _LOG.warning("%s", problem)
        self._problems[whose] = problem

    async def _pause(self, seconds: float) -> None:
        """Wait, but not when this is closed."""
        end = time.monotonic() + seconds
        while not self._closed and (left := end - time.monotonic()) > 0:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), left)
