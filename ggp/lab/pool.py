"""Where jobs are done: in processes of this machine, or on a Dask cluster. Both are `concurrent.futures` executors.

A worker that is lost costs the jobs that it was doing, and no others: local processes are started anew, Dask's scheduler
gives the jobs to other workers.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from multiprocessing.connection import Connection
from typing import Any, Protocol

from ggp.core.dask import distributed
from ggp.core.errors import UsageError

_PATIENCE = 10
"""Seconds to wait for the scheduler, and then for its first worker."""


class Pool(Protocol):
    """Does jobs elsewhere."""

    def width(self) -> int:
        """How many jobs can be done at the same time now."""
        ...

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Have a function called, one that another process can import."""
        ...

    def restart(self) -> None:
        """Go on after a worker was lost."""
        ...

    def close(self) -> None:
        """Stop at once, whatever is being done."""
        ...


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0))


class LocalPool:
    """Processes of this machine, which end when this process does, however that ends."""

    def __init__(self, workers: int | None = None) -> None:
        self._workers = workers or processors()
        self._start()

    def width(self) -> int:
        """As many as there are processes."""
        return self._workers

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Have a function called by one of the processes."""
        return self._executor.submit(function, *arguments)

    def restart(self) -> None:
        """New processes for all."""
        self.close()
        self._start()

    def close(self) -> None:
        """End all processes now."""
        self._alive.close()
        self._executor.shutdown(wait=True, cancel_futures=True)
        self._listener.close()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")  # a fork would share locks of threads, and the writing end below
        self._listener, self._alive = context.Pipe(duplex=False)
        self._executor: Executor = ProcessPoolExecutor(self._workers, context, _prepare, (self._listener,))


def _prepare(listener: Connection) -> None:
    """In a new worker: leave Ctrl-C to the parent, and end as soon as the parent closes its end of the pipe, or dies."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        listener.poll(None)
        os._exit(1)

    threading.Thread(target=watch, daemon=True, name="watch-parent").start()


class DaskPool:
    """The workers of a Dask scheduler."""

    def __init__(self, address: str) -> None:
        dask = distributed()
        try:
            self._client = dask.Client(address, timeout=_PATIENCE, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise UsageError(f"no Dask scheduler answers at {address}: {error}") from None
        try:
            self._client.wait_for_workers(1, timeout=_PATIENCE)
        except (OSError, TimeoutError):
            self._client.close()
            raise UsageError(f"the Dask scheduler at {address} has no workers (dask worker {address})") from None
        self._executor: Executor = self._client.get_executor(pure=False)

    def width(self) -> int:
        """The threads of all workers that are there now."""
        threads: int = sum(self._client.nthreads().values())
        return max(1, threads)

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Have a function called by one of the workers."""
        return self._executor.submit(function, *arguments)

    def restart(self) -> None:
        """The scheduler goes on by itself."""

    def close(self) -> None:
        """Take back what is not done, and leave the cluster to others."""
        self._executor.shutdown(wait=False)  # which cancels, in Dask
        self._client.close()


def make_pool(workers: int | None, cluster: str | None) -> Pool:
    """A Dask cluster if an address is given, else local processes."""
    return DaskPool(cluster) if cluster else LocalPool(workers)
