"""The game master's side of a connection: a deadline for the whole reply, whatever the player does."""

from __future__ import annotations

import socket
import threading
import time

import pytest

from ggp.core.errors import UsageError
from ggp.match.client import Address, send
from ggp.match.reply import BrokenError, LateError, Limits
from tests.fakes import Behaviour, answering, http, serve

SECONDS = 0.4
GONE = threading.Event()


def wait(seconds: float) -> None:
    GONE.wait(seconds)


def test_addresses() -> None:
    assert str(Address.parse("localhost:9148")) == "http://localhost:9148"
    assert str(Address.parse(" http://10.0.0.1/")) == "http://10.0.0.1:9147"
    assert str(Address.parse("http://[::1]:80")) == "http://[::1]:80"
    for text in (
        "",
        "http://",
        "https://here:1",
        "here:0",
        "here:99999",
        "here:x",
        "a b",
        "http://u:p@here:1",
        "here/path",
    ):
        with pytest.raises(UsageError, match="is no address of a player"):
            Address.parse(text)


def test_a_reply_and_what_was_sent() -> None:
    with serve(answering(lambda body: f" got {body}\n")) as fake:
        reply = send(Address.parse(fake.url), "( INFO )", 5, {"Sender": "me", "GGP-Match-ID": "m.1"})
    assert reply.text == "got ( INFO )"
    assert reply.headers["content-type"] == "text/acl"
    assert 0 < reply.seconds < 5
    (head,) = fake.heads
    assert head.startswith("POST / HTTP/1.1\r\n")
    for line in ("Content-Type: text/acl", "Sender: me", "GGP-Match-ID: m.1", "Content-Length: 8", "Connection: close"):
        assert line in head


def test_proxies_of_the_environment_are_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    with serve(answering(lambda body: "ready")) as fake:
        assert send(Address.parse(fake.url), "( INFO )", 5).text == "ready"


def drip(connection: socket.socket, data: bytes) -> None:
    for byte in data:
        connection.sendall(bytes([byte]))
        wait(0.05)


def drip_the_body(connection: socket.socket, _: str) -> None:
    connection.sendall(http("x" * 200)[:-200])
    drip(connection, b"x" * 200)


def drip_without_a_length(connection: socket.socket, _: str) -> None:
    drip(connection, b"HTTP/1.0 200 OK\r\n\r\n" + b"x" * 200)


def announce_more(connection: socket.socket, _: str) -> None:
    connection.sendall(http("noop" * 9)[:-3])
    wait(2)


def continue_for_ever(connection: socket.socket, _: str) -> None:
    for _number in range(100):
        connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        wait(0.02)


LATE: dict[str, Behaviour] = {
    "says nothing": lambda connection, _: wait(2),
    "drips the head": lambda connection, _: drip(connection, http("noop")),
    "drips the body": drip_the_body,
    "drips a body without a length": drip_without_a_length,
    "announces more than it sends": announce_more,
    "continues for ever": continue_for_ever,
}


@pytest.mark.parametrize("name", LATE)
def test_no_player_is_waited_for_beyond_the_deadline(name: str) -> None:
    with serve(LATE[name]) as fake:
        started = time.monotonic()
        with pytest.raises(LateError, match=r"no reply within 0\.4 s"):
            send(Address.parse(fake.url), "( PLAY m NIL )", SECONDS)
        assert time.monotonic() - started < SECONDS + 1


def test_a_player_that_does_not_read_a_large_message_is_late() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        started = time.monotonic()
        with pytest.raises(LateError):
            send(Address("127.0.0.1", listener.getsockname()[1]), "x" * 20_000_000, SECONDS)
        assert time.monotonic() - started < SECONDS + 1


BROKEN: dict[str, tuple[Behaviour, str]] = {
    "closes at once": (lambda connection, _: None, "connection reset|no HTTP reply"),
    "closes in the head": (lambda connection, _: connection.sendall(b"HTTP/1."), "no HTTP reply"),
    "closes in the body": (lambda connection, _: connection.sendall(http("noop")[:-2]), "no HTTP reply"),
    "speaks no HTTP": (lambda connection, _: connection.sendall(b"noop\r\n\r\n"), "no HTTP reply"),
    "answers with an error": (lambda connection, _: connection.sendall(http("x", "404 Not Found")), "HTTP status 404"),
    "points elsewhere": (
        lambda connection, _: connection.sendall(http("x", "302 Found", "Location: http://127.0.0.1:1/\r\n")),
        "status 302",
    ),
    "announces too much": (lambda connection, _: connection.sendall(http("x" * 5000)[:90]), "more than 1,000"),
    "sends too much": (
        lambda connection, _: connection.sendall(b"HTTP/1.0 200 OK\r\n\r\n" + b"x" * 100_000_000),
        "longer than 1,000 bytes",
    ),
    "sends endless headers": (
        lambda connection, _: connection.sendall(b"HTTP/1.1 200 OK\r\n" + b"X-A: b\r\n" * 1_000_000),
        "no HTTP reply",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_no_reply_is_told_at_once(name: str) -> None:
    behaviour, message = BROKEN[name]
    with serve(behaviour) as fake:
        started = time.monotonic()
        with pytest.raises(BrokenError, match=message):
            send(Address.parse(fake.url), "( INFO )", 60, limits=Limits(size=1000))
        assert time.monotonic() - started < 20


def test_a_compressed_bomb_is_not_opened() -> None:
    import gzip

    bomb = gzip.compress(b"x" * 10_000_000)
    head = f"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {len(bomb)}\r\n\r\n".encode()
    with serve(lambda connection, _: connection.sendall(head + bomb)) as fake:
        assert len(send(Address.parse(fake.url), "( INFO )", 5).text) < 20_000


def test_nobody_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(BrokenError, match="connection refused"):
        send(Address("127.0.0.1", port), "( INFO )", 5)
    with pytest.raises(BrokenError, match="there is no host of this name"):
        send(Address("nowhere.invalid", 80), "( INFO )", 5)


def test_bytes_that_are_no_text() -> None:
    with serve(lambda connection, _: connection.sendall(b"HTTP/1.0 200 OK\r\n\r\n\xff(mark 1 1)")) as fake:
        assert send(Address.parse(fake.url), "( INFO )", 5).text == "\ufffd(mark 1 1)"
