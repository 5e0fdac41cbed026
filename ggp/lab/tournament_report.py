"""What a tournament says: standings with Elo, pairings, games, and the verdict of a sequential test."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from ggp.core.errors import UsageError
from ggp.core.statistics import Estimate, wilson
from ggp.lab.elo import elo_of_results, ratings
from ggp.lab.plan import Json
from ggp.lab.report import Cell, Part, Report, Table
from ggp.lab.sequential import Verdict
from ggp.lab.tournament import Counter, Pair, TournamentSettings, pairs, points_table

_Row = tuple[Cell, ...]


def tournament_report(settings: TournamentSettings, values: Mapping[str, Json]) -> Report:
    """Tables from the results by key."""
    played = pairs(settings, values)
    labels = settings.labels()
    parts: list[Part] = [_what(settings, played)]
    data: dict[str, object] = {"pairs": len(played)}
    if played:
        standings = _standings(settings, played)
        cross = _pairings(settings, played)
        data["standings"] = [dict(zip(_STANDING, row, strict=True)) for row in standings]
        data["pairings"] = [dict(zip(_PAIRING, row, strict=True)) for row in cross]
        parts += ["## Standings", Table("standings", _STANDING, tuple(standings))]
        parts += ["## Pairings", Table("pairings", _PAIRING, tuple(cross))]
        parts += ["## Score in percent by game", _games(labels, played)]
    if settings.form == "sequential":
        told, verdict = _verdict(settings, played)
        parts.insert(1, told)
        data["verdict"] = verdict
    return Report(f"Tournament: {settings.form} of {len(labels)} players", tuple(parts), data)


_STANDING = ("player", "Elo", "±", "score %", "low", "high", "won", "drawn", "lost", "goal", "faults")
_PAIRING = ("first", "second", "pairs", "score %", "low", "high", "Elo", "Elo low", "Elo high", "unfinished")


def _what(settings: TournamentSettings, played: Sequence[Pair]) -> str:
    unfinished = sum(pair.unfinished for pair in played)
    games = ", ".join(dict.fromkeys(pair.game for pair in played)) or ", ".join(settings.games)
    text = (
        f"{len(played)} pairs of matches with one seed and roles swapped; games: {games}; seed {settings.seed}. "
        "Scores count a win as 1, a draw as ½; intervals (95 %) are over pairs. Elo is the most likely rating, its mean "
        "over all players 0."
    )
    return text + (f" {unfinished} matches did not come to an end and count as draws." if unfinished else "")


def score(counts: Sequence[float]) -> Estimate:
    """The score in percent from counts of 0, ½, 1, 1½ and 2 points in pairs, with an interval over the pairs."""
    total = sum(counts)
    share = sum(i * n for i, n in enumerate(counts)) / 4 / total
    variance = sum(n * (i / 4 - share) ** 2 for i, n in enumerate(counts)) / total
    if 0 < share < 1 and variance > 0:
        alike = total * share * (1 - share) / variance  # trials that would scatter as the pairs do
        low, high = wilson(share * alike, alike)
    else:
        low, high = wilson(share * total, total)
    return Estimate(100 * share, 100 * math.sqrt(variance / total), 100 * low, 100 * high, int(total))


def _standings(settings: TournamentSettings, played: Sequence[Pair]) -> list[_Row]:
    labels = settings.labels()
    elo: list[Cell] = [None] * len(labels)
    bars: list[Cell] = [None] * len(labels)
    try:
        found = ratings(points_table(len(labels), played))
        elo, bars = list(found.values), list(found.errors)
    except UsageError:
        pass  # not everybody has played yet: there is nothing to compare
    rows = []
    for number, label in enumerate(labels):
        own = [pair for pair in played if number in (pair.first, pair.second)]
        if not own:
            continue
        wins, draws, losses = 0, 0, 0
        for pair in own:
            mirrored = pair.second == number
            points = [1 - p if mirrored else p for p in pair.points]
            wins, draws, losses = wins + points.count(1), draws + points.count(0.5), losses + points.count(0)
        found_score = _score_of(number, own)
        assert found_score is not None
        goal = sum(pair.goals[pair.second == number] for pair in own) / len(own)
        faults = sum(pair.faults[pair.second == number] for pair in own)
        row = (found_score.value, found_score.low, found_score.high, wins, draws, losses, goal, faults)
        rows.append((label, elo[number], bars[number], *row))
    return sorted(rows, key=lambda row: (-float(row[1] or 0), -float(row[3] or 0)))


def standing(settings: TournamentSettings, values: Mapping[str, Json]) -> str:
    """How it stands, in a line: the matches, and the score of each player with its interval, the best first."""
    played = pairs(settings, values)
    matches = sum(len(pair.points) for pair in played)
    if not played:
        return ""
    scores = {label: _score_of(number, played) for number, label in enumerate(settings.labels())}
    known = sorted(((f, label) for label, f in scores.items() if f is not None), key=lambda item: -item[0].value)
    texts = [f"{label} {found.value:.1f} % ({found.low:.1f} – {found.high:.1f})" for found, label in known]
    if settings.form == "sequential":
        counts = [sum(pair.result == result for pair in played) for result in range(5)]
        low, high = settings.sprt.bounds
        texts = [*texts[:1], f"ratio {settings.sprt.ratio(counts):.2f}, decided at {low:.2f} or {high:.2f}"]
    return f"{matches} match{'es' if matches > 1 else ''}: " + ", ".join(texts)


def _score_of(number: int, played: Sequence[Pair]) -> Estimate | None:
    """The score of a player; None if it has not played yet."""
    results = [
        4 - pair.result if pair.second == number else pair.result
        for pair in played
        if number in (pair.first, pair.second)
    ]
    return score([results.count(result) for result in range(5)]) if results else None


def _pairings(settings: TournamentSettings, played: Sequence[Pair]) -> list[_Row]:
    labels = settings.labels()
    rows = []
    for first, second in settings.pairings():
        own = [pair for pair in played if (pair.first, pair.second) == (first, second)]
        if not own:
            continue
        counts = [sum(pair.result == result for pair in own) for result in range(5)]
        found, elo = score(counts), elo_of_results(counts)
        unfinished = sum(pair.unfinished for pair in own)
        rows.append((
            labels[first], labels[second], len(own), found.value, found.low, found.high,
            *map(_finite, (elo.value, elo.low, elo.high)), unfinished,
        ))  # fmt: skip
    return rows


def _finite(value: float) -> Cell:
    return value if math.isfinite(value) else "∞" if value > 0 else "-∞"


def _games(labels: Sequence[str], played: Sequence[Pair]) -> Table:
    rows = []
    for game in dict.fromkeys(pair.game for pair in played):
        cells: list[Cell] = []
        for number in range(len(labels)):
            own = [
                (4 - pair.result if pair.second == number else pair.result) / 4
                for pair in played
                if pair.game == game and number in (pair.first, pair.second)
            ]
            cells.append(100 * sum(own) / len(own) if own else None)
        rows.append((game, sum(pair.game == game for pair in played), *cells))
    return Table("games", ("game", "pairs", *labels), tuple(rows))


def _verdict(settings: TournamentSettings, played: Sequence[Pair]) -> tuple[str, dict[str, object]]:
    counter = Counter(settings.sprt)
    for pair in played:
        counter.add(pair)
    test, first = settings.sprt, settings.labels()[0]
    low, high = test.bounds
    ratio = test.ratio(counter.counts)
    words = {
        Verdict.H1: f"**{first} is stronger**",
        Verdict.H0: f"**{first} is not stronger by {test.elo1:g} Elo**",
        Verdict.UNDECIDED: "**Undecided**",
    }[counter.verdict]
    text = (
        f"{words} after {len(played)} pairs: log-likelihood ratio {ratio:.2f}, decided at {low:.2f} or {high:.2f}; "
        f"H0: {test.elo0:g} Elo, H1: {test.elo1:g} Elo, error rates {test.alpha:g} and {test.beta:g}. "
        f"Pairs with 0, ½, 1, 1½, 2 points: {', '.join(map(str, counter.counts))}."
    )
    data = {"verdict": counter.verdict.name, "ratio": ratio, "bounds": [low, high], "counts": counter.counts}
    return text, data
