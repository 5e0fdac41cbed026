"""Batch simulation: hundreds of positions of a game at once, as numpy arrays.

>>> import ggp
>>> lanes = ggp.Lanes("games/tic_tac_toe.kif", width=512, seed=7)
>>> lanes.legal().shape                 # which of the inputs are legal in which lane
(512, 20)
>>> while not lanes.terminal().all():   # a uniformly random move in every lane that has not ended
...     lanes.step()
>>> lanes.goals().shape
(512, 2)
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gdl import Term, load
from ggp.core.library import game_file
from ggp.lanes.bank import Bank
from ggp.machines.circuit import CircuitMachine

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]


class Lanes:
    """Independent positions of one game, numbered 0 to width-1.

    Inputs ((role, move) pairs) and bases (fluents) are numbered; `inputs` and `bases` tell what the numbers mean.
    A lane whose position is terminal, or in which a role has no legal move, stays as it is until it is reset.
    """

    def __init__(self, game: str | os.PathLike[str] | CircuitMachine, width: int = 512, seed: int = 1) -> None:
        """`game`: a file, the name of a game of the library, or a machine that was compiled before."""
        self.machine = machine = game if isinstance(game, CircuitMachine) else compile_game(game)
        self.width = width
        self.roles = machine.roles
        starts = machine.circuit.role_starts.tolist()
        self.inputs: tuple[tuple[int, Term], ...] = tuple(
            (role, move) for role, (lo, hi) in enumerate(pairwise(starts)) for move in machine.inputs[lo:hi]
        )
        self.bases: tuple[Term, ...] = tuple(machine.bases)
        self._bank = Bank(machine.engine, width, seed)
        self._random = np.random.default_rng(seed)
        self._all = np.arange(width)
        self._looked = False
        self.reset()

    def reset(self, lanes: Sequence[int] | Ints | None = None) -> None:
        """Put some lanes (all by default) into the first position."""
        which = self._all if lanes is None else np.asarray(lanes, np.int64)
        self.load(np.broadcast_to(self.machine.circuit.initial, (len(which), len(self.bases))), which)

    def load(self, positions: Bools, lanes: Sequence[int] | Ints | None = None) -> None:
        """Set positions, bool [n, bases], of some lanes (all by default)."""
        which = self._all if lanes is None else np.asarray(lanes, np.int64)
        self._bank.load(which, np.asarray(positions, np.bool_))
        self._looked = False

    def positions(self) -> Bools:
        """The positions, bool [width, bases]."""
        return self._bank.save(self._all)

    def legal(self) -> Bools:
        """Which inputs are legal, bool [width, inputs]."""
        return self._look().legal_bits(self._all)

    def terminal(self) -> Bools:
        """Which lanes are terminal, bool [width]."""
        return self._look().is_ended(self._all)

    def goals(self) -> Ints:
        """The goal value of each role, int [width, roles]; 0 where the rules give none."""
        return self._look().goals(self._all)

    def step(self, moves: Ints | None = None) -> None:
        """One step of every lane: by input numbers, int [width, roles], where -1 stands for a random legal move.

        Without moves, all of them are random. A move that is not legal raises ValueError.
        """
        if moves is not None:
            self._give(np.array(moves, np.int64))
        self._bank.tick()
        self._looked = False

    def _give(self, moves: Ints) -> None:
        legal = self.legal()
        starts = self.machine.circuit.role_starts.tolist()
        if moves.shape != (self.width, len(self.roles)):
            raise ValueError(f"moves must be of shape {(self.width, len(self.roles))}, not {moves.shape}")
        able = np.ones(self.width, np.bool_)
        for role in range(len(self.roles)):
            own = legal[:, starts[role] : starts[role + 1]]
            able &= own.any(axis=1)
            open_ = moves[:, role] < 0
            luck = np.where(own, self._random.random(own.shape), -1.0)
            moves[open_, role] = starts[role] + luck[open_].argmax(axis=1)
        able &= ~self.terminal()
        chosen = np.take_along_axis(legal, moves, axis=1)
        owners = np.array([role for role, _ in self.inputs])[moves]
        wrong = able & (~chosen | (owners != np.arange(len(self.roles)))).any(axis=1)
        if wrong.any():
            raise ValueError(f"lane {int(np.flatnonzero(wrong)[0])}: a move is not legal")
        which = np.flatnonzero(able)
        self._bank.give(which, moves[which])

    def _look(self) -> Bank:
        if not self._looked:
            self._bank.look()
            self._looked = True
        return self._bank


def compile_game(game: str | os.PathLike[str]) -> CircuitMachine:
    """The circuit of a game, a file or one of the library; what lanes of several widths can share."""
    return CircuitMachine.compile(load(game_file(game)))
