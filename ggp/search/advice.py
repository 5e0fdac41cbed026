"""What is kept of a game, consulted before a search.

What is proven is certain, and played at once. Else the search is made, and of the two the larger one decides, if what is
kept is sure enough of its move: its confidence has to pass a threshold. (To have the search begin with the visits and
goals that are known of the positions after the legal moves was weaker: docs/knowledge.md has the figures.)
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

import numpy as np

from ggp.core.errors import KnowledgeError
from ggp.knowledge.base import Base
from ggp.knowledge.names import Codes, Names
from ggp.knowledge.records import confidence
from ggp.knowledge.shelf import Shelf
from ggp.machines.circuit import CircuitMachine, Position
from ggp.search.search import Search

STANDARD = 1.0
"""The confidence that a move needs: taken in half of the visits, it must win every other time."""
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Advice:
    """What is known of a position for a role."""

    input: int
    """The move that was found best."""
    visits: int
    confidence: float
    """MCD: see `ggp.knowledge.records.confidence`."""
    goal: float
    """That the role may expect of the move."""
    proven: bool

    def outweighs(self, visits: float) -> bool:
        """Whether to follow it, and not a search that came by the position so often and has proven nothing."""
        return self.proven or (self.confidence >= STANDARD and self.visits > visits)


class Adviser:
    """Knows what a base says of one game. What is wrong with the base is told, and the search goes on without it."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._game: tuple[Base, Codes] | None = None
        """What is known of the game, and what that calls the positions and moves."""
        self.problem = ""
        """Why it knows nothing, where something is wrong."""

    def open(self, machine: CircuitMachine) -> None:
        """Find the base of a machine's game, for a new search; another one of the game may go on meanwhile."""
        found = None
        if not (self._shelf.is_empty or machine.ruleset.has_hidden_information):  # who knows no position finds none
            names = Names(machine.ruleset)
            if self._shelf.has(names.game):
                found = self._shelf.base(names.game, names.roles), Codes(names, machine)
        self._game = found

    def advise(self, search: Search, role: int) -> Advice | None:
        """What is known of a search's position, where only this role has a choice."""
        game = self._game
        if game is None or search.is_recycling:
            return None
        legal = _legal(search.machine, search.position)
        if any(len(own) > 1 for number, own in enumerate(legal) if number != role):
            return None
        try:
            return _known(*game, search, role, legal[role])
        except (KnowledgeError, OSError) as error:
            self.problem = f"what was learned of the game cannot be read: {error}"
            _LOG.warning("%s", self.problem)
            self._game = None
            return None


def _known(base: Base, codes: Codes, search: Search, role: int, legal: list[int]) -> Advice | None:
    known, records = base.find(codes.keys(search.machine.bits(search.position)[None], role))
    number = codes.input(int(records["move"][0]), legal) if known[0] else None
    if number is None:
        return None
    record, sure = records[0], confidence(records, role, search.highest[role])
    goal = float(record["goals"][role])
    return Advice(number, int(record["visits"]), float(sure[0]), goal, bool(record["proven"]))


def _legal(machine: CircuitMachine, position: Position) -> list[list[int]]:
    """The legal inputs of each role."""
    bank = machine.bank
    bank.load([0], machine.bits(position)[None, :])
    bank.look(blocks=1)
    found, starts = bank.legal(0), machine.circuit.role_starts[1:-1]
    return [own.tolist() for own in np.split(found, np.searchsorted(found, starts))]
