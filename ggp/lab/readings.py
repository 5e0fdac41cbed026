"""The experiment with what the UCD paper leaves open: its figures, by how its words are read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ggp.core.errors import UsageError
from ggp.core.seeds import split_seed
from ggp.core.statistics import Estimate, mean, percent
from ggp.core.suggest import unknown
from ggp.lab import readings_graph as graph
from ggp.lab import readings_search as search
from ggp.lab.matches import specification
from ggp.lab.plan import Job, Json, Texts
from ggp.lab.published import Paper, remark
from ggp.lab.report import Part, Report, Table

LEFT_RIGHT, HEX = "left_right", "hex_5x5_b2"
READINGS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "plain": (
        "what `ggp` does: with n′; an edge is made when its move is, and untried moves come first",
        {},
    ),
    "eager": ("a new position is at once joined to all known ones, by all moves", {"eager": True}),
    "eager valued": (
        "as eager, and an untried move to a known position does not come first, but has its μ_d1 and n_d3",
        {"eager": True, "valued": True},
    ),
    "without n′": ("formulas (5) and (7): what was paid before there were edges is left out", {"leak": True}),
    "inherited": (
        "with update-all, an edge to a known position takes over all that was paid there",
        {"inherit": True},
    ),
    "first of equals": ("of equal moves, and of untried ones, the first; else any", {"first": True}),
    "best mean": ("the move played is the one of the best μ, else the one of most n", {"final": graph.BEST_MEAN}),
    "best adapted": ("the move played is the one of the best μ_d1", {"final": graph.BEST_ADAPTED}),
    "most counted": ("the move played is the one of most n_d3", {"final": graph.MOST_COUNTED}),
    "two nodes": ("a simulation adds two nodes, not one", {"adds": 2}),
    "two nodes eager": ("a simulation adds two nodes, and they are joined as in eager", {"adds": 2, "eager": True}),
    "four nodes": ("a simulation adds four nodes", {"adds": 4}),
    "stops": ("a descent ends where it finds a known position by a move made for the first time", {"stops": True}),
    "kept": ("the graph is kept from move to move", {"kept": True}),
    "c / 2": ("the constant of both is half as large, as if 0.3 were on scores from −1 to 1", {"c": 0.5}),
    "c · √2": ("the constant of both is √2 times as large, as in UCB1", {"c": 2**0.5}),
    "c · 2": ("the constant of both is twice as large", {"c": 2.0}),
    "c · 4": ("the constant of both is four times as large", {"c": 4.0}),
}
"""What each means, and how it differs from the plain one; `c` is a factor, also for the rival."""


@dataclass(frozen=True)
class ReadingSettings:
    """What is played."""

    left_right: tuple[str, ...]
    """Settings, (d1,d2,d3), uct or update-all, on LeftRight;"""
    hex: tuple[str, ...]
    """and on Hex 5×5 against uct, which is read plainly."""
    readings: tuple[str, ...]
    """Names of readings. On LeftRight graphs are not kept: they grow too large."""
    c: float
    """Exploration constant, in shares of the range of scores."""
    runs: int
    """Of each setting and reading on LeftRight."""
    steps: int
    """Of LeftRight."""
    left_right_simulations: int
    """Per move."""
    matches: int
    """Of each setting and reading on Hex, half of them in either role."""
    hex_simulations: int
    seed: int


def reading(setting: str, name: str, c: float) -> graph.Reading:
    """A setting of the paper as it is read."""
    found = specification(setting, c)
    depths = {}
    for depth in ("d1", "d2", "d3"):
        value = found[depth]
        if value != "inf" and value >= graph.INFINITE:
            raise UsageError(f"{setting}: depths are 0, 1, 2 and inf here")
        depths[depth] = graph.INFINITE if value == "inf" else value
    if name not in READINGS:
        raise UsageError(unknown("reading", name, READINGS))
    more = dict(READINGS[name][1])
    table, every = found.get("transpositions", True), found.get("update") == "all"
    return graph.Reading(**{**depths, "table": table, "update_all": every, **more, "c": c * more.get("c", 1.0)})


def _matters(setting: str, name: str) -> bool:
    return name != "inherited" or setting == "update-all"


def plan(settings: ReadingSettings) -> Sequence[Job]:
    """A job for each setting and reading."""
    sizes = settings.runs, settings.steps, settings.left_right_simulations, settings.matches, settings.hex_simulations
    if min(sizes) < 1:
        raise UsageError("runs, steps, left_right_simulations, matches and hex_simulations must be above 0")
    for setting in (*settings.left_right, *settings.hex):
        for name in settings.readings:
            reading(setting, name, settings.c)  # says what is wrong with them
    return list(_jobs(settings))


def _jobs(settings: ReadingSettings) -> Iterator[Job]:
    for number, name in enumerate(settings.readings):
        for game, cells in ((LEFT_RIGHT, settings.left_right), (HEX, settings.hex)):
            for setting in cells:
                if not _matters(setting, name) or (game == LEFT_RIGHT and name == "kept"):
                    continue
                small = game == LEFT_RIGHT
                work = {
                    "game": game, "setting": setting, "reading": name, "c": settings.c, "seed": settings.seed,
                    "steps": settings.steps, "count": settings.runs if small else settings.matches,
                    "simulations": settings.left_right_simulations if small else settings.hex_simulations,
                }  # fmt: skip
                yield Job(f"{game}/{number:02d} {name}/{setting}", game, work)


def perform(work: Mapping[str, Json], _texts: Texts) -> Json:
    """The score of each run or match, in percent."""
    own, simulations = reading(work["setting"], work["reading"], work["c"]), work["simulations"]
    seeds = [split_seed(work["seed"], work["game"], work["setting"], number) for number in range(work["count"])]
    if work["game"] == LEFT_RIGHT:
        steps = work["steps"]
        return [round(100 * search.left_right(own, steps, simulations, seed) / steps, 3) for seed in seeds]
    rival = reading("uct", "plain", own.c)
    black = [search.hex_match(own, rival, simulations, seed) for seed in seeds[::2]]
    white = [not search.hex_match(rival, own, simulations, seed) for seed in seeds[1::2]]
    return [100.0 * won for won in (*black, *white)]


def simulations(work: Mapping[str, Json], value: Json) -> int:
    """On LeftRight; how long matches of Hex were is not kept."""
    return int(work["simulations"]) * int(work["steps"]) * len(value) if work["game"] == LEFT_RIGHT else 0


def reading_report(paper: Paper, settings: ReadingSettings, values: Mapping[str, Json]) -> Report:
    """A table for each game: readings against settings, and which of the paper's figures each gives."""
    scores = {
        (job.work["game"], job.work["setting"], job.work["reading"]): _estimate(job.work["game"], values[job.key])
        for job in plan(settings)
        if job.key in values
    }
    parts: list[Part] = [paper.question, _sizes(settings, paper), _meanings(settings)]
    for game, cells in ((LEFT_RIGHT, settings.left_right), (HEX, settings.hex)):
        parts += [f"## {game} ({paper.places.get(game, '')})", *_game(paper, settings, game, cells, scores)]
    if paper.remarks:
        parts += ["## What that says", paper.remarks]
    return Report(paper.title, tuple(parts))


def _estimate(game: str, scores: Sequence[float]) -> Estimate:
    """On LeftRight a score is a share of three hundred steps, not a won or a lost match."""
    return mean(scores) if game == LEFT_RIGHT and len(scores) > 1 else percent(scores)


def _sizes(settings: ReadingSettings, paper: Paper) -> str:
    return (
        f"Played: {settings.runs} runs of LeftRight with {settings.steps} steps and {settings.left_right_simulations:,} "
        f"simulations a move; {settings.matches} matches of Hex 5×5 against uct as it is read plainly, "
        f"{settings.hex_simulations:,} simulations a move; c = {settings.c:g} of the range of scores; seed "
        f"{settings.seed}. A program of its own, which shares nothing with the search of the players. Behind ± is half "
        f"of the 95 % interval; bold is what agrees with the paper's figure.\n\nPaper: {paper.source}."
    )


def _meanings(settings: ReadingSettings) -> str:
    return "\n".join(f"- *{name}*: {READINGS[name][0]}." for name in settings.readings)


def _game(
    paper: Paper, settings: ReadingSettings, game: str, cells: Sequence[str],
    scores: Mapping[tuple[str, str, str], Estimate],
) -> list[Part]:  # fmt: skip
    paper = replace(paper, error=paper.more.get("errors", {}).get(game))
    theirs = {cell: paper.figures[game, cell] for cell in cells if (game, cell) in paper.figures}
    shown: list[tuple[str, ...]] = [("the paper", *(f"{theirs[c]:.1f}" if c in theirs else "" for c in cells))]
    rows = []
    for name in settings.readings:
        found = {cell: scores.get((game, cell, name)) for cell in cells}
        if any(found.values()):
            shown.append((name, *(_cell(paper, found[cell], theirs.get(cell)) for cell in cells)))
        rows += [
            (name, cell, e.value, e.low, e.high, e.count, theirs.get(cell)) for cell, e in found.items() if e is not None
        ]
    heads = ("reading", "setting", "score %", "low", "high", "matches", "paper %")
    return [
        Table(f"{game}-readings", ("reading", *(cell.replace("inf", "∞") for cell in cells)), tuple(shown)),
        Table(game, heads, tuple(rows), shown=False),
    ]


def _cell(paper: Paper, ours: Estimate | None, theirs: float | None) -> str:
    if ours is None:
        return ""
    agrees = theirs is not None and remark(paper.compare(ours, theirs)) == "agrees"
    value = f"**{ours.value:.1f}**" if agrees else f"{ours.value:.1f}"
    return f"{value} ± {(ours.high - ours.low) / 2:.1f}"
