"""What can be set about the HTTP player."""

from __future__ import annotations

from dataclasses import dataclass

from ggp.players.specs import DEFAULT_PLAYER

DEFAULT_PORT = 9147
"""Where players listen by custom."""


@dataclass(frozen=True)
class ListenerSettings:
    """Where to listen, and what a stranger may cost us."""

    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    """0 for any free one."""
    body_bytes: int = 16 << 20
    """The longest message."""
    header_bytes: int = 64 << 10
    """The longest head of a request."""
    request_seconds: float = 30.0
    """From the first byte of a request to its last."""
    silent_seconds: float = 10.0
    """The longest silence of a client that has not sent all of its request."""
    reply_seconds: float = 10.0
    """The longest wait for a client that does not take its reply."""
    connections: int = 128
    """At once. Beyond that, the one that has been sending for longest makes room."""


@dataclass(frozen=True)
class PlayerSettings:
    """How to play."""

    name: str = "ggp"
    """As INFO tells it: a GDL word."""
    player: str = DEFAULT_PLAYER
    """The player that chooses the moves, as `ggp.match.builtin.make_player` knows it."""
    seed: int = 1
    """Split for each match and role."""
    margin: float = 0.1
    """Seconds kept in hand before the server's deadline, beside what the way there and our own delays are measured to
    take; at most three tenths of a clock."""
    memory: int = 6 << 30
    """Bytes of data that the mind may allocate."""
    question_seconds: float = 60.0
    """The longest time for one question to Prolog."""
    ponder: bool = True
    """Think on the time of the others."""
    info_style: str = "list"
    """`list`: ((name N) (status S) (species alien)); `atom`: the bare status."""
    gdl2: bool = False
    """Whether the short PLAY of a game with hidden information carries percepts; else it carries joint moves."""
    particles: int = 200
    """Positions that are kept in games with hidden information."""
    stale_clocks: float = 2.0
    """A match is lost after this many play clocks and `stale_seconds` without a message: a new START may replace it."""
    stale_seconds: float = 60.0
    """See `stale_clocks`."""
    match_burst: int = 60
    """New matches that may start at once; more are `busy`."""
    match_rate: float = 2.0
    """New matches a second in the long run."""
    mind_restarts: int = 20
    """How often the mind may die in one match before only standby moves are played."""
