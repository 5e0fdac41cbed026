"""A small experiment for tests of the laboratory: its jobs draw numbers, wait if told to, and can die."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ggp.core.errors import UsageError
from ggp.core.statistics import mean
from ggp.lab.figures import Curve, Curves, HeatMaps
from ggp.lab.plan import Experiment, Job, Json, Texts
from ggp.lab.report import Report, Table


@dataclass(frozen=True)
class Dice:
    """Settings: how many jobs, of how many throws, how long each takes, and what else happens."""

    jobs: int = 6
    throws: int = 10
    seconds: float = 0.0
    flag: str = ""
    """A folder; the first time that a job named in `die` is done, a file appears there and the worker dies."""
    die: tuple[str, ...] = ()
    games: tuple[str, ...] = ()


def plan(settings: Dice) -> Sequence[Job]:
    works: list[dict[str, Any]] = [
        {"seed": i, "throws": settings.throws, "seconds": settings.seconds, "flag": settings.flag,
         "die": f"job/{i:02d}" in settings.die, "key": f"job/{i:02d}"}
        for i in range(settings.jobs)
    ]  # fmt: skip
    return [Job(work["key"], "dice", work, settings.games) for work in works]


def perform(work: Mapping[str, Json], texts: Texts) -> Json:
    time.sleep(work["seconds"])
    if work["die"]:
        marker = Path(work["flag"]) / str(work["key"]).replace("/", "-")
        if not marker.exists():
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
    generator = random.Random(work["seed"])
    return [generator.randint(1, 6) for _ in range(work["throws"])] + [len(text) for text in texts.values()]


def perform_and_always_die(work: Mapping[str, Json], texts: Texts) -> Json:
    os.kill(os.getpid(), signal.SIGKILL)


def perform_badly(work: Mapping[str, Json], texts: Texts) -> Json:
    if work["seed"] == 2:
        raise UsageError("the dice are loaded")
    return perform(work, texts)


def report(settings: Dice, values: Mapping[str, Json]) -> Report:
    rows = tuple((key, mean(thrown).value, len(thrown)) for key, thrown in values.items())
    points = tuple((float(i), mean(t).value, mean(t).low, mean(t).high) for i, t in enumerate(values.values(), 1))
    table = Table("throws", ("job", "mean", "throws"), rows, digits=2)
    curves = Curves("means", "Means", "job", "mean", (Curve("dice", points), Curve("again", points)), (True, True))
    grid = HeatMaps("grid", "Grid", ("d1", ("0", "∞")), ("d3", ("0", "1")), (("d2 = 0", ((1.0, 2.0), (3.0, None))),))
    return Report("Dice", (f"{len(rows)} of {settings.jobs} jobs.", table, curves, grid), {"jobs": len(rows)})


DICE: Experiment[Any] = Experiment("dice", "Dice", 1, Dice(), plan, perform, report)
