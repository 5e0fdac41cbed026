"""How long the way to the other end of a connection is, as the system has measured it."""

from __future__ import annotations

import socket
import struct

_SIZE, _OFFSET = 104, 68
"""Of Linux' `struct tcp_info`, as far as it is needed, and of the smoothed round-trip time in it [µs]."""
_LONGEST = 1.0
"""Seconds; longer ones are no measure of a way."""
_TRIPS = 2.5
"""Ways there and back that a server's clock may hold beside ours: it connects, sends the request and reads the reply,
and something is kept for one that goes astray."""


def round_trip(connection: socket.socket) -> float:
    """Seconds there and back; 0 where the system does not tell."""
    if not hasattr(socket, "TCP_INFO"):
        return 0.0
    try:
        told = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _SIZE)
    except OSError:  # it is closed, or no TCP
        return 0.0
    if len(told) < _OFFSET + 4:
        return 0.0
    (microseconds,) = struct.unpack_from("=I", told, _OFFSET)
    return min(_LONGEST, float(microseconds) * 1e-6)


def on_the_way(connection: socket.socket) -> float:
    """Seconds of a server's clock that pass on the way: before a request comes, and after the reply has gone."""
    return _TRIPS * round_trip(connection)
