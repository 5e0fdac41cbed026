"""What is kept of a game, consulted before a search.

What is proven is certain, and played at once. Else the search goes on where others have stopped: the visits and goals
that are known of the positions after the legal moves count at the root as if they had been found here.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ggp.core.errors import KnowledgeError
from ggp.knowledge.base import Base
from ggp.knowledge.names import Codes, Names
from ggp.knowledge.records import Records, confidence
from ggp.knowledge.shelf import Shelf
from ggp.lanes.bank import Bank
from ggp.machines.circuit import Bits, CircuitMachine, Position
from ggp.search.kernels.knowing import credit
from ggp.search.search import Search

MOST = 10_000.0
"""Visits that a move is credited with, at most: a search that finds something else must be able to say so."""
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

    def told(self) -> dict[str, object]:
        """As JSON values, for reports."""
        return {"visits": self.visits, "confidence": round(self.confidence, 3), "expected": round(self.goal, 2)}


class Adviser:
    """Knows what a base says of one game. What is wrong with the base is told, and the search goes on without it."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._base: Base | None = None
        self._codes: Codes | None = None
        self._credited: set[Position] = set()
        self.problem = ""
        """Why it knows nothing, where something is wrong."""

    def open(self, machine: CircuitMachine) -> None:
        """Find the base of a machine's game, for a new search."""
        self._base, self._credited = None, set()
        if self._shelf.is_empty or machine.ruleset.has_hidden_information:
            return  # who does not know the position cannot know what was found there
        names = Names(machine.ruleset)
        if self._shelf.has(names.game):
            self._codes = Codes(names, machine)
            self._base = self._shelf.base(names.game, names.roles)

    def advise(self, search: Search, role: int) -> Advice | None:
        """What is known of a search's position, where only this role has a choice.

        If that is not certain, the search begins with what is known of the positions after its root.
        """
        if self._base is None or search.is_recycling:
            return None
        legal = _legal(search.machine, search.position)
        if any(len(own) > 1 for number, own in enumerate(legal) if number != role):
            return None
        try:
            advice = self._known(search, role, legal[role])
            if (advice is None or not advice.proven) and search.position not in self._credited:
                self._credited.add(search.position)
                self._credit(search, role, legal)
        except (KnowledgeError, OSError) as error:
            self.problem = f"what was learned of the game cannot be read: {error}"
            _LOG.warning("%s", self.problem)
            self._base = None
            return None
        return advice

    def _known(self, search: Search, role: int, legal: list[int]) -> Advice | None:
        assert self._codes is not None and self._base is not None
        known, records = self._base.find(self._codes.keys(search.machine.bits(search.position)[None], role))
        number = self._codes.input(int(records["move"][0]), legal) if known[0] else None
        if number is None:
            return None
        record, sure = records[0], confidence(records, role, search.highest[role])
        goal = float(record["goals"][role])
        return Advice(number, int(record["visits"]), float(sure[0]), goal, bool(record["proven"]))

    def _credit(self, search: Search, role: int, legal: list[list[int]]) -> None:
        known, found = self._after(search, legal)
        if not known.any():
            return
        search.run(simulations=len(search.trees))  # so that the moves are listed
        inputs = np.array(legal[role], np.int32)[known]
        visits = np.minimum(found["visits"][known], MOST).astype(np.float64) / len(search.trees)
        for tree in search.trees:
            if tree.graph.node[tree.root].decider == role:
                credit(tree.graph, 0, tree.root, inputs, visits, found["goals"][known].astype(np.float64))

    def _after(self, search: Search, legal: list[list[int]]) -> tuple[NDArray[np.bool_], Records]:
        """What is known of the position after each move of the role that has a choice, for whoever chooses then."""
        assert self._codes is not None and self._base is not None
        machine, count = search.machine, max(map(len, legal))
        joints = np.array([[own[i if len(own) > 1 else 0] for own in legal] for i in range(count)])
        bits = _next(machine, machine.bits(search.position), joints)
        keys = np.concatenate([self._codes.keys(bits, role) for role in range(len(legal))])
        known, found = self._base.find(keys)
        at = np.argmax(known.reshape(len(legal), count), axis=0) * count + np.arange(count)
        return known[at], found[at]


def _legal(machine: CircuitMachine, position: Position) -> list[list[int]]:
    """The legal inputs of each role."""
    bank = machine.bank
    bank.load([0], machine.bits(position)[None, :])
    bank.look(blocks=1)
    found, starts = bank.legal(0), machine.circuit.role_starts[1:-1]
    return [own.tolist() for own in np.split(found, np.searchsorted(found, starts))]


def _next(machine: CircuitMachine, bits: Bits, joints: NDArray[np.int64]) -> Bits:
    """The positions after joint moves, bool [n, bases]."""
    bank, lanes = Bank(machine.engine, len(joints), seed=1), np.arange(len(joints))
    bank.load(lanes, np.broadcast_to(bits, (len(joints), len(bits))))
    bank.give(lanes, joints)
    bank.tick()
    return bank.save(lanes)
