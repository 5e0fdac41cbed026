"""The measure of strength: decisions in positions with known values, and matches against rivals at equal time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ggp.core.errors import UsageError
from ggp.core.seeds import split_seed
from ggp.core.statistics import mean, wilson
from ggp.lab import tournament
from ggp.lab.plan import Job, Json, Texts, digest
from ggp.lab.positions import Known, known_positions
from ggp.lab.report import Cell, Part, Report, Table
from ggp.lab.tournament import TournamentSettings
from ggp.lab.tournament_match import opened
from ggp.lab.tournament_match import perform as perform_pairs
from ggp.lab.tournament_report import score
from ggp.machines import Limits
from ggp.match.builtin import make_player
from ggp.players.simple import SIMPLE

_CLOCK = 5.0
"""The clock of a match, in times that players take for a move: it is there for those that do not keep to theirs."""
_LEAST_CLOCK = 5.0
_START_CLOCK = 5.0


@dataclass(frozen=True)
class StrengthSettings:
    """Who is measured, and by what."""

    player: str
    seconds: tuple[float, ...]
    """For a decision in a position of known value."""
    games: tuple[str, ...]
    """Games of games/positions.toml, for decisions."""
    positions: int
    """Of each game, at most."""
    matches: tuple[tuple[str, str], ...]
    """Rivals with the games in which they are met."""
    rounds: int
    """Pairs of matches with each rival in each game."""
    match_seconds: float
    """For a move in a match, of both."""
    seed: int
    data: str = ""
    """The digest of the positions, so that results of others are not mistaken for those of these."""

    def pairs(self, rival: str, game: str) -> TournamentSettings:
        """The matches with a rival in a game."""
        clock = max(_LEAST_CLOCK, _CLOCK * self.match_seconds)
        return TournamentSettings(
            (timed(self.player, self.match_seconds), timed(rival, self.match_seconds)), (game,), rounds=self.rounds,
            startclock=_START_CLOCK, playclock=clock, seed=self.seed,
        )  # fmt: skip


def data_digest(games: Sequence[str]) -> str:
    """Names the positions of some games."""
    known = known_positions()
    return digest("\n".join(position.text() for game in games for position in known[game]))


def timed(player: str, seconds: float) -> str:
    """A player that takes so long for a move; those without a search take none.

    >>> timed("ucd:c=30", 0.5), timed("uct", 2), timed("greedy", 1)
    ('ucd:c=30,seconds=0.5', 'uct:seconds=2', 'greedy')
    """
    if player in SIMPLE:
        return player
    if "seconds=" in player:
        raise UsageError(
            f"player {player}: how long it may think is what is varied, so that it has no seconds of its own"
        )
    return f"{player}{',' if ':' in player else ':'}seconds={seconds:g}"


def plan(settings: StrengthSettings) -> Sequence[Job]:
    """A job for all decisions of a game in a time, and those of a tournament for each rival in each game."""
    return list(_jobs(settings))


def _jobs(settings: StrengthSettings) -> Iterator[Job]:
    known = known_positions()
    for game in settings.games:
        for seconds in settings.seconds:
            positions = [position.text() for position in known[game][: settings.positions]]
            seed = split_seed(settings.seed, game)
            work = {"game": game, "player": timed(settings.player, seconds), "positions": positions, "seed": seed}
            yield Job(_decisions(game, seconds), f"decisions in {seconds:g} s", work, (game,))
    for rival, game in settings.matches:
        for job in tournament.plan(settings.pairs(rival, game)):
            yield Job(_match(rival, game) + job.key, f"{game} {rival}", {"pairs": job.work}, (game,))


def _decisions(game: str, seconds: float) -> str:
    return f"decisions/{game}/{seconds:g}"


def _match(rival: str, game: str) -> str:
    return f"matches/{game}/{rival}/"


def perform(work: Mapping[str, Json], texts: Texts) -> Json:
    """What each decision costs; or the pairs of matches."""
    if "pairs" in work:
        return perform_pairs(work["pairs"], texts)
    ruleset, machine = opened("auto", work["game"], texts[work["game"]], Limits())
    player = make_player(work["player"], work["seed"], ruleset)
    losses = []
    try:
        for text in work["positions"]:
            known = Known.read(text)
            turn = known.turn(machine)
            losses.append(known.loss(turn, player.choose(turn)))
    finally:
        player.close()
    return losses


def strength_report(settings: StrengthSettings, values: Mapping[str, Json]) -> Report:
    """One table, a row for each game and one for all."""
    rivals = list(dict.fromkeys(rival for rival, _ in settings.matches))
    games = list(dict.fromkeys((*settings.games, *(game for _, game in settings.matches))))
    heads = ["game", "positions", "by chance %"]
    for seconds in settings.seconds:
        heads += [f"kept in {seconds:g} s %", "low – high", "mean loss"]
    for rival in rivals:
        heads += [f"score against {rival} %", "low – high", "matches"]
    rows = [
        (game, *_decision_cells(settings, values, [game]), *_match_cells(settings, values, rivals, [game]))
        for game in games
    ]  # fmt: skip
    every = ("all", *_decision_cells(settings, values, games), *_match_cells(settings, values, rivals, games))
    table = Table("strength", tuple(heads), (*rows, every))
    data = {"heads": heads, "rows": [list(row) for row in table.rows]}
    return Report(f"Strength of {settings.player}", (_words(settings), table), data)


def _words(settings: StrengthSettings) -> Part:
    return (
        "*kept*: the share of decisions, in positions where every move's value is proven, that keep it; *by chance*: "
        "what random moves keep; *mean loss*: in points of the goal. *score*: of pairs of matches with roles swapped, at "
        f"{settings.match_seconds:g} s a move for both; a draw counts ½. Intervals: 95 %. Seed {settings.seed}."
    )


def _decision_cells(settings: StrengthSettings, values: Mapping[str, Json], games: Sequence[str]) -> Iterator[Cell]:
    known = known_positions()
    chosen = [game for game in games if game in settings.games]
    positions = [position for game in chosen for position in known[game][: settings.positions]]
    yield len(positions)
    yield 100 * mean([position.chance for position in positions]).value if positions else None
    for seconds in settings.seconds:
        losses = [loss for game in chosen for loss in values.get(_decisions(game, seconds), [])]
        if not losses:
            yield from (None, None, None)
            continue
        yield 100 * losses.count(0) / len(losses)
        yield _interval(*(100 * bound for bound in wilson(losses.count(0), len(losses))))
        yield mean(losses).value


def _match_cells(
    settings: StrengthSettings, values: Mapping[str, Json], rivals: Sequence[str], games: Sequence[str]
) -> Iterator[Cell]:  # fmt: skip
    for rival in rivals:
        counts = [0] * 5
        for game in games:
            if (rival, game) in settings.matches:
                start = _match(rival, game)
                own = {key.removeprefix(start): value for key, value in values.items() if key.startswith(start)}
                for pair in tournament.pairs(settings.pairs(rival, game), own):
                    counts[pair.result] += 1
        if not sum(counts):
            yield from (None, None, None)
            continue
        found = score(counts)
        yield found.value
        yield _interval(found.low, found.high)
        yield 2 * sum(counts)


def _interval(low: float, high: float) -> str:
    return f"{low:.1f} – {high:.1f}"
