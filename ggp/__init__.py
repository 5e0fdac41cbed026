"""ggp: a general game player for games in GDL.

What programs use is here, by its name: `ggp.Lanes`, `ggp.make_player`, …; docs/api.md shows each. The packages, from the
one that knows nothing of the others to the one that knows all (docs/architecture.md has the way of a game through them):

- `core`: errors, kernels, seeds, the cache on disk, progress
- `circuits`: ground programs as small and-inverter graphs
- `lanes`: circuits evaluated for hundreds of positions at once
- `machines`: whatever answers questions about a game: Prolog, the circuit, and both in turn
- `players`: whatever chooses moves; those without a search
- `search`: Monte-Carlo search on the graph of positions
- `match`: the HTTP player, the game master, messages and records
- `boards`: what positions look like
- `analysis`, `human`, `lab`: a position searched to be looked at; people at the terminal; experiments and tournaments
- `api`: games, positions and matches as a notebook wants them
- `commands`: the subcommands of `ggp`
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ggp.api.game import Game as Game
    from ggp.api.game import game as game
    from ggp.api.game import replay as replay
    from ggp.api.match import Match as Match
    from ggp.api.position import Position as Position
    from ggp.batch import Lanes as Lanes
    from ggp.core.errors import GgpError as GgpError
    from ggp.core.library import library as library
    from ggp.machines import make_machine as make_machine
    from ggp.machines.plays import play as play
    from ggp.machines.plays import random_play as random_play
    from ggp.match.builtin import make_player as make_player
    from ggp.players.match import play_match as play_match
    from ggp.players.player import Turn as Turn

_HOMES = {
    "Game": "ggp.api.game",
    "GgpError": "ggp.core.errors",
    "Lanes": "ggp.batch",
    "Match": "ggp.api.match",
    "Position": "ggp.api.position",
    "Turn": "ggp.players.player",
    "game": "ggp.api.game",
    "library": "ggp.core.library",
    "make_machine": "ggp.machines",
    "make_player": "ggp.match.builtin",
    "play": "ggp.machines.plays",
    "play_match": "ggp.players.match",
    "random_play": "ggp.machines.plays",
    "replay": "ggp.api.game",
}
"""Where what is public is defined. It is imported when it is asked for: numpy and numba take a second."""
__version__: str
__all__ = [
    "Game", "GgpError", "Lanes", "Match", "Position", "Turn", "__version__", "game", "library", "make_machine",
    "make_player", "play", "play_match", "random_play", "replay",
]  # fmt: skip


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version

        return version("ggp")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'ggp' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
