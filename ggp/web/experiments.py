"""Experiments and tournaments on disk: how far they are, and what they say."""

from __future__ import annotations

import re
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ggp.core.errors import UsageError
from ggp.web.fields import Json, MissingError

if TYPE_CHECKING:
    from ggp.lab.report import Report

RESULTS, REPORTS = "results", ("reports", "docs/reports")
"""Folders in which the commands keep results, each in a folder of its own, and reports."""
_FILE = "results.jsonl"
_NAME = re.compile(r"\w[\w.-]{0,60}")
_LARGEST = 2**20
"""Characters of a report."""


@dataclass(frozen=True)
class _Made:
    """The report of some results, as they were when they were read."""

    stamp: tuple[int, int]
    report: Report
    state: Json


class Experiments:
    """Results and reports below a folder, and nowhere else. It may be asked from any thread."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._made: dict[str, _Made] = {}
        self._lock = threading.Lock()

    def listing(self) -> dict[str, Json]:
        """What there is: runs with the number of results that they have, and reports that were written."""
        runs = [_run(path) for path in sorted((self._place / RESULTS).glob(f"*/{_FILE}")) if self._is_inside(path)]
        reports = [
            {"folder": folder, "name": path.stem}
            for folder in REPORTS
            for path in sorted((self._place / folder).glob("*.md"))
            if _NAME.fullmatch(path.stem) and self._is_inside(path)
        ]
        return {"runs": sorted(runs, key=lambda run: run["age"]), "reports": reports}

    def run(self, name: str) -> dict[str, Json]:
        """What the results of a run come to so far."""
        from ggp.lab.report import markdown

        path = self._found(f"{RESULTS}/{name}/{_FILE}")
        made = self._report(name, path)
        return {**_run(path), **made.state, "text": markdown(made.report, name, plots=True)}

    def figure(self, name: str, figure: str) -> str:
        """A figure of a run's report, as SVG."""
        from ggp.lab.figures import Curves, HeatMaps
        from ggp.lab.plots import svg

        made = self._report(name, self._found(f"{RESULTS}/{name}/{_FILE}"))
        for part in made.report.parts:
            if isinstance(part, Curves | HeatMaps) and f"{name}-{part.name}.svg" == figure:
                return svg(part)
        raise MissingError(f"{name} has no figure {figure!r}")

    def report(self, folder: str, name: str) -> dict[str, Json]:
        """A report that was written."""
        return {"text": self._text(folder, f"{name}.md")}

    def drawing(self, folder: str, figure: str) -> str:
        """A figure of a report that was written, as SVG."""
        if not figure.endswith(".svg"):
            raise MissingError(f"{figure!r} is no figure")
        return self._text(folder, figure)

    def _text(self, folder: str, name: str) -> str:
        if folder not in REPORTS:
            raise MissingError(f"there are no reports in {folder!r}")
        text = self._found(f"{folder}/{name}").read_text(encoding="utf-8")
        if len(text) > _LARGEST:
            raise UsageError(f"{name}: more than {_LARGEST:,} characters")
        return text

    def _report(self, name: str, path: Path) -> _Made:
        stat = path.stat()
        stamp = (stat.st_mtime_ns, stat.st_size)
        with self._lock:
            made = self._made.get(name)
            if made is None or made.stamp != stamp:
                made = self._made[name] = _make(path.parent, stamp)
            return made

    def _found(self, below: str) -> Path:
        """A file below the folder; MissingError if there is none, or if it lies elsewhere in truth."""
        path = self._place / below
        if (
            not all(_NAME.fullmatch(part) for part in Path(below).parts)
            or not path.is_file()
            or not self._is_inside(path)
        ):
            raise MissingError(f"there is no {below!r} here")
        return path

    def _is_inside(self, path: Path) -> bool:
        return path.resolve().is_relative_to(self._place.resolve())


def _run(path: Path) -> dict[str, Json]:
    """A line of the list: how many results there are, and how many seconds ago the newest came."""
    with path.open("rb") as stream:
        lines = sum(1 for _ in stream)
    return {"name": path.parent.name, "done": max(0, lines - 1), "age": max(0.0, time.time() - path.stat().st_mtime)}


def _make(folder: Path, stamp: tuple[int, int]) -> _Made:
    from ggp.lab.conduct import make_report  # numba takes a second
    from ggp.lab.restored import restored
    from ggp.lab.store import read

    stored = read(folder)
    experiment: Any = restored(folder, stored.header)
    report, state = make_report(experiment, folder)
    return _Made(stamp, report, {"done": state.done, "jobs": state.jobs, "seconds": state.seconds})
