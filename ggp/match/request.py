"""Reading an HTTP request from a socket, from clients of all kinds and from strangers.

Nothing is refused that can be understood: no Host, any content type, HTTP/1.0 and 1.1, no Content-Length, chunks, lines
that end in a bare line feed. What has no end in time or size raises RequestError.
"""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes

from ggp.match.settings import ListenerSettings

_HEAD_END = re.compile(rb"[^\r\n]\r?\n\r?\n")
"""Empty lines before the request line are no head."""
_REQUEST_LINE = re.compile(rb"\s*([A-Za-z]+) +(\S.*?) +HTTP/(\d)\.(\d)\s*", re.IGNORECASE)
_PIECE = 1 << 16
_UNMEASURED_SECONDS = 1.0
"""How long a client without Content-Length may be silent until its message is taken for complete."""
_LINE_BYTES = 1 << 12


class RequestError(Exception):
    """A request that cannot be read; the message is ASCII and goes to the client."""


@dataclass(frozen=True)
class Request:
    """One HTTP request."""

    method: str
    target: bytes
    is_1_0: bool
    headers: Mapping[str, str]
    """By their names in lower case."""
    body: bytes
    arrival: float
    """When its first byte came, on the clock of `time.monotonic`."""

    @property
    def message(self) -> bytes:
        """What the client says: the body, or for GET what stands in the URL."""
        if self.body or self.method not in ("GET", "HEAD"):
            return self.body
        return unquote_to_bytes(self.target.replace(b"+", b" ").lstrip(b"/?"))


class RequestReader:
    """Reads the one request of a connection."""

    def __init__(self, connection: socket.socket, settings: ListenerSettings) -> None:
        self._connection = connection
        self._settings = settings
        self._buffer = bytearray()
        self._arrival: float | None = None
        self._ended = False

    def read(self) -> Request | None:
        """The request; None if the client left without a word."""
        head_end = self._find(_HEAD_END, self._settings.header_bytes, "the head of the request is too long")
        if head_end is None:
            if not self._buffer.strip():
                return None
            raise RequestError("the request ended before its head did")
        head = bytes(self._take(head_end))
        lines = head.splitlines()
        while lines and not lines[0].strip():
            lines.pop(0)
        first = _REQUEST_LINE.fullmatch(lines[0] if lines else b"")
        if first is None:
            raise RequestError("this is no HTTP request")
        headers = _headers(lines[1:])
        method = first[1].decode().upper()
        assert self._arrival is not None
        is_1_0 = (first[3], first[4]) == (b"1", b"0")
        return Request(method, first[2], is_1_0, headers, self._body(method, headers), self._arrival)

    def _body(self, method: str, headers: Mapping[str, str]) -> bytes:
        if headers.get("expect", "").lower() == "100-continue":
            self._connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        if "chunked" in headers.get("transfer-encoding", "").lower():
            return self._chunks()
        length = headers.get("content-length", "").strip()
        if not length:
            return b"" if method in ("GET", "HEAD", "OPTIONS") else self._unmeasured()
        if not (length.isascii() and length.isdecimal() and len(length) < 16):
            raise RequestError("Content-Length is no number")
        self._need(int(length))
        return bytes(self._take(int(length)))

    def _chunks(self) -> bytes:
        parts: list[bytes] = []
        total = 0
        while True:
            line = bytes(self._take(self._line()))
            size_text = line.split(b";")[0].strip()
            if not re.fullmatch(rb"[0-9A-Fa-f]{1,8}", size_text):
                raise RequestError("a chunk begins without its size")
            size = int(size_text, 16)
            if size == 0:
                return b"".join(parts)  # trailers tell nothing that matters
            total += size
            self._need(size, total)
            parts.append(bytes(self._take(size)))
            self._take(self._line())

    def _line(self) -> int:
        end = self._find(re.compile(rb"\n"), _LINE_BYTES, "a line is too long")
        if end is None:
            raise RequestError("the request ended in the middle")
        return end

    def _unmeasured(self) -> bytes:
        """A body without a length: it ends with the stream, or when the client falls silent."""
        while len(self._buffer) <= self._settings.body_bytes:
            if not self._more(_UNMEASURED_SECONDS, patient=False):
                return bytes(self._buffer)
        raise RequestError("the message is too long")

    def _need(self, count: int, total: int | None = None) -> None:
        if (count if total is None else total) > self._settings.body_bytes:
            raise RequestError("the message is too long")
        while len(self._buffer) < count:
            if not self._more(self._settings.silent_seconds):
                raise RequestError("the request ended in the middle")

    def _take(self, count: int) -> bytearray:
        taken = self._buffer[:count]
        del self._buffer[:count]
        return taken

    def _find(self, pattern: re.Pattern[bytes], limit: int, complaint: str) -> int | None:
        """Where a pattern ends, reading as far as is needed; None if the stream ends before."""
        looked = 0
        while True:
            found = pattern.search(self._buffer, max(0, looked - 5))
            if found is not None:
                return found.end()
            looked = len(self._buffer)
            if looked > limit:
                raise RequestError(complaint)
            if not self._more(self._settings.silent_seconds):
                return None

    def _more(self, silence: float, patient: bool = True) -> bool:
        """Read some more; false at the end of the stream, or (not `patient`) after a silence."""
        if self._ended:
            return False
        if self._arrival is not None:
            left = self._arrival + self._settings.request_seconds - time.monotonic()
            if left <= 0:
                raise RequestError("the request took too long")
            silence = min(silence, left)
        self._connection.settimeout(silence)
        try:
            piece = self._connection.recv(_PIECE)
        except TimeoutError:
            if patient:
                raise RequestError("the client fell silent") from None
            return False
        if self._arrival is None:
            self._arrival = time.monotonic()
        self._ended = not piece
        self._buffer += piece
        return bool(piece)


def _headers(lines: list[bytes]) -> dict[str, str]:
    """Headers by their names in lower case; of repeated ones the first counts, and what is no header is passed over."""
    found: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.decode("latin-1").partition(":")
        if colon:
            found.setdefault(name.strip().lower(), value.strip())
    return found
