"""The desk of our game server: players announce themselves, visitors ask what is going on. JSON over HTTP.

    POST /register    {"port": 9147}                     the caller's own address, or with "host" another one
    POST /unregister  {"port": 9147}
    GET  /status                                         games, players, matches

The answer is an object; what cannot be done has the status 400, 404 or 409, and an `error` that says why.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from ggp import __version__
from ggp.core.errors import UsageError
from ggp.match.client import Address
from ggp.match.faults import printable
from ggp.match.record import Json
from ggp.match.roster import Guest, Roster

_SECONDS = 10.0
"""For a visitor to send its request."""
_LONGEST = 64 << 10
"""Bytes of a request."""


class Desk(ThreadingHTTPServer):
    """Listens from its making to `server_close`; serve it in a thread of its own."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(
        self, host: str, port: int, roster: Roster, status: Callable[[], Json], tell: Callable[[str], None]
    ) -> None:
        """Bind the address; UsageError if that cannot be done."""
        self.roster = roster
        self.status = status
        self.tell = tell
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        try:
            super().__init__((host, port), _Visit)
        except OSError as error:
            raise UsageError(f"cannot listen on {host} port {port}: {error.strerror or error}") from None

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self.server_address[1])

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A visitor who goes away in the middle of a sentence is no news."""


class _Visit(BaseHTTPRequestHandler):
    """One request."""

    server: Desk
    timeout = _SECONDS
    protocol_version = "HTTP/1.0"
    server_version = f"ggp/{__version__}"
    sys_version = ""

    def do_GET(self) -> None:
        """The status."""
        if self.path.split("?")[0] in ("/", "/status"):
            self._reply(200, self.server.status())
        else:
            self._reply(404, {"error": "there is /status, /register and /unregister"})

    def do_POST(self) -> None:
        """A player comes or goes."""
        actions = {"/register": self._register, "/unregister": self._unregister}
        if self.path not in actions:
            self._reply(404, {"error": "there is /status, /register and /unregister"})
            return
        try:
            address = self._address()
        except (UsageError, ValueError) as error:
            self._refuse(400, error)
            return
        actions[self.path](address)

    def _register(self, address: Address) -> None:
        known = {guest.address for guest in self.server.roster.guests()}
        try:
            guest: Guest = self.server.roster.add(address)
        except UsageError as error:
            self._refuse(409, error)
            return
        if address not in known:
            self.server.tell(f"{guest.name} ({address}) has come")
        self._reply(200, {"registered": True, "name": guest.name, "address": str(address), "status": guest.status})

    def _unregister(self, address: Address) -> None:
        if not self.server.roster.remove(address):
            self._reply(404, {"error": f"{address} is not registered"})
            return
        self.server.tell(f"{address} has left")
        self._reply(200, {"registered": False, "address": str(address)})

    def _refuse(self, status: int, error: Exception) -> None:
        self.server.tell(f"{self.client_address[0]} was refused: {printable(str(error), 200)}")
        self._reply(status, {"error": str(error)})

    def _address(self) -> Address:
        """The address that a request names; ValueError or UsageError if it names none."""
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length[:10]) > _LONGEST:
            raise ValueError(f"a Content-Length up to {_LONGEST} is needed")
        try:
            value = json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            raise ValueError("the request is no JSON") from None
        if not isinstance(value, dict):
            raise ValueError('the request is no object: send {"port": 9147}')
        host, port = value.get("host", self.client_address[0]), value.get("port")
        if not isinstance(host, str) or not isinstance(port, int) or isinstance(port, bool):
            raise ValueError("`port` must be a whole number, and `host` a text if it is there")
        return Address.parse(f"[{host}]:{port}" if ":" in host and host[0] != "[" else f"{host}:{port}")

    def _reply(self, status: int, value: Json) -> None:
        body = json.dumps(value).encode() + b"\n"
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Access-Control-Allow-Origin", "*")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        """The log tells of players, not of requests."""
