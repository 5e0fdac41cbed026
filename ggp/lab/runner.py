"""Do the missing jobs of a plan, in any order, and keep each result as soon as it is there."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Future, wait
from typing import Any

from gdl import GdlError
from ggp import __version__
from ggp.core.errors import GgpError, MachineError, UsageError
from ggp.core.faults import explain
from ggp.lab.plan import Job, Json, Texts
from ggp.lab.pool import Pool
from ggp.lab.progress import Progress
from ggp.lab.store import Store

Perform = Callable[[Mapping[str, Json], Texts], Json]
_TRIES = 3
"""A job that was being done each time that workers were lost, this often, is given up."""


def run_jobs(
    jobs: Sequence[Job],
    perform: Perform,
    texts: Texts,
    store: Store,
    pool: Pool,
    progress: Progress,
    until: Callable[[], bool] | None = None,
) -> None:
    """Do all jobs that have no result yet; stop early once `until`, asked after each result, says so."""
    missing = deque(job for job in jobs if job.key not in store.results)
    pending: dict[Future[Any], Job] = {}
    losses: Counter[str] = Counter()
    while (missing or pending) and not (until and until()):
        room = 2 * pool.width() - len(pending)
        for _ in range(min(room, len(missing))):
            job = missing.popleft()
            own = {name: texts[name] for name in job.games}
            pending[_submit(pool, perform, job, own)] = job
        done, _ = wait(pending, return_when=FIRST_COMPLETED)
        lost: list[Job] = []
        for future in sorted(done, key=lambda future: pending[future].key):
            job = pending.pop(future)
            if (outcome := _outcome(job, future)) is None:
                lost.append(job)
                continue
            store.add(job, *outcome)
            progress.done(job, outcome[2])
        if lost:
            lost += _broken(pending)
            missing.extendleft(sorted(lost, key=lambda job: job.key, reverse=True))
            _count_losses(lost, losses, progress)
            pool.restart()


def work(perform: Perform, job: Mapping[str, Json], texts: Texts) -> tuple[str, Json, str, float]:
    """In a worker: do a job. Errors meant for the user come back as text, since not every exception can travel; those of
    a machine that could not answer are told from others.
    """
    start = time.perf_counter()
    try:
        value = perform(job, texts)
    except (GdlError, GgpError, OSError) as error:
        return "limit" if explain(error)[0] == 3 else "error", f"{error}", __version__, 0.0
    return "value", value, __version__, time.perf_counter() - start


def _submit(pool: Pool, perform: Perform, job: Job, texts: Texts) -> Future[Any]:
    try:
        return pool.submit(work, perform, dict(job.work), texts)
    except BrokenExecutor as error:  # a worker was lost just now
        broken: Future[Any] = Future()
        broken.set_exception(error)
        return broken


def _outcome(job: Job, future: Future[Any]) -> tuple[Json, str, float] | None:
    """The value, the version and the seconds of a finished job; None if its worker was lost."""
    try:
        kind, value, version, seconds = future.result()
    except BrokenExecutor:
        return None
    except CancelledError:
        raise MachineError(f"job {job.key}: the cluster has let go of it; results so far are kept") from None
    except Exception as error:
        if type(error).__name__ == "KilledWorker":  # of Dask, which may not be installed
            return None
        raise
    if kind != "value":
        raise (MachineError if kind == "limit" else UsageError)(f"job {job.key}: {value}")
    return value, version, seconds


def _broken(pending: dict[Future[Any], Job]) -> list[Job]:
    """Take out what was lost together with its worker: in a local pool, everything that was under way."""
    found = [future for future in pending if future.done() and isinstance(future.exception(), BrokenExecutor)]
    return [pending.pop(future) for future in found]


def _count_losses(lost: Sequence[Job], losses: Counter[str], progress: Progress) -> None:
    losses.update(job.key for job in lost)
    worst, times = losses.most_common(1)[0]
    if times >= _TRIES:
        raise MachineError(f"job {worst}: its worker died {times} times; results so far are kept")
    progress.say(f"a worker was lost; {len(lost)} jobs are done again")
