"""The records of a folder: listed, and stepped through by the rules."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from gdl.ruleset import CHANCE
from ggp.core.errors import RecordError
from ggp.machines.machine import JointMove
from ggp.match.faults import Fault, FaultKind, printable
from ggp.match.record import Record, read_record
from ggp.match.seats import Answer
from ggp.match.verify import Replay, rules_of
from ggp.web.fields import Json, MissingError
from ggp.web.frames import Frame, Sight
from ggp.web.shelf import Shelf, Title, asking

_LISTED = 300
"""Records that are listed, the newest first."""
_LARGEST = 64 * 2**20
"""Bytes of a record that is read."""
_OPEN = 8
"""Records that are kept in memory with their positions."""


@dataclass(frozen=True)
class Opened:
    """A record with all its positions."""

    title: Title
    record: Record
    frames: tuple[Frame, ...]
    complaints: tuple[str, ...]

    def header(self) -> dict[str, Json]:
        """The match, all its steps, and what is wrong with the record."""
        roles, names = self.title.ruleset.roles, self.record.players
        return {
            "game": self.title.name, "roles": list(roles), "chance": [role == CHANCE for role in roles],
            "names": [printable(name, 60) for name in names] if len(names) == len(roles) else ["?"] * len(roles),
            "ending": self.record.ending, "goals": self.record.goals, "complaints": list(self.complaints),
            "time": self.record.start_time, "steps": [Sight(None).step(frame) for frame in self.frames],
        }  # fmt: skip

    def script(self, number: int) -> list[JointMove]:
        """The joint moves up to a step."""
        return [frame.joint for frame in self.frames[1 : number + 1] if frame.joint is not None]


class Archive:
    """Reads records of one folder, and of no other. It may be asked from any thread."""

    def __init__(self, place: Path, shelf: Shelf) -> None:
        self._place, self._shelf = place, shelf
        self._listed: dict[tuple[str, int, int], dict[str, Json]] = {}
        self._opened: OrderedDict[tuple[str, int], Opened] = OrderedDict()
        self._lock = threading.Lock()

    def listing(self) -> dict[str, Json]:
        """The newest records; how many files there are, and which of them are no records."""
        found = []
        for path in self._place.glob("*.json"):
            try:
                found.append((path.stat(), path))
            except OSError:  # it has just gone
                continue
        found.sort(key=lambda item: item[0].st_mtime_ns, reverse=True)
        rows, listed = [], {}
        for stat, path in found[:_LISTED]:
            key = (path.name, stat.st_mtime_ns, stat.st_size)
            listed[key] = self._listed.get(key) or self._row(path)
            rows.append(listed[key])
        self._listed = listed
        return {"records": rows, "count": len(found)}

    def open(self, name: str) -> Opened:
        """A record by the name of its file."""
        path = self._path(name)
        key = (name, path.stat().st_mtime_ns)
        with self._lock:
            if key not in self._opened:
                self._opened[key] = self._read(path)
                while len(self._opened) > _OPEN:
                    self._opened.popitem(last=False)
            self._opened.move_to_end(key)
            return self._opened[key]

    def frame(self, name: str, number: int) -> tuple[Title, Frame]:
        """A position of a record."""
        opened = self.open(name)
        if number >= len(opened.frames):
            raise MissingError(f"there is no step {number} in this record")
        return opened.title, opened.frames[number]

    def _path(self, name: str) -> Path:
        path = self._place / name
        is_inside = Path(name).name == name and name.endswith(".json") and path.is_file()
        if not is_inside or path.resolve().parent != self._place.resolve():
            raise MissingError(f"there is no record {name!r} here")
        return path

    def _row(self, path: Path) -> dict[str, Json]:
        try:
            record = _record(path)
        except (RecordError, OSError) as error:
            return {"file": path.name, "problem": str(error)}
        return {
            "file": path.name, "game": printable(record.game, 60), "players": [printable(p, 60) for p in record.players],
            "goals": record.goals, "moves": len(record.moves), "ending": record.ending, "faults": record.faults,
            "time": record.start_time,
        }  # fmt: skip

    def _read(self, path: Path) -> Opened:
        record = _record(path)
        title = self._shelf.of_source(record.game, rules_of(record, path.name))
        machine = asking(title.ruleset)
        try:
            replay = Replay(record, machine)
            frames = tuple(_frames(record, replay))
        finally:
            machine.close()
        return Opened(title, record, frames, tuple(map(str, replay.complaints)))


def _record(path: Path) -> Record:
    if path.stat().st_size > _LARGEST:
        raise RecordError(f"{path.name}: more than {_LARGEST >> 20} MB")
    return read_record(path)


def _frames(record: Record, replay: Replay) -> Iterator[Frame]:
    """The positions, with what the record tells of each joint move."""
    before: Frame | None = None
    joint: JointMove | None = None
    for step in replay.steps():
        told = _answers(record, step.number - 1, len(step.situation.legal)) if joint is not None else []
        before = Frame(
            serial=step.number, number=step.number, fluents=step.fluents, situation=step.situation, joint=joint,
            answers=told, faults=[answer.fault for answer in told], before=None if before is None else before.fluents,
            over=step.situation.terminal,
        )  # fmt: skip
        yield before
        joint = step.joint


def _answers(record: Record, number: int, roles: int) -> list[Answer]:
    """What the players answered, as far as the record tells: others than ours tell nothing but faults."""

    def row(key: str) -> list[Json]:
        values = record.more.get(key)
        values = values[number] if isinstance(values, list) and number < len(values) else []
        return values if isinstance(values, list) else []

    codes = record.errors[number] if number < len(record.errors) else []
    found = []
    for _, time, report, code in zip_longest(
        range(roles), row("x-replyTimes")[:roles], row("x-reports")[:roles], codes[:roles]
    ):
        seconds = time / 1000 if isinstance(time, int | float) else 0.0
        fault = Fault(FaultKind.ILLEGAL, printable(code)) if code else None
        found.append(Answer(None, fault, seconds, report if isinstance(report, dict) else {}))
    return found
