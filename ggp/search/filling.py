"""Whether the moves of a game fill places for good, as in hex or gomoku: each is played once, and nobody can then.

There, what a move is worth hardly hangs on when it is played, and GRAVE stands on that. A few random matches show it by
what is legal, whatever else holds in a position: roles take turns that do not hang on the moves; hardly a move becomes
legal that was not; and each that is played costs little more than itself. In connect four a move may be played again, and
means something else then; in chomp it costs many others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from ggp.core.seeds import split_seed
from ggp.lanes.bank import Bank
from ggp.machines.circuit import Compiled
from ggp.search.batch import Bits, see_matches
from ggp.search.settings import uct

_MATCHES, _STEPS = 16, 200
"""Random matches, and their steps, at most."""
_COME = 0.1
"""How many moves may become legal for each that ceases to be."""
_LEAST, _MOST = 0.9, 1.5
"""How many moves cease to be legal with each that is played, in the mean."""
_LANES = 512
"""Positions that are looked at together."""
_SEED = 3
"""What is found hangs on the rules alone, the same for every player."""


def places_are_taken(machine: Compiled, go_on: Callable[[], bool] = lambda: True) -> bool:
    """Whether moves take places for good; no if `go_on`, which is asked again and again, says that there is no time."""
    anything = uct(solver=False, reuse=False, simulations=1)
    seeds = [split_seed(_SEED, "places", i) for i in range(_MATCHES)]
    seen = see_matches(machine, anything, seeds, limit=_STEPS, go_on=go_on)
    if not (len(seen.positions) and go_on()):
        return False
    legal = _legal(machine, seen.positions)
    return are_filled([legal[seen.matches == match] for match in range(_MATCHES)], machine.circuit.role_starts.tolist())


def _legal(machine: Compiled, positions: Bits) -> Bits:
    """What is legal in positions, bool [n, inputs]."""
    bank, found = Bank(machine.engine, _LANES, _SEED), []
    for start in range(0, len(positions), _LANES):
        part = positions[start : start + _LANES]
        bank.load(range(len(part)), part)
        bank.look()
        found.append(bank.legal_bits(range(len(part))))
    return np.concatenate(found)


def are_filled(matches: Sequence[Bits], starts: Sequence[int]) -> bool:
    """Whether moves fill places in matches of which is known what was legal, each bool [steps, inputs].

    `starts`: the first input of each role, and their number.

    >>> places = ~np.tri(6, 8, -1, dtype=bool)
    >>> anywhere = np.ones((6, 8), bool)
    >>> are_filled([places, places], [0, 8]), are_filled([anywhere, anywhere], [0, 8])
    (True, False)
    """
    if not matches:
        return False
    roles = list(pairwise(starts))
    turns = [np.array([rows[:, lo:hi].sum(axis=1) > 1 for lo, hi in roles]) for rows in matches]
    first = min(map(len, matches)) // 2  # in the end a role that is to move may have a single one left
    if not all((turn[:, :first] == turns[0][:, :first]).all() for turn in turns):
        return False
    moves = gone = come = 0
    for rows, turn in zip(matches, turns, strict=True):
        for (lo, hi), own in zip(roles, turn, strict=True):
            at = np.flatnonzero(own)
            legal = rows[at, lo:hi]
            gone += int((legal[:-1] & ~legal[1:]).sum())
            come += int((~legal[:-1] & legal[1:]).sum())
            moves += sum(int(turn[:, one:other].sum()) for one, other in pairwise(at.tolist()))
    return moves > 0 and _LEAST * moves <= gone <= _MOST * moves and come <= _COME * gone
