"""The positions of a match, and what each watcher may know of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gdl.terms import Term, kif
from ggp.human.movelist import spoken
from ggp.machines.machine import JointMove, Situation
from ggp.match.faults import Fault
from ggp.match.seats import Answer
from ggp.web.drawing import Drawing, Effects
from ggp.web.fields import Json

_TOLD = ("simulations", "expected", "proven", "nodes", "visits", "used")
"""What is shown of a player's report."""


@dataclass(frozen=True)
class Known:
    """What a role knows of a position in a game of hidden information."""

    fluents: Sequence[Term]
    """What holds in all positions that were found to agree with what it saw."""
    count: int
    """How many these are."""
    positions: Sequence[tuple[Sequence[Term], int]]
    """Their fluents, and how likely each is."""
    seen: Sequence[Term]
    """What it was told with the last move."""


@dataclass(frozen=True, kw_only=True)
class Frame:
    """A position that was reached."""

    serial: int
    """Unique in its room: where moves were taken back, a number comes twice, a serial does not."""
    number: int
    fluents: tuple[Term, ...]
    situation: Situation
    joint: JointMove | None
    answers: Sequence[Answer] = ()
    faults: Sequence[Fault | None] = ()
    before: tuple[Term, ...] | None = None
    effects: Effects = field(default_factory=dict)
    over: bool = False
    known: Mapping[int, Known] = field(default_factory=dict)
    """For each role that somebody plays on the page, where roles do not know everything."""


@dataclass(frozen=True)
class Sight:
    """What a watcher may see."""

    roles: Collection[int] | None
    """None for everything; else what these roles know."""

    def step(self, frame: Frame) -> dict[str, Json]:
        """What led to a position, in short."""
        if frame.joint is None:
            return {"number": frame.number, "moves": None}
        moves = [spoken(move) for move in frame.joint]
        told: dict[str, Json] = {
            "number": frame.number,
            "moves": [m if self._knows(role) else None for role, m in enumerate(moves)],
            "seconds": [round(answer.seconds, 3) for answer in frame.answers],
            "faults": [
                None if fault is None else fault.message if self._knows(role) else "fault"
                for role, fault in enumerate(frame.faults)
            ],
        }
        if self.roles is None:
            told["reports"] = [{k: a.report[k] for k in _TOLD if k in a.report} for a in frame.answers]
        else:
            told["seen"] = {
                str(role): [spoken(s) for s in k.seen] for role, k in frame.known.items() if self._knows(role)
            }
        return told

    def board(self, frame: Frame, drawing: Drawing) -> dict[str, Json] | None:
        """The position; None where nothing is known of it."""
        if self.roles is None:
            return drawing.position(
                frame.fluents, frame.situation, joint=frame.joint, before=frame.before, effects=frame.effects,
                over=frame.over,
            )  # fmt: skip
        role = next((role for role in frame.known if role in self.roles), None)
        if role is None:
            return None
        known = frame.known[role]
        legal = tuple(moves if n == role else () for n, moves in enumerate(frame.situation.legal))
        shown = drawing.position(known.fluents, Situation(False, legal, ()), effects=frame.effects)
        return {**shown, "possible": known.count}

    def _knows(self, role: int) -> bool:
        return self.roles is None or role in self.roles


def unseen(seen: list[int], serials: list[int]) -> int | None:
    """The first frame that a watcher does not know who has `seen` those of some serials, which are brought up to date.

    None where nothing is new; where moves were taken back, that may be one that was another before.
    """
    if seen == serials:
        return None
    pairs = enumerate(zip(seen, serials, strict=False))
    same = next((n for n, (a, b) in pairs if a != b), min(len(seen), len(serials)))
    seen[:] = serials
    return same


def news(status: Json, frames: Sequence[Frame], same: int | None, sight: Sight, board: Callable[[], str]) -> str:
    """What a watcher is sent: the status; the steps from `same` on, and the newest board, where these are new to it."""
    steps = "[]" if same is None else dumped([sight.step(frame) for frame in frames[same:]])
    newest = "null" if same is None or not frames else board()
    first = len(frames) if same is None else same
    return f'{{"status":{dumped(status)},"from":{first},"steps":{steps},"board":{newest}}}'


def dumped(value: Any) -> str:
    """JSON without blanks."""
    return json.dumps(value, separators=(",", ":"))


def typed(moves: Sequence[Term], text: str) -> Term | None:
    """The move of which a text is the term, as the page sends it."""
    return next((move for move in moves if kif(move) == text), None)
