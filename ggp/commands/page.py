"""Serves the page while a block of a command runs: `ggp web` does nothing else, `ggp master` plays matches meanwhile."""

from __future__ import annotations

import secrets
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ggp.core.errors import UsageError

LOCAL = ("127.0.0.1", "::1", "localhost")
"""Where nobody but this machine can reach us."""
_NEEDED = ("starlette", "uvicorn", "websockets")
_GOODBYE = 0.5
"""Seconds that running matches have at the end."""


@dataclass(frozen=True)
class Listening:
    """Where the page can be reached, and by whom."""

    bind: str
    port: int
    token: str | None = None
    """What others have to know; None for one that is made up, where others can reach us."""
    hosts: Sequence[str] = ()
    """Further names by which this machine is called."""

    def secret(self) -> str:
        """The token; empty where none is needed."""
        if self.token is not None:
            if len(self.token) < 8 or not self.token.isascii() or not self.token.isalnum():
                raise UsageError("--token: 8 letters and digits are the least")
            return self.token
        return "" if self.bind in LOCAL else secrets.token_hex(12)


@contextmanager
def open_page(
    folder: Path, records: Path | None, place: Listening, hall: Callable[[], Any] = lambda: None
) -> Iterator[str]:  # fmt: skip
    """Serve the games of a folder, and matches that are recorded in another; the address to be opened in a browser.

    `hall`: what a game server that runs beside the page tells of itself.
    """
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise UsageError(
            f"the page needs {' and '.join(missing)}: `make setup` or `pip install 'ggp[web]'` installs that"
        )
    token = place.secret()
    from ggp.web.app import Services, make_app  # the server takes a while to import
    from ggp.web.entry import EntryRules, local_names
    from ggp.web.serving import listening, serving

    names = local_names([place.bind, socket.gethostname(), *place.hosts])
    services = Services.of(folder, records, hall)
    listener = listening(place.bind, place.port)
    with serving(make_app(services, EntryRules(names, token)), listener):
        try:
            yield _address(place.bind, listener.getsockname()[1], token)
        finally:
            services.close(_GOODBYE)


def _address(host: str, port: int, token: str) -> str:
    """What to open in a browser."""
    name = {"0.0.0.0": socket.gethostname(), "::": socket.gethostname(), "127.0.0.1": "localhost"}.get(host, host)
    shown = f"[{name}]" if ":" in name else name
    return f"http://{shown}:{port}/" + (f"?token={token}" if token else "")
