"""A player as the game master sees it: an address that is sent a message and answers before a deadline."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ggp.core.errors import UsageError
from ggp.match.reply import Limits, Reply
from ggp.match.settings import DEFAULT_PORT

_ADDRESS = re.compile(r"(?:http://)?(?P<host>\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(?::(?P<port>[0-9]{1,5}))?/?")


@dataclass(frozen=True)
class Address:
    """Where a player listens."""

    host: str
    port: int

    @classmethod
    def parse(cls, text: str) -> Address:
        """From `host:port` or `http://host:port`; UsageError if it is neither.

        >>> str(Address.parse("example.org"))
        'http://example.org:9147'
        """
        found = _ADDRESS.fullmatch(text.strip())
        port = int(found["port"] or DEFAULT_PORT) if found else 0
        if found is None or not 0 < port < 65536:
            raise UsageError(f"{text!r} is no address of a player; write http://HOST:PORT")
        return cls(found["host"], port)

    def __str__(self) -> str:
        return f"http://{self.host}:{self.port}"


_LIMITS = Limits()


def send(
    address: Address,
    message: str,
    seconds: float,
    headers: Mapping[str, str] | None = None,
    limits: Limits = _LIMITS,
) -> Reply:
    """Send a message to a player; its reply, or ClientError. Returns within `seconds`, whatever the player does."""
    from ggp.match.transport import post  # requests takes a while: only where somebody is asked

    return post(f"{address}/", message, seconds, headers or {}, limits)
