"""One request to a player, byte by byte as some server would send it, and what came back, byte by byte."""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Sequence
from dataclasses import dataclass

from ggp.match.client import Address

_LINGER = 2.0
"""Seconds that a player has to close the connection after its reply."""
_LONGEST = 1 << 20


@dataclass(frozen=True)
class Exchange:
    """What came back."""

    seconds: float
    """Until the reply was complete."""
    status: int
    """0 where nothing came that begins like a reply."""
    headers: dict[str, str]
    """By their names in lower case."""
    body: bytes
    closed: bool
    """True if the player closed the connection soon after its reply."""

    @property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode("utf-8", "replace").strip()

    @property
    def length_is_right(self) -> bool:
        """True if Content-Length is there and tells the number of bytes."""
        return self.headers.get("content-length", "") == str(len(self.body))


def post(message: str, *, version: str = "1.1", host: bool = True, headers: Sequence[str] = ()) -> bytes:
    """The bytes of a request as servers send it."""
    body = message.encode()
    lines = [f"POST / HTTP/{version}", *(["Host: localhost"] if host else [])]
    lines += headers or ["Content-Type: text/acl", "Accept: text/delim", "Sender: GAMESERVER", "Receiver: PLAYER"]
    if not any(line.lower().startswith("content-length") for line in lines):
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def exchange(address: Address, data: bytes, seconds: float, pieces: int = 1) -> Exchange:
    """Send bytes, in one or more pieces, and read what comes back; OSError if the connection fails or nothing comes."""
    started = time.monotonic()
    deadline = started + seconds
    with socket.create_connection((address.host.strip("[]"), address.port), timeout=seconds) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        size = max(1, -(-len(data) // pieces))
        for at in range(0, len(data), size):
            _limit(connection, deadline)
            connection.sendall(data[at : at + size])
        got = b""
        complete_at = 0.0
        closed = False
        while len(got) < _LONGEST:
            if not complete_at and _is_complete(got):
                complete_at = time.monotonic()
                deadline = complete_at + _LINGER
            try:
                _limit(connection, deadline)
                part = connection.recv(65536)
            except TimeoutError:
                if complete_at:
                    break
                raise
            if not part:
                closed = True
                break
            got += part
    head, _, body = got.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    status = re.match(r"HTTP/\d\.\d (\d{3})", lines[0])
    pairs = [line.partition(":") for line in lines[1:]]
    headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
    return Exchange((complete_at or time.monotonic()) - started, int(status[1]) if status else 0, headers, body, closed)


def _limit(connection: socket.socket, deadline: float) -> None:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError("the time is up")
    connection.settimeout(left)


def _is_complete(got: bytes) -> bool:
    """True once all bytes that Content-Length announces are there."""
    head, end, body = got.partition(b"\r\n\r\n")
    found = re.search(rb"\r\ncontent-length:\s*(\d+)", head, re.IGNORECASE)
    return bool(end) and found is not None and len(body) >= int(found[1])
