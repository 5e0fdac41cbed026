"""What the page costs: how soon watchers know a step, what analysis and spectators take from a search.

Ratios are of processor time, so that other work beside them does no harm; `-s` shows the figures.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import statistics
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

import pytest

pytest.importorskip("starlette", reason="the page needs `pip install 'ggp[web]'`")
pytest.importorskip("uvicorn", reason="the page needs `pip install 'ggp[web]'`")

from websockets.asyncio.client import connect

from ggp.analysis.live import Watcher
from ggp.search.search import Search
from ggp.search.tree import Tree
from tests.web_site import Site, heard

pytestmark = pytest.mark.slow
PLAYER = "ucd:policy=uniform"
SECONDS, ROUNDS = 4.0, 3
SPECTATORS = 200


def test_a_step_reaches_ten_watchers_within_a_tenth_of_a_second(served: Site) -> None:
    made = served.post("/api/matches", game="tic_tac_toe", players=["human", "human"])
    match, keys = made["id"], made["keys"]
    taken = []
    with ExitStack() as stack:
        sockets = [stack.enter_context(served.watch(match)) for _ in range(10)]
        for socket in sockets:
            while not heard(socket)["status"]["asked"]:
                pass
        for step, move in enumerate(["(mark 1 1)", "(mark 1 2)", "(mark 2 2)", "(mark 2 1)", "(mark 3 1)", "(mark 1 3)"]):
            begun = time.monotonic()
            served.post(f"/api/matches/{match}/move", key=keys[str(step % 2)], step=step, move=move)
            for socket in sockets:
                while not heard(socket)["steps"]:
                    pass
            taken.append(time.monotonic() - begun)
    served.post(f"/api/matches/{match}/resign", key=keys["0"])
    print(f"to ten watchers: {[round(1000 * each) for each in taken]} ms")
    assert statistics.median(taken) < 0.1


class Clocked(Watcher):
    """Counts what the thread of a search works for the search itself, and what the process works in that time."""

    def __init__(self, search: Search, roles: Sequence[int]) -> None:
        super().__init__(search, roles)
        self._since: tuple[float, float] | None = None
        self._looking = 0.0

    def see(self, tree: Tree) -> None:
        """Look at the tree, and at the clocks before and after."""
        own, all_ = time.thread_time(), time.process_time()
        self._since = self._since or (own, all_)
        searching, process = own - self._since[0] - self._looking, all_ - self._since[1]
        if process:
            SHARES.append(searching / process)
        super().see(tree)
        self._looking += time.thread_time() - own


SHARES: list[float] = []
"""Of the processor time since a search began, what went into it: at each look."""


def test_analysis_is_told_four_times_a_second_and_costs_little(
    served: Site, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    """What reads the news is in this process, too, and counted as a cost."""
    monkeypatch.setattr("ggp.analysis.looking.Watcher", Clocked)
    shares, often = [], []
    for _ in range(ROUNDS + 1):
        SHARES.clear()
        with served.live("/api/analysis/live", game="connect_four", seconds=SECONDS) as socket:
            told = [json.loads(message) for message in socket]
        first, last = told[0], told[-2]
        shares.append(SHARES[-1])
        often.append((len(told) - 2) / (last["seconds"] - first["seconds"]))
    share, rate = statistics.median(shares[1:]), statistics.median(often[1:])  # the first compiles
    print(f"analysis: {share:.3f} of the processor's time for the search; told {rate:.2f} times a second")
    assert rate >= 4
    assert 0.95 <= share <= 1.001


def spectate(url: str, match: str) -> None:
    """Watch a match many times over, from a process of its own."""

    async def watch() -> None:
        async with connect(f"{url.replace('http', 'ws')}/api/matches/{match}/live") as socket:
            await socket.send('{"keys": []}')
            async for _ in socket:
                pass

    async def watch_all() -> None:
        await asyncio.gather(*(watch() for _ in range(SPECTATORS)))

    asyncio.run(watch_all())


@contextmanager
def spectators(served: Site, match: str, wanted: bool) -> Iterator[None]:
    """Two hundred, or none."""
    if not wanted:
        yield
        return
    room = served.services.rooms.find(match)
    child = multiprocessing.get_context("spawn").Process(target=spectate, args=(served.url, match), daemon=True)
    child.start()
    try:
        until = time.monotonic() + 60
        while room.watchers() < SPECTATORS:
            assert time.monotonic() < until and child.is_alive()
            time.sleep(0.1)
        yield
    finally:
        child.terminate()
        child.join()


def test_two_hundred_idle_spectators_do_not_slow_the_player(served: Site) -> None:
    def rate(wanted: bool) -> float:
        """Simulations per second of the processor of a player that has a second for each of six moves."""
        made = served.post("/api/matches", game="breakthrough", players=["human", PLAYER], playclock=1, seed=1)
        match, key = made["id"], made["keys"]["0"]
        done = 0
        with served.watch(match, [key]) as socket, spectators(served, match, wanted):
            news = heard(socket, "asked")
            begun = time.process_time()
            for step in range(0, 12, 2):
                move = news["board"]["legal"][0][0]["move"]
                served.post(f"/api/matches/{match}/move", key=key, step=step, move=move)
                while not news["steps"] or news["steps"][-1]["number"] != step + 2:
                    news = heard(socket)
                done += news["steps"][-1]["reports"][1]["simulations"]
            spent = time.process_time() - begun
        served.post(f"/api/matches/{match}/resign", key=key)
        return done / spent

    rate(False)  # compiles
    alone, watched = list[float](), list[float]()
    for _ in range(ROUNDS):
        alone.append(rate(False))
        watched.append(rate(True))
    ratio = sum(watched) / sum(alone)
    print(f"{SPECTATORS} spectators: {ratio:.3f} of the speed; {alone} {watched}")
    assert ratio >= 0.95
