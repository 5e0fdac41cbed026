"""Searching by the reference until a deadline, where nobody knows beforehand how long one simulation takes."""

from __future__ import annotations

import time
from collections.abc import Callable

from ggp.core.delays import Pace
from ggp.players.player import Signal
from ggp.search.reference import RandomPlay, ReferenceSearch

_FIRST_STEPS = 2
"""Steps after which the first playout is given up, if there is a deadline."""
_SHARE = 8
"""Playouts may become twice as long where a simulation took less than this part of the time left."""
_CAUTION = 2.0
"""How much longer than usual the next simulation may take."""


def search_slowly(
    search: ReferenceSearch,
    dice: RandomPlay,
    *,
    deadline: float | None = None,
    simulations: int | None = None,
    stop: Signal | None = None,
    watch: Callable[[int], None] | None = None,
) -> int:
    """Simulate until a deadline (of `time.monotonic`), so many times, until `stop`, or at the end of the game not at all.

    How many simulations were made. `watch` is called with that number after each. Where there is a deadline, playouts are
    short at first and longer as time proves to suffice.
    """
    most, done, pace = dice.limit, 0, Pace()
    if deadline is not None:
        dice.limit = min(most, _FIRST_STEPS)
    while simulations is None or done < simulations:
        now = time.monotonic()
        if deadline is not None and done and now + _CAUTION * pace.seconds >= deadline:
            break
        if not search.simulate(stop):
            break
        done += 1
        taken = time.monotonic() - now
        pace.observe(taken)
        if deadline is not None and taken < (deadline - now) / _SHARE:
            dice.limit = min(most, 2 * dice.limit)
        if watch is not None:
            watch(done)
    return done
