"""Which position a request is about: one of a match, of a record, or the first of some rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gdl.terms import Term
from ggp.core.errors import UsageError
from ggp.machines.machine import JointMove
from ggp.web.archive import Archive
from ggp.web.fields import Fields
from ggp.web.rooms import Rooms
from ggp.web.shelf import Shelf, Title

_STEPS = 10**6


@dataclass(frozen=True)
class Place:
    """A position of a game."""

    title: Title
    fluents: Sequence[Term] | None
    """None for the first position."""
    script: Sequence[JointMove] = ()
    """The joint moves that lead there."""
    joint: JointMove | None = None
    """The one that was made there, if any."""


class Places:
    """Finds positions."""

    def __init__(self, shelf: Shelf, rooms: Rooms, archive: Archive) -> None:
        self._shelf, self._rooms, self._archive = shelf, rooms, archive

    def find(self, asked: Fields) -> Place:
        """The position of a request: `match` or `record` with a `step`, or `game` or `text`."""
        if asked.has("match"):
            return self._in_match(asked)
        if asked.has("record"):
            step = asked.count("step", _STEPS)
            opened = self._archive.open(asked.text("record"))
            title, frame = self._archive.frame(asked.text("record"), step)
            following = opened.frames[step + 1].joint if step + 1 < len(opened.frames) else None
            return Place(title, frame.fluents, opened.script(step), following)
        return Place(self._shelf.title(asked), None)

    def _in_match(self, asked: Fields) -> Place:
        room, step = self._rooms.find(asked.text("match")), asked.count("step", _STEPS)
        if room.sight(asked.texts("keys", 16)).roles is not None:
            raise UsageError("not everything is known of this match before its end; ask for a hint when it is your turn")
        return Place(room.setup.title, room.frame(step).fluents, room.script(step))
