"""Play matches over HTTP: a player that game servers can talk to.

It listens on this machine alone; --bind 0.0.0.0 lets others reach it. Ctrl-C ends it.

  ggp play                                     a player on port 9147
  ggp play --port 0 --player random            on any free port, which is printed
  ggp play --cluster tcp://10.0.0.5:8786       a move of the workers of a Dask cluster together
  ggp play --bind 0.0.0.0 --name MyPlayer --log player.jsonl -v
"""

from __future__ import annotations

import re
import threading
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from pathlib import Path

from ggp.commands import options as shared
from ggp.core.dask import distributed
from ggp.core.errors import UsageError
from ggp.machines import check_lanes
from ggp.match.builtin import check_player
from ggp.match.journal import Journal
from ggp.match.listener import Listener
from ggp.match.player import HttpPlayer
from ggp.match.settings import ListenerSettings, PlayerSettings
from ggp.players.specs import SEARCHING, is_address, join_spec, split_spec

_PAUSE = 0.5
"""Seconds between two looks at whether a signal has come: a wait without end would not be interrupted everywhere."""


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `ggp play`."""
    player, web = PlayerSettings, ListenerSettings
    parser.add_argument("--name", type=_word, default=player.name, help="as servers see it (default: %(default)s)")
    parser.add_argument("--port", type=_port, default=web.port, metavar="N",
                        help="where to listen; 0 for any free port (default: %(default)s)")  # fmt: skip
    parser.add_argument(
        "--bind", default=web.host, metavar="ADDRESS", help="which address to listen on (default: %(default)s)"
    )
    parser.add_argument(
        "--player",
        default=f"{player.player}:knowledge=yes",
        metavar="SPEC",
        help="who chooses the moves (default: %(default)s)",
    )
    parser.add_argument("--cluster", metavar="ADDRESS",
                        help="a Dask scheduler whose workers search as well, as tcp://host:port")  # fmt: skip
    shared.explain_players(parser)
    shared.add_seed(parser)
    parser.add_argument("--margin", type=_seconds, default=player.margin, metavar="S",
                        help="seconds kept at each deadline; less of short ones (default: %(default)g)")  # fmt: skip
    parser.add_argument("--memory-limit", type=shared.positive_float, default=player.memory / 2**30, metavar="GB",
                        help="memory of the process that searches (default: %(default)g)")  # fmt: skip
    parser.add_argument("--time-limit", type=shared.positive_float, default=player.question_seconds, metavar="S",
                        help="seconds for one question to Prolog (default: %(default)g)")  # fmt: skip
    parser.add_argument("--no-ponder", action="store_true", help="do not think on the time of the others")
    parser.add_argument("--info-style", choices=("list", "atom"), default=player.info_style,
                        help="INFO tells name and status, or the bare status (default: %(default)s)")  # fmt: skip
    parser.add_argument("--gdl2", action="store_true",
                        help="in games with hidden information, the short form of PLAY carries percepts")  # fmt: skip
    parser.add_argument("--particles", type=shared.positive_int, default=player.particles, metavar="N",
                        help="positions kept in games with hidden information (default: %(default)s)")  # fmt: skip
    parser.add_argument("--log", type=Path, metavar="FILE", help="append what happens, one JSON object a line")
    parser.add_argument("-v", "--verbose", action="store_true", help="tell what happens on standard error")


def run(options: Namespace) -> int:
    """Play until a signal comes; 0 after SIGTERM, 130 after Ctrl-C."""
    if is_address(options.player):
        raise UsageError(f"--player: {options.player} is an address; name a built-in player")
    if options.cluster is not None:
        options.player = _with_cluster(options.player, options.cluster)
    check_player(options.player)  # a wrong name is told now, not in the first match
    check_lanes()
    settings = PlayerSettings(
        name=options.name, player=options.player, seed=options.seed, margin=options.margin,
        memory=int(options.memory_limit * 2**30), question_seconds=options.time_limit, info_style=options.info_style,
        ponder=not options.no_ponder, gdl2=options.gdl2, particles=options.particles,
    )  # fmt: skip
    with shared.until_sigterm() as wanted:
        serve(settings, ListenerSettings(host=options.bind, port=options.port), _journal(options), wanted)
    return 0


def serve(settings: PlayerSettings, web: ListenerSettings, journal: Journal, end: threading.Event) -> None:
    """Answer game servers until `end` is set or Ctrl-C comes; then end all children."""
    player: HttpPlayer | None = None
    listener: Listener | None = None
    try:
        listener = Listener(web)
        player = HttpPlayer(settings, journal)
        listener.start(player.answer, lambda peer, why: journal.note("unreadable", who=peer, why=why))
        host = f"[{web.host}]" if ":" in web.host else web.host
        journal.say(f"{settings.name} listens on http://{host}:{listener.port} (Ctrl-C ends it)")
        journal.note("listening", name=settings.name, host=web.host, port=listener.port, player=settings.player)
        while not end.wait(_PAUSE):
            pass
    finally:
        if player is not None:
            player.close()
        if listener is not None:
            listener.close()
        journal.note("closed")
        journal.close()


def _with_cluster(spec: str, address: str) -> str:
    """A player that searches with the workers of a cluster."""
    distributed()
    name, wanted = split_spec(spec)
    if name not in SEARCHING:
        raise UsageError(f"--cluster: {name} does not search; those that do are {', '.join(SEARCHING)}")
    return join_spec(name, {**wanted, "cluster": address})


def _journal(options: Namespace) -> Journal:
    try:
        return Journal(options.log, options.verbose)
    except OSError as error:
        raise UsageError(f"{options.log}: the log cannot be written: {error.strerror or error}") from None


def _word(text: str) -> str:
    if not re.fullmatch(r"[!-~]+", text) or set(text) & set("();"):
        raise ArgumentTypeError(f"{text!r} is no GDL word: no spaces, no parentheses, ASCII only")
    return text


def _port(text: str) -> int:
    value = int(text)
    if not 0 <= value < 65536:
        raise ArgumentTypeError(f"{text} is no port: 0 to 65535")
    return value


def _seconds(text: str) -> float:
    value = float(text)
    if not 0 <= value < 3600:
        raise ArgumentTypeError(f"{text} is no number of seconds from 0 to 3600")
    return value
