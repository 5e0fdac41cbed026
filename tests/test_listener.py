"""The player's server: what it cannot read is refused, and written down. How it talks is tested in test_protocol.py."""

from __future__ import annotations

import pytest

from ggp.match.settings import ListenerSettings
from tests.player_fakes import post, served, talk, until

SMALL = ListenerSettings(port=0, body_bytes=1000, header_bytes=2000)


@pytest.mark.parametrize(
    ("request_", "why"),
    [
        (post("x" * 1001), "the message is too long"),
        (post("", Transfer_Encoding="chunked").split(b"Content-Length")[0] + b"\r\n7d0\r\n", "the message is too long"),
        (b"POST / HTTP/1.0\r\nX: " + b"x" * 3000, "the head of the request is too long"),
        (b"hello\r\n\r\n", "this is no HTTP request"),
    ],
)
def test_what_cannot_be_read_is_refused_and_written_down(request_: bytes, why: str) -> None:
    with served(web=SMALL) as player:
        assert talk(player.port, request_).body == f"( error {why} )".encode()
        until(lambda: ("unreadable", {"who": "127.0.0.1", "why": why}) in player.events)
        assert talk(player.port, post("( INFO )")).body.startswith(b"( ( name ggp )")


def test_a_message_of_the_longest_size_is_read() -> None:
    with served(web=SMALL) as player:
        assert b"unclear" not in talk(player.port, post("( INFO )" + " " * 992)).body
        assert [event for event, _ in player.events] == []
