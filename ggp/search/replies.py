"""Playouts that reply: between two steps, lanes are told what to prefer, by what was played before.

Contexts are moves of the playout and of the descent that led to it, as far as the search knows them: moves before its
root are none.
"""

from __future__ import annotations

import numpy as np

from ggp.core.kernels import bound
from ggp.lanes.searchlaps import deciders
from ggp.search.kernels.layout import Rows
from ggp.search.kernels.plays import Ends, Plays
from ggp.search.kernels.preferring import forget_played
from ggp.search.kernels.replying import PRECISION, recall_moves
from ggp.search.kernels.sequences import LONGEST, begin_sequences, note_moves, recall_sequences
from ggp.search.learning import Playing, by_goal


def odds_of(prob: float | None, usual: float) -> int:
    """A share, as kernels know it."""
    return round((usual if prob is None else prob) * (1 << PRECISION))


class Replies:
    """What all that reply have in common: the roles that decide in each step, and lanes that know the moves before."""

    def __init__(self, playing: Playing, graphs: int, seed: int) -> None:
        engine, self.rows = playing.bank.engine, playing.bank.engine.rows
        self.playing, self.graphs, self.circuit = playing, graphs, engine.circuit
        found = [roles[0] if roles else -1 for roles in deciders(engine.circuit, engine.phases)]
        self.deciders = np.array(found, np.int64)
        """[phases] the role that has a choice; -1: none."""
        self.goals, self.starts = by_goal(engine.circuit)
        starts = self.starts[0].tolist()
        self.choices = [(starts[role], starts[role + 1]) if role >= 0 else (0, 0) for role in found]
        """[phases] the inputs that it chooses from: the first, and the one after the last."""
        self.role_of = np.repeat(np.arange(self.circuit.roles, dtype=np.int32), np.diff(self.circuit.role_starts))
        """[inputs] the role of each."""
        self.most = int(np.diff(engine.circuit.role_starts).max(initial=1))
        """Inputs of a role, at most."""
        self.places = Rows(**{name: getattr(self.rows, name) for name in Rows._fields})
        """The rows, as kernels know them."""
        self.luck = np.array([seed % 2**64], np.uint64)
        memory, lanes = playing.bank.memory, playing.bank.lanes
        self.plays = Plays(memory, self.places, self.rows.total, playing.owner, playing.width, graphs, self.luck)
        """The lanes, as kernels know them."""
        best, reached = np.zeros(len(self.goals), np.uint64), np.zeros((lanes, self.circuit.roles), np.int64)
        self.ends = Ends(playing.changed, self.goals, self.starts, best, np.zeros(lanes, np.int64), reached)
        """Those that have come to their end."""
        self._forget = memory, self.rows.moves, self.rows.inputs, playing.changed
        self._forgets = bound(forget_played, *self._forget)
        if playing.work is not None:
            self._recall = *playing.work, playing.width, self.deciders
            self._recalls = bound(recall_moves, *self._recall)

    def begin(self) -> None:
        """The lanes that were changed are about to play."""
        self._forgets(*self._forget)
        if self.playing.work is not None:
            self._recalls(*self._recall)


class Sequences(Replies):
    """Those that need to know more than what each role played last: all that was played, in order."""

    def __init__(self, playing: Playing, graphs: int, seed: int) -> None:
        super().__init__(playing, graphs, seed)
        lanes, slots = playing.bank.lanes, len(playing.owner)
        self.sequence = np.zeros((lanes, playing.settings.step_limit + LONGEST), np.int32)
        self.begun, self.length = np.zeros(lanes, np.int32), np.zeros(lanes, np.int32)
        """Moves of a lane's sequence that are of its descent, and all."""
        self.active = np.zeros(lanes // 64, np.uint64)
        self.path, self.edges = np.zeros((slots, playing.settings.depth), np.int32), np.zeros(slots, np.int32)
        """The moves of the descents of slots, and how many."""
        noted = self.active, self.sequence, self.length
        steps = range(len(self.choices))
        self._notes = [(playing.bank.memory, self.places, *self.choices[t - 1], *noted) for t in steps]
        self._noting = bound(note_moves, *self._notes[0])
        self._begin = playing.changed, self.active, self.begun, self.length
        self._begins = bound(begin_sequences, *self._begin)
        if playing.work is not None:
            lanes_of = self.path, self.edges, self.sequence, self.begun, self.length
            self._remember = *playing.work, playing.width, self.deciders, *lanes_of
            self._remembers = bound(recall_sequences, *self._remember)

    def begin(self) -> None:
        """The lanes that were changed are about to play."""
        self._forgets(*self._forget)
        self._begins(*self._begin)
        if self.playing.work is not None:
            self._remembers(*self._remember)

    def note(self, t: int) -> None:
        """Lanes have come to phase t: note what they played."""
        self._noting(*self._notes[t])
