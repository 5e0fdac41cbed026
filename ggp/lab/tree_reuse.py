"""The experiment with reuse of the tree: how much of a search is still of use two moves later, and what that is worth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ggp.core.errors import UsageError
from ggp.core.seeds import split_seed
from ggp.core.statistics import mean, percent
from ggp.lab.engine import machine, search_settings
from ggp.lab.engine import play as lockstep
from ggp.lab.figures import Curve, Curves
from ggp.lab.matches import specification
from ggp.lab.plan import Job, Json, Texts
from ggp.lab.published import Paper
from ggp.lab.report import Cell, Part, Report, Table
from ggp.machines.plays import play

if TYPE_CHECKING:
    from ggp.machines.circuit import CircuitMachine
    from ggp.machines.machine import JointMove, Situation

_TRACE = "trace"
_MATCHES = "matches"


@dataclass(frozen=True)
class ReuseSettings:
    """What is played."""

    game: str
    """A game of the library for two roles."""
    search: str
    """uct, or (d1,d2,d3)."""
    c: float
    traces: int
    """Games that are looked at move by move."""
    trace_simulations: int
    """New simulations a move in these."""
    budgets: tuple[int, ...]
    """New simulations a move in matches with reuse against matches without."""
    matches: int
    """Matches at each budget, half of them in either role."""
    per_job: int
    """Matches that one job plays in lockstep."""
    slots: int
    """Simulations under way at once in traced games; an edge that some are on is explored less."""
    memory: int
    """MB for a search graph of a traced game."""
    seed: int


def plan(settings: ReuseSettings) -> Sequence[Job]:
    """A job for each traced game, and jobs of a few matches."""
    if min(settings.traces, settings.matches, settings.per_job, settings.slots, settings.memory) < 1:
        raise UsageError("traces, matches, per_job, slots and memory must be above 0")
    return list(_jobs(settings))


def _jobs(settings: ReuseSettings) -> Iterator[Job]:
    shared = {"game": settings.game, "search": specification(settings.search, settings.c), "seed": settings.seed}
    own = {"slots": settings.slots, "memory": settings.memory, "simulations": settings.trace_simulations}
    for number in range(settings.traces):
        work = {**shared, **own, "kind": _TRACE, "number": number}
        yield Job(f"{_TRACE}/{number:04d}", _TRACE, work, (settings.game,))
    for budget in settings.budgets:
        for first in range(0, settings.matches, settings.per_job):
            count = min(settings.per_job, settings.matches - first)
            work = {**shared, "kind": _MATCHES, "first": first, "count": count, "simulations": budget}
            yield Job(f"{_MATCHES}/{budget:09d}/{first:05d}", f"{budget} simulations", work, (settings.game,))


def perform(work: Mapping[str, Json], texts: Texts) -> Json:
    """The moves of a game in which both keep their trees; or matches of one that does and one that does not."""
    compiled = machine(work["game"], texts[work["game"]])
    if len(compiled.roles) != 2:
        raise UsageError(f"{work['game']} has {len(compiled.roles)} roles, not two")
    if work["kind"] == _TRACE:
        players = [_Player(work, role, split_seed(work["seed"], _TRACE, work["number"], role)) for role in (0, 1)]
        _play(compiled, players)
        return [player.moves for player in players]
    return _matches(work, texts)


def _matches(work: Mapping[str, Json], texts: Texts) -> list[float]:
    """Matches in lockstep: the goals of the player that keeps its graph, against one that does not."""
    numbers = range(work["first"], work["first"] + work["count"])
    seats = [[{**work["search"], "reuse": role == number % 2} for role in (0, 1)] for number in numbers]
    seeds = [split_seed(work["seed"], _MATCHES, work["simulations"], number) for number in numbers]
    results = lockstep(work["game"], texts[work["game"]], seats, seeds, work["simulations"])
    return [float(goals[number % 2]) for number, (goals, _) in zip(numbers, results, strict=True)]


@dataclass
class _Player:
    """Searches for one role, and notes what each search began and ended with."""

    work: Mapping[str, Json]
    role: int
    seed: int
    moves: list[list[float]] = field(default_factory=list)
    """For each move: mean of the best (0 to 100), visits of the root, of the best move, and those there before."""
    _search: Any = None

    def choose(self, compiled: CircuitMachine, position: bytes) -> Any:
        from ggp.search.search import Search  # numba takes a second

        if self._search is None:
            memory = self.work["memory"] << 20
            settings = search_settings({**self.work["search"], "reuse": True, "slots": self.work["slots"]})
            self._search = Search(compiled, settings, self.seed, memory=memory)
        search = self._search
        search.start(position)
        before = sum(move.visits for move in search.moves(self.role))
        search.run(simulations=self.work["simulations"])
        best = search.best(self.role)
        total = sum(move.visits for move in search.moves(self.role))
        self.moves.append([round(float(best.mean), 3), int(total), int(best.visits), int(before)])
        return compiled.inputs[best.input]


def _play(compiled: CircuitMachine, players: Sequence[_Player]) -> None:
    def choose(_: int, position: Any, situation: Situation) -> JointMove:
        return tuple(
            legal[0] if len(legal) == 1 else players[role].choose(compiled, position)
            for role, legal in enumerate(situation.legal)
        )

    for _ in play(compiled, choose, 1000):
        pass


def reuse_report(paper: Paper, settings: ReuseSettings, values: Mapping[str, Json]) -> Report:
    """Table 3 and the winning rate, ours and the paper's."""
    traces = [value for key, value in values.items() if key.startswith(_TRACE)]
    parts: list[Part] = [paper.question, _words(paper, settings)]
    if traces:
        parts += _trace_parts(paper, traces)
    parts += _match_parts(settings, values)
    if paper.remarks:
        parts += ["## Where numbers may differ, and why", paper.remarks]
    return Report(paper.title, tuple(parts))


def _words(paper: Paper, settings: ReuseSettings) -> str:
    return (
        f"Played: {settings.game}; {settings.search} with c = {settings.c:g}; {settings.traces} games move by move with "
        f"{settings.trace_simulations:,} new simulations a move; {settings.matches} matches of reuse against no reuse at "
        f"each of {', '.join(f'{b:,}' for b in settings.budgets)} new simulations a move; seed {settings.seed}.\n\n"
        f"Paper: {paper.source}."
    )


def _trace_parts(paper: Paper, traces: Sequence[Json]) -> list[Part]:
    rows: list[tuple[Cell, ...]] = []
    theirs = paper.more.get("table3", [])
    ours = traces[0][0]
    for number in range(max(len(ours), len(theirs))):
        left: list[Cell] = [None] * 5
        right: list[Cell] = [None] * 5
        if number < len(ours):
            left = [ours[number][0] / 100, *ours[number][1:], _share(ours[number])]
        if number < len(theirs):
            right = [*theirs[number], _share(theirs[number])]
        rows.append((number + 1, *left, *right))
    names = ("win rate", "visits", "of the best", "reused", "reused %")
    heads = ("move", *names, *(f"paper: {name}" for name in names))
    every = [_share(move) for trace in traces for moves in trace for move in moves[1:]]
    told = f"Reused visits are {mean(every).value:.1f} % of all visits in the mean of {len(every)} moves"
    told += " (from the second on)"
    if theirs:
        known = [_share(row) for row in theirs]
        told += f"; in the paper's table {sum(known) / len(known):.1f} %, and by its words 5 % to 30 %"
    curves = [Curve("ours", tuple(_points([[_share(m) for m in moves] for trace in traces for moves in trace])))]
    if theirs:
        curves.append(Curve("paper", tuple((float(i), x, x, x) for i, x in enumerate(map(_share, theirs), 1))))
    return [
        "## Visits that are reused (table 3)",
        told + ".",
        Table("table3", heads, tuple(rows), digits=3),
        Curves("reused", "Reused visits", "move", "percent of all visits", tuple(curves)),
    ]


def _share(move: Sequence[float]) -> float:
    return 100 * move[3] / move[1] if move[1] else 0.0


def _points(games: Sequence[Sequence[float]]) -> Iterator[tuple[float, float, float, float]]:
    for number in range(max(len(game) for game in games)):
        column = [game[number] for game in games if number < len(game)]
        if len(column) > 1:
            found = mean(column)
            yield number + 1.0, found.value, max(0.0, found.low), min(100.0, found.high)


def _match_parts(settings: ReuseSettings, values: Mapping[str, Json]) -> list[Part]:
    rows: list[tuple[Cell, ...]] = []
    for budget in settings.budgets:
        start = f"{_MATCHES}/{budget:09d}/"
        played = [goal for key, value in values.items() if key.startswith(start) for goal in value]
        if not played:
            continue
        found = percent(played)
        rows.append((f"{budget:,}", found.value, found.low, found.high, found.count, "above 85"))
    if not rows:
        return []
    reached = [row[0] for row in rows if float(str(row[3])) > 85]
    told = "The paper: reuse wins more than 85 % of the matches against no reuse. Here "
    told += f"85 % lies within reach of the interval at {', '.join(map(str, reached))}." if reached else (
        "85 % lies above the interval at every budget."
    )  # fmt: skip
    heads = ("simulations", "score %", "low", "high", "matches", "paper %")
    return ["## Reuse against no reuse", told, Table("matches", heads, tuple(rows))]
