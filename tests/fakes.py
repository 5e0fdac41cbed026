"""Small servers on real sockets that behave well or badly, for tests of whoever talks to them."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

Behaviour = Callable[[socket.socket, str], None]
"""What a server does with a connection once the request has been read: called with the socket and the request's body."""


@dataclass
class Fake:
    """A server that listens on a port of its own."""

    port: int
    requests: list[str] = field(default_factory=list)
    """The bodies of all requests so far."""
    heads: list[str] = field(default_factory=list)
    """Their first lines and headers."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def commands(self) -> list[str]:
        """The commands of the requests: INFO, START, …"""
        return [request.strip("( ").split(" ", 1)[0] for request in self.requests]


@contextmanager
def serve(behaviour: Behaviour) -> Iterator[Fake]:
    """Run a server; each connection has a thread of its own."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.1)
        fake = Fake(listener.getsockname()[1])
        stop = threading.Event()
        threads: list[threading.Thread] = []

        def listen() -> None:
            while not stop.is_set():
                try:
                    connection, _ = listener.accept()
                except TimeoutError:
                    continue
                thread = threading.Thread(target=_handle, args=(connection, behaviour, fake), daemon=True)
                thread.start()
                threads.append(thread)

        accepting = threading.Thread(target=listen)
        accepting.start()
        try:
            yield fake
        finally:
            stop.set()
            accepting.join()


def _handle(connection: socket.socket, behaviour: Behaviour, fake: Fake) -> None:
    with connection:
        try:
            head, body = read_request(connection)
            fake.heads.append(head)
            fake.requests.append(body)
            behaviour(connection, body)
        except OSError:
            pass  # the other side has gone, which many tests want


def read_request(connection: socket.socket) -> tuple[str, str]:
    """The head and the body of a request."""
    data = b""
    while b"\r\n\r\n" not in data:
        part = connection.recv(65536)
        if not part:
            break
        data += part
    head, _, body = data.partition(b"\r\n\r\n")
    length = 0
    for line in head.decode().split("\r\n")[1:]:
        name, _, value = line.partition(":")
        if name.lower() == "content-length":
            length = int(value)
    parts = [body]
    got = len(body)
    while got < length:
        part = connection.recv(1 << 20)
        if not part:
            break
        parts.append(part)
        got += len(part)
    return head.decode(), b"".join(parts).decode()


def http(text: str, status: str = "200 OK", more: str = "") -> bytes:
    """A reply."""
    body = text.encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: text/acl\r\n{more}Content-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def answering(answer: Callable[[str], str]) -> Behaviour:
    """Answers each message with a text."""

    def behave(connection: socket.socket, body: str) -> None:
        connection.sendall(http(answer(body)))

    return behave
