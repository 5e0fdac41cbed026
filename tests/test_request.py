"""Reading a request: whole however it arrives, and refused with a reason when it is none."""

from __future__ import annotations

import socket

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggp.match import request as module
from ggp.match.request import Request, RequestError, RequestReader
from ggp.match.settings import ListenerSettings

SMALL = ListenerSettings(body_bytes=1000, header_bytes=500, silent_seconds=5, request_seconds=5)


def read(data: bytes, piece: int = 1 << 16) -> Request | None:
    """What is read from these bytes, arriving in pieces, and then the end."""
    ours, theirs = socket.socketpair()
    with ours, theirs, pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_PIECE", piece)
        theirs.sendall(data)
        theirs.shutdown(socket.SHUT_WR)
        return RequestReader(ours, SMALL).read()


def chunked(body: bytes, sizes: list[int]) -> bytes:
    """A body in chunks of these sizes, and a last one with what is left."""
    parts = []
    for size in sizes:
        parts.append(body[:size])
        body = body[size:]
    parts = [part for part in [*parts, body] if part]
    return b"".join(b"%x;name=value\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


@given(st.binary(max_size=300), st.lists(st.integers(1, 40), max_size=6), st.integers(1, 60))
def test_a_message_is_whole_however_it_arrives(body: bytes, sizes: list[int], piece: int) -> None:
    head = b"POST / HTTP/1.1\r\nHost: me\r\nX-Word: a\r\n"
    for sent in (
        head + b"Content-Length: %d\r\n\r\n%s" % (len(body), body),
        head + b"Transfer-Encoding: chunked\r\n\r\n" + chunked(body, sizes),
        head + b"\r\n" + body,  # without a length: to the end of the stream
    ):
        found = read(sent, piece)
        assert found is not None
        assert (found.method, found.target, found.is_1_0, found.body) == ("POST", b"/", False, body)
        assert found.headers["x-word"] == "a"


def test_a_get_speaks_by_its_address() -> None:
    found = read(b"get /?(+INFO+)%20x HTTP/1.0\n\n")
    assert found is not None
    assert (found.method, found.is_1_0, found.message) == ("GET", True, b"( INFO ) x")


def test_a_client_that_leaves_without_a_word_is_no_error() -> None:
    assert read(b"") is None
    assert read(b"\r\n \r\n") is None


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b"hello there\r\n\r\n", "this is no HTTP request"),
        (b"POST / HTTP/1.1\r\nHost", "the request ended before its head did"),
        (b"POST / HTTP/1.1\r\nX: " + b"y" * 600, "the head of the request is too long"),
        (b"POST / HTTP/1.1\r\nContent-Length: ten\r\n\r\n", "Content-Length is no number"),
        (b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", "Content-Length is no number"),
        (b"POST / HTTP/1.1\r\nContent-Length: 1001\r\n\r\n", "the message is too long"),
        (b"POST / HTTP/1.1\r\nContent-Length: 10\r\n\r\nshort", "the request ended in the middle"),
        (b"POST / HTTP/1.1\r\n\r\n" + b"x" * 1002, "the message is too long"),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "a chunk begins without its size"),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab", "the request ended in the middle"),
        (
            b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked(b"x" * 1001, [500, 400]),
            "the message is too long",
        ),
    ],
)
def test_what_is_no_request_is_refused_with_its_reason(data: bytes, complaint: str) -> None:
    for piece in (1, 7, 1 << 16):
        with pytest.raises(RequestError, match=complaint):
            read(data, piece)
