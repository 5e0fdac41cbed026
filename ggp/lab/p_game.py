"""The experiments with P-games: how often UCT0 to UCT3 choose a wrong move, by the number of simulations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ggp.core.errors import UsageError
from ggp.core.seeds import split_seed
from ggp.core.statistics import Estimate, mean
from ggp.generators.pgame import PGame
from ggp.lab.error_curves import Rows, checkpoints, claim, curves_of, flat, means_of, ratio_heads, ratios_of, shown
from ggp.lab.figures import Curve, Curves
from ggp.lab.pgame_search import VARIANTS, Arena
from ggp.lab.plan import Job, Json, Texts
from ggp.lab.published import Paper
from ggp.lab.report import Cell, Part, Report, Table

_SIZES = "sizes"


@dataclass(frozen=True)
class PGameSettings:
    """What is searched."""

    branching: int
    """Moves in each position."""
    depth: int
    """Moves from the root to the end."""
    combine: float
    """The share of combined nodes for which all variants are compared."""
    variants: tuple[str, ...]
    """Which are compared there."""
    combinations: tuple[float, ...]
    """The shares for which UCT0 and UCT2 are compared."""
    games: int
    runs: int
    """Runs of each variant on each game."""
    simulations: int
    """Of each run."""
    games_per_job: int
    seed: int


def measured(settings: PGameSettings) -> dict[float, list[str]]:
    """Shares of combined nodes, and the variants that are measured there."""
    wanted: dict[float, set[str]] = {settings.combine: set(settings.variants)}
    for share in settings.combinations:
        wanted.setdefault(share, set()).update(("UCT0", "UCT2"))
    return {share: sorted(variants) for share, variants in sorted(wanted.items())}


def plan(settings: PGameSettings) -> Sequence[Job]:
    """Jobs of all variants on a few games of one share."""
    unknown = sorted(set(settings.variants) - set(VARIANTS))
    if unknown:
        raise UsageError(f"there is no variant {unknown[0]!r}; known are {', '.join(VARIANTS)}")
    if min(settings.games, settings.runs, settings.simulations, settings.games_per_job) < 1:
        raise UsageError("games, runs, simulations and games_per_job must be above 0")
    return list(_jobs(settings))


def _jobs(settings: PGameSettings) -> Iterator[Job]:
    for share, variants in measured(settings).items():
        for first in range(0, settings.games, settings.games_per_job):
            work = {
                "branching": settings.branching, "depth": settings.depth, "combine": share, "variants": variants,
                "first": first, "games": min(settings.games_per_job, settings.games - first), "runs": settings.runs,
                "checkpoints": checkpoints(settings.simulations), "seed": settings.seed,
            }  # fmt: skip
            yield Job(f"{share:.4f}/{first:05d}", f"combination {share:.0%}", work)


def perform(work: Mapping[str, Json], _texts: Texts) -> Json:
    """For each variant and game the mean error at each checkpoint; and how many nodes each level of each game has."""
    found: dict[str, Json] = {name: [] for name in (*work["variants"], _SIZES)}
    for number in range(work["first"], work["first"] + work["games"]):
        seed = split_seed(work["seed"], "game", number)
        game = PGame(work["depth"], work["branching"], work["combine"], seed)
        arena = Arena(game)
        found[_SIZES].append(list(game.sizes))
        for variant in work["variants"]:
            seeds = [split_seed(seed, "run", run) for run in range(work["runs"])]
            found[variant].append(arena.errors(variant, work["checkpoints"], seeds).tolist())
    return found


def simulations(work: Mapping[str, Json], value: Json) -> int:
    """Games in which no move can be wrong are not searched."""
    by_game = zip(*(value[variant] for variant in work["variants"]), strict=True)
    searched = sum(any(any(errors) for errors in game) for game in by_game)
    return searched * len(work["variants"]) * int(work["runs"]) * int(work["checkpoints"][-1])


def p_game_report(paper: Paper, settings: PGameSettings, values: Mapping[str, Json]) -> Report:
    """Figures 1 to 3 of the paper with intervals, and whether what it says of them holds here."""
    rows: dict[tuple[float, str], Rows] = {}
    for job in plan(settings):
        for name, games in values.get(job.key, {}).items():
            rows.setdefault((job.work["combine"], name), []).extend(games)
    points = checkpoints(settings.simulations)
    undecided = [all(error == 0 for error in game) for game in rows.get((settings.combine, "UCT0"), [])]
    parts: list[Part] = [paper.question, _sizes(settings, paper, sum(undecided), len(undecided))]
    parts += _figure1(settings, rows)
    parts += _figure2(settings, rows, points)
    parts += _figure3(settings, rows, points)
    if paper.remarks:
        parts += ["## Where numbers may differ, and why", paper.remarks]
    return Report(paper.title, tuple(parts))


def _sizes(settings: PGameSettings, paper: Paper, undecided: int, games: int) -> str:
    return (
        f"Searched: {settings.games} games of branching {settings.branching} and depth {settings.depth}, {settings.runs} "
        f"runs of each variant on each, {settings.simulations:,} simulations a run; seed {settings.seed}. The error is "
        "the share of runs whose best-looking move at the root is not a best one. Intervals (95 %) are over games, whose "
        f"runs are not independent of each other. In {undecided} of {games} games with {settings.combine:.0%} "
        f"combination no move at the root was ever wrong; they count as well.\n\nPaper: {paper.source}."
    )


def _figure1(settings: PGameSettings, rows: Mapping[tuple[float, str], Rows]) -> list[Part]:
    curves, cells = [], []
    for share in measured(settings):
        games = rows.get((share, _SIZES), [])
        if len(games) < 2:
            continue
        levels = [mean(list(sizes)) for sizes in zip(*games, strict=True)]
        curves.append(Curve(f"{share:.0%}", tuple((float(i), e.value, e.low, e.high) for i, e in enumerate(levels))))
        cells.append(
            (f"{share:.0%}", *(levels[level].value for level in _levels(settings)), sum(e.value for e in levels))
        )
    if not curves:
        return []
    heads = ("combination", *(f"level {level}" for level in _levels(settings)), "all nodes")
    return [
        "## Graph size by level (figure 1)",
        Table("sizes", heads, tuple(cells)),
        Curves("sizes", "Nodes of each level", "level", "nodes", tuple(curves), (False, True)),
    ]


def _levels(settings: PGameSettings) -> list[int]:
    return sorted({round(settings.depth * part / 4) for part in range(1, 5)})


def _figure2(settings: PGameSettings, rows: Mapping[tuple[float, str], Rows], points: Sequence[int]) -> list[Part]:
    """All variants at one share: average errors, and their ratios to UCT0."""
    found = {v: rows[settings.combine, v] for v in settings.variants if (settings.combine, v) in rows}
    base = found.get("UCT0", [])
    if len(base) < 2:
        return []
    errors = {variant: means_of(games) for variant, games in found.items()}
    ratios = {v: ratios_of(games, base) for v, games in found.items() if v != "UCT0" and len(games) == len(base)}
    heads = ("simulations", *(f"{v} error" for v in errors), *ratio_heads(f"{v}/UCT0" for v in ratios))
    table = tuple((points[i], *_values(errors, i), *flat([ratios[v][i] for v in ratios])) for i in shown(points))
    claims = [claim(f"{v} is better than UCT0", ratios[v], points, below=True) for v in ratios]
    for better, worse in (("UCT2", "UCT1"), ("UCT3", "UCT2")):
        if better in ratios and worse in ratios:
            apart = ratios_of(found[better], found[worse])
            claims.append(claim(f"{better} is better than {worse}", apart, points, below=True))
    share = f"{settings.combine:.0%}"
    return [
        f"## {', '.join(found)} with {share} combination (figure 2)",
        "The paper: UCT1, UCT2 and UCT3 improve significantly on UCT0; UCT3 is slightly better than the simpler ones; "
        "UCT2 seems slightly better than UCT1. Here:\n\n" + "\n".join(claims),
        Table("figure2", heads, table, digits=4),
        curves_of("errors", f"Average error, {share} combination", "average error", points, errors),
        curves_of(
            "ratios", f"Average error over that of UCT0, {share} combination", "ratio", points, ratios, straight=True
        ),
    ]


def _values(errors: Mapping[str, Sequence[Estimate]], place: int) -> list[Cell]:
    return [found[place].value for found in errors.values()]


def _figure3(settings: PGameSettings, rows: Mapping[tuple[float, str], Rows], points: Sequence[int]) -> list[Part]:
    """UCT2 against UCT0 at several shares: base average error over average error."""
    ratios = {}
    for share in settings.combinations:
        base, better = rows.get((share, "UCT0"), []), rows.get((share, "UCT2"), [])
        if len(base) > 1 and len(base) == len(better):
            ratios[f"{share:.0%}"] = ratios_of(base, better)
    if not ratios:
        return []
    heads = ("simulations", *ratio_heads(ratios))
    table = tuple((points[i], *flat([ratios[share][i] for share in ratios])) for i in shown(points))
    claims = [
        claim(f"UCT2 is never worse than UCT0 with {share}", ratios[share], points, below=False) for share in ratios
    ]
    return [
        "## UCT0's average error over that of UCT2, by combination (figure 3)",
        "The paper: the higher the combination, the larger the improvement; UCT2 never performs worse than UCT0, but for "
        "noise towards the end. Here:\n\n" + "\n".join(claims),
        Table("figure3", heads, table, digits=3),
        curves_of("figure3", "Average error of UCT0 over that of UCT2", "ratio", points, ratios, straight=True),
    ]
