"""A record with all its positions, by the rules. One that somebody is writing is read on, and watched while it grows."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from gdl.ruleset import CHANCE
from ggp.core.errors import RecordError
from ggp.machines import Machine
from ggp.machines.machine import JointMove
from ggp.match.faults import Fault, FaultKind, printable
from ggp.match.record import Record, read_record
from ggp.match.seats import Answer
from ggp.match.verify import Complaint, Replay, ReplayStep, rules_of
from ggp.web.bell import Bell
from ggp.web.fields import Json
from ggp.web.frames import Frame, Sight, dumped, news, unseen
from ggp.web.shelf import Shelf, Title, asking

PARTIAL = "partial"
_LARGEST = 64 * 2**20
"""Bytes of a record that is read."""
_LOOK = 0.04
"""Seconds between two looks at whether a record has grown, while somebody watches."""
_SILENCE = 30.0
"""Seconds beyond its clocks after which nobody is believed to write a record any more."""


@dataclass(frozen=True)
class Opened:
    """A record with all its positions."""

    title: Title
    record: Record
    frames: tuple[Frame, ...]
    complaints: tuple[Complaint, ...]

    def header(self) -> dict[str, Json]:
        """The match, all its steps, and what is wrong with the record."""
        roles = self.title.ruleset.roles
        return {
            "game": self.title.name, "roles": list(roles), "chance": [role == CHANCE for role in roles],
            "names": self._names(), "time": self.record.start_time, **self.status(),
            "steps": [Sight(None).step(frame) for frame in self.frames],
        }  # fmt: skip

    def status(self) -> dict[str, Json]:
        """How the match stands or has ended."""
        record, reason = self.record, self.record.more.get("x-abortReason")
        return {
            "over": record.ending != PARTIAL, "ending": record.ending, "goals": record.result,
            "reason": printable(reason) if isinstance(reason, str) else "", "complaints": list(map(str, self.complaints)),
        }  # fmt: skip

    def script(self, number: int) -> list[JointMove]:
        """The joint moves up to a step."""
        return [frame.joint for frame in self.frames[1 : number + 1] if frame.joint is not None]

    def _names(self) -> list[str]:
        roles, names = self.title.ruleset.roles, self.record.players
        return [printable(name, 60) for name in names] if len(names) == len(roles) else ["?"] * len(roles)


class Reading:
    """The file of one record, and what was read of it last. It may be asked from any thread."""

    def __init__(self, path: Path, shelf: Shelf) -> None:
        self._path, self._shelf = path, shelf
        self._opened: Opened | None = None
        self._stamp: tuple[int, int] | None = None
        """When the file was written that was read last, and its size."""
        self._machine: Machine[Any] | None = None
        """Kept as long as the record may grow."""
        self._serials = itertools.count(1)
        self._lock = threading.Lock()
        self._bell = Bell()
        self._guard: threading.Thread | None = None

    def opened(self) -> Opened:
        """The record as it is now."""
        with self._lock:
            stamp = self._look()
            if self._opened is None or stamp != self._stamp:
                self._opened, self._stamp = self._read(), stamp
            return self._opened

    def close(self) -> None:
        """Give back the machine."""
        with self._lock:
            if self._machine is not None:
                self._machine.close()
                self._machine = None

    # ---- to be watched ------------------------------------------------------------------------------------------------

    def watch(self, wake: Callable[[], None]) -> None:
        """Be woken up whenever the record has grown."""
        self._bell.watch(wake)
        with self._lock:
            if self._guard is None:
                self._guard = threading.Thread(target=self._stand_guard, name=f"watch {self._path.name}", daemon=True)
                self._guard.start()

    def unwatch(self, wake: Callable[[], None]) -> None:
        """Be left alone again."""
        self._bell.unwatch(wake)

    def watchers(self) -> int:
        """How many look on."""
        return self._bell.watchers()

    def news(self, _: Sequence[str], seen: list[int]) -> str:
        """What is new for a watcher who has `seen` the frames of these serials; the list is brought up to date."""
        opened = self.opened()
        frames, sight = opened.frames, Sight(None)
        same = unseen(seen, [frame.serial for frame in frames])
        status = {**opened.status(), "watchers": self.watchers()}
        return news(status, frames, same, sight, lambda: dumped(sight.board(frames[-1], opened.title.drawing)))

    def _stand_guard(self) -> None:
        """Look at the file again and again, as long as anybody watches and the record may grow."""
        known = self._stamp
        while self.watchers():
            if (stamp := self._look()) != known:
                known = stamp
                self._bell.ring()
            if stamp is None or (stamp == self._stamp and self._opened and self._opened.record.ending != PARTIAL):
                break
            time.sleep(_LOOK)
        with self._lock:
            self._guard = None

    def _look(self) -> tuple[int, int] | None:
        """What tells the version of the file; None if it has gone."""
        try:
            stat = self._path.stat()
        except OSError:
            return None
        return stat.st_mtime_ns, stat.st_size

    # ---- to be read ---------------------------------------------------------------------------------------------------

    def _read(self) -> Opened:
        record, before = bounded_record(self._path), self._opened
        if before is not None and before.record.match_id != record.match_id:
            before = None
        if before is None:
            title, frames, found = self._shelf.of_source(record.game, rules_of(record, self._path.name)), [], []
        else:
            kept = _alike(before.record.moves, record.moves)
            title, frames, found = before.title, list(before.frames[: kept + 1]), list(before.complaints)
        if self._machine is None:
            self._machine = asking(title.ruleset)
        replay = Replay(record, self._machine)
        frames += self._further(record, replay, frames[-1] if frames else None)
        if time.time() > may_grow_until(record, self._path.stat().st_mtime):
            self._machine.close()
            self._machine = None
        return Opened(title, record, tuple(frames), tuple(dict.fromkeys([*found, *replay.complaints])))

    def _further(self, record: Record, replay: Replay, last: Frame | None) -> Iterator[Frame]:
        """The positions after one, with what the record tells of each joint move."""
        after = None if last is None else ReplayStep(last.number, last.fluents, last.situation, None, last.joint)
        for step in replay.steps(after):
            told = _answers(record, step.number - 1, len(step.situation.legal)) if step.led is not None else []
            last = Frame(
                serial=next(self._serials), number=step.number, fluents=step.fluents, situation=step.situation,
                joint=step.led, answers=told, faults=[answer.fault for answer in told],
                before=None if last is None else last.fluents, over=step.situation.terminal,
            )  # fmt: skip
            yield last


def bounded_record(path: Path) -> Record:
    """The record in a file; RecordError if it is none, or too large to be shown."""
    if path.stat().st_size > _LARGEST:
        raise RecordError(f"{path.name}: more than {_LARGEST >> 20} MB")
    return read_record(path)


def may_grow_until(record: Record, written: float) -> float:
    """Until when somebody is believed to write a record whose newest version was `written`, in seconds since 1970."""
    return written + record.start_clock + record.play_clock + _SILENCE if record.ending == PARTIAL else 0.0


def _alike(one: Sequence[Sequence[str]], other: Sequence[Sequence[str]]) -> int:
    """How many joint moves two lists begin with that are the same."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))


def _answers(record: Record, number: int, roles: int) -> list[Answer]:
    """What the players answered, as far as the record tells: others than ours tell nothing but faults."""

    def row(key: str) -> list[Json]:
        values = record.more.get(key)
        values = values[number] if isinstance(values, list) and number < len(values) else []
        return values if isinstance(values, list) else []

    codes = record.errors[number] if number < len(record.errors) else []
    found = []
    for _, taken, report, code in zip_longest(
        range(roles), row("x-replyTimes")[:roles], row("x-reports")[:roles], codes[:roles]
    ):
        seconds = taken / 1000 if isinstance(taken, int | float) else 0.0
        fault = Fault(FaultKind.ILLEGAL, printable(code)) if code else None
        found.append(Answer(None, fault, seconds, report if isinstance(report, dict) else {}))
    return found
