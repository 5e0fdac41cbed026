"""Measure how strong a player is: decisions of known value, and matches against rivals at equal time.

The library has late positions of matches in which the value of every move is proven. Measured is the share of decisions
that keep the value, in 0.1 s and in 1 s. Then the player meets rivals, in pairs of matches with roles swapped. It is all
one table, for every game and for all together. What was stopped or killed goes on when it is started again with the same
words; with other words it needs a folder of its own (--results).

Rivals that a game has no use for, as GNU Go in chess, are left out there, and that is told.

  ggp strength
  ggp strength connect_four breakthrough --positions 4 --rounds 0
  ggp strength go_9x9 breakthrough --rival gtp:gnugo --rival uci:fairy-stockfish,skill=-20 --rounds 10 --match-seconds 1
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from gdl import load
from ggp.commands import options as shared
from ggp.commands.experiment import add_execution, tell_report
from ggp.core.errors import GgpError, UsageError
from ggp.core.library import game_file
from ggp.players.specs import is_address, is_specialist

_NAME = "strength"


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `ggp strength`."""
    parser.add_argument("games", nargs="*", metavar="GAME", help="default: all games with positions of known value")
    parser.add_argument("--player", default="ucd", metavar="PLAYER", help="who is measured (default: %(default)s)")
    parser.add_argument("--seconds", type=shared.positive_float, action="append", metavar="S",
                        help="for a decision; may be given again (default: 0.1 and 1)")  # fmt: skip
    parser.add_argument("--positions", type=shared.count, default=8, metavar="N",
                        help="positions of each game, at most (default: %(default)s)")  # fmt: skip
    parser.add_argument("--rival", action="append", dest="rivals", metavar="PLAYER",
                        help="whom to meet; may be given again (default: uct)")  # fmt: skip
    parser.add_argument("--rounds", type=shared.count, default=1, metavar="N",
                        help="pairs of matches with each rival in each game (default: %(default)s)")  # fmt: skip
    parser.add_argument("--match-seconds", type=shared.positive_float, default=0.1, metavar="S",
                        help="for a move in matches, of both (default: %(default)g)")  # fmt: skip
    parser.add_argument("--to", type=Path, metavar="DIR", help="write the report there, too, as Markdown and CSV")
    parser.add_argument("--json", action="store_true", help="print the table as an object")
    shared.explain_players(parser)
    shared.add_seed(parser)
    add_execution(parser)


def run(options: Namespace) -> int:
    """Measure what is missing, then print the table."""
    from ggp.lab.conduct import run_experiment  # numba takes a second
    from ggp.lab.pool import make_pool

    chosen = _experiment(options)
    folder = options.results or Path("results") / _NAME
    pool = partial(make_pool, options.workers, options.cluster)
    state = run_experiment(chosen, folder, pool, progress=options.progress)
    tell_report(options, chosen, folder, state)
    return 0


def _experiment(options: Namespace) -> Any:
    from ggp.lab.positions import FILE, known_positions
    from ggp.lab.restored import strength_of
    from ggp.lab.strength import StrengthSettings, data_digest, timed
    from ggp.match.builtin import check_player

    rivals = options.rivals or ["uct"]
    for player in (options.player, *rivals):
        if is_address(player):
            raise UsageError(f"{player}: players over HTTP keep their own time; `ggp tournament` plays with them")
        check_player(timed(player, 1))
    known = known_positions()
    for game in options.games:
        game_file(game)
    games = list(_playable(options.player, options.games or list(known)))
    decided = tuple(game for game in games if game in known and options.positions)
    matches = [(rival, game) for rival in rivals if options.rounds for game in _playable(rival, games)]
    if not decided and not matches:
        raise UsageError(
            f"nothing to measure: {FILE} has no positions of these games, and there is nobody to meet in them"
        )
    settings = StrengthSettings(
        player=options.player, seconds=tuple(options.seconds or (0.1, 1.0)), games=decided,
        positions=options.positions, matches=tuple(matches),
        rounds=options.rounds, match_seconds=options.match_seconds, seed=options.seed,
        data=data_digest(decided),
    )  # fmt: skip
    return strength_of(settings)


def _playable(player: str, games: list[str]) -> Iterator[str]:
    """The games that a player can play; it is told which not."""
    from ggp.match.builtin import check_player

    for game in games:
        try:
            if is_specialist(player):
                check_player(player, load(game_file(game)))
            yield game
        except GgpError as error:
            print(f"ggp: {game}: {player} is left out: {error}", file=sys.stderr)
