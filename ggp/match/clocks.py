"""When an answer is due. All times are seconds on the clock of `time.monotonic`, which no change of the date moves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

_LARGEST_SHARE = 0.3
"""The part of a clock that is kept in hand at most; of what our own delays may cost as well."""
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


def due(arrival: float, clock: float, margin: float, lag: float = 0.0) -> Due:
    """The deadlines of an answer to a request that arrived at `arrival`, for a clock in seconds.

    `margin` is kept for the way to the server, `lag` for the way from the mind to us; of short clocks less.

    >>> due(100.0, 1, margin=0.25, lag=0.125)
    Due(decide_by=100.625, answer_by=100.75, guess_by=100.91666666666667)
    >>> due(100.0, 1, margin=5.0)
    Due(decide_by=100.7, answer_by=100.7, guess_by=100.9)
    """
    clock = max(clock, _SHORTEST)
    kept = min(margin, _LARGEST_SHARE * clock)
    answer_by = arrival + clock - kept
    guess_by = arrival + clock - kept / 3
    return Due(answer_by - min(lag, _LARGEST_SHARE * clock), answer_by, guess_by)


def share_used(report: Mapping[str, object], clock: float) -> dict[str, float]:
    """What a report shall say of a clock: which part of it was searched, where the player tells its seconds.

    >>> share_used({"seconds": 1.9}, 2)
    {'used': 0.95}
    """
    seconds = report.get("seconds")
    return {"used": round(seconds / clock, 3)} if isinstance(seconds, int | float) and clock > 0 else {}
