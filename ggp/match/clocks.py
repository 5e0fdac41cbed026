"""When an answer is due. All times are seconds on the clock of `time.monotonic`, which no change of the date moves."""

from __future__ import annotations

from dataclasses import dataclass

_SMALLEST_LAG = 0.03
"""Seconds that the way from the mind to the server takes on a quiet machine, with something in hand."""
_LARGEST_LAG_SHARE = 0.3
"""The part of a clock that our own delays may cost."""
_DECAY = 0.9
"""What is left of a measured delay after each answer that was in time."""
_CAUTION = 1.5
"""How much more than the last delay is expected of the next one."""
_SHORTEST = 0.2
"""Seconds of the shortest clock: less would leave no time to choose, and servers allow a second more than they say."""


@dataclass(frozen=True)
class Due:
    """The deadlines of one answer."""

    decide_by: float
    """When the mind shall have answered."""
    answer_by: float
    """When a standby move is sent instead."""
    guess_by: float
    """When anything is better than nothing: no legal move is known yet."""


class Lag:
    """How late the mind is wont to be: computers are busy, and threads wait for each other. It adapts, upward at once."""

    def __init__(self) -> None:
        self.seconds = _SMALLEST_LAG

    def observe(self, late: float) -> None:
        """Learn from an answer: how long after its deadline it came, negative if it came before."""
        self.seconds = max(_SMALLEST_LAG, self.seconds * _DECAY, late * _CAUTION + _SMALLEST_LAG if late > 0 else 0.0)


def due(arrival: float, clock: float, margin: float, margin_share: float, lag: float = 0.0) -> Due:
    """The deadlines of an answer to a request that arrived at `arrival`, for a clock in seconds.

    The margin is never more than a share of the clock: of 1 s, 0.3 s are kept; of 30 s, what was asked for.

    >>> due(100.0, 1, margin=1.0, margin_share=0.3)
    Due(decide_by=100.7, answer_by=100.7, guess_by=100.9)
    """
    clock = max(clock, _SHORTEST)
    kept = min(margin, margin_share * clock)
    answer_by = arrival + clock - kept
    guess_by = arrival + clock - kept / 3
    return Due(answer_by - min(lag, _LARGEST_LAG_SHARE * clock), answer_by, guess_by)
