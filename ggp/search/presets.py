"""Searching players by name, and the options that change them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from ggp.errors import UsageError
from ggp.players import Player, join_spec
from ggp.search.player import SearchPlayer, Thinking
from ggp.search.settings import SearchSettings, uct

_PLAYOUTS = 8
"""Playouts of a simulation where time decides: 64 simulations under way with 8 playouts each fill the same lanes as 512
with one, and win two matches of three against them. Where simulations are counted, each is one playout."""
PRESETS: Mapping[str, SearchSettings] = {
    "ucd": SearchSettings(playouts=_PLAYOUTS, careful="auto"),
    "uct": uct(playouts=_PLAYOUTS, solver=False),
    "mc": uct(playouts=_PLAYOUTS, depth=1, solver=False),
}
"""What the names stand for: UCD with all that makes it strong; UCT and flat Monte Carlo as they were published, so that
one can be measured by them."""


def _switch(text: str) -> bool:
    if text not in ("true", "false"):
        raise ValueError(text)
    return text == "true"


def _depth(text: str) -> float:
    return math.inf if text == "inf" else int(text)


_SETTINGS: Mapping[str, Callable[[str], Any]] = {
    "d1": _depth,
    "d2": _depth,
    "d3": _depth,
    "c": float,
    "transpositions": _switch,
    "update": str,
    "solver": _switch,
    "simulations": int,
    "careful": str,
    "playouts": int,
    "slots": int,
    "depth": int,
    "step_limit": int,
}
_THINKING: Mapping[str, Callable[[str], Any]] = {
    "seconds": float,
    "memory": lambda text: int(float(text) * 2**20),
    "threads": int,
}


def search_options(name: str, options: Mapping[str, str]) -> tuple[SearchSettings, Thinking]:
    """What a preset with options stands for: options of `SearchSettings`, and seconds, memory (MB) and threads."""
    settings: dict[str, Any] = {"playouts": 1, "careful": "no"} if "simulations" in options else {}
    thinking: dict[str, Any] = {}
    for key, text in options.items():
        kind, target = (_SETTINGS, settings) if key in _SETTINGS else (_THINKING, thinking)
        if key not in kind:
            raise UsageError(
                f"player {name}: there is no option {key!r}; known are: {', '.join([*_SETTINGS, *_THINKING])}"
            )
        try:
            target[key] = kind[key](text)
        except (ValueError, OverflowError):
            raise UsageError(f"player {name}: {key}={text} makes no sense") from None
    for key, value in thinking.items():
        if not value > 0:
            raise UsageError(f"player {name}: {key} must be above 0")
    return replace(PRESETS[name], **settings), Thinking(**thinking)


def search_player(name: str, options: Mapping[str, str], seed: int) -> Player:
    """A searching player; see `search_options`."""
    return SearchPlayer(join_spec(name, options), *search_options(name, options), seed)
