"""Runs that are interrupted in every way give the same report as undisturbed ones."""

from __future__ import annotations

import dataclasses
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ggp.core.errors import MachineError, UsageError
from ggp.core.progress import duration
from ggp.lab.conduct import make_report, run_experiment, save_report
from ggp.lab.plan import Experiment
from ggp.lab.pool import DaskPool, LocalPool, make_pool
from ggp.lab.progress import TimeLeft
from ggp.lab.store import FILE, read
from tests import lab_fakes
from tests.helpers import ROOT, started
from tests.lab_fakes import DICE, Dice


def dice(**settings: Any) -> Experiment[Any]:
    return dataclasses.replace(DICE, settings=Dice(**settings))


def written(experiment: Experiment[Any], folder: Path) -> dict[str, bytes]:
    files, state, _ = save_report(experiment, folder, folder / "report")
    assert state.done == state.jobs
    return {path.name: path.read_bytes() for path in files if path.name != "dice-run.json"}  # the time that it took


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The report of six jobs, done by one worker."""
    folder = tmp_path_factory.mktemp("undisturbed")
    run_experiment(DICE, folder, lambda: LocalPool(1))
    return written(DICE, folder)


def test_the_number_of_workers_and_the_order_of_results_do_not_matter(
    tmp_path: Path, undisturbed: dict[str, bytes]
) -> None:
    run_experiment(DICE, tmp_path, lambda: LocalPool(2))
    assert written(DICE, tmp_path) == undisturbed
    lines = (tmp_path / FILE).read_bytes().splitlines(keepends=True)
    tail = lines[1:]
    random.Random(1).shuffle(tail)
    (tmp_path / FILE).write_bytes(b"".join([lines[0], *tail]))
    assert written(DICE, tmp_path) == undisturbed


def test_a_finished_run_needs_no_workers(tmp_path: Path) -> None:
    run_experiment(DICE, tmp_path, lambda: LocalPool(1))
    before = (tmp_path / FILE).read_bytes()
    assert run_experiment(DICE, tmp_path, no_pool).done == 6
    assert (tmp_path / FILE).read_bytes() == before


def no_pool() -> LocalPool:
    raise AssertionError("nothing is to be done")


def test_only_missing_jobs_are_done(tmp_path: Path, undisturbed: dict[str, bytes]) -> None:
    run_experiment(DICE, tmp_path, lambda: LocalPool(1))
    path = tmp_path / FILE
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:4]) + lines[4][:30])  # three results and a torn fourth
    run_experiment(DICE, tmp_path, lambda: LocalPool(1))
    assert len(path.read_bytes().splitlines()) == 7
    assert path.read_bytes().splitlines(keepends=True)[:4] == lines[:4]
    assert written(DICE, tmp_path) == undisturbed


def test_a_worker_that_dies_costs_only_its_unfinished_work(tmp_path: Path, undisturbed: dict[str, bytes]) -> None:
    experiment = dice(flag=str(tmp_path), die=("job/01", "job/04"))
    run_experiment(experiment, tmp_path / "results", lambda: LocalPool(2))
    found = written(experiment, tmp_path / "results")
    assert found["dice-throws.csv"] == undisturbed["dice-throws.csv"]
    assert len(list(tmp_path.glob("job-*"))) == 2


def test_a_job_that_kills_its_worker_each_time_is_given_up(tmp_path: Path) -> None:
    deadly = dataclasses.replace(DICE, settings=Dice(jobs=1), perform=lab_fakes.perform_and_always_die)
    with pytest.raises(MachineError, match="job job/00: its worker died 3 times"):
        run_experiment(deadly, tmp_path, lambda: LocalPool(1))


def test_errors_of_jobs_are_told_and_other_results_are_kept(tmp_path: Path) -> None:
    bad = dataclasses.replace(DICE, perform=lab_fakes.perform_badly)
    with pytest.raises(UsageError, match="job job/02: the dice are loaded"):
        run_experiment(bad, tmp_path, lambda: LocalPool(1))
    assert {"job/00", "job/01"} <= read(tmp_path).results.keys()


def test_a_run_stops_early_when_enough_is_known(tmp_path: Path) -> None:
    state = run_experiment(dice(jobs=50), tmp_path, lambda: LocalPool(1), until=lambda values: len(values) >= 3)
    assert 3 <= state.done < 10
    assert run_experiment(dice(jobs=50), tmp_path, no_pool, until=lambda values: len(values) >= 3).done == state.done


def test_rules_of_games_travel_with_the_jobs(tmp_path: Path) -> None:
    game = tmp_path / "tiny.kif"
    game.write_text("(role me)")
    run_experiment(dice(jobs=1, games=(str(game),)), tmp_path / "results", lambda: LocalPool(1))
    assert read(tmp_path / "results").results["job/00"].value[-1] == len("(role me)")
    game.write_text("(role you)")
    with pytest.raises(UsageError, match="begun for other rules of games"):
        make_report(dice(jobs=1, games=(str(game),)), tmp_path / "results")


SCRIPT = """
import sys
from pathlib import Path
from ggp.lab.conduct import run_experiment
from ggp.lab.pool import LocalPool
from tests.test_lab_runner import dice
if __name__ == "__main__":
    run_experiment(dice(seconds=0.2), Path(sys.argv[1]), lambda: LocalPool(2))
"""


def test_a_run_killed_with_sigkill_resumes_to_the_same_bytes(tmp_path: Path) -> None:
    """The workers end with it, too."""
    experiment = dice(seconds=0.2)
    run_experiment(experiment, tmp_path / "whole", lambda: LocalPool(2))
    script = tmp_path / "run.py"
    script.write_text(SCRIPT)
    folder = tmp_path / "killed"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with started([sys.executable, script, folder], env=environment) as process:
        wait_until(lambda: (folder / FILE).exists() and len((folder / FILE).read_bytes().splitlines()) >= 3)
        children = children_of(process.pid)
        process.kill()
    assert len(children) >= 2
    wait_until(lambda: not any(Path(f"/proc/{child}").exists() for child in children))
    assert 2 <= len(read(folder).results) < 6
    run_experiment(experiment, folder, lambda: LocalPool(2))
    assert written(experiment, folder) == written(experiment, tmp_path / "whole")


def children_of(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def wait_until(condition: Any, seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.02)


CLUSTER = """
import sys
from distributed import LocalCluster
if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1") as cluster:
        print(cluster.scheduler_address, flush=True)
        for line in sys.stdin:
            print(cluster.workers[0].process.process.pid, flush=True)
"""


class Cluster:
    """A Dask cluster of two worker processes on this machine."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdin is not None and process.stdout is not None
        self._stdin, self._stdout = process.stdin, process.stdout
        self.address = process.stdout.readline().strip()

    def kill_a_worker(self) -> None:
        self._stdin.write("\n")
        self._stdin.flush()
        os.kill(int(self._stdout.readline()), signal.SIGKILL)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    script = tmp_path_factory.mktemp("cluster") / "cluster.py"
    script.write_text(CLUSTER)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with started([sys.executable, script], env=environment, cwd=ROOT, **pipes) as process:
        yield Cluster(process)
        assert process.stdin is not None
        process.stdin.close()
        process.wait(30)


def test_a_dask_cluster_that_loses_a_worker_half_way_gives_the_same_report(tmp_path: Path, cluster: Cluster) -> None:
    experiment = dice(jobs=12, seconds=0.15)
    run_experiment(experiment, tmp_path / "local", lambda: LocalPool(2))
    killed: list[int] = []

    def kill_half_way(values: Any) -> bool:
        if len(values) >= 5 and not killed:
            killed.append(len(values))
            cluster.kill_a_worker()
        return False

    run_experiment(experiment, tmp_path / "cluster", lambda: make_pool(None, cluster.address), until=kill_half_way)
    assert killed
    assert written(experiment, tmp_path / "cluster") == written(experiment, tmp_path / "local")


def test_errors_come_back_from_a_cluster(tmp_path: Path, cluster: Cluster) -> None:
    bad = dataclasses.replace(DICE, perform=lab_fakes.perform_badly)
    with pytest.raises(UsageError, match="job job/02: the dice are loaded"):
        run_experiment(bad, tmp_path, lambda: DaskPool(cluster.address))


def test_where_no_cluster_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ggp.lab.pool._PATIENCE", 1)
    with pytest.raises(UsageError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:9"):
        DaskPool("tcp://127.0.0.1:9")
    with pytest.raises(UsageError, match="no Dask scheduler answers at nonsense"):
        DaskPool("nonsense://x")


def test_settings_from_the_command_line() -> None:
    changed = DICE.with_settings(["jobs=3", "seconds=0.5", "die=a, b"])
    assert changed.settings == Dice(jobs=3, seconds=0.5, die=("a", "b"))
    for wrong, message in {
        "jobs": "settings of dice are jobs=…, throws=…",
        "size=3": "settings of dice are",
        "jobs=many": "jobs=many: not a number",
    }.items():
        with pytest.raises(UsageError, match=message):
            DICE.with_settings([wrong])


def test_time_left_knows_groups() -> None:
    jobs = [dataclasses.replace(job, group="slow" if i > 2 else "quick") for i, job in enumerate(lab_fakes.plan(Dice()))]
    left = TimeLeft(jobs)
    assert left.seconds(2) is None
    left.done(jobs[0], 1.0)
    assert left.seconds(1) == pytest.approx(5.0)
    left.done(jobs[5], 10.0)
    assert left.seconds(1) == pytest.approx(2 * 1 + 2 * 10)
    assert left.seconds(2) == pytest.approx(11)
    assert [duration(s) for s in (0.4, 75, 7500)] == ["0 s", "1 min 15 s", "2 h 5 min"]


def test_results_say_what_repeats_them(tmp_path: Path) -> None:
    run_experiment(DICE, tmp_path, lambda: LocalPool(1))
    lines = [json.loads(line) for line in (tmp_path / FILE).read_text().splitlines()]
    assert lines[0] == {
        "experiment": "dice",
        "games": {},
        "plan": 1,
        "settings": {**vars(Dice()), "die": [], "games": []},
    }
    for line in lines[1:]:
        assert lab_fakes.perform(line["work"], {}) == line["value"]
        assert line["version"]
