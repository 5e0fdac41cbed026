"""The workers of a cluster beside a player's search: faked with any delays, and a real one whose workers die and stop."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping

import pytest

from ggp.core.dask import distributed
from ggp.core.errors import UsageError
from ggp.machines.circuit import CircuitMachine
from ggp.players.player import Turn
from ggp.search import helper
from ggp.search.choice import MoveStats, merged
from ggp.search.cluster import Cluster
from ggp.search.elsewhere import Elsewhere, Totals
from ggp.search.helper import Order, Parcel, Told, ask, forget, packed
from ggp.search.player import SearchPlayer
from ggp.search.presets import search_options
from ggp.search.search import Search
from ggp.search.settings import SearchSettings, Thinking
from ggp.search.trace import Line
from tests.compiled import compiled
from tests.helpers import ROOT, started

MEMORY = 2**24
SETTINGS = SearchSettings(slots=16)


def search_of(name: str = "connect_four") -> Search:
    machine = compiled(name)
    search = Search(machine, SETTINGS, 1, memory=MEMORY)
    search.start(machine.initial())
    search.prepare()
    return search


def wait_until(condition: object, seconds: float = 60) -> None:
    assert callable(condition)
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.02)


# ---- what many know -------------------------------------------------------------------------------------------------


def test_what_many_know_is_added_up_and_what_one_says_again_replaces_what_it_said() -> None:
    one = [MoveStats(0, 10, 40.0, 49.0, None, 0), MoveStats(1, 30, 60.0, 49.0, None, 0)]
    other = [MoveStats(1, 10, 20.0, 40.0, None, 0), MoveStats(2, 5, 0.0, 0.0, 0.0, 3)]
    totals = Totals()
    totals.hear("a", Elsewhere(2.0, [[MoveStats(0, 2, 100.0, 0.0, None, 0)]]))
    totals.hear("a", Elsewhere(40.0, [one]))
    totals.hear("b", Elsewhere(15.0, [other], (0.0,), Line(70, (1,))))
    found = totals.sum()
    assert (found.visits, totals.heard, found.values, found.line) == (55.0, 2, (0.0,), Line(70, (1,)))
    for move, wanted in zip(found.moves[0], merged([one, other]), strict=True):
        assert (move.input, move.visits, move.proven, move.length) == (
            wanted.input, wanted.visits, wanted.proven, wanted.length
        )  # fmt: skip
        assert (move.mean, move.spread) == pytest.approx((wanted.mean, wanted.spread))


def test_a_search_counts_what_others_have_found_of_its_root_and_of_no_other() -> None:
    search = search_of()
    search.run(simulations=100)
    own = search.moves(0)
    search.elsewhere = Elsewhere(1000.0, [[MoveStats(own[0].input, 1000, 90.0, 30.0, None, 0)], []], (100.0, 0.0))
    assert search.visits == sum(move.visits for move in own) + 1000
    best = search.best(0)
    assert best is not None and best.input == own[0].input and best.visits == own[0].visits + 1000
    assert search.solved and (search.value(0), search.value(1)) == (100.0, 0.0)
    machine = search.machine
    joint = tuple(moves[0] for moves in machine.situation(search.position).legal)
    search.start(machine.next(search.position, joint))
    assert search.elsewhere.visits == 0 and not search.solved and search.value(0) is None


# ---- one worker -----------------------------------------------------------------------------------------------------


def parcel_of(search: Search, threads: int = 1) -> Parcel:
    return Parcel(packed(search), 7, MEMORY, threads)


def test_a_worker_searches_while_it_is_asked_and_keeps_its_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(helper, "_FORGET", 1.0)
    search = search_of()
    order = Order("a worker", 3, search.position, 30.0)
    assert ask(order, None) == Told(-1, None, None, 0, "", is_ready=False)  # it has no game yet
    try:
        assert ask(order._replace(root=None), parcel_of(search, threads=2)).parcel == 3
        wait_until(lambda: ask(order._replace(root=None), None).is_ready)
        wait_until(lambda: (told := ask(order, None)).known is not None and told.simulations > 2000)
        told = ask(order, None)
        assert told.known is not None and not told.problem and told.root == search.position
        assert sum(move.visits for move in told.known.moves[0]) == told.known.visits >= told.simulations > 2000
        assert ask(order._replace(root=None), None).known is None
        time.sleep(0.3)
        again = ask(order, None)  # it goes on where it was
        wait_until(lambda: ask(order, None).known is not None)
        again = ask(order, None)
        assert again.known is not None and again.known.visits >= told.known.visits
    finally:
        forget("a worker")
    assert ask(order, None).parcel == -1


def test_a_worker_that_is_asked_no_more_forgets_the_player(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(helper, "_FORGET", 0.5)
    search = search_of("tic_tac_toe")
    order = Order("somebody", 0, search.position, 0.2)
    ask(order, parcel_of(search))
    wait_until(lambda: "somebody" not in helper._HELPERS)


def test_a_worker_goes_on_with_a_better_circuit_and_tells_what_it_cannot_read() -> None:
    search = search_of("tic_tac_toe")
    order = Order("better", 0, search.position, 30.0)
    try:
        ask(order, Parcel(b"nonsense", 1, MEMORY, 1))
        wait_until(lambda: "UnpicklingError" in ask(order, None).problem)
        order = order._replace(parcel=1)
        ask(order, parcel_of(search))
        wait_until(lambda: ask(order, None).known is not None)
        wait_until(lambda: getattr(ask(order, None).known, "values", None) == (50.0, 50.0))
        order = order._replace(parcel=2)
        ask(order, parcel_of(search))
        wait_until(lambda: getattr(ask(order, None).known, "values", None) == (50.0, 50.0))
    finally:
        forget("better")


# ---- many that are faked --------------------------------------------------------------------------------------------


class Fakes:
    """Workers that answer late, never, or with an error."""

    def __init__(self, delays: Mapping[str, float | None]) -> None:
        """`delays`: seconds of each worker; None: it cannot answer."""
        self.delays = dict(delays)
        self.parcels = dict.fromkeys(delays, 0)
        self.has = dict.fromkeys(delays, -1)
        self.asked = dict.fromkeys(delays, 0)
        self.closed = False

    async def open(self) -> None:
        if not self.delays:
            raise OSError("nobody is there")

    async def threads(self) -> Mapping[str, int]:
        return dict.fromkeys(self.delays, 1)

    async def ask(self, worker: str, order: Order, parcel: Parcel | None) -> Told:
        self.asked[worker] += 1
        if parcel is not None:
            self.parcels[worker] += 1
            self.has[worker] = order.parcel
        await asyncio.sleep(self.delays[worker] or 0)
        if self.delays[worker] is None:
            raise OSError("the line is dead")
        known = None if order.root is None else Elsewhere(10.0, [[MoveStats(0, 10, 50.0, 50.0, None, 0)], []])
        return Told(self.has[worker], order.root, known, 10, "", is_ready=True)

    async def close(self, player: str) -> None:
        self.closed = True


def moves_in(cluster: Cluster, search: Search, seconds: float) -> float:
    """Search for a move; how much later than the deadline it was there."""
    deadline = time.monotonic() + seconds
    cluster.search(search, deadline=deadline)
    return time.monotonic() - deadline


LATE = 0.25
"""Seconds that a crowded machine may take to notice a deadline; `ggp` keeps more than that."""


def test_each_gets_the_game_once_and_what_each_says_counts_once() -> None:
    fakes = Fakes({f"w{n}": 0.001 * n for n in range(20)})
    search, cluster = search_of(), Cluster("fake://", 1, MEMORY, fakes)
    try:
        cluster.give(search)
        assert cluster.wait(20, 20)
        for _ in range(3):
            assert moves_in(cluster, search, 0.6) < LATE
        assert cluster.heard == 20 and cluster.simulations == 200 and search.elsewhere.visits == 200
        assert set(fakes.parcels.values()) == {1}
        search.machine = search.machine.twin()  # another circuit
        cluster.give(search)
        assert cluster.wait(20, 20)
        assert set(fakes.parcels.values()) == {2} and not cluster.problem
    finally:
        cluster.close()
    assert fakes.closed


def test_who_is_late_or_silent_costs_its_own_part() -> None:
    fakes = Fakes({"good": 0.01, "late": 0.2, "stopped": 3600.0, "dead": None})
    search, cluster = search_of(), Cluster("fake://", 1, MEMORY, fakes)
    try:
        cluster.give(search)
        assert cluster.wait(1, 2)  # two of four are ready then
        assert moves_in(cluster, search, 1.0) < LATE
        assert cluster.heard == 2 and cluster.problem == "dead cannot help: the line is dead"
        del fakes.delays["dead"]
        wait_until(lambda: not cluster.problem, 10)
        fakes.delays["new"] = 0.0
        fakes.parcels["new"], fakes.has["new"], fakes.asked["new"] = 0, -1, 0
        wait_until(lambda: moves_in(cluster, search, 0.5) < LATE and cluster.heard == 3, 20)
    finally:
        cluster.close()


def test_without_anybody_the_player_searches_alone() -> None:
    search, cluster = search_of(), Cluster("fake://nowhere", 1, MEMORY, Fakes({}))
    try:
        assert moves_in(cluster, search, 0.5) < LATE
        assert cluster.heard == 0 and search.visits > 0
        assert cluster.problem == "no Dask scheduler answers at fake://nowhere: nobody is there"
    finally:
        cluster.close()


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 10, 100, 1000])
def test_a_thousand_workers_with_delays_are_heard_and_no_deadline_is_missed(workers: int) -> None:
    fakes = Fakes({f"w{n}": 0.005 + 0.2 * (n % 10 == 9) for n in range(workers)})
    search, cluster = search_of(), Cluster("fake://", 1, MEMORY, fakes)
    try:
        cluster.give(search)
        assert cluster.wait(60, workers)
        late = [moves_in(cluster, search, 6.0) for _ in range(3)]
        print(f"{workers} workers: {cluster.heard} heard, {max(late):.3f} s after the deadline at most")
        assert cluster.heard == workers and max(late) < LATE
    finally:
        cluster.close()


# ---- the player -----------------------------------------------------------------------------------------------------


def test_without_dask_the_command_says_how_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"a cluster needs Dask, .* pip install 'ggp\[lab\]'"):
        distributed()


def test_the_option() -> None:
    assert search_options("ucd", {"cluster": "tcp://127.0.0.1:9"})[1].cluster == "tcp://127.0.0.1:9"
    with pytest.raises(UsageError, match="cluster=nowhere makes no sense"):
        search_options("ucd", {"cluster": "nowhere"})
    with pytest.raises(UsageError, match="cluster goes with time, not with counted simulations"):
        search_options("ucd", {"cluster": "tcp://127.0.0.1:9", "simulations": "10"})


# ---- a real one -----------------------------------------------------------------------------------------------------

CLUSTER = """
import sys
from distributed import LocalCluster
if __name__ == "__main__":
    settings = {"threads_per_worker": 1, "dashboard_address": None, "host": "127.0.0.1"}
    with LocalCluster(n_workers=int(sys.argv[1]), **settings) as cluster:
        print(cluster.scheduler_address, flush=True)
        for line in sys.stdin:
            print(*(worker.process.process.pid for worker in cluster.workers.values()), flush=True)
"""


class Real:
    """A Dask cluster of worker processes on this machine."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdin is not None and process.stdout is not None
        self._stdin, self._stdout = process.stdin, process.stdout
        self.address = process.stdout.readline().strip()

    def workers(self) -> list[int]:
        """The numbers of the processes."""
        self._stdin.write("\n")
        self._stdin.flush()
        return list(map(int, self._stdout.readline().split()))


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Real]:
    script = tmp_path_factory.mktemp("cluster") / "cluster.py"
    script.write_text(CLUSTER)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "DASK_LOGGING__DISTRIBUTED": "error"}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with started([sys.executable, script, "4"], env=environment, cwd=ROOT, **pipes) as process:
        yield Real(process)
        assert process.stdin is not None
        process.stdin.close()
        process.wait(60)


def choose(player: SearchPlayer, machine: CircuitMachine, seconds: float) -> float:
    """Let a player choose a first move; how much later than the clock allows it does so."""
    position = machine.initial()
    deadline = time.monotonic() + seconds
    move = player.choose(Turn(machine, position, machine.situation(position), 0, deadline))
    assert move in machine.situation(position).legal[0]
    return time.monotonic() - deadline


@pytest.mark.slow
def test_workers_are_killed_and_stopped_while_they_search_and_every_deadline_is_kept(real: Real) -> None:
    machine = compiled("connect_four").twin()
    player = SearchPlayer("ucd", SETTINGS, Thinking(memory=MEMORY, cluster=real.address), 1)
    try:
        player.ponder(Turn(machine, machine.initial(), machine.situation(machine.initial()), 0, time.monotonic() + 5))
        heard = player._cluster
        assert heard is not None
        wait_until(lambda: choose(player, machine, 1.0) < 0 and heard.heard == 4, 120)
        report = player.report()
        assert report["cluster"] == {"workers": 4, "simulations": heard.simulations} and heard.simulations > 0
        killed, stopped, *_ = real.workers()
        os.kill(stopped, signal.SIGSTOP)
        try:
            os.kill(killed, signal.SIGKILL)
            late = [choose(player, machine, 1.0) for _ in range(8)]
        finally:
            os.kill(stopped, signal.SIGCONT)
        assert max(late) < 0, late
        assert 2 <= heard.heard <= 4
        wait_until(lambda: choose(player, machine, 1.0) < 0 and heard.heard == 4, 120)  # those that came back among them
    finally:
        player.close()
