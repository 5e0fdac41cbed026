"""A match on the page: `playing` plays it on a thread of its own, people choose from theirs, and any number watch.

All that is shown is kept in `frames`. A watcher asks for what it has not seen yet (`news`), whenever it is woken up.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from gdl.ruleset import CHANCE
from gdl.terms import Term
from ggp.core.errors import UsageError
from ggp.human.dialogue import Ambiguous, Chosen, Unclear, understand
from ggp.human.movelist import MoveList, spoken
from ggp.machines.machine import JointMove
from ggp.match.seats import Answer
from ggp.match.takeback import LeftError, ResignedError, TakeBackError
from ggp.players.specs import is_address
from ggp.web.bell import Bell
from ggp.web.fields import Json
from ggp.web.frames import Frame, Sight, dumped, news, typed, unseen
from ggp.web.hearing import Hearing
from ggp.web.playing import play
from ggp.web.seat import only_waits
from ggp.web.setup import Setup


class Room:
    """One match."""

    def __init__(self, setup: Setup, records: Path | None) -> None:
        self.setup = setup
        self.roles = setup.title.ruleset.roles
        self.hidden = ("sees", 2) in setup.title.ruleset.by_relation
        self.id = secrets.token_urlsafe(9)
        self.keys = {secrets.token_urlsafe(12): role for role in setup.people}
        """The secrets by which people take their seats."""
        self.rematch: dict[str, Json] | None = None
        """The next match of the same people, once somebody asked for one; each key leads to one of its keys."""
        self.touched = time.monotonic()
        """When something happened last."""
        self._frames: list[Frame] = []
        self._state, self._ending, self._goals = "preparing", "", list[int]()
        self._record = ""
        self._names = [setup.names.get(role, spec) for role, spec in enumerate(setup.specs)]
        self._hearing = Hearing(setup.clocks.play if setup.timed else None)
        self._lock = threading.RLock()
        """Of the frames and the state."""
        self._bell = Bell()
        self._texts: tuple[int, str] = (-1, "")
        """The newest position as everybody may see it, encoded once for all."""
        self._stop = threading.Event()
        self._thread = threading.Thread(
            target=play, args=(self, records, self._stop), name=f"match {self.id}", daemon=True
        )

    def open(self) -> None:
        """Begin to play."""
        self._thread.start()

    def close(self) -> None:
        """End the match, wherever it is."""
        self._stop.set()
        self._hearing.wish_for(LeftError("the server is stopping"))

    def join(self, seconds: float) -> None:
        """Wait until nothing goes on here any more."""
        if self._thread.is_alive():
            self._thread.join(seconds)

    @property
    def is_over(self) -> bool:
        """Whether nobody will be asked any more."""
        return self._state in ("over", "failed")

    @property
    def writing(self) -> str:
        """The file of the record that is being written; empty if there is none."""
        return "" if self.is_over else self._record

    # ---- what is asked from the network -------------------------------------------------------------------------------

    def sight(self, keys: Iterable[str]) -> Sight:
        """What the holder of some keys may see: in games of hidden information, not what others know."""
        if not self.hidden or self.is_over or not self.setup.people:
            return Sight(None)
        return Sight(frozenset(self.keys[key] for key in keys if key in self.keys))

    def watch(self, wake: Callable[[], None]) -> None:
        """Be woken up at every change, from any thread."""
        self._bell.watch(wake)

    def unwatch(self, wake: Callable[[], None]) -> None:
        """Be left alone again."""
        self._bell.unwatch(wake)

    def watchers(self) -> int:
        """How many look on."""
        return self._bell.watchers()

    def news(self, keys: Sequence[str], seen: list[int]) -> str:
        """What is new for a watcher who has `seen` the frames of these serials; the list is brought up to date."""
        with self._lock:
            frames, status = list(self._frames), self._status(keys)
        sight = self.sight(keys)
        shown = self.hidden and status["over"]  # all frames are new then, for what was hidden is shown
        same = unseen(seen, [-frame.serial if shown else frame.serial for frame in frames])
        return news(status, frames, same, sight, lambda: self._newest(frames[-1], sight))

    def header(self) -> dict[str, Json]:
        """What does not change."""
        return {
            "id": self.id, "game": self.setup.title.name, "roles": list(self.roles), "names": self._names,
            "specs": list(self.setup.specs), "chance": [role == CHANCE for role in self.roles], "hidden": self.hidden,
            "playclock": self.setup.clocks.play, "timed": self.setup.timed, "script": len(self.setup.script),
        }  # fmt: skip

    def summary(self) -> dict[str, Json]:
        """A line of the list of matches."""
        return {
            "id": self.id, "game": self.setup.title.name, "names": self._names, "steps": max(0, len(self._frames) - 1),
            "state": self._state, "ending": self._ending, "watchers": self.watchers(), "record": self._record,
            "over": self.is_over,
        }  # fmt: skip

    def frame(self, number: int) -> Frame:
        """The frame of a step."""
        with self._lock:
            if not 0 <= number < len(self._frames):
                raise UsageError(f"there is no step {number} in this match")
            return self._frames[number]

    def script(self, number: int) -> list[JointMove]:
        """The joint moves up to a step."""
        with self._lock:
            return [frame.joint for frame in self._frames[1 : number + 1] if frame.joint is not None]

    def role_of(self, key: str) -> int:
        """The role of whoever holds a key."""
        if key not in self.keys:
            raise UsageError("this is no key to a seat of this match")
        return self.keys[key]

    def choose(self, key: str, turn: int, text: str) -> None:
        """A person plays a move, given as its term or as people type it."""
        role = self.role_of(key)
        with self._lock:
            frame = self._current()
            if turn != frame.number:
                raise UsageError(f"the match is at step {frame.number}, and this move was for step {turn}")
            self._hearing.choose(role, _meant(frame.situation.legal[role], text))
        self.announce()

    def positions(self, key: str) -> tuple[int, list[tuple[Sequence[Term], int]]]:
        """The role of whoever holds a key, and the positions in which it may be, with how likely each is."""
        role = self.role_of(key)
        with self._lock:
            frame = self._current()
        if not self.hidden:
            return role, [(frame.fluents, 1)]
        if not frame.known[role].positions:
            raise UsageError("no position was found that explains what you saw: there is nothing to search")
        return role, list(frame.known[role].positions)

    def take_back(self, key: str) -> None:
        """A person takes back the last choice of any person."""
        self.role_of(key)
        if self.setup.timed:
            raise UsageError("moves cannot be taken back while the clock runs for people")
        if any(map(is_address, self.setup.specs)):
            raise UsageError("moves cannot be taken back: one of the players is asked over HTTP")
        with self._lock:
            number = self._current().number
            earlier = [
                frame.number
                for frame in self._frames[len(self.setup.script) : number]
                if any(len(frame.situation.legal[role]) > 1 for role in self.setup.people)
            ]
            if not earlier:
                raise UsageError("there is no choice yet that could be taken back")
        self._hearing.wish_for(TakeBackError(earlier[-1]))

    def resign(self, key: str) -> None:
        """A person gives the match up."""
        role = self.role_of(key)
        with self._lock:
            self._current()
        self._hearing.wish_for(ResignedError(self.roles[role], role))

    def announce(self) -> None:
        """Tell whoever looks on that something has changed."""
        self.touched = time.monotonic()
        self._bell.ring()

    # ---- what the match's own thread does -----------------------------------------------------------------------------

    def await_choice(self, role: int) -> Answer:
        """What the person with a role chooses."""
        self._hearing.ask()
        self.announce()
        return self._hearing.await_choice(role)

    def check_wishes(self) -> None:
        """Raise what people wish for, between two moves."""
        self._hearing.check_wishes()

    def reach(self, frame: Frame) -> None:
        """A position was reached: the frames after the one before it are struck out."""
        with self._lock:
            del self._frames[frame.number :]
            self._frames.append(frame)
            self._hearing.begin()
            self._state = "playing"
        self.announce()

    def before(self, number: int) -> Frame | None:
        """The frame before a step, if there is one."""
        return self._frames[number - 1] if 0 < number <= len(self._frames) else None

    def seat(self, names: Sequence[str]) -> None:
        """The players have said what they are called."""
        self._names = list(names)

    def end(self, state: str, ending: str, goals: Sequence[int] = ()) -> None:
        """Nobody will be asked any more: the match is `over`, or it has `failed`."""
        with self._lock:
            self._state, self._ending, self._goals = state, ending, list(goals)
        self.announce()

    def file(self, record: str) -> None:
        """The record is, or will be, in a file of this name; empty if it could not be written."""
        self._record = record
        self.announce()

    def _current(self) -> Frame:
        if self.is_over or not self._frames:
            raise UsageError("the match is over" if self.is_over else "the match has not begun yet")
        return self._frames[-1]

    def _newest(self, frame: Frame, sight: Sight) -> str:
        if sight.roles is not None:
            return dumped(sight.board(frame, self.setup.title.drawing))
        serial, text = self._texts
        if serial != frame.serial:
            text = dumped(sight.board(frame, self.setup.title.drawing))
            self._texts = (frame.serial, text)
        return text

    def _status(self, keys: Sequence[str]) -> dict[str, Json]:
        frame = self._frames[-1] if self._frames else None
        asked = [] if frame is None or self.is_over else self._asked(frame)
        status: dict[str, Json] = {
            "state": self._state, "ending": self._ending, "over": self.is_over, "names": self._names,
            "asked": asked, "chosen": self._hearing.chosen, "left": None if self.is_over else self._hearing.left,
            "record": self._record,
            "mine": [self.keys[key] for key in keys if key in self.keys], "watchers": self.watchers(),
        }  # fmt: skip
        if self._goals:
            status["goals"] = self._goals
        if self.rematch is not None:
            status["rematch"] = {"id": self.rematch["id"], "keys": [self.rematch["keys"].get(key) for key in keys]}
        return status

    def _asked(self, frame: Frame) -> list[int]:
        """The people who have to choose, and have not."""
        legal = frame.situation.legal
        chosen = self._hearing.chosen
        return [role for role in self.setup.people if role not in chosen and not only_waits(legal[role])]


def _meant(legal: Sequence[Term], text: str) -> Term:
    """The legal move that a text means."""
    exact = typed(legal, text)
    if exact is not None:
        return exact
    intent = understand(text, MoveList.of(legal))
    match intent:
        case Chosen(move):
            return move
        case Ambiguous(moves):
            raise UsageError(f"{len(moves)} moves fit that: {', '.join(map(spoken, moves[:5]))}, …")
        case Unclear(message):
            raise UsageError(message)
    raise UsageError("that is no move")
