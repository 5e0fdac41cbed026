"""A server of the page for tests, and a person who plays there without a browser."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import requests
from websockets.sync.client import ClientConnection, connect

from ggp.web.app import Services, make_app
from ggp.web.entry import EntryRules, local_names
from ggp.web.serving import listening, serving


@dataclass(frozen=True)
class Site:
    """A server that runs."""

    url: str
    services: Services

    def get(self, path: str) -> Any:
        """What an address gives."""
        return _good(requests.get(self.url + path, timeout=30))

    def post(self, path: str, **body: Any) -> Any:
        """What some work comes to."""
        return _good(requests.post(self.url + path, json=body, timeout=60))

    def refused(self, path: str, **body: Any) -> tuple[int, str]:
        """How a request is refused."""
        answer = requests.post(self.url + path, json=body, timeout=30)
        assert answer.status_code >= 400
        return answer.status_code, answer.json()["error"]

    @contextmanager
    def live(self, path: str, **hello: Any) -> Iterator[ClientConnection]:
        """A socket that has said its first message."""
        with connect(self.url.replace("http", "ws") + path) as socket:
            socket.send(json.dumps(hello))
            yield socket

    def watch(self, match: str, keys: Sequence[str] = ()) -> Any:
        """A socket of somebody who watches a match."""
        return self.live(f"/api/matches/{match}/live", keys=list(keys))


def heard(socket: ClientConnection, wanted: str = "") -> Any:
    """The next message; with `wanted`, the next whose status has that set and not empty."""
    while True:
        news = json.loads(socket.recv(timeout=60))
        if not wanted or news["status"].get(wanted):
            return news


@contextmanager
def site(folder: Path, rules: EntryRules | None = None, hall: Callable[[], Any] = lambda: None) -> Iterator[Site]:
    """A server whose folder is empty at first; `hall`: what a game server beside it tells."""
    services = Services.of(folder, folder / "records", hall)
    listener = listening("127.0.0.1", 0)
    with serving(make_app(services, rules or EntryRules(local_names())), listener):
        try:
            yield Site(f"http://127.0.0.1:{listener.getsockname()[1]}", services)
        finally:
            services.close(10)


def _good(answer: requests.Response) -> Any:
    assert answer.status_code == 200, answer.text
    return answer.json()
