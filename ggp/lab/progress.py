"""How far a run is, how it stands, and how long it will take: a line in a terminal, nothing elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Protocol, TextIO

from ggp.core.progress import Rhythm, Status, duration
from ggp.lab.plan import Job

_SELDOM = 2.0
"""Seconds between two lines in a terminal, at most, where jobs are done all the time."""


class Progress(Protocol):
    """Is told what happens in a run."""

    def done(self, job: Job, seconds: float) -> None:
        """A job is done; it took a worker so long."""
        ...

    def say(self, message: str) -> None:
        """Something the user should know."""
        ...


class TimeLeft:
    """How long the remaining jobs will take, from the mean of those of the same group, or of all."""

    def __init__(self, jobs: Sequence[Job]) -> None:
        self._left: dict[str, int] = {}
        for job in jobs:
            self._left[job.group] = self._left.get(job.group, 0) + 1
        self._seen: dict[str, tuple[int, float]] = {}

    def done(self, job: Job, seconds: float) -> None:
        """A job is done."""
        self._left[job.group] -= 1
        count, total = self._seen.get(job.group, (0, 0.0))
        self._seen[job.group] = count + 1, total + seconds

    def seconds(self, workers: int) -> float | None:
        """Seconds until all are done by so many workers; None as long as nothing is known."""
        if not self._seen:
            return None
        everything = sum(total for _, total in self._seen.values()) / sum(count for count, _ in self._seen.values())
        means = {group: total / count for group, (count, total) in self._seen.items()}
        return sum(left * means.get(group, everything) for group, left in self._left.items()) / max(1, workers)


class Screen:
    """One line on standard error: jobs done, how it stands, time used, time left. In a file only what must be said."""

    def __init__(
        self,
        name: str,
        jobs: Sequence[Job],
        finished: int,
        width: Callable[[], int],
        standing: Callable[[], str] | None = None,
        wanted: bool | None = None,
        stream: TextIO | None = None,
    ) -> None:
        """`width`: how many jobs are done at a time. `standing`: what the results come to so far."""
        self.status = Status(wanted, stream, whole=True)
        self._name, self._width, self._standing = name, width, standing
        self._left = TimeLeft(jobs)
        self._done, self._all = finished, finished + len(jobs)
        self._pace = Rhythm(most=_SELDOM if self.status.live else 60.0)

    def done(self, job: Job, seconds: float) -> None:
        """A job is done."""
        self._left.done(job, seconds)
        self._done += 1
        if self._pace.due():
            self.status.show(self._text())

    def say(self, message: str) -> None:
        """Say something on standard error, above the line."""
        self.status.say(f"ggp: {message}")

    def __enter__(self) -> Screen:
        self.status.__enter__()
        self.status.show(self._text())
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.status.__exit__(kind, error, at)

    def _text(self) -> str:
        if not self.status.on:
            return ""
        seconds = self._left.seconds(self._width())
        parts = [
            f"{self._name}: {self._done} of {self._all} jobs",
            "" if seconds is None or self._done == self._all else f"about {duration(seconds)} left",
            self._standing() if self._standing is not None else "",
        ]
        return ", ".join(part for part in parts if part)
