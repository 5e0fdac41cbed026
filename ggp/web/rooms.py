"""All matches of the server: set up, found again, and forgotten when nobody has looked at them for long."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ggp.core.errors import UsageError
from ggp.machines.machine import JointMove
from ggp.web.fields import BusyError, Fields, Json, MissingError
from ggp.web.room import Room
from ggp.web.setup import Setup, read_setup, shifted
from ggp.web.shelf import Title


@dataclass(frozen=True)
class RoomLimits:
    """How much is kept at the same time."""

    running: int = 16
    """Matches that are played."""
    kept: int = 100
    """Matches in memory; of those that are over, the oldest are forgotten first."""
    idle: float = 6 * 3600
    """Seconds after which a match is ended in which nothing happens."""


class Rooms:
    """The matches. They may be asked for from any thread."""

    def __init__(self, records: Path | None, limits: RoomLimits | None = None) -> None:
        """`records`: where matches are recorded; None for nowhere."""
        self._records = records
        self._limits = limits or RoomLimits()
        self._rooms: dict[str, Room] = {}
        self._lock = threading.RLock()

    def open(self, title: Title, asked: Fields, script: Sequence[JointMove] = ()) -> dict[str, Json]:
        """Begin the match that somebody asks for; its id, and the key to each seat of a person."""
        return self._begin(read_setup(title, asked, script))

    def rematch(self, room: Room, key: str) -> dict[str, Json]:
        """The same people and players again, each in the next role; the first who asks begins it."""
        room.role_of(key)
        if not room.is_over:
            raise UsageError("the match is not over yet")
        with self._lock:
            if room.rematch is None:
                setup, shift = shifted(room.setup)
                made = self._begin(setup)
                keys = {old: made["keys"][str(shift[role])] for old, role in room.keys.items()}
                room.rematch = {"id": made["id"], "keys": keys}
        room.announce()
        return {"id": room.rematch["id"], "key": room.rematch["keys"][key]}

    def find(self, name: str) -> Room:
        """A match by its id."""
        with self._lock:
            if name not in self._rooms:
                raise MissingError("there is no such match here, or not any more")
            return self._rooms[name]

    def listing(self) -> list[dict[str, Json]]:
        """The matches, the newest first."""
        with self._lock:
            return [room.summary() for room in reversed(self._rooms.values())]

    def writing(self) -> set[str]:
        """The names of the records that are being written."""
        with self._lock:
            return {room.writing for room in self._rooms.values()} - {""}

    def close(self, seconds: float) -> None:
        """End all matches; `seconds` to put them away."""
        until = time.monotonic() + seconds
        with self._lock:
            rooms = list(self._rooms.values())
        for room in rooms:
            room.close()
        for room in rooms:
            room.join(max(0.0, until - time.monotonic()))

    def _begin(self, setup: Setup) -> dict[str, Json]:
        with self._lock:
            self._forget()
            if sum(not room.is_over for room in self._rooms.values()) >= self._limits.running:
                raise BusyError(f"{self._limits.running} matches are being played, and more are not taken")
            room = Room(setup, self._records)
            self._rooms[room.id] = room
        room.open()
        return {"id": room.id, "keys": {str(role): key for key, role in room.keys.items()}}

    def _forget(self) -> None:
        """End what nobody cares for, and forget the oldest of what is over."""
        now = time.monotonic()
        for room in self._rooms.values():
            if not room.is_over and room.watchers() == 0 and now - room.touched > self._limits.idle:
                room.close()
        over = [room for room in self._rooms.values() if room.is_over and room.watchers() == 0]
        for room in over[: max(0, len(self._rooms) + 1 - self._limits.kept)]:
            del self._rooms[room.id]
