"""How late things are wont to be: computers are busy, and threads wait for each other.

Whoever must be done by a deadline stops as much earlier as delays were seen to be. A single delay may have been an
accident: the next time room is kept for it, but later ones only if it comes again.
"""

from __future__ import annotations

from collections import deque

_REMEMBERED = 16
"""Delays that are remembered: the second longest of them is taken for usual."""
_CAUTION = 2.0
"""How much longer than those seen a delay may be."""
_FORGET = 0.1
"""What a pace is shortened by, for each second since: on a busy machine, some rounds take much longer than others."""


class Delays:
    """The delays that were seen, and what to keep in hand for the next one."""

    def __init__(self, least: float) -> None:
        """`least`: seconds that are kept in any case."""
        self._least = least
        self._seen: deque[float] = deque(maxlen=_REMEMBERED)

    @property
    def seconds(self) -> float:
        """How much earlier to stop.

        >>> delays = Delays(0.03)
        >>> for late in (-0.5, 2.0, 0.0):
        ...     delays.observe(late)
        ...     print(delays.seconds)
        0.03
        4.03
        0.03
        """
        if not self._seen:
            return self._least
        usual = sorted(self._seen)[-2:][0] if len(self._seen) > 1 else 0.0
        return self._least + _CAUTION * max(usual, self._seen[-1])

    def observe(self, late: float) -> None:
        """Learn how long after its deadline something came: negative if it came before."""
        self._seen.append(max(0.0, late))


class Pace:
    """How long another round of the same work may take: as long as the longest but one.

    The first use of anything takes a while, and says nothing of the rest.
    """

    def __init__(self) -> None:
        self._longest = self._next = 0.0
        self._rounds = 0

    @property
    def seconds(self) -> float:
        """What to expect.

        >>> pace = Pace()
        >>> for taken in (3.0, 0.5, 0.25):
        ...     pace.observe(taken)
        ...     print(pace.seconds)
        3.0
        0.5
        0.475
        """
        return self._longest if self._rounds < 2 else self._next

    def observe(self, taken: float) -> None:
        """Learn how long a round took."""
        self._rounds += 1
        self._longest -= _FORGET * taken
        self._next -= _FORGET * taken
        self._next = max(self._next, min(taken, self._longest))
        self._longest = max(self._longest, taken)
