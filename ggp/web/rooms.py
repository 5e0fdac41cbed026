"""All matches of the server: set up, found again, and forgotten when nobody has looked at them for long."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gdl.ruleset import CHANCE
from ggp.core.errors import UsageError
from ggp.machines.machine import JointMove
from ggp.match.builtin import check_player
from ggp.match.faults import printable
from ggp.match.seats import Clocks
from ggp.match.table import specs_for
from ggp.players.specs import DEFAULT_PLAYER, HUMAN
from ggp.web.fields import BusyError, Fields, Json, MissingError
from ggp.web.room import Room, Setup
from ggp.web.shelf import Title

_NAME = 40
"""Characters of the name of a person."""
_START_CLOCK = 2.0
"""Seconds that players have to prepare, where somebody waits for the first move."""


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
        self._lock = threading.Lock()

    def open(self, title: Title, asked: Fields, script: Sequence[JointMove] = ()) -> dict[str, Json]:
        """Begin the match that somebody asks for; its id, and the key to each seat of a person."""
        return self._begin(_setup(title, asked, script))

    def rematch(self, room: Room, key: str) -> dict[str, Json]:
        """The same people and players again, each in the next role; the first who asks begins it."""
        room.role_of(key)
        if not room.is_over:
            raise UsageError("the match is not over yet")
        with self._lock:
            if room.rematch is None:
                setup, shift = _shifted(room.setup)
                made = self._begin(setup, locked=True)
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

    def close(self, seconds: float) -> None:
        """End all matches; `seconds` to put them away."""
        until = time.monotonic() + seconds
        with self._lock:
            rooms = list(self._rooms.values())
        for room in rooms:
            room.close()
        for room in rooms:
            room.join(max(0.0, until - time.monotonic()))

    def _begin(self, setup: Setup, locked: bool = False) -> dict[str, Json]:
        room = Room(setup, self._records)
        if locked:
            self._take(room)
        else:
            with self._lock:
                self._take(room)
        room.open()
        return {"id": room.id, "keys": {str(role): key for key, role in room.keys.items()}}

    def _take(self, room: Room) -> None:
        self._forget()
        if sum(not other.is_over for other in self._rooms.values()) >= self._limits.running:
            raise BusyError(f"{self._limits.running} matches are being played, and more are not taken")
        self._rooms[room.id] = room

    def _forget(self) -> None:
        """End what nobody cares for, and forget the oldest of what is over."""
        now = time.monotonic()
        for room in self._rooms.values():
            if not room.is_over and room.watchers() == 0 and now - room.touched > self._limits.idle:
                room.close()
        over = [room for room in self._rooms.values() if room.is_over and room.watchers() == 0]
        for room in over[: max(0, len(self._rooms) + 1 - self._limits.kept)]:
            del self._rooms[room.id]


def _setup(title: Title, asked: Fields, script: Sequence[JointMove]) -> Setup:
    """What a request wants to be played."""
    players = asked.texts("players", len(title.ruleset.roles)) or [HUMAN]
    for player in players:
        if player != HUMAN:
            check_player(player)
    specs = specs_for(title.ruleset, players, DEFAULT_PLAYER)
    called = specs_for(title.ruleset, [printable(n) for n in asked.texts("names", len(players), _NAME)], "")
    clocks = Clocks(_START_CLOCK, asked.number("playclock", 0.1, 3600, 2))
    seed = asked.count("seed", 2**31, secrets.randbelow(2**31))
    names = {role: called[role].strip() or HUMAN for role, spec in enumerate(specs) if spec == HUMAN}
    return Setup(title, specs, names, clocks, asked.flag("timed"), seed, script)


def _shifted(setup: Setup) -> tuple[Setup, dict[int, int]]:
    """The same match with everybody in the next role that decides anything; where each role's player sits then."""
    deciding = [n for n, role in enumerate(setup.title.ruleset.roles) if role != CHANCE]
    shift = dict(zip(deciding, deciding[1:] + deciding[:1], strict=True))
    specs = list(setup.specs)
    for role, following in shift.items():
        specs[following] = setup.specs[role]
    names = {shift[role]: name for role, name in setup.names.items()}
    return replace(setup, specs=specs, names=names, seed=setup.seed + 1, script=()), shift
