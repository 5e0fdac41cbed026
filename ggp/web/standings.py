"""What players are worth, from the matches that they played: scores, Elo, and how often they did something wrong."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from gdl.ruleset import CHANCE
from ggp.core.errors import UsageError
from ggp.match.faults import printable
from ggp.match.record import Record
from ggp.players.specs import HUMAN, is_address
from ggp.web.fields import Json


@dataclass(frozen=True)
class Outcome:
    """What a match gave each of its players; chance is none of them."""

    players: tuple[str, ...]
    goals: tuple[int, ...]
    faults: tuple[int, ...]

    @classmethod
    def of(cls, record: Record) -> Outcome | None:
        """The outcome of a match that was played to its end, or in which somebody resigned; None if it has none."""
        result = record.result
        if result is None or record.ending == "partial" or len(record.players) != len(result):
            return None
        names = record.players
        roles, specs = (_row_of(record.more.get(key), len(names)) for key in ("x-roles", "x-players"))
        seats = [number for number, role in enumerate(roles) if role != CHANCE]
        faults = [sum(1 for step in record.errors if number < len(step) and step[number]) for number in seats]
        players = tuple(_label(names[number], specs[number]) for number in seats)
        return cls(players, tuple(result[number] for number in seats), tuple(faults))


def _row_of(told: Json, length: int) -> list[str]:
    """What a record tells of each role, if it does."""
    is_row = isinstance(told, list) and len(told) == length and all(isinstance(one, str) for one in told)
    return told if is_row else [""] * length


def _label(name: str, spec: str) -> str:
    """What tells a player from others: the options of ours, the addresses of those that may have one name."""
    if is_address(spec):
        return printable(f"{name} ({spec.partition('//')[2] or spec})", 60)
    return printable(name if spec in ("", HUMAN) else spec, 60)


@dataclass
class _Line:
    """A player's line in the table."""

    matches: int = 0
    goal: int = 0
    faults: int = 0
    counts: dict[float, int] = field(default_factory=lambda: {1.0: 0, 0.5: 0, 0.0: 0})
    """Comparisons with others that were won, even and lost: one for each other seat of a match."""


def standings(outcomes: Iterable[Outcome]) -> list[dict[str, Json]]:
    """A line for each player, the best first. Whoever sits at a table twice is not compared with itself."""
    lines: dict[str, _Line] = {}
    pairs: list[tuple[str, str, float]] = []
    for outcome in outcomes:
        for player, goal, faults in zip(outcome.players, outcome.goals, outcome.faults, strict=True):
            line = lines.setdefault(player, _Line())
            line.matches, line.goal, line.faults = line.matches + 1, line.goal + goal, line.faults + faults
        seats = zip(outcome.players, outcome.goals, strict=True)
        for (first, goal), (second, other) in combinations(seats, 2):
            if first != second:
                points = (goal > other) + (goal == other) / 2
                pairs.append((first, second, points))
                lines[first].counts[points] += 1
                lines[second].counts[1 - points] += 1
    elo = _elo(pairs)
    found = [_row(player, line, elo.get(player)) for player, line in lines.items()]
    return sorted(found, key=lambda row: (-(row["elo"] or 0), -row["goal"], row["player"]))


def _row(player: str, line: _Line, elo: tuple[float, float] | None) -> dict[str, Json]:
    won, even, lost = line.counts.values()
    return {
        "player": player, "matches": line.matches, "won": won, "even": even, "lost": lost,
        "goal": line.goal / line.matches, "faults": line.faults,
        "elo": None if elo is None else elo[0], "error": None if elo is None else elo[1],
    }  # fmt: skip


def _elo(pairs: Sequence[tuple[str, str, float]]) -> dict[str, tuple[float, float]]:
    """Ratings with the half widths of their intervals; none where some players never met, not even through others."""
    if not pairs:
        return {}
    import numpy as np  # takes a while: only where there is something to rate

    from ggp.lab.elo import ratings

    players = sorted({player for first, second, _ in pairs for player in (first, second)})
    index = {player: number for number, player in enumerate(players)}
    table = np.zeros((len(players), len(players)))
    for first, second, points in pairs:
        table[index[first], index[second]] += points
        table[index[second], index[first]] += 1 - points
    try:
        found = ratings(table)
    except UsageError:
        return {}
    return {player: (found.values[n], found.errors[n]) for player, n in index.items()}
