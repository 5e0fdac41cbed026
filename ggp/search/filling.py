"""Whether the moves of a game fill places for good, as in hex or gomoku: what has come to hold does not cease again.

There, what a move is worth hardly hangs on when it is played, and GRAVE stands on that. A few random matches show it,
but for what only tells the time (whose turn it is, a counter of steps).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ggp.core.seeds import split_seed
from ggp.machines.circuit import Compiled
from ggp.search.batch import Bits, play_matches
from ggp.search.settings import uct

_MATCHES, _STEPS = 16, 200
"""Random matches, and their steps, at most."""
_FEW = 0.02
"""The share of what comes that may go again."""
_SEED = 3
"""What is found hangs on the rules alone, the same for every player."""


def places_are_taken(machine: Compiled, go_on: Callable[[], bool] = lambda: True) -> bool:
    """Whether moves take places for good; no if `go_on`, which is asked again and again, says that there is no time."""
    seen: list[list[Bits]] = [[] for _ in range(_MATCHES)]

    def watch(_: int, matches: Sequence[int], positions: Bits) -> bool:
        for match, position in zip(matches, positions, strict=True):
            seen[match].append(position)
        return go_on()

    anything = uct(solver=False, reuse=False, simulations=1)
    seeds = [split_seed(_SEED, "places", i) for i in range(_MATCHES)]
    play_matches(machine, [(anything,) * len(machine.roles)] * _MATCHES, seeds, limit=_STEPS, watch=watch)
    return go_on() and stay([np.array(rows) for rows in seen if rows])


def stay(matches: Sequence[Bits]) -> bool:
    """Whether what comes in matches stays; each is bool [steps, bases].

    >>> filled = np.tri(5, 6, dtype=bool)
    >>> moving = np.eye(5, 6, dtype=bool)
    >>> stay([filled, filled[:, ::-1]]), stay([moving, moving[:, ::-1]]), stay([moving, moving])
    (True, False, False)
    """
    if not matches:
        return False
    shortest = min(map(len, matches))
    first = np.array([rows[:shortest] for rows in matches])
    tells_time = (first == first[0]).all(axis=(0, 1))
    came = went = 0
    for rows in matches:
        told = rows[:, ~tells_time]
        comes = ~told[:-1] & told[1:]
        came += int(comes.sum())
        went += int((np.logical_or.accumulate(comes)[:-1] & told[1:-1] & ~told[2:]).sum())
    return came > 0 and went <= _FEW * came
