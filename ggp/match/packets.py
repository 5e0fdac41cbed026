"""Messages between the front and its children: JSON objects behind their length, over a pair of pipes."""

from __future__ import annotations

import json
from typing import IO, Any, TypeAlias

Packet: TypeAlias = dict[str, Any]
"""A message; `do` says what a child shall do, `is` what a child tells."""


def write_packet(stream: IO[bytes], packet: Packet) -> None:
    """Send one message."""
    data = json.dumps(packet, separators=(",", ":")).encode()
    stream.write(len(data).to_bytes(4, "big") + data)
    stream.flush()


def read_packet(stream: IO[bytes]) -> Packet | None:
    """Receive one message; None at the end of the stream, even one in the middle of a message."""
    head = stream.read(4)
    size = int.from_bytes(head, "big")
    data = stream.read(size) if len(head) == 4 else b""
    if len(head) < 4 or len(data) < size:
        return None
    packet: Packet = json.loads(data)
    return packet
