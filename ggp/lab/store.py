"""The results file: one line of JSON for each finished job, appended as they come.

The first line says what the results depend on; a run that goes on must depend on the same. A last line that was torn
when a run was killed is dropped and its job done again; any other unreadable line is an error: nothing is lost unseen.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO

from ggp.core.errors import UsageError
from ggp.lab.plan import Job, Json

FILE = "results.jsonl"


@dataclass(frozen=True)
class Result:
    """What a job gave."""

    key: str
    value: Json
    work: Mapping[str, Json]
    """All that is needed to do it again."""
    version: str
    """The version of the program that did it."""
    seconds: float
    """How long it took a worker."""


@dataclass(frozen=True)
class Stored:
    """What is in a results file."""

    header: Mapping[str, Json]
    results: Mapping[str, Result]
    size: int
    """Bytes of whole lines."""
    torn: bool
    """Whether a torn last line follows them."""


def read(folder: Path) -> Stored:
    """Read the results in a folder."""
    path = folder / FILE
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise UsageError(f"there are no results in {folder}: {path} is missing") from None
    whole = data.rfind(b"\n") + 1
    lines = data[:whole].split(b"\n")[:-1]
    if not lines:
        return Stored({}, {}, 0, bool(data))
    header = _line(path, 1, lines[0], {"experiment": str, "plan": int, "settings": dict, "games": dict})
    results: dict[str, Result] = {}
    kinds: dict[str, type | tuple[type, ...]] = {"key": str, "work": dict, "version": str, "seconds": (int, float)}
    for number, line in enumerate(lines[1:], 2):
        found = _line(path, number, line, kinds)
        if "value" not in found:
            raise UsageError(f"{path}:{number}: the result has no value")
        result = Result(found["key"], found["value"], found["work"], found["version"], float(found["seconds"]))
        results.setdefault(result.key, result)
    return Stored(header, results, whole, whole < len(data))


class Store:
    """A results file that is open for more results. Only one process at a time may have it open."""

    def __init__(self, folder: Path, header: Mapping[str, Json]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / FILE
        self._stream: IO[bytes] = self.path.open("ab")
        try:
            self._lock()
            stored = read(folder)
            self.torn = stored.torn
            if stored.torn:
                self._stream.truncate(stored.size)
            if stored.header:
                check_header(self.path, stored.header, header)
            else:
                self._append(header)
        except BaseException:
            self._stream.close()
            raise
        self.results: dict[str, Result] = dict(stored.results)

    def add(self, job: Job, value: Json, version: str, seconds: float) -> None:
        """Keep a result; it is on disk when this returns."""
        result = Result(job.key, value, job.work, version, seconds)
        self._append({"key": job.key, "value": value, "work": job.work, "version": version, "seconds": round(seconds, 3)})
        self.results[job.key] = result

    def close(self) -> None:
        """Let others write to the file."""
        self._stream.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _append(self, value: Mapping[str, Json]) -> None:
        self._stream.write(json.dumps(value, separators=(",", ":"), ensure_ascii=False, sort_keys=True).encode() + b"\n")
        self._stream.flush()
        os.fsync(self._stream.fileno())

    def _lock(self) -> None:
        try:
            fcntl.flock(self._stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UsageError(f"{self.path}: another run is writing to it") from None


def check_header(path: Path, there: Mapping[str, Json], here: Mapping[str, Json]) -> None:
    """Refuse results that depend on something else than what is asked for now."""
    advice = "name another folder with --results, or remove that file"
    if there["experiment"] != here["experiment"]:
        raise UsageError(f"{path}: these are results of {there['experiment']!r}, not of {here['experiment']!r}; {advice}")
    if there["plan"] != here["plan"]:
        raise UsageError(
            f"{path}: made by version {there['plan']} of the plan of {here['experiment']!r}, which is now at version "
            f"{here['plan']}; {advice}"
        )
    for part, what in (("settings", "with other settings"), ("games", "for other rules of games")):
        old, new = there[part], here[part]
        differ = sorted(name for name in {*old, *new} if old.get(name) != new.get(name))
        if differ:
            told = ", ".join(f"{name}: {old.get(name)} there, {new.get(name)} here" for name in differ[:3])
            raise UsageError(f"{path}: begun {what} ({told}); {advice}")


def _line(path: Path, number: int, line: bytes, kinds: Mapping[str, type | tuple[type, ...]]) -> dict[str, Json]:
    try:
        value = json.loads(line)
    except ValueError as error:
        raise UsageError(f"{path}:{number}: not a result: {error}; without that line its job is done again") from None
    if not isinstance(value, dict):
        raise UsageError(f"{path}:{number}: not a result, but {line[:40].decode(errors='replace')!r}")
    for name, kind in kinds.items():
        if not isinstance(value.get(name), kind):
            raise UsageError(f"{path}:{number}: not a result: {name!r} is missing or of the wrong kind")
    return value
