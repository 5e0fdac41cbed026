"""The player's HTTP server: one request and one reply to a connection, which is then closed.

The servers of the field read a reply to the end of the stream, take an error page for a move, and send requests that
stricter libraries refuse; so this is our own. Each connection has a thread; when there are too many, the one that has
been sending its request for longest makes room.
"""

from __future__ import annotations

import contextlib
import errno
import socket
import threading
import time
from collections.abc import Callable, Mapping

from ggp.core.errors import UsageError
from ggp.match.request import RequestError, RequestReader
from ggp.match.roundtrip import on_the_way
from ggp.match.settings import ListenerSettings

Answer = Callable[[bytes, Mapping[str, str], float], tuple[bytes, Mapping[str, str]]]
"""Gives the reply to a message, and headers of its own, from the message, its headers and when the server's clock
began, as far as that can be told, on the clock of `time.monotonic`; never raises."""

Refused = Callable[[str, str], None]
"""Is told who sent a request that could not be read, and why."""

_CORS = (
    "Access-Control-Allow-Origin: *\r\n"
    "Access-Control-Allow-Methods: POST, GET, OPTIONS\r\n"
    "Access-Control-Allow-Headers: Content-Type, Accept, Sender, Receiver, "
    "GGP-Match-ID, GGP-Match-Step, GGP-Match-Host\r\n"
    "Access-Control-Allow-Private-Network: true\r\n"
    "Access-Control-Max-Age: 86400\r\n"
)
_FAREWELL_SECONDS = 1.0
"""How long we wait, after the reply, for a client that is still sending: closing at once could cost it the reply."""
_FAREWELL_BYTES = 1 << 20
_BACKLOG = 128
"""Connections that may wait to be accepted: who finds no place tries again after a second, too late for a short clock."""
_ACCEPT_PAUSE = 0.05
"""Seconds to wait when the system has no descriptor left for another connection."""


class Listener:
    """Accepts connections from `start` to `close`."""

    def __init__(self, settings: ListenerSettings) -> None:
        """Bind the address; UsageError if that cannot be done."""
        self._settings = settings
        self._socket = _bound(settings)
        self.port: int = self._socket.getsockname()[1]
        self._lock = threading.Lock()
        self._sending: dict[socket.socket, float] = {}
        """Connections whose request is not complete, in the order of their arrival."""
        self._threads: set[threading.Thread] = set()
        self._closing = False

    def start(self, answer: Answer, refused: Refused) -> None:
        """Begin to accept connections."""
        self._refused = refused
        threading.Thread(target=self._accept, args=(answer,), name="listener", daemon=True).start()

    def close(self, seconds: float = 2.0) -> None:
        """Accept no more, and give those who are being answered some time to be done."""
        self._closing = True
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)  # wakes the acceptor
        self._socket.close()
        with self._lock:
            for connection in self._sending:
                _hang_up(connection)
            threads = list(self._threads)
        until = time.monotonic() + seconds
        for thread in threads:
            thread.join(max(0.0, until - time.monotonic()))

    def _accept(self, answer: Answer) -> None:
        while not self._closing:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                if not self._closing:
                    time.sleep(_ACCEPT_PAUSE)
                continue
            self._make_room()
            thread = threading.Thread(target=self._serve, args=(connection, answer), name="connection", daemon=True)
            with self._lock:
                self._sending[connection] = time.monotonic()
                self._threads.add(thread)
            try:
                thread.start()
            except RuntimeError:  # no more threads
                self._forget(connection, thread)
                connection.close()

    def _make_room(self) -> None:
        """Hang up on who has been sending for longest, if there are too many; all others wait for our answer."""
        with self._lock:
            if len(self._threads) >= self._settings.connections and self._sending:
                oldest = next(iter(self._sending))
                del self._sending[oldest]
                _hang_up(oldest)

    def _serve(self, connection: socket.socket, answer: Answer) -> None:
        try:
            with connection, contextlib.suppress(OSError):
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._converse(connection, answer)
        finally:
            self._forget(connection, threading.current_thread())

    def _converse(self, connection: socket.socket, answer: Answer) -> None:
        try:
            request = RequestReader(connection, self._settings).read()
        except RequestError as error:
            self._refused(_peer(connection), str(error))
            self._send(connection, _response(f"( error {error} )".encode(), {}, is_1_0=False))
            return
        with self._lock:
            self._sending.pop(connection, None)
        if request is not None:
            is_preflight = request.method == "OPTIONS"
            began = request.arrival - on_the_way(connection)
            body, more = (b"", {}) if is_preflight else answer(request.message, request.headers, began)
            self._send(connection, _response(body, more, request.is_1_0, with_body=request.method != "HEAD"))

    def _send(self, connection: socket.socket, data: bytes) -> None:
        connection.settimeout(self._settings.reply_seconds)
        connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
        until, count = time.monotonic() + _FAREWELL_SECONDS, 0
        while (left := until - time.monotonic()) > 0 and count < _FAREWELL_BYTES:
            connection.settimeout(left)
            piece = connection.recv(1 << 16)
            if not piece:
                return
            count += len(piece)

    def _forget(self, connection: socket.socket, thread: threading.Thread) -> None:
        with self._lock:
            self._sending.pop(connection, None)
            self._threads.discard(thread)


def _bound(settings: ListenerSettings) -> socket.socket:
    where = f"{settings.host}:{settings.port}"
    try:
        family, _, _, _, address = socket.getaddrinfo(
            settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        return socket.create_server(address[:2], family=family, backlog=_BACKLOG)
    except socket.gaierror as error:
        raise UsageError(f"{where}: this address is not known ({error.strerror})") from None
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise UsageError(f"{where}: the port is taken; choose another one, or 0 for any free one") from None
        raise UsageError(f"{where}: cannot listen here: {error.strerror}") from None


def _response(body: bytes, more: Mapping[str, str], is_1_0: bool, with_body: bool = True) -> bytes:
    own = "".join(f"{name}: {value}\r\n" for name, value in more.items())
    head = (
        f"HTTP/1.{0 if is_1_0 else 1} 200 OK\r\n"
        "Content-Type: text/acl\r\n"
        f"Content-Length: {len(body)}\r\n"
        f"{_CORS}{own}"
        "Connection: close\r\n\r\n"
    )
    return head.encode("ascii") + (body if with_body else b"")


def _peer(connection: socket.socket) -> str:
    with contextlib.suppress(OSError):
        return str(connection.getpeername()[0])
    return "somebody who has gone"


def _hang_up(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
