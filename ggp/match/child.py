"""The child's end of the pipes. Run as `python -m ggp.match.child referee|mind BYTES PLAYER`, by `ggp.match.nursery`.

A thread reads commands as they come, so that a search learns at once that it is wanted elsewhere, and so that the process
ends when the front is gone, whatever it is doing.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys
import threading
import traceback
from collections import deque
from pathlib import Path
from typing import BinaryIO

from ggp.match.packets import Packet, read_packet, write_packet

_PR_SET_PDEATHSIG = 1
_LIKELY_VICTIM = "500"
"""What the kernel adds to our badness when memory runs out: children go before the front."""


class Inbox:
    """The commands that have come and were not obeyed yet."""

    def __init__(self, stream: BinaryIO, outbox: Outbox) -> None:
        self.interrupt = threading.Event()
        """Set while a command waits: whoever thinks stops."""
        self._stream, self._outbox = stream, outbox
        self._waiting: deque[Packet] = deque()
        self._changed = threading.Condition()
        threading.Thread(target=self._read, name="inbox", daemon=True).start()

    def take(self) -> Packet:
        """The next command; waits for one."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting)
            packet = self._waiting.popleft()
            if not self._waiting:
                self.interrupt.clear()
            return packet

    def _read(self) -> None:
        while (packet := read_packet(self._stream)) is not None:
            if packet["do"] == "ping":
                self._outbox.tell({"is": "alive"})
                continue
            with self._changed:
                self._waiting.append(packet)
                self.interrupt.set()
                self._changed.notify()
        os._exit(0)  # the front has gone; our own workers end with us


class Outbox:
    """Tells the front; from any thread."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._lock = threading.Lock()

    def tell(self, packet: Packet) -> None:
        """Send one message."""
        try:
            with self._lock:
                write_packet(self._stream, packet)
        except BrokenPipeError:
            os._exit(0)  # the front has gone


def main() -> None:
    """Obey commands until the front goes away."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    kind, memory = sys.argv[1], int(sys.argv[2])
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    Path("/proc/self/oom_score_adj").write_text(_LIKELY_VICTIM, encoding="ascii")
    outbox = Outbox(os.fdopen(os.dup(1), "wb"))
    os.dup2(2, 1)  # whatever is printed must not come between the messages
    inbox = Inbox(sys.stdin.buffer, outbox)
    try:
        from ggp.match.mind import Mind, warm  # seconds of imports: the inbox is open meanwhile

        warm(kind, sys.argv[3], inbox.interrupt)
        Mind(kind, inbox, outbox.tell).run()
    except BaseException:  # the front logs it and starts another child
        outbox.tell({"is": "failed", "why": traceback.format_exc(limit=-8)})
        os._exit(1)


if __name__ == "__main__":
    main()
