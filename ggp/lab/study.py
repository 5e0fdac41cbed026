"""Guided study: a game is searched where it is likely to be played, and what is found is kept.

A *walk* goes from a first position to one of which less is known than is wanted: that is searched. On its way it makes
the best known move, as often as the search took it, or else any other. When walk after walk comes to an end of the game,
or to a proof, twice as much is wanted. So what is likely to be met becomes well known, and what others may play instead
is met as well; a study goes on where an earlier one, or one that runs beside it, has stopped.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ggp.core.progress import Tell, duration
from ggp.core.seeds import split_seed
from ggp.knowledge.base import Base
from ggp.knowledge.names import Codes
from ggp.knowledge.records import Records
from ggp.machines.circuit import CircuitMachine, Position
from ggp.machines.machine import JointMove, Situation
from ggp.search.findings import Findings
from ggp.search.search import Search
from ggp.search.settings import SearchSettings, Thinking

WANTED = 10_000
"""Visits that the first walks want of each position."""
_MOST = 10**12
"""Visits beyond which there is nothing to learn."""
_IDLE = 16
"""Walks in a row that find nothing to search, before more is wanted."""
_STEPS = 1000
"""Of a walk, at most: positions may repeat."""
_SLICE = 0.5
"""Seconds after which is kept what searches have found: whoever is killed loses no more than that, and what takes it."""
_CHANCE = -1
"""The role of nobody: where none has a choice, or several have."""


@dataclass
class Learned:
    """What a study has come to."""

    seconds: float = 0.0
    simulations: int = 0
    walks: int = 0
    matches: int = 0
    kept: int = 0
    """Records that were written."""
    new: int = 0
    """Those of positions that were not known."""
    proven: int = 0
    """Those that are proofs."""
    wanted: int = WANTED
    recorded: int = 0
    """Matches whose positions were searched."""

    def keep(self, base: Base, records: Records) -> None:
        """Keep records in a base, and count them."""
        self.new += base.learn(records)
        self.kept += len(records)
        self.proven += int(records["proven"].sum())

    def as_data(self) -> dict[str, Any]:
        """As JSON values."""
        return {"seconds": round(self.seconds, 1), "simulations": self.simulations, "walks": self.walks,
                "matches": self.matches, "recorded": self.recorded,
                "kept": self.kept, "new": self.new, "proven": self.proven}  # fmt: skip


class Study:
    """Walks through a game, with one search that lives as long as the study."""

    def __init__(
        self, machine: CircuitMachine, codes: Codes, base: Base, settings: SearchSettings, thinking: Thinking, seed: int
    ) -> None:  # fmt: skip
        self.machine, self.codes, self.base = machine, codes, base
        self.learned = Learned()
        self._dice = random.Random(split_seed(seed, "walks"))
        self._search = Search(machine, settings, seed, memory=thinking.memory, threads=thinking.threads)
        self._search.start(machine.initial())
        self._search.prepare()
        self._findings = Findings(self._search, codes)
        self._idle, self._due = 0, 0.0
        self._asked: Position | None = None
        """The position that was searched last."""

    def run(self, start: Position, seconds: float, tell: Tell, clock: Callable[[], float] = time.monotonic) -> None:
        """Walk from a position until the time is over, or all that can be known of the position is known."""
        self._due = time.monotonic() + _SLICE
        begun = clock()
        end = begun + seconds
        try:
            while clock() < end and self._walk(start, end, tell, clock):
                self.learned.seconds = clock() - begun
        finally:
            self._keep()
            self.learned.seconds = clock() - begun

    def follow(
        self, positions: Sequence[Position], seconds: float, tell: Tell, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Search positions one after the other until the time is over: each as much as is wanted, then twice as much."""
        self._due = time.monotonic() + _SLICE
        begun = clock()
        end = begun + seconds
        left = [(position, role) for position in positions if (role := self._role(position)) != _CHANCE]
        try:
            while left and clock() < end and self.learned.wanted < _MOST:
                left = [(position, role) for position, role in left if self._follow(position, role, end, tell, clock)]
                self.learned.wanted *= 2
        finally:
            self._keep()
            self.learned.seconds = clock() - begun

    def _follow(self, position: Position, role: int, end: float, tell: Tell, clock: Callable[[], float]) -> bool:
        """Search one of them. False if nothing more is to be learned of it."""
        known = self._known(position, role)
        if known is not None and known["proven"]:
            return False
        if clock() < end and (known is None or known["visits"] < self.learned.wanted):
            self._learn(position, end, tell, clock)
        return True

    def _role(self, position: Position) -> int:
        return _chooser(self.machine.situation(position))

    def _walk(self, start: Position, end: float, tell: Tell, clock: Callable[[], float]) -> bool:
        """One walk. False if nothing more is to be learned."""
        position = start
        self.learned.walks += 1
        for _ in range(_STEPS):
            situation = self.machine.situation(position)
            if situation.terminal or not all(situation.legal):
                break
            role = _chooser(situation)
            known = self._known(position, role)
            if known is not None and known["proven"]:
                if position == start:
                    return False
                break
            if role != _CHANCE and (known is None or known["visits"] < self.learned.wanted):
                self._idle = 0
                self._learn(position, end, tell, clock)
                return True
            position = self.machine.next(position, self._joint(situation, role, known))
        self._idle += 1
        if self._idle % _IDLE == 0:
            self.learned.wanted *= 2
        return self.learned.wanted < _MOST

    def _known(self, position: Position, role: int) -> Any:
        """The record of a position, None if there is none."""
        if role == _CHANCE:
            return None
        known, records = self.base.find(self.codes.keys(self.machine.bits(position)[None], role))
        return records[0] if known[0] else None

    def _learn(self, position: Position, end: float, tell: Tell, clock: Callable[[], float]) -> None:
        """Search a position until enough is known of it."""
        search = self._search
        search.start(position)
        while not search.solved and (left := end - clock()) > 0:
            missing = self.learned.wanted - search.visits
            if missing <= 0:
                break
            due = min(self._due, time.monotonic() + left)
            self.learned.simulations += search.run(deadline=due, simulations=int(missing) + 1).simulations
            if time.monotonic() >= self._due - _SLICE / 10:
                self._keep()
            tell(self._told(left))
        if self._asked == position:
            self._keep()  # what was found is not known yet
        self._asked = position

    def _keep(self) -> None:
        self.learned.keep(self.base, self._findings.take())
        self._due = time.monotonic() + _SLICE

    def _told(self, left: float) -> str:
        learned = self.learned
        return (f"{learned.new:,} new positions, {learned.proven:,} proofs, {learned.simulations:,} simulations, "
                f"{learned.walks:,} walks that want {learned.wanted:,} visits; {duration(left)} left")  # fmt: skip

    def _joint(self, situation: Situation, role: int, known: Any) -> JointMove:
        """Moves for all roles: for the one that chooses the best known as often as it was taken, else any other."""
        joint = [self._dice.choice(moves) for moves in situation.legal]
        if known is None:
            return tuple(joint)
        legal = situation.legal[role]
        numbers = [self.machine.input_number(role, move) for move in legal]
        best = self.codes.input(int(known["move"]), numbers)
        if best is not None:
            at = numbers.index(best)
            share = float(known["tried"]) / max(1.0, float(known["visits"]))
            others = [move for i, move in enumerate(legal) if i != at]
            joint[role] = legal[at] if self._dice.random() < share or not others else self._dice.choice(others)
        return tuple(joint)


def _chooser(situation: Situation) -> int:
    """The only role that has a choice, or `_CHANCE`."""
    choosing = np.flatnonzero([len(moves) > 1 for moves in situation.legal])
    return int(choosing[0]) if len(choosing) == 1 else _CHANCE
