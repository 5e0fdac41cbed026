"""The search engine as experiments use it: matches of one game in lockstep, from data to data."""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gdl import Source, load
from ggp.lab.plan import Json, digest

if TYPE_CHECKING:
    from ggp.machines.circuit import CircuitMachine

_KEPT = 4
"""Compiled games that a thread keeps."""
_own = threading.local()


def play(
    game: str, text: str, seats: Sequence[Sequence[Mapping[str, Json]]], seeds: Sequence[int], simulations: int
) -> list[tuple[tuple[int, ...], int]]:
    """The goals and the steps of matches, each with search settings for every role.

    `simulations` per move, where the settings of a seat say nothing else.
    """
    from ggp.search.batch import play_matches  # numba takes a second: only in workers
    from ggp.search.valuing import provide

    chosen = [[search_settings({"simulations": simulations, **seat}) for seat in match] for match in seats]
    provide(machine(game, text), *(settings for match in chosen for settings in match))
    results = play_matches(machine(game, text), chosen, seeds)
    return [(result.goals, result.steps) for result in results]


def search_settings(data: Mapping[str, Json]) -> Any:
    """Search settings from their data, in which infinity is a text."""
    from ggp.search.settings import SearchSettings

    values: Any = {name: math.inf if value == "inf" else value for name, value in data.items()}
    return SearchSettings(**values)


def machine(game: str, text: str) -> CircuitMachine:
    """A compiled game, compiled once in each thread (a machine serves one thread at a time)."""
    from ggp.machines.circuit import CircuitMachine

    kept: dict[str, CircuitMachine] = _own.__dict__.setdefault("machines", {})
    key = digest(text)
    if key not in kept:
        if len(kept) >= _KEPT:
            kept.pop(next(iter(kept))).close()
        kept[key] = CircuitMachine.compile(load(Source(text, game)))
    return kept[key]
