"""The two children of a session, and what happens when one dies: it is replaced, and told all that it must know."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from typing import Protocol

from ggp.match.nursery import KINDS, Child, Nursery
from ggp.match.packets import Packet

_FIRST_PAUSE, _LONGEST_PAUSE = 0.05, 5.0
"""Seconds before a child that died again is replaced; the pause doubles with each death."""


class Note(Protocol):
    """Takes a note: `Journal.note`."""

    def __call__(self, event: str, **details: object) -> None:
        """Something happened."""


class Crew:
    """A referee and a mind. All is done under the lock of the session, so that no child misses a step."""

    def __init__(
        self,
        nursery: Nursery,
        changed: threading.Condition,
        note: Note,
        brief: Callable[[str], Iterable[Packet]],
        hear: Callable[[str, Packet], None],
        restarts: int,
    ) -> None:
        """`brief` gives what a new child of a kind must be told, `hear` is called with what a child tells."""
        self._nursery = nursery
        self._changed = changed
        self._note = note
        self._brief = brief
        self._hear = hear
        self._restarts = restarts
        self._children: dict[str, Child] = {}
        self._deaths = dict.fromkeys(KINDS, 0)
        self._gone: set[str] = set()
        self._asked: dict[str, float] = {}
        """Since when children owe a sign of life."""
        self.closed = False

    def hire(self, kind: str) -> None:
        """Put a child to work."""
        child = self._nursery.take(kind)
        with self._changed:
            if self.closed or kind in self._gone:
                child.kill()
                return
            self._children[kind] = child
            self._asked.pop(kind, None)
            child.listen(self._listen)  # here, so that not even its death is told before it is known
            self._note("child", kind=kind, pid=child.pid)
            for packet in self._brief(kind):
                child.send(packet)

    def send(self, kind: str, packet: Packet) -> bool:
        """Tell a child; false if there is none at the moment."""
        child = self._children.get(kind)
        if child is not None:
            child.send(packet)
        return child is not None

    def feel_pulse(self, now: float) -> None:
        """Ask every child for a sign of life. A thread of its own gives it, whatever else the child does."""
        for kind, child in self._children.items():
            if kind not in self._asked:
                self._asked[kind] = now
                child.send({"do": "ping"})

    def silence(self, kind: str, now: float) -> float:
        """For how many seconds a child has owed a sign of life."""
        return now - self._asked.get(kind, now)

    def forgive(self, now: float) -> None:
        """Nobody could have been heard until now."""
        self._asked = dict.fromkeys(self._asked, now)

    def kill(self, kind: str) -> None:
        """Kill a child that is stuck: another one takes its place."""
        if kind in self._children:
            self._asked.pop(kind, None)
            self._children[kind].kill()

    def dismiss(self, kind: str) -> None:
        """Kill a child that is needed no more."""
        self._gone.add(kind)
        child = self._children.pop(kind, None)
        if child is not None:
            child.kill()

    def close(self) -> None:
        """Kill all."""
        with self._changed:
            self.closed = True
            for kind in KINDS:
                self.dismiss(kind)
            self._changed.notify_all()

    def _listen(self, child: Child, packet: Packet) -> None:
        """What a child tells; called from a thread of the child."""
        with self._changed:
            if self._children.get(child.kind) is not child:
                return
            self._asked.pop(child.kind, None)
            if packet["is"] == "alive":
                return
            if packet["is"] == "died":
                del self._children[child.kind]
                self._deaths[child.kind] += 1
                deaths = self._deaths[child.kind]
                self._note("child-died", kind=child.kind, how=packet["how"], deaths=deaths)
            self._hear(child.kind, packet)
            self._changed.notify_all()
        if packet["is"] == "died":
            self._replace(child.kind, deaths)

    def _replace(self, kind: str, deaths: int) -> None:
        if kind in self._gone:
            return
        if deaths > self._restarts:
            self._note("given-up", kind=kind)
            return
        pause = min(_FIRST_PAUSE * 2 ** (deaths - 2), _LONGEST_PAUSE) if deaths > 1 else 0.0
        until = time.monotonic() + pause
        with self._changed:
            if self._changed.wait_for(lambda: self.closed, max(0.0, until - time.monotonic())):
                return
        try:
            self.hire(kind)
        except OSError as error:
            self._note("given-up", kind=kind, why=str(error))
