"""The garbage collector belongs to the whole process; who wants it paused, or kept from what lives long, asks here.

Requests are counted: it works again as before when nobody wants it paused any more, and looks at everything again when
nobody keeps anything from it. So what one thread, player or parser ends is not ended for the others.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_pauses = _keeping = 0
_was_on = True


@contextmanager
def paused() -> Iterator[None]:
    """No collection meanwhile, in any thread: where millions of objects are made and none dies, looking is a waste."""
    global _pauses, _was_on  # noqa: PLW0603 (the collector is one for the process, too)
    with _lock:
        if not _pauses:
            _was_on = gc.isenabled()
            gc.disable()
        _pauses += 1
    try:
        yield
    finally:
        with _lock:
            _pauses -= 1
            if not _pauses and _was_on:
                gc.enable()


class Frozen:
    """Keeps what there is from the collector, for somebody who lives for a while: looking through it takes 100 ms.

    What becomes garbage meanwhile is found when nobody keeps anything any more.
    """

    def __init__(self) -> None:
        self._holds = False

    def freeze(self) -> None:
        """Keep all that is there now; once more, and what has been made since is kept as well."""
        global _keeping  # noqa: PLW0603
        with _lock:
            _keeping += not self._holds
            self._holds = True
            gc.freeze()

    def thaw(self) -> None:
        """Keep nothing any more; nothing happens if nothing was kept."""
        global _keeping  # noqa: PLW0603
        with _lock:
            if self._holds:
                self._holds = False
                _keeping -= 1
                if not _keeping:
                    gc.unfreeze()
