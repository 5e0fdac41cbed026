"""Experiments that play matches: search settings, the cells, against one opponent or alone, with swapped roles.

Hundreds of matches are played in lockstep by the batch search, each search exactly sequential; a job is so many of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product

from ggp.core.errors import UsageError
from ggp.core.library import library
from ggp.core.seeds import split_seed
from ggp.core.suggest import unknown
from ggp.lab.engine import play
from ggp.lab.plan import Job, Json, Texts
from ggp.players.specs import split_spec
from ggp.search.presets import PRESETS, search_options
from ggp.search.settings import SearchSettings, Thinking


@dataclass(frozen=True)
class MatchSettings:
    """What is played."""

    games: tuple[str, ...]
    """Names of games of the library."""
    d1: tuple[str, ...]
    """Depths for the mean, 0, 1, … or inf; all combinations of d1, d2 and d3 are cells."""
    d2: tuple[str, ...]
    d3: tuple[str, ...]
    others: tuple[str, ...]
    """More cells: uct (no transpositions), update-all; or players that search, `ucd:policy=mast`."""
    c: tuple[float, ...]
    """Exploration constants on goals 0 to 100; each cell is played with each."""
    rival: str
    """The opponent: a cell's name without its constant; empty in games for one player."""
    rival_c: float
    """The opponent's exploration constant; 0 stands for that of the cell."""
    matches: int
    """Matches of each cell, half of them in either role."""
    simulations: int
    """Per move, for all players."""
    lanes: int
    """Matches in one job, in lockstep. They share the random bits of a bank, so results hang on this number too."""
    seed: int


@dataclass(frozen=True)
class Cell:
    """A setting that is measured."""

    name: str
    d1: str
    d2: str
    d3: str
    c: float
    settings: Mapping[str, Json]


def cells(settings: MatchSettings) -> list[Cell]:
    """All cells, those of the grid first."""
    grid = [(f"({d1},{d2},{d3})", d1, d2, d3) for d1, d2, d3 in product(settings.d1, settings.d2, settings.d3)]
    named = grid + [(name, "", "", "") for name in settings.others]
    return [
        Cell(f"{name} c={c:g}" if len(settings.c) > 1 else name, d1, d2, d3, c, specification(name, c))
        for name, d1, d2, d3 in named
        for c in settings.c
    ]


def specification(name: str, c: float) -> dict[str, Json]:
    """Search settings as data: of uct, update-all or (d1,d2,d3); or of a player that searches, `ucd:policy=mast`."""
    if ":" in name:
        return _of_player(name, c)
    published = {"c": c, "solver": False, "reuse": False}  # the algorithm as it was published, nothing else
    if name == "uct":
        return {**published, "d1": 0, "d2": 0, "d3": 0, "transpositions": False}
    if name == "update-all":
        return {**published, "d1": 0, "d2": 0, "d3": 0, "update": "all"}
    depths = name.strip("()").split(",")
    if len(depths) != 3 or not all(depth == "inf" or depth.isdecimal() for depth in depths):
        known = "uct, update-all, (d1,d2,d3) with 0, 1, … or inf, or a player as ucd:c=30"
        raise UsageError(f"there is no search setting {name!r}; write {known}")
    return published | {f"d{i}": depth if depth == "inf" else int(depth) for i, depth in enumerate(depths, 1)}


def _of_player(spec: str, c: float) -> dict[str, Json]:
    """The settings of a player in which something differs from the usual, with this `c` where it names none."""
    name, options = split_spec(spec)
    if name not in PRESETS:
        raise UsageError(unknown("player", name, PRESETS))
    found, thinking = search_options(name, {"simulations": "1", "c": str(c), **options})
    if thinking != Thinking() or "simulations" in options:
        raise UsageError(f"{spec}: in experiments, simulations are counted, for all cells alike")
    usual, values = asdict(SearchSettings()), asdict(replace(found, simulations=0))
    return {key: "inf" if value == math.inf else value for key, value in values.items() if value != usual[key]}


def plan(settings: MatchSettings) -> Sequence[Job]:
    """Jobs of about `lanes` matches of one game; matches that share a seed are in one job."""
    for what, number in (("matches", settings.matches), ("simulations", settings.simulations), ("lanes", settings.lanes)):
        if number < 1:
            raise UsageError(f"{what} must be above 0, not {number}")
    roles = {game.name: len(game.roles) for game in library()}
    return [job for game in settings.games for job in _game_jobs(settings, game, roles)]


def _game_jobs(settings: MatchSettings, game: str, roles: Mapping[str, int]) -> Iterator[Job]:
    if game not in roles:
        raise UsageError(unknown("game", game, roles, "`ggp games` lists the library"))
    if (roles[game] > 1) != bool(settings.rival):
        raise UsageError(f"{game} has {roles[game]} roles: a rival is needed where there are several, and only there")
    groups = -(-settings.matches // roles[game])
    wanted = [(cell, number) for number in range(groups) for cell in cells(settings)]
    per_job = max(1, settings.lanes // roles[game])
    for place, start in enumerate(range(0, len(wanted), per_job)):
        part = wanted[start : start + per_job]
        work = {
            "game": game,
            "roles": roles[game],
            "simulations": settings.simulations,
            "seed": settings.seed,
            "cells": {cell.name: cell.settings for cell, _ in part},
            "rivals": {
                cell.name: specification(settings.rival, settings.rival_c or cell.c) for cell, _ in part if settings.rival
            },
            "groups": [[cell.name, number] for cell, number in part],
        }
        yield Job(f"{game}/{place:04d}", game, work, (game,))


def perform(work: Mapping[str, Json], texts: Texts) -> Json:
    """Play the matches of a job; gives the cell's goal, and the steps, of each match of each group."""
    seats: list[list[Mapping[str, Json]]] = []
    seeds: list[int] = []
    for name, number in work["groups"]:
        for seat in range(work["roles"]):
            own, rival = work["cells"][name], work["rivals"].get(name)
            seats.append([own if role == seat else rival for role in range(work["roles"])])
            seeds.append(split_seed(work["seed"], work["game"], name, number))
    played = play(work["game"], texts[work["game"]], seats, seeds, work["simulations"])
    roles = work["roles"]
    return [
        [[goals[seat], steps] for seat, (goals, steps) in enumerate(played[start : start + roles])]
        for start in range(0, len(played), roles)
    ]


def simulations(work: Mapping[str, Json], value: Json) -> int:
    """A search for each step of each match: right where roles take turns, but for steps without a choice."""
    return int(work["simulations"]) * sum(int(steps) for matches in value for _, steps in matches)


def goals_by_cell(values: Mapping[str, Json], settings: MatchSettings) -> dict[tuple[str, str], list[float]]:
    """The goals of each (game, cell), in the order of the matches, from results by key."""
    found: dict[tuple[str, str], list[float]] = {}
    for job in plan(settings):
        if job.key not in values:
            continue
        for (name, _), matches in zip(job.work["groups"], values[job.key], strict=True):
            found.setdefault((job.work["game"], name), []).extend(float(goal) for goal, _ in matches)
    return found
