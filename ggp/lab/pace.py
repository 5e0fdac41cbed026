"""The experiment with equal pace: what policies are worth when each has the simulations that it has time for.

A clock makes matches depend on the machine and on what else it does. So one job measures, in one process and by turns,
how many simulations a second of processor time a setting has as a share of the rival's, and then plays matches in
lockstep in which it has that share of the rival's simulations. Measured is a search as it is in play, with 64
simulations under way.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ggp.core.errors import UsageError
from ggp.core.library import library
from ggp.core.seeds import split_seed
from ggp.core.statistics import Estimate, percent
from ggp.core.suggest import unknown
from ggp.lab.engine import machine, play, search_settings
from ggp.lab.matches import specification
from ggp.lab.plan import Job, Json, Texts
from ggp.lab.published import Paper
from ggp.lab.report import Part, Report, Table

_ROUNDS, _CHUNK, _MEMORY = 3, 512, 64 << 20
_PLIES = (0, 6, 12)
"""Steps of a random game after which it is measured."""


@dataclass(frozen=True)
class PaceSettings:
    """What is measured and played."""

    games: tuple[str, ...]
    """Games of the library for two roles."""
    others: tuple[str, ...]
    """Players that search, `ucd:policy=mast`."""
    rival: str
    """Whom they are measured by, and meet."""
    c: float
    """Exploration constant of those that name none."""
    playouts: int
    """Of each simulation, for all."""
    simulations: int
    """Of the rival, for a move."""
    matches: int
    """Of each of them in each game, half of them in either role."""
    seconds: float
    """Of processor time, for each side of a measurement."""
    seed: int


def plan(settings: PaceSettings) -> Sequence[Job]:
    """A job for each player in each game."""
    if min(settings.simulations, settings.matches) < 1 or not settings.seconds > 0:
        raise UsageError("simulations, matches and seconds must be above 0")
    return list(_jobs(settings))


def _jobs(settings: PaceSettings) -> Iterator[Job]:
    roles = {game.name: len(game.roles) for game in library()}
    for game in settings.games:
        if game not in roles:
            raise UsageError(unknown("game", game, roles, "`ggp games` lists the library"))
        if roles[game] != 2:
            raise UsageError(f"{game} has {roles[game]} roles, not two")
        for number, name in enumerate(settings.others):
            work = {
                "game": game, "name": name, "own": _of(name, settings), "rival": _of(settings.rival, settings),
                "simulations": settings.simulations, "matches": settings.matches, "seconds": settings.seconds,
                "seed": settings.seed,
            }  # fmt: skip
            yield Job(f"{game}/{number:02d} {name}", game, work, (game,))


def _of(name: str, settings: PaceSettings) -> dict[str, Json]:
    return {**specification(name, settings.c), "playouts": settings.playouts}


def perform(work: Mapping[str, Json], texts: Texts) -> Json:
    """The pace, and the goals of the matches at that pace."""
    game, text = work["game"], texts[work["game"]]
    compiled = machine(game, text)
    pace, rate = _measured(compiled, work)
    own = {**work["own"], "simulations": max(1, round(work["simulations"] * pace))}
    numbers = range(work["matches"])
    seats = [[own, work["rival"]] if number % 2 == 0 else [work["rival"], own] for number in numbers]
    seeds = [split_seed(work["seed"], game, work["name"], number // 2) for number in numbers]
    results = play(game, text, seats, seeds, work["simulations"])
    goals = [float(goals[number % 2]) for number, (goals, _) in zip(numbers, results, strict=True)]
    return {"pace": round(pace, 4), "rate": round(rate), "simulations": own["simulations"], "goals": goals}


def _measured(compiled: Any, work: Mapping[str, Json]) -> tuple[float, float]:
    """The pace, and how many simulations a second the rival has."""
    from ggp.search.search import Search  # numba takes a second

    searches = [
        Search(compiled, search_settings({**work[who], "slots": 64}), work["seed"], memory=_MEMORY)
        for who in ("own", "rival")
    ]
    for search in searches:
        search.start(compiled.initial())
        search.run(simulations=_CHUNK)  # the first use of a kernel takes a while
    done, spent = [0, 0], [0.0, 0.0]
    share = work["seconds"] / _ROUNDS
    for number in range(_ROUNDS):
        position = _position(compiled, _PLIES[number % len(_PLIES)], random.Random(split_seed(work["seed"], "way")))
        for side, search in enumerate(searches):
            search.start(position)
            begun, simulations = time.thread_time(), 0
            while time.thread_time() - begun < share:
                found = search.run(simulations=_CHUNK).simulations
                simulations += found
                if not found:  # all is known
                    break
            done[side] += simulations
            spent[side] += time.thread_time() - begun
    own, rival = (simulations / seconds for simulations, seconds in zip(done, spent, strict=True))
    return own / rival, rival


def _position(compiled: Any, plies: int, luck: random.Random) -> Any:
    """A position so many random steps from the first one, or as many as there are."""
    position = compiled.initial()
    for _ in range(plies):
        situation = compiled.situation(position)
        after = compiled.next(position, tuple(luck.choice(moves) for moves in situation.legal))
        if compiled.situation(after).terminal:
            break
        position = after
    return position


def pace_report(paper: Paper, settings: PaceSettings, values: Mapping[str, Json]) -> Report:
    """Paces, scores at that pace, and both for each game."""
    found = {(job.work["game"], job.work["name"]): values[job.key] for job in plan(settings) if job.key in values}
    scores = {place: percent(value["goals"]) for place, value in found.items()}
    parts: list[Part] = [paper.question, _sizes(settings, found)]
    paces = [
        (name, *(found[game, name]["pace"] if (game, name) in found else None for game in settings.games))
        for name in settings.others
    ]
    parts += [
        "## Pace: simulations a second, as a share of the rival's",
        Table("pace", ("player", *settings.games), tuple(paces), digits=2),
        "## Score in percent at that pace",
        Table("scores", ("player", *settings.games, "mean"), tuple(_scores(settings, scores))),
    ]
    rows = [
        (game, name, value["rate"], value["pace"], value["simulations"], e.value, e.low, e.high, e.count)
        for (game, name), value in found.items()
        for e in (scores[game, name],)
    ]
    heads = ("game", "player", "rival's simulations/s", "pace", "simulations", "score %", "low", "high", "matches")
    parts.append(Table("all", heads, tuple(rows), shown=False))
    if paper.remarks:
        parts += ["## What to bear in mind", paper.remarks]
    return Report(paper.title, tuple(parts))


def _sizes(settings: PaceSettings, found: Mapping[tuple[str, str], Json]) -> str:
    wanted = len(settings.games) * len(settings.others)
    told = f"{len(found)} of {wanted} cells have results. " if len(found) < wanted else ""
    return (
        f"{told}Measured: {settings.seconds:g} s of processor time for each side, by turns in one process, from three "
        f"positions of a random game, {settings.playouts} playouts a simulation. Played: {settings.matches} matches of "
        f"each against {settings.rival}, which has {settings.simulations:,} simulations a move; c = {settings.c:g} where "
        f"none is named; seed {settings.seed}. Behind ± is half of the 95 % interval; bold is what is not "
        "50 by more than chance."
    )


def _scores(
    settings: PaceSettings, scores: Mapping[tuple[str, str], Estimate]
) -> Iterator[tuple[str | float | None, ...]]:
    for name in settings.others:
        known = [scores.get((game, name)) for game in settings.games]
        values = [score.value for score in known if score is not None]
        yield (name, *map(_cell, known), sum(values) / len(values) if values else None)


def _cell(score: Estimate | None) -> str:
    if score is None:
        return ""
    value = f"{score.value:.0f}" if score.low <= 50 <= score.high else f"**{score.value:.0f}**"
    return f"{value} ± {(score.high - score.low) / 2:.0f}"
