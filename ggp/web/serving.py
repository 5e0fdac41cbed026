"""Runs the server: uvicorn on a thread of its own, so that signals stay with the command."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from starlette.types import ASGIApp

from ggp.core.errors import UsageError

_LARGEST = 1 << 16
"""Bytes of a message from a browser."""
_GOODBYE = 1
"""Seconds that browsers have to hear that the server is stopping."""


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens; UsageError if it cannot."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
        made.listen(128)
    except (OSError, OverflowError) as error:
        made.close()
        why = (error.strerror if isinstance(error, OSError) else None) or error
        raise UsageError(f"cannot listen on {host}, port {port}: {why}") from None
    return made


@contextmanager
def serving(app: ASGIApp, listener: socket.socket) -> Iterator[None]:
    """Serve until the block is left."""
    config = uvicorn.Config(
        app, log_level="error", access_log=False, ws="websockets-sansio", ws_max_size=_LARGEST, lifespan="off",
        timeout_graceful_shutdown=_GOODBYE, server_header=False, limit_concurrency=2000,
    )  # fmt: skip
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([listener],), name="page", daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.should_exit = True
        thread.join(_GOODBYE + 1)
        listener.close()
