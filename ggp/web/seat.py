"""Seats at a table of the page: of people, and of players whose first moves may be given beforehand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gdl.terms import Symbol
from ggp.machines.machine import JointMove
from ggp.match.faults import Fault
from ggp.match.seats import Answer, Scene, Seat

if TYPE_CHECKING:
    from ggp.web.room import Room


class PersonSeat:
    """One role, played by somebody in a browser."""

    is_remote = False

    def __init__(self, role: int, name: str, room: Room) -> None:
        self.name = name
        self._role = role
        self._room = room

    def preview(self, _: int) -> None:
        """People read the rules elsewhere."""

    def start(self, _: Scene) -> Fault | None:
        """People are always ready."""
        return None

    def play(self, scene: Scene) -> Answer:
        """Wait for a move; what leaves no choice and concerns somebody else is played at once."""
        legal = scene.situation.legal
        if only_waits(legal[self._role]):
            return Answer(legal[self._role][0])
        return self._room.await_choice(self._role)

    def stop(self, _: Scene) -> Fault | None:
        """The page says how it ended."""
        return None

    def abort(self) -> Fault | None:
        """The page says how it ended."""
        return None


class ScriptedSeat:
    """A seat whose first moves are given: a match that branches off from another begins with what was played there."""

    def __init__(self, role: int, inner: Seat, script: Sequence[JointMove], room: Room) -> None:
        self.name = inner.name
        self.is_remote = inner.is_remote
        self.preview, self.start, self.stop, self.abort = inner.preview, inner.start, inner.stop, inner.abort
        self._role, self._inner, self._script, self._room = role, inner, script, room

    def play(self, scene: Scene) -> Answer:
        """The move of the script, then those of whoever sits here."""
        if scene.happened.turn < len(self._script):
            return Answer(self._script[scene.happened.turn][self._role])
        if not self.is_remote:
            self._room.check_wishes()
        return self._inner.play(scene)


def only_waits(moves: Sequence[object]) -> bool:
    """Whether there is no choice but to wait: one move, a bare name."""
    return len(moves) == 1 and isinstance(moves[0], Symbol)
