"""The worker process: SWI-Prolog behind a pair of pipes. Run as `python -P worker.py BYTES`.

Messages are UTF-8 texts behind their length in four bytes. The first message tells whether Prolog could be loaded. The
process sets a limit on its own memory, ends with its parent, and is simply killed when it takes too long. It imports
nothing of the project, and so starts in three quarters of the time.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys
from pathlib import Path
from typing import BinaryIO

_PR_SET_PDEATHSIG = 1


def send(stream: BinaryIO, text: str) -> None:
    """Write one message."""
    data = text.encode()
    stream.write(len(data).to_bytes(4, "big") + data)
    stream.flush()


def receive(stream: BinaryIO) -> str | None:
    """Read one message; None at the end of the stream."""
    head = stream.read(4)
    if len(head) < 4:
        return None
    return stream.read(int.from_bytes(head, "big")).decode()


class Bridge:
    """Calls reasoner:answer/2 through pyswip: one text in, one text out."""

    def __init__(self) -> None:
        from pyswip import core
        from pyswip.prolog import Prolog

        self._core = core
        Prolog.consult(Path(__file__).with_name("reasoner.pl"), catcherrors=False)
        self._answer = core.PL_predicate("answer", 2, "reasoner")
        self._get_nchars = core._lib.PL_get_nchars
        self._get_nchars.argtypes = [
            core.term_t,
            ctypes.POINTER(ctypes.c_size_t),
            ctypes.POINTER(ctypes.c_char_p),
            ctypes.c_uint,
        ]

    def ask(self, request: str) -> str:
        """The reply to a request."""
        core = self._core
        frame = core.PL_open_foreign_frame()
        try:
            terms = core.PL_new_term_refs(2)
            data = request.encode()
            core.PL_put_chars(terms, core.PL_STRING | core.REP_UTF8, len(data), data)
            if not core.PL_call_predicate(None, core.PL_Q_NODEBUG | core.PL_Q_CATCH_EXCEPTION, self._answer, terms):
                return "-the reasoner gave no answer"
            length, chars = ctypes.c_size_t(), ctypes.c_char_p()
            flags = core.CVT_STRING | core.REP_UTF8 | core.BUF_DISCARDABLE
            if not self._get_nchars(terms + 1, ctypes.byref(length), ctypes.byref(chars), flags):
                return "-the reply of the reasoner is no text"
            return ctypes.string_at(chars, length.value).decode()
        finally:
            core.PL_discard_foreign_frame(frame)


def main() -> None:
    """Serve requests until the parent goes away."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    limit = int(sys.argv[1])
    requests = sys.stdin.buffer
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever Prolog prints must not come between the messages
    try:
        bridge = Bridge()
    except Exception as error:  # the parent turns this into advice for the user
        send(replies, f"-{type(error).__name__}: {error}")
        return
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    send(replies, "+ready")
    while (request := receive(requests)) is not None:
        send(replies, bridge.ask(request))


if __name__ == "__main__":
    main()
