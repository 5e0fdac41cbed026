"""The experiment with groups of moves in P-games: how often UCT2 chooses a wrong move, by what the groups are like."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ggp.core.errors import UsageError
from ggp.core.seeds import split_seed
from ggp.generators.pgame import PGame
from ggp.lab.error_curves import Rows, checkpoints, claim, curves_of, means_of, ratios_of, shown
from ggp.lab.pgame_groups import Grouping
from ggp.lab.pgame_search import Arena
from ggp.lab.plan import Job, Json, Texts
from ggp.lab.published import Paper
from ggp.lab.report import Cell, Part, Report, Table

PLAIN = "no groups"


@dataclass(frozen=True)
class GroupSettings:
    """What is searched."""

    branching: int
    """Moves in each position."""
    depth: int
    """Moves from the root to the end."""
    size: int
    """Places of the biased group."""
    biases: tuple[float, ...]
    """Shares of the places that are for winning moves."""
    games: int
    runs: int
    """Runs of each kind on each game."""
    simulations: int
    """Of each run."""
    games_per_job: int
    seed: int


@dataclass(frozen=True)
class _Kind:
    """A curve: how moves are grouped, and which variant of UCT searches."""

    name: str
    grouping: Grouping | None
    variant: str = "UCT2"


def _name(bias: float, overlap: bool) -> str:
    return f"{'overlapping' if overlap else 'disjoint'} {bias:.0%}"


def _kinds(size: int, biases: Sequence[float]) -> list[_Kind]:
    """All curves; the last tells what overlapping groups are worth where paths are treated independently."""
    found = [_Kind(PLAIN, None)]
    for overlap in (False, True):
        found += [_Kind(_name(bias, overlap), Grouping(bias, size, overlap)) for bias in biases]
    best = max(biases)
    return [*found, _Kind(f"UCT0, {_name(best, overlap=True)}", Grouping(best, size, overlap=True), "UCT0")]


def plan(settings: GroupSettings) -> Sequence[Job]:
    """Jobs of all kinds of groups on a few games."""
    if min(settings.games, settings.runs, settings.simulations, settings.games_per_job) < 1:
        raise UsageError("games, runs, simulations and games_per_job must be above 0")
    if not settings.biases:
        raise UsageError("biases must have a share at least")
    _kinds(settings.size, settings.biases)  # says what is wrong with them
    return list(_jobs(settings))


def _jobs(settings: GroupSettings) -> Iterator[Job]:
    for first in range(0, settings.games, settings.games_per_job):
        work = {
            "branching": settings.branching, "depth": settings.depth, "size": settings.size,
            "biases": list(settings.biases), "first": first,
            "games": min(settings.games_per_job, settings.games - first), "runs": settings.runs,
            "checkpoints": checkpoints(settings.simulations), "seed": settings.seed,
        }  # fmt: skip
        yield Job(f"{first:05d}", "all sorts of groups", work)


def perform(work: Mapping[str, Json], _texts: Texts) -> Json:
    """For each kind and game the mean error at each checkpoint."""
    kinds = _kinds(work["size"], work["biases"])
    found: dict[str, Json] = {kind.name: [] for kind in kinds}
    for number in range(work["first"], work["first"] + work["games"]):
        seed = split_seed(work["seed"], "game", number)
        game = PGame(work["depth"], work["branching"], seed=seed)
        seeds = [split_seed(seed, "run", run) for run in range(work["runs"])]
        for kind in kinds:
            arena = Arena(game, kind.grouping)
            found[kind.name].append(arena.errors(kind.variant, work["checkpoints"], seeds).tolist())
    return found


def simulations(work: Mapping[str, Json], value: Json) -> int:
    """Games in which no move can be wrong are not searched."""
    searched = sum(any(game) for game in value[PLAIN])
    return searched * len(value) * int(work["runs"]) * int(work["checkpoints"][-1])


def group_report(paper: Paper, settings: GroupSettings, values: Mapping[str, Json]) -> Report:
    """Figures 4 and 5 of the paper with intervals, and whether what it says of them holds here."""
    rows: dict[str, Rows] = {}
    for job in plan(settings):
        for name, games in values.get(job.key, {}).items():
            rows.setdefault(name, []).extend(games)
    points = checkpoints(settings.simulations)
    parts: list[Part] = [paper.question, _sizes(settings, paper)]
    if len(rows.get(PLAIN, [])) > 1:
        parts += _figure(settings, rows, points, overlap=False)
        parts += _figure(settings, rows, points, overlap=True)
    if paper.remarks:
        parts += ["## Where numbers may differ, and why", paper.remarks]
    return Report(paper.title, tuple(parts))


def _sizes(settings: GroupSettings, paper: Paper) -> str:
    return (
        f"Searched: {settings.games} games of branching {settings.branching} and depth {settings.depth}, {settings.runs} "
        f"runs of each kind on each, {settings.simulations:,} simulations a run; seed {settings.seed}. The biased group "
        f"has {settings.size} places. The error is the share of runs whose best-looking move at the root is not a best "
        f"one. Intervals (95 %) are over games, whose runs are not independent of each other.\n\nPaper: {paper.source}."
    )


def _figure(settings: GroupSettings, rows: Mapping[str, Rows], points: Sequence[int], *, overlap: bool) -> list[Part]:
    """The errors with one sort of groups, beside those without any, and what the paper says of them."""
    number, sort = (5, "overlapping") if overlap else (4, "disjoint")
    names = [PLAIN, *(_name(bias, overlap) for bias in settings.biases)]
    if overlap:
        names += [name for name in rows if name.startswith("UCT0")]
    errors = {name: means_of(rows[name]) for name in names if name in rows}
    heads = ("simulations", *(part for name in errors for part in (name, "±")))
    table = tuple(
        (points[i], *(cell for found in errors.values() for cell in (found[i].value, (found[i].high - found[i].low) / 2)))
        for i in shown(points)
    )
    claims = _overlapping(settings, rows, points) if overlap else _disjoint(settings, rows, points)
    said = (
        "With overlap, high biases are better still than without, and low ones worse; it would not be as effective "
        "without UCT2." if overlap else "Biases near 100 % and near 0 % are better than those near 50 %."
    )  # fmt: skip
    return [
        f"## {sort.capitalize()} groups (figure {number})",
        f"The paper: {said} Here:\n\n" + "\n".join(claims),
        Table(f"figure{number}", heads, _cells(table), digits=4),
        curves_of(f"figure{number}", f"Average error, {sort} groups", "average error", points, errors),
    ]


def _cells(rows: Sequence[Sequence[Cell]]) -> tuple[tuple[Cell, ...], ...]:
    return tuple(tuple(row) for row in rows)


def _disjoint(settings: GroupSettings, rows: Mapping[str, Rows], points: Sequence[int]) -> list[str]:
    middle = _name(min(settings.biases, key=lambda bias: abs(bias - 0.5)), overlap=False)
    ends = [_name(bias, overlap=False) for bias in (max(settings.biases), min(settings.biases))]
    found = [_compared(rows, points, end, middle) for end in ends if end != middle]
    return [*found, *(_compared(rows, points, name, PLAIN) for name in dict.fromkeys([*ends, middle]))]


def _overlapping(settings: GroupSettings, rows: Mapping[str, Rows], points: Sequence[int]) -> list[str]:
    high, low = max(settings.biases), min(settings.biases)
    best = _name(high, overlap=True)
    return [
        _compared(rows, points, best, _name(high, overlap=False)),
        _compared(rows, points, best, PLAIN),
        _compared(rows, points, _name(low, overlap=True), _name(low, overlap=False)),
        _compared(rows, points, _name(low, overlap=True), PLAIN),
        _compared(rows, points, best, f"UCT0, {best}"),
    ]


def _compared(rows: Mapping[str, Rows], points: Sequence[int], better: str, worse: str) -> str:
    return claim(f"{better} errs less than {worse}", ratios_of(rows[better], rows[worse]), points, below=True)
