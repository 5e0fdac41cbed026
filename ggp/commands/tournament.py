"""Play a tournament: all against all, one against all, or two until it is decided who is stronger.

Each two players meet in pairs of matches with the same seed and roles swapped. Players are built-in ones with options, or
addresses of players over HTTP. Games are files, or names of games of the library. A tournament that was stopped or killed
goes on where it was when it is started again with the same words. Players that all search by a number of simulations
(ucd:simulations=1000) play dozens of matches in lockstep, one simulation after the other.

  ggp tournament connect_four breakthrough --player ucd:seconds=1 --player uct:seconds=1 --player greedy --rounds 20
  ggp tournament othello --player ucd:simulations=1000 --player mc:simulations=1000 --form sequential --elo1 50
  ggp tournament nim --player http://localhost:9147 --player greedy --playclock 5 --scramble

Matches are played on the circuit of a game, and on SWI-Prolog where it has none; --machine circuit refuses such games.

In a sequential test, the exit code is 0 if the first player is the stronger, 1 if not or if that stays undecided.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from gdl import load
from ggp.commands import options as shared
from ggp.commands.experiment import add_execution, tell_report
from ggp.core.errors import UsageError
from ggp.core.library import game_file

_NAME = "tournament"
_BLOCK = 16
"""Pairs that players without a clock play in lockstep."""
FORMS = ("round-robin", "gauntlet", "sequential")


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `ggp tournament`."""
    parser.add_argument("games", nargs="+", metavar="GAME")
    parser.add_argument("--player", action="append", default=[], metavar="PLAYER", dest="players",
                        help="give it once for each player; the first is the one in question")  # fmt: skip
    parser.add_argument("--form", choices=FORMS, default=FORMS[0], help="default: %(default)s")
    parser.add_argument("--rounds", type=shared.positive_int, metavar="N",
                        help="pairs of matches of each two players in each game (default: 10; "
                        "sequential: at most 1000)")  # fmt: skip
    parser.add_argument("--startclock", type=shared.clock, default=10, metavar="S",
                        help="seconds to prepare, of players over HTTP (default: %(default)s)")  # fmt: skip
    parser.add_argument("--playclock", type=shared.clock, default=3, metavar="S",
                        help="seconds for a move, of players over HTTP (default: %(default)s)")  # fmt: skip
    parser.add_argument("--scramble", action="store_true", help="rename the games for players over HTTP")
    test = parser.add_argument_group("sequential test")
    test.add_argument("--elo0", type=float, default=0.0, metavar="ELO", help="not stronger means (default: %(default)g)")
    test.add_argument("--elo1", type=float, default=50.0, metavar="ELO", help="stronger means (default: %(default)g)")
    test.add_argument("--alpha", type=float, default=0.05, metavar="P",
                      help="how often a player that is not stronger may pass (default: %(default)g)")  # fmt: skip
    test.add_argument("--beta", type=float, default=0.05, metavar="P",
                      help="how often a stronger player may fail (default: %(default)g)")  # fmt: skip
    parser.add_argument("--to", type=Path, metavar="DIR", help="write the report there, too, as Markdown and CSV")
    parser.add_argument("--json", action="store_true", help="print the standings as an object")
    shared.explain_players(parser)
    shared.add_seed(parser)
    shared.add_steps(parser)
    shared.add_machine_choice(parser)
    add_execution(parser)


def run(options: Namespace) -> int:
    """Play what is missing, then print the standings."""
    from ggp.lab.conduct import run_experiment  # numba takes a second
    from ggp.lab.pool import make_pool
    from ggp.lab.tournament import decided
    from ggp.lab.tournament_report import standing

    chosen = _experiment(options)
    folder = options.results or Path("results") / _NAME
    workers = _workers(options)
    state = run_experiment(
        chosen, folder, lambda: make_pool(workers, options.cluster), decided(chosen.settings),
        standing=lambda values: standing(chosen.settings, values), progress=options.progress,
    )  # fmt: skip
    report = tell_report(options, chosen, folder, state)
    verdict: Any = report.data.get("verdict")
    return 0 if verdict is None or verdict["verdict"] == "H1" else 1


def _experiment(options: Namespace) -> Any:
    from ggp.lab.restored import tournament
    from ggp.lab.sequential import Sprt
    from ggp.lab.tournament import TournamentSettings
    from ggp.lab.tournament_match import lockstep_settings
    from ggp.match.builtin import check_player
    from ggp.players.specs import is_address, is_specialist

    files = [game_file(game) for game in options.games]
    if options.scramble and not any(map(is_address, options.players)):
        raise UsageError("--scramble is for players over HTTP, and there is none")
    for player in options.players:
        check_player(player)
        for file in files if is_specialist(player) else ():
            check_player(player, load(file))
    quick = options.machine != "prolog" and all(lockstep_settings(player) for player in options.players)
    limits = shared.limits(options)
    settings = TournamentSettings(
        block=_BLOCK if quick else 1,
        players=tuple(options.players), games=tuple(options.games), form=options.form,
        rounds=options.rounds or (1000 if options.form == "sequential" else 10), steps=options.steps,
        machine=options.machine, time_limit=limits.seconds, memory_limit=limits.bytes,
        startclock=options.startclock, playclock=options.playclock, scramble=options.scramble, seed=options.seed,
        sprt=Sprt(options.elo0, options.elo1, options.alpha, options.beta),
    )  # fmt: skip
    return tournament(settings)


def _workers(options: Namespace) -> int | None:
    """Players over HTTP play one match at a time."""
    from ggp.players.specs import is_address

    if not any(map(is_address, options.players)):
        workers: int | None = options.workers
        return workers
    if options.cluster or (options.workers or 1) > 1:
        raise UsageError("players over HTTP play one match at a time: neither --cluster nor more than one of --workers")
    return 1
