"""The way to a server is part of its clock."""

from __future__ import annotations

import socket
import struct

import pytest

from ggp.match import roundtrip
from ggp.match.roundtrip import on_the_way, round_trip


def test_the_way_on_this_machine_is_short_and_measured() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()):
        connection, _ = server.accept()
        with connection:
            assert 0 < round_trip(connection) < 0.1


class Told:
    """A connection of which the system tells this much."""

    def __init__(self, told: bytes) -> None:
        self.told = told

    def getsockopt(self, *_: int) -> bytes:
        return self.told


def test_a_long_way_is_subtracted_and_nonsense_is_not() -> None:
    def after(microseconds: int) -> float:
        return on_the_way(Told(bytes(68) + struct.pack("=I", microseconds)))  # type: ignore[arg-type]

    assert after(200_000) == pytest.approx(0.5)
    assert after(2**32 - 1) == on_the_way(Told(bytes(68) + b"\xff" * 4)) == roundtrip._LONGEST * 2.5  # type: ignore[arg-type]
    assert round_trip(Told(bytes(8))) == 0.0  # type: ignore[arg-type]


def test_a_connection_that_is_closed_tells_nothing() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        connection = socket.create_connection(server.getsockname())
        connection.close()
    assert round_trip(connection) == 0.0
