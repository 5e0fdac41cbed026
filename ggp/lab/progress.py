"""How far a run is, and how long it will take: a bar in a terminal, nothing elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, ProgressColumn, Task, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar
from rich.text import Text

from ggp.lab.plan import Job


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
    """A bar on standard error: jobs done, time used, time left. In a file only what must be said."""

    def __init__(self, name: str, jobs: Sequence[Job], finished: int, width: Callable[[], int]) -> None:
        console = Console(stderr=True)
        self._left = TimeLeft(jobs)
        self._bar = Bar(
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
            _Left(self._left, width), console=console, disable=not console.is_terminal,
        )  # fmt: skip
        self._task = self._bar.add_task(name, total=finished + len(jobs), completed=finished)

    def done(self, job: Job, seconds: float) -> None:
        """A job is done."""
        self._left.done(job, seconds)
        self._bar.advance(self._task)

    def say(self, message: str) -> None:
        """Say something on standard error, above the bar."""
        self._bar.console.print(f"ggp: {message}", highlight=False, markup=False)

    def __enter__(self) -> Screen:
        self._bar.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._bar.stop()


class _Left(ProgressColumn):
    """The time left, as a column of the bar."""

    max_refresh = 0.5

    def __init__(self, left: TimeLeft, width: Callable[[], int]) -> None:
        super().__init__()
        self._time_left, self._width = left, width
        self._workers, self._asked = 1, -10.0

    def render(self, task: Task) -> Text:
        """About how long it still takes."""
        now = time.monotonic()
        if now - self._asked > 5:
            self._workers, self._asked = self._width(), now
        seconds = self._time_left.seconds(self._workers)
        if task.finished or seconds is None:
            return Text("")
        return Text(f"about {duration(seconds)} left")


def duration(seconds: float) -> str:
    """Seconds in words: 42 s, 3 min 10 s, 2 h 5 min."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
