"""The records of a folder: those that are there, those that are being written, and what their players are worth."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from ggp.core.errors import RecordError, UsageError
from ggp.match.faults import printable
from ggp.web.fields import Json, MissingError
from ggp.web.frames import Frame
from ggp.web.reading import Opened, Reading, bounded_record, may_grow_until
from ggp.web.shelf import Shelf, Title
from ggp.web.standings import Outcome, standings

_LISTED = 300
"""Records that are listed, the newest first."""
_OPEN = 8
"""Records that are kept in memory with their positions, beside those that are watched."""


class Archive:
    """Reads records of one folder, and of no other. It may be asked from any thread."""

    def __init__(self, place: Path, shelf: Shelf, ours: Callable[[], Collection[str]] = frozenset) -> None:
        """`ours`: the names of the records that matches of this server are writing, of which not all may be known."""
        self.place = place
        self._shelf, self._ours = shelf, ours
        self._listed: dict[tuple[str, int, int], _Listed] = {}
        self._readings: OrderedDict[str, Reading] = OrderedDict()
        self._lock = threading.Lock()

    def listing(self) -> dict[str, Json]:
        """The newest records, whether they are still being written, and how many files there are."""
        found, count = self._newest()
        return {"records": [one.row for one in found], "count": count}

    def under_way(self) -> list[dict[str, Json]]:
        """The records that others are writing just now."""
        ours = self._ours()
        return [one.row for one in self._newest()[0] if one.is_written() and one.row["file"] not in ours]

    def standings(self) -> dict[str, Json]:
        """What the players of the newest records are worth."""
        found, count = self._newest()
        outcomes = [one.outcome for one in found if one.outcome is not None]
        return {"players": standings(outcomes), "matches": len(outcomes), "records": count}

    def reading(self, name: str) -> Reading:
        """A record by the name of its file, to be watched."""
        path = self._path(name)
        with self._lock:
            if name not in self._readings:
                self._readings[name] = Reading(path, self._shelf)
            self._readings.move_to_end(name)
            for old in [old for old, reading in self._readings.items() if not reading.watchers()][:-_OPEN]:
                self._readings.pop(old).close()
            return self._readings[name]

    def open(self, name: str) -> Opened:
        """A record by the name of its file."""
        return self.reading(name).opened()

    def close(self) -> None:
        """Read no more."""
        with self._lock:
            for reading in self._readings.values():
                reading.close()

    def frame(self, name: str, number: int) -> tuple[Title, Frame]:
        """A position of a record."""
        opened = self.open(name)
        if number >= len(opened.frames):
            raise MissingError(f"there is no step {number} in this record")
        return opened.title, opened.frames[number]

    def _newest(self) -> tuple[list[_Listed], int]:
        """What the newest files say, and how many there are."""
        found = []
        for path in self.place.glob("*.json"):
            try:
                found.append((path.stat(), path))
            except OSError:  # it has just gone
                continue
        found.sort(key=lambda item: item[0].st_mtime_ns, reverse=True)
        listed = {}
        for stat, path in found[:_LISTED]:
            key = (path.name, stat.st_mtime_ns, stat.st_size)
            listed[key] = self._listed.get(key) or _Listed.of(path, stat.st_mtime)
        self._listed = listed
        return list(listed.values()), len(found)

    def _path(self, name: str) -> Path:
        path = self.place / name
        is_inside = Path(name).name == name and name.endswith(".json") and path.is_file()
        if not is_inside or path.resolve().parent != self.place.resolve():
            raise MissingError(f"there is no record {name!r} here")
        if name in self._ours():
            raise UsageError("this match is being played here: it can be watched, but its record is not open yet")
        return path


@dataclass(frozen=True)
class _Listed:
    """A file as it is listed."""

    row: dict[str, Json]
    outcome: Outcome | None = None
    grows_until: float = 0.0
    """Until when somebody is believed to be writing it, in seconds since 1970."""

    @classmethod
    def of(cls, path: Path, written: float) -> _Listed:
        """What a file says."""
        try:
            record = bounded_record(path)
        except (RecordError, OSError) as error:
            return cls({"file": path.name, "problem": str(error)})
        row = {
            "file": path.name, "game": printable(record.game, 60), "players": [printable(p, 60) for p in record.players],
            "goals": record.result, "moves": len(record.moves), "ending": record.ending, "faults": record.faults,
            "time": record.start_time,
        }  # fmt: skip
        return cls(row, Outcome.of(record), may_grow_until(record, written))

    def is_written(self) -> bool:
        """Whether somebody seems to be writing it."""
        return time.time() < self.grows_until
