"""Searches positions to be looked at. It has machines of its own: matches go on beside it undisturbed."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from gdl.grounding import GroundLimits
from gdl.ruleset import CHANCE
from gdl.terms import Term, kif
from ggp.analysis.reasons import explain, read_atom
from ggp.analysis.rows import Row
from ggp.core.errors import UsageError
from ggp.human.movelist import joint_spoken
from ggp.machines import Machine, make_machine
from ggp.match.record import digest
from ggp.players.specs import DEFAULT_PLAYER
from ggp.web import graph
from ggp.web.fields import BusyError, Fields, Json
from ggp.web.places import Place
from ggp.web.shelf import LIMITS, Title

_EVERY = 0.2
"""Seconds between two pieces of news of a search: with the time until it is looked again, four a second."""
_PATIENCE, _HINT_PATIENCE = 20.0, 5.0
"""Seconds that a search waits for a circuit, and that a hint does."""
_MEMORY = 2**28
_AT_ONCE = 2
"""Searches at the same time."""
_KEPT = 4
"""Games whose machines are kept."""
_GROUNDING = GroundLimits(seconds=20, bytes=2**31)
_SHOWN = 40
"""Moves of a role that are told."""


@dataclass
class _Desk:
    """A game that was looked at lately."""

    machine: Machine[Any]
    settings: Any = None
    """Those that the last search came to; None before the first."""
    lock: threading.Lock = field(default_factory=threading.Lock)


class StoppedError(Exception):
    """Nobody wants to know any more."""


class Analyst:
    """Looks at positions. It may be asked from any thread."""

    def __init__(self) -> None:
        self._desks: OrderedDict[str, _Desk] = OrderedDict()
        self._lock = threading.Lock()
        self._free = threading.BoundedSemaphore(_AT_ONCE)

    def look(
        self, place: Place, seconds: float, tell: Callable[[Json], None], stop: threading.Event | None = None
    ) -> None:
        """Search a position and tell what is known, several times a second, and the graph at the end.

        What `tell` raises ends it; `stop` ends it early.
        """
        from ggp.analysis.live import Info  # numpy and numba take a second: only where they are used
        from ggp.analysis.looking import Budget, look
        from ggp.search.presets import search_options

        with self._desk(place.title) as desk:
            machine = desk.machine
            desk.settings = desk.settings or search_options(DEFAULT_PLAYER, {})[0]
            machine.compiled(_PATIENCE)
            position = _position(machine, place)
            situation = machine.situation(position)
            if situation.terminal:
                raise UsageError("the game is over here: there is nothing to search")
            roles = machine.roles
            asked = [n for n, moves in enumerate(situation.legal) if len(moves) > 1 and roles[n] != CHANCE]
            asked = asked or [n for n, role in enumerate(roles) if role != CHANCE][:1]

            def hear(info: Info) -> None:
                tell({**_told(roles, info.tables, info.line), "simulations": info.simulations, "seconds": info.seconds})

            budget = Budget(seconds, 0, _MEMORY, 1)
            found = look(
                machine, position, situation, asked, desk.settings, budget, 1, listen=hear, every=_EVERY, stop=stop
            )
            desk.settings = found.judged.settings
            slow = "slowly on Prolog, for want of a circuit" if found.engine == "reference" else ""
            tell({
                **_told(roles, found.tables, found.line), "simulations": found.simulations, "seconds": found.seconds,
                "solved": found.solved, "note": slow, "graph": graph.told(found.view), "done": True,
            })  # fmt: skip

    def after(self, place: Place, asked: Fields) -> Json:
        """The board that the joint moves of `line` lead to from a position."""
        line = graph.read_line(asked, len(place.title.ruleset.roles))
        with self._desk(place.title) as desk:
            return graph.board_after(desk.machine, place.title.drawing, _position(desk.machine, place), line)

    def hint(self, title: Title, positions: Sequence[tuple[Sequence[Term], int]], role: int, seconds: float) -> Json:
        """The best moves of a role, which knows that it is in one of some positions."""
        from ggp.human.hint import think

        with self._desk(title) as desk:
            machine = desk.machine
            known = [(machine.position(fluents), weight) for fluents, weight in positions]
            thought = think(machine, known, role, seconds, _HINT_PATIENCE, 1)
        rows = thought.rows()
        if not rows:
            raise UsageError("no simulation was finished in that time")
        return {"moves": [{"move": kif(move), "visits": visits, "goal": goal} for move, visits, goal in rows[:5]]}

    def why(self, place: Place, text: str) -> Json:
        """Why an atom holds in a position, or why it does not."""
        ruleset = place.title.ruleset
        fluents = None if place.fluents is None else [kif(fluent) for fluent in place.fluents]
        with self._turn():
            answer = explain(ruleset, read_atom(text), fluents, place.joint, _GROUNDING)
        return {"holds": answer.holds, "text": answer.text()}

    def close(self) -> None:
        """Give back the machines that nobody uses."""
        with self._lock:
            for desk in self._desks.values():
                if desk.lock.acquire(blocking=False):
                    desk.machine.close()

    @contextmanager
    def _turn(self) -> Iterator[None]:
        if not self._free.acquire(timeout=1):
            raise BusyError(f"{_AT_ONCE} positions are being looked at already: wait a moment")
        try:
            yield
        finally:
            self._free.release()

    @contextmanager
    def _desk(self, title: Title) -> Iterator[_Desk]:
        """The machine of a game, for one at a time."""
        with self._turn():
            key = digest(title.ruleset.source.text)
            with self._lock:
                if key not in self._desks:
                    self._desks[key] = _Desk(make_machine("auto", title.ruleset, LIMITS, patience=1.0))
                self._desks.move_to_end(key)
                desk = self._desks[key]
                for old in list(self._desks)[:-_KEPT]:
                    if self._desks[old].lock.acquire(blocking=False):
                        self._desks.pop(old).machine.close()
            with desk.lock:
                yield desk


def _position(machine: Machine[Any], place: Place) -> Any:
    return machine.initial() if place.fluents is None else machine.position(place.fluents)


def _told(roles: Sequence[str], tables: Any, line: Sequence[Sequence[Term]]) -> dict[str, Json]:
    return {
        "tables": [{"role": role, "moves": [_row(row) for row in rows[:_SHOWN]]} for role, rows in tables.items()],
        "line": [joint_spoken(roles, joint) for joint in line],
    }


def _row(row: Row) -> dict[str, Json]:
    return {
        "move": kif(row.move), "visits": row.visits, "mean": row.mean, "low": row.low, "high": row.high,
        "proven": row.proven, "chosen": row.chosen,
    }  # fmt: skip
