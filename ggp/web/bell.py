"""Wakes up whoever watches something."""

from __future__ import annotations

import threading
from collections.abc import Callable


class Bell:
    """Is rung when something has changed. Everything may be done from any thread."""

    def __init__(self) -> None:
        self._wakers: frozenset[Callable[[], None]] = frozenset()
        self._lock = threading.Lock()

    def watch(self, wake: Callable[[], None]) -> None:
        """Be woken up at every change."""
        with self._lock:
            self._wakers |= {wake}

    def unwatch(self, wake: Callable[[], None]) -> None:
        """Be left alone again."""
        with self._lock:
            self._wakers -= {wake}

    def watchers(self) -> int:
        """How many look on."""
        return len(self._wakers)

    def ring(self) -> None:
        """Wake everybody up; they may come back at once."""
        for wake in self._wakers:
            wake()
