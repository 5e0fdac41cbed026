"""How a specialist is written: `gtp:gnugo,level=10`, `uci:stockfish,skill=3,seconds=1`, `gtp:./engine,--mode,gtp`.

After the protocol and the program, parts are options, `name=value`, or arguments for the program, `-x` or a bare word.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ggp.core.errors import UsageError
from ggp.players.specs import PROTOCOLS

_LIMITS = {"gtp": (), "uci": ("depth", "nodes")}
"""What limits the thought of a program besides `seconds`."""


@dataclass(frozen=True)
class Spec:
    """A specialist as somebody asked for it."""

    text: str
    protocol: str
    program: str
    arguments: tuple[str, ...]
    options: Mapping[str, str]
    """Those of the program."""
    seconds: float | None
    """For a move; None for what the clock leaves, or what the program takes."""
    limits: Mapping[str, int]


def read_spec(text: str) -> Spec:
    """A specialist from what was written; UsageError where that makes no sense."""
    protocol, _, rest = text.partition(":")
    program, *parts = rest.split(",")
    if protocol not in PROTOCOLS or not program:
        raise UsageError(f"player {text!r}: a program should follow, as in gtp:gnugo,level=10")
    options: dict[str, str] = {}
    arguments = []
    for part in parts:
        name, equals, value = (each.strip() for each in part.partition("="))
        if not part.strip() or (equals and (not name or name in options)):
            raise UsageError(f"player {text!r}: {part!r} should be an option of its own, like level=10, or an argument")
        if equals and not part.startswith("-"):
            options[name] = value
        else:
            arguments.append(part)
    seconds = options.pop("seconds", None)
    limits = {name: _whole(text, name, options.pop(name)) for name in _LIMITS[protocol] if name in options}
    return Spec(text, protocol, program, tuple(arguments), options, _seconds(text, seconds), limits)


def _seconds(text: str, value: str | None) -> float | None:
    try:
        seconds = None if value is None else float(value)
    except ValueError:
        seconds = 0.0
    if seconds is not None and not 0 < seconds < float("inf"):
        raise UsageError(f"player {text!r}: seconds={value} makes no sense: how long to think about a move, above 0")
    return seconds


def _whole(text: str, name: str, value: str) -> int:
    if not value.isdecimal() or int(value) < 1:
        raise UsageError(f"player {text!r}: {name}={value} makes no sense: a whole number above 0")
    return int(value)
