"""Run an experiment, and make its report from what is on disk."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ggp.core.errors import UsageError
from ggp.lab import plots
from ggp.lab.plan import Experiment, Json, library_texts
from ggp.lab.pool import Pool
from ggp.lab.progress import Screen
from ggp.lab.report import Report, write_report
from ggp.lab.runner import run_jobs
from ggp.lab.store import FILE, Result, Store, check_header, read

Standing = Callable[[Mapping[str, Json]], str]
"""What the results so far come to, in a few words."""
Until = Callable[[Mapping[str, Json]], bool]
"""Whether the results so far are enough."""


@dataclass(frozen=True)
class State:
    """How much of an experiment is done."""

    done: int
    jobs: int
    seconds: float
    """Seconds of workers that the done jobs took."""
    versions: tuple[str, ...]
    """Of the program, that made the results."""
    simulations: int
    """That the done jobs were, as far as that can be told."""

    def as_data(self) -> dict[str, Json]:
        """As JSON values, with the rate of one worker."""
        rate = round(self.simulations / self.seconds) if self.seconds else 0
        return {**dataclasses.asdict(self), "seconds": round(self.seconds, 1), "simulations_per_second": rate}


def run_experiment(
    experiment: Experiment[Any],
    folder: Path,
    make_pool: Callable[[], Pool],
    until: Until | None = None,
    *,
    standing: Standing | None = None,
    progress: bool | None = None,
) -> State:
    """Do what is missing. `standing` tells how it stands meanwhile; `progress`: as `Status` has it."""
    jobs = experiment.plan(experiment.settings)
    texts = library_texts(jobs)
    with Store(folder, experiment.header(texts)) as store:
        missing = [job for job in jobs if job.key not in store.results]

        def values() -> dict[str, Json]:
            return {key: result.value for key, result in store.results.items()}

        def enough() -> bool:
            return until is not None and until(values())

        if missing and not enough():
            pool = make_pool()
            try:
                told = (lambda: standing(values())) if standing is not None else None
                done = len(jobs) - len(missing)
                with Screen(experiment.name, missing, done, pool.width, told, progress) as screen:
                    if store.torn:
                        screen.say(f"{store.path}: the last line was torn; its job is done again")
                    run_jobs(jobs, experiment.perform, texts, store, pool, screen, enough if until else None)
            finally:
                pool.close()
        return _state(experiment, store.results, len(jobs))


def make_report(experiment: Experiment[Any], folder: Path) -> tuple[Report, State]:
    """The report of the results on disk; jobs without a result are simply missing."""
    jobs = experiment.plan(experiment.settings)
    stored = read(folder)
    if not stored.header:
        raise UsageError(f"{folder / FILE}: no results yet")
    check_header(folder / FILE, stored.header, experiment.header(library_texts(jobs)))
    found = {job.key: stored.results[job.key] for job in jobs if job.key in stored.results}
    report = experiment.report(experiment.settings, {key: found[key].value for key in sorted(found)})
    return report, _state(experiment, found, len(jobs))


def save_report(experiment: Experiment[Any], folder: Path, to: Path) -> tuple[list[Path], State, bool]:
    """Write the report of the results on disk; whether with plots is told by the last value.

    How long the run took differs from run to run, so it stands in a file of its own, NAME-run.json.
    """
    report, state = make_report(experiment, folder)
    drawn = plots.available()
    written = write_report(report, experiment.name, to, plots=drawn)
    run = to / f"{experiment.name}-run.json"
    run.write_text(json.dumps(state.as_data(), indent=1) + "\n", encoding="utf-8")
    return [*written, run], state, drawn


def _state(experiment: Experiment[Any], results: Mapping[str, Result], jobs: int) -> State:
    found = results.values()
    return State(
        len(results),
        jobs,
        sum(result.seconds for result in found),
        tuple(sorted({result.version for result in found})),
        sum(experiment.simulations(result.work, result.value) for result in found),
    )
