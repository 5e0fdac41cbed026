"""How players are written: `ucd:seconds=2,c=30`, a name with options, or the address of one that is met over HTTP."""

from __future__ import annotations

from collections.abc import Mapping

from ggp.core.errors import UsageError
from ggp.players.simple import SIMPLE

SEARCHING = ("ucd", "uct", "mc")
"""The players that search: UCD, plain UCT, flat Monte Carlo."""
PLAYERS = (*SEARCHING, *SIMPLE)
"""The built-in players."""
PROTOCOLS = ("gtp", "uci")
"""Of programs that play one game: `gtp:gnugo,level=10`, `uci:stockfish`."""
HUMAN = "human"
"""Somebody at the terminal of `ggp match`: no player that a program could ask."""
DEFAULT_PLAYER = "ucd"
"""Who plays where nobody was named."""


def split_spec(spec: str) -> tuple[str, dict[str, str]]:
    """The name of a player and its options: `ucd:seconds=2,c=30`."""
    name, _, text = spec.partition(":")
    options: dict[str, str] = {}
    for part in text.split(",") if text else ():
        key, equals, value = part.partition("=")
        if not equals or key in options:
            raise UsageError(f"player {spec!r}: {part!r} should be an option of its own, like seconds=2")
        options[key.strip()] = value.strip()
    return name, options


def join_spec(name: str, options: Mapping[str, str]) -> str:
    """The reverse of `split_spec`.

    >>> join_spec("ucd", {"seconds": "2", "c": "30"})
    'ucd:seconds=2,c=30'
    """
    return name + (":" + ",".join(f"{key}={text}" for key, text in options.items()) if options else "")


def is_address(spec: str) -> bool:
    """Whether a player is one over HTTP, `http://…` or `host:9147`; else it is made here, `ucd:seconds=2`."""
    if is_specialist(spec) or spec.partition(":")[0] in PLAYERS:
        return False
    _, colon, port = spec.rpartition(":")
    return "://" in spec or (bool(colon) and port.isdecimal())


def is_specialist(spec: str) -> bool:
    """Whether a player is a program that plays one game: `gtp:gnugo,level=10`."""
    protocol, colon, _ = spec.partition(":")
    return bool(colon) and protocol in PROTOCOLS
