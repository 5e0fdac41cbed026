"""Tournaments: who plays whom, what the matches add up to, and when a sequential test is decided."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

import numpy as np

from ggp.core.errors import UsageError
from ggp.lab.conduct import Until
from ggp.lab.elo import Points
from ggp.lab.plan import Job, Json
from ggp.lab.sequential import Sprt, Verdict
from ggp.machines import MACHINES, Limits

FORMS = ("round-robin", "gauntlet", "sequential")


@dataclass(frozen=True)
class TournamentSettings:
    """Who plays what."""

    players: tuple[str, ...]
    """Built-in players with their options, or addresses."""
    games: tuple[str, ...]
    """Names of games of the library, or files."""
    form: str = FORMS[0]
    """All against all; the first against the others; or two until it is decided which is stronger."""
    rounds: int = 10
    """Pairs of matches for each two players in each game; in a sequential test, at most."""
    steps: int = 1000
    """Joint moves after which a match is given up."""
    machine: str = MACHINES[0]
    """What answers; `auto` waits for the circuit, and takes Prolog where there is none."""
    time_limit: float = Limits.seconds
    """Seconds for one question to the machine."""
    memory_limit: int = Limits.bytes
    """Bytes of the machine's worker process."""
    startclock: float = 10
    """Seconds to prepare, of players over HTTP."""
    playclock: float = 3
    """Seconds for a move, of players over HTTP."""
    scramble: bool = False
    """Rename the games for each player over HTTP."""
    seed: int = 1
    block: int = 1
    """Pairs in one job: more than one for players that play in lockstep."""
    sprt: Sprt = field(default_factory=Sprt)
    """The sequential test."""

    def __post_init__(self) -> None:
        if self.form not in FORMS:
            raise UsageError(f"there is no form {self.form!r}; known are {', '.join(FORMS)}")
        if len(self.players) < 2:
            raise UsageError("a tournament needs at least two players")
        if self.form == "sequential" and len(self.players) != 2:
            raise UsageError(f"a sequential test is between two players, not {len(self.players)}")
        if not self.games:
            raise UsageError("a tournament needs a game")
        if self.rounds < 1:
            raise UsageError(f"rounds must be above 0, not {self.rounds}")

    def pairings(self) -> list[tuple[int, int]]:
        """The numbers of players that meet."""
        if self.form == "gauntlet":
            return [(0, other) for other in range(1, len(self.players))]
        return list(combinations(range(len(self.players)), 2))

    def labels(self) -> list[str]:
        """The players' names; numbered where one takes part twice."""
        return [
            player if self.players.count(player) == 1 else f"{player} #{self.players[: i + 1].count(player)}"
            for i, player in enumerate(self.players)
        ]


def plan(settings: TournamentSettings) -> Sequence[Job]:
    """Jobs of `block` pairs of matches: rounds after rounds, game by game."""
    return list(_jobs(settings))


def _jobs(settings: TournamentSettings) -> Iterator[Job]:
    for start in range(0, settings.rounds, settings.block):
        rounds = list(range(start, min(start + settings.block, settings.rounds)))
        for place, game in enumerate(settings.games):
            for first, second in settings.pairings():
                players = [settings.players[first], settings.players[second]]
                work = {
                    "game": game, "players": players, "numbers": [first, second], "rounds": rounds,
                    "seed": settings.seed, "steps": settings.steps, "machine": settings.machine,
                    "limits": [settings.time_limit, settings.memory_limit],
                    "startclock": settings.startclock, "playclock": settings.playclock, "scramble": settings.scramble,
                    "lockstep": settings.block > 1,
                }  # fmt: skip
                key = f"{start:06d}/{place:03d}/{first:03d}-{second:03d}"
                yield Job(key, f"{game} {' '.join(players)}", work, (game,))


@dataclass(frozen=True)
class Pair:
    """Two matches with the same seed and roles swapped, as the first player sees them."""

    game: str
    first: int
    second: int
    points: tuple[float, ...]
    """1, ½ or 0 for each match; a single value in a game for one player, where goals are compared."""
    goals: tuple[float, float]
    """The mean goals of both."""
    unfinished: int
    """Matches that did not come to an end; they count as draws."""
    faults: tuple[int, int]
    """Moves that were missing, late or illegal."""

    @property
    def result(self) -> int:
        """Half points in two matches: 0 to 4."""
        return round(4 * sum(self.points) / len(self.points))


def pairs(settings: TournamentSettings, values: Mapping[str, Json]) -> list[Pair]:
    """All pairs that were played, in the order of the plan. A sequential test counts until it is decided."""
    found = []
    for job in plan(settings):
        if job.key in values:
            found += _pairs(job, values[job.key])
        elif settings.form == "sequential":
            break  # a later pair may be there only because it was quicker
    if settings.form == "sequential":
        test = Counter(settings.sprt)
        return [pair for pair in found if test.verdict is Verdict.UNDECIDED and test.add(pair)]
    return found


def _pairs(job: Job, values: Json) -> list[Pair]:
    first, second = job.work["numbers"]
    return [
        Pair(
            Path(job.work["game"]).stem, first, second, tuple(value["points"]), (value["goals"][0], value["goals"][1]),
            value["unfinished"], (value["faults"][0], value["faults"][1]),
        )
        for value in values
    ]  # fmt: skip


class Counter:
    """Counts pairs for a sequential test."""

    def __init__(self, test: Sprt) -> None:
        self._test = test
        self.counts = [0] * 5
        self.verdict = Verdict.UNDECIDED

    def add(self, pair: Pair) -> bool:
        """Count a pair; true."""
        self.counts[pair.result] += 1
        self.verdict = self._test.verdict(self.counts)
        return True


def decided(settings: TournamentSettings) -> Until | None:
    """Tells whether a sequential test is decided by the pairs that are there without a gap; None for other forms."""
    if settings.form != "sequential":
        return None
    jobs, test = plan(settings), Counter(settings.sprt)
    left = iter(jobs)
    waiting = [next(left, None)]

    def enough(values: Mapping[str, Json]) -> bool:
        while test.verdict is Verdict.UNDECIDED and (job := waiting[0]) is not None and job.key in values:
            for pair in _pairs(job, values[job.key]):
                if test.verdict is Verdict.UNDECIDED:
                    test.add(pair)
            waiting[0] = next(left, None)
        return test.verdict is not Verdict.UNDECIDED

    return enough


def points_table(count: int, played: Sequence[Pair], weight: Callable[[Pair], float] = lambda pair: 1.0) -> Points:
    """Points [i, j] that player i took from player j."""
    table = np.zeros((count, count))
    for pair in played:
        table[pair.first, pair.second] += weight(pair) * sum(pair.points)
        table[pair.second, pair.first] += weight(pair) * (len(pair.points) - sum(pair.points))
    return table
