"""Reports of experiments with matches: our percentages beside the paper's, with intervals."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from itertools import product

from ggp.core.statistics import Estimate, percent
from ggp.lab.figures import HeatMaps
from ggp.lab.matches import Cell, MatchSettings, cells, goals_by_cell
from ggp.lab.plan import Json
from ggp.lab.published import Paper, remark
from ggp.lab.report import Part, Report, Table

_LONG = 60
"""A table with more rows is shown as a grid; all rows are in its CSV file."""
_HEADS = ("cell", "score %", "low", "high", "matches", "paper %", "difference", "remark")

Scores = Mapping[tuple[str, str], Estimate]


def match_report(paper: Paper, settings: MatchSettings, values: Mapping[str, Json]) -> Report:
    """Tables and heat maps for each game."""
    scores = {place: percent(goals) for place, goals in goals_by_cell(values, settings).items()}
    paper = _named_alike(paper, settings)
    every = cells(settings)
    long = len(every) * len(settings.games) > _LONG
    parts: list[Part] = [paper.question, _sizes(settings, paper), _summary(paper, settings, scores)]
    if len(settings.games) > 1 and not settings.d1:
        parts += _overview(settings, every, scores)
    for game in settings.games:
        parts += _game(paper, settings, every, game, scores, long=long)
    if paper.remarks:
        parts += ["## Where numbers may differ, and why", paper.remarks]
    return Report(paper.title, tuple(parts), {f"{g} {c}": vars(e) for (g, c), e in sorted(scores.items())})


def _named_alike(paper: Paper, settings: MatchSettings) -> Paper:
    """A cell leaves its constant out of its name where all have the same; so must the paper's then."""
    if len(settings.c) > 1:
        return paper
    figures = {(game, cell.removesuffix(f" c={settings.c[0]:g}")): value for (game, cell), value in paper.figures.items()}
    return dataclasses.replace(paper, figures=figures)


def _sizes(settings: MatchSettings, paper: Paper) -> str:
    against = f", against {settings.rival}" if settings.rival else ""
    if settings.rival and settings.rival_c:
        against += f" with c = {settings.rival_c:g}"
    constants = ", ".join(f"{c:g}" for c in settings.c)
    return (
        f"Played: {settings.matches} matches of each cell{against}; {settings.simulations:,} simulations a move; "
        f"c = {constants} on goals 0 to 100; seed {settings.seed}. Intervals hold the true value with 95 %.\n\n"
        f"Paper: {paper.source}."
    )


def _summary(paper: Paper, settings: MatchSettings, scores: Scores) -> str:
    """How many figures agree, told in one paragraph."""
    compared = [
        (place, paper.compare(scores[place], theirs)) for place, theirs in paper.figures.items() if place in scores
    ]
    wanted = len(cells(settings)) * len(settings.games)
    text = f"{len(scores)} of {wanted} cells have results. " if len(scores) < wanted else ""
    if not compared:
        return f"{text}Nothing that was played has a figure in the paper."
    apart = [(place, found) for place, found in compared if remark(found) != "agrees"]
    text += (
        f"**{len(compared) - len(apart)} of {len(compared)} figures of the paper agree with ours** within the 95 % "
        f"interval of their difference; {0.05 * len(compared):.1f} would differ by chance alone."
    )
    if 0 < len(apart) <= 12:
        differ = ", ".join(f"{game} {cell} {found.value:+.1f}" for (game, cell), found in apart)
        text += f" Those that differ (ours minus the paper's): {differ}."
    return text


def _game(
    paper: Paper, settings: MatchSettings, every: Sequence[Cell], game: str, scores: Scores, *, long: bool
) -> list[Part]:
    rows = [_row(paper, game, cell, scores) for cell in every if (game, cell.name) in scores]
    place = paper.places.get(game)
    parts: list[Part] = [f"## {game}" + (f" ({place})" if place else "")]
    if not rows:
        return [*parts, "No results yet."]
    parts += [_words(paper, settings, every, game, scores)]
    if long and len(settings.c) == 1:
        parts += [_grid(paper, settings, game, scores)]
    parts.append(Table(game, _HEADS, tuple(rows), shown=not (long and len(settings.c) == 1)))
    return parts + _maps(settings, every, game, scores)


def _overview(settings: MatchSettings, every: Sequence[Cell], scores: Scores) -> list[Part]:
    """All cells in all games at a glance: scores, in bold where they are not 50 by more than chance, and their means."""
    rows = []
    for cell in every:
        found = [scores.get((game, cell.name)) for game in settings.games]
        known = [score for score in found if score is not None]
        mean = math.fsum(score.value for score in known) / len(known) if known else None
        rows.append((_pretty(cell.name), *map(_at_a_glance, found), mean))
    return ["## All games", Table("all", ("cell", *settings.games, "mean"), tuple(rows))]


def _at_a_glance(score: Estimate | None) -> str:
    if score is None:
        return ""
    return f"{score.value:.0f}" if score.low <= 50 <= score.high else f"**{score.value:.0f}**"


def _row(paper: Paper, game: str, cell: Cell, scores: Scores) -> tuple[str | int | float | None, ...]:
    ours = scores[game, cell.name]
    theirs = paper.figures.get((game, cell.name))
    row = (_pretty(cell.name), ours.value, ours.low, ours.high, ours.count)
    if theirs is None:
        return (*row, None, None, None)
    difference = paper.compare(ours, theirs)
    return (*row, theirs, difference.value, remark(difference))


def _pretty(name: str) -> str:
    return name.replace("inf", "∞")


def _words(paper: Paper, settings: MatchSettings, every: Sequence[Cell], game: str, scores: Scores) -> str:
    """The best cells, of ours and of the paper, and how alike the two tables are."""
    ours = {cell.name: scores[game, cell.name] for cell in every if (game, cell.name) in scores}
    best = max(ours, key=lambda name: ours[name].value)
    text = f"Best: {_pretty(best)} with {_interval(ours[best])}."
    theirs = {cell: value for (of, cell), value in paper.figures.items() if of == game and cell in ours}
    if not theirs:
        return text
    top = max(theirs, key=lambda name: theirs[name])
    text += f" The paper's best of those with a figure: {_pretty(top)} with {theirs[top]:.1f} %; "
    text += f"here it has {_interval(ours[top])}."
    likeness = correlation([ours[name].value for name in theirs], list(theirs.values()))
    if len(theirs) > 5 and likeness is not None:
        text += f" Correlation of the {len(theirs)} cells: {likeness:.2f}."
    if settings.rival in ours and len(settings.c) == 1:
        text += f" Control, {settings.rival} against itself: {_interval(ours[settings.rival])}."
    return text


def _interval(found: Estimate) -> str:
    return f"{found.value:.1f} % ({found.low:.1f} to {found.high:.1f})"


def correlation(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Pearson's correlation; None where one of the two does not vary."""
    count = len(first)
    a, b = math.fsum(first) / count, math.fsum(second) / count
    both = math.fsum((x - a) * (y - b) for x, y in zip(first, second, strict=True))
    spread = math.fsum((x - a) ** 2 for x in first) * math.fsum((y - b) ** 2 for y in second)
    return both / math.sqrt(spread) if spread > 0 else None


def _grid(paper: Paper, settings: MatchSettings, game: str, scores: Scores) -> Table:
    """Rows d1, columns d2 and d3: ours, in brackets the paper's, in bold where they do not agree."""
    columns = list(product(settings.d2, settings.d3))
    rows = []
    for d1 in settings.d1:
        row = [_pretty(d1)]
        for d2, d3 in columns:
            place = (game, f"({d1},{d2},{d3})")
            row.append(_grid_cell(paper, scores.get(place), paper.figures.get(place)))
        rows.append(tuple(row))
    heads = ("d1", *(f"d2={_pretty(d2)} d3={_pretty(d3)}" for d2, d3 in columns))
    return Table(f"{game}-grid", heads, tuple(rows))


def _grid_cell(paper: Paper, ours: Estimate | None, theirs: float | None) -> str:
    if ours is None:
        return ""
    if theirs is None:
        return f"{ours.value:.1f}"
    agrees = remark(paper.compare(ours, theirs)) == "agrees"
    return f"{ours.value:.1f} ({theirs:.1f})" if agrees else f"**{ours.value:.1f}** ({theirs:.1f})"


def _maps(settings: MatchSettings, every: Sequence[Cell], game: str, scores: Scores) -> list[Part]:
    """A heat map over d1 and d3 for each d2, and for each constant."""
    if len(settings.d1) < 2 or len(settings.d3) < 2:
        return []
    by_place = {(cell.c, cell.d1, cell.d2, cell.d3): scores.get((game, cell.name)) for cell in every}
    maps: list[Part] = []
    for c in settings.c:
        panels = tuple(
            (f"d2 = {_pretty(d2)}", tuple(
                tuple(found.value if (found := by_place[c, d1, d2, d3]) else None for d3 in settings.d3)
                for d1 in settings.d1
            ))
            for d2 in settings.d2
        )  # fmt: skip
        several = len(settings.c) > 1
        maps.append(HeatMaps(
            f"{game}-c{c:g}" if several else game,
            f"{game}: score in percent" + (f", c = {c:g}" if several else ""),
            ("d1", tuple(map(_pretty, settings.d1))),
            ("d3", tuple(map(_pretty, settings.d3))),
            panels,
        ))  # fmt: skip
    return maps
