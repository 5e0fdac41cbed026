"""Run a game server: players announce themselves, matches among those that are free are set up and recorded.

A player announces itself with `ggp register master HOST:PORT`, or by POST /register with {"port": 9147} as JSON; GET
/status tells what is going on. Games are those of the given files, or of directories of .kif files. Players that vanish
are dropped; faults of players and games are told, and do not stop the server. It listens on this machine alone; --bind
0.0.0.0 lets others reach it. Ctrl-C ends it: running matches are aborted, their records kept. With --web, a page in the
browser shows the matches live, the players, and what they are worth.

  ggp master games/tic_tac_toe.kif games/connect_four.kif --playclock 5
  ggp master games --order random --parallel 2 --matches 100 --fill random
  ggp master games --web 9182
"""

from __future__ import annotations

import os
import sys
import threading
import time
from argparse import ArgumentParser, Namespace
from contextlib import ExitStack
from pathlib import Path

from gdl import GdlError, Ruleset, load
from ggp.commands import options as shared
from ggp.commands.match import RECORDS, add_clocks
from ggp.commands.page import Listening, open_page
from ggp.core.errors import UsageError
from ggp.core.library import game_file
from ggp.match.builtin import check_player
from ggp.match.desk import Desk
from ggp.match.hall import HALL_PORT, Hall, HallSettings
from ggp.match.schedule import ORDERS
from ggp.match.seats import Clocks
from ggp.players.specs import is_address


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `ggp master`."""
    parser.add_argument(
        "games", metavar="GAME", nargs="+", type=Path, help="a .kif file, a name of the library, or a directory of files"
    )
    parser.add_argument("--port", type=shared.count, default=HALL_PORT, metavar="N",
                        help="where players announce themselves; 0 for any free port (default: %(default)s)")  # fmt: skip
    parser.add_argument(
        "--bind", default="127.0.0.1", metavar="ADDRESS", help="the address to listen on (default: %(default)s)"
    )
    parser.add_argument("--order", choices=ORDERS, default=ORDERS[0], help="who plays what (default: %(default)s)")
    parser.add_argument("--parallel", type=shared.positive_int, default=1, metavar="N",
                        help="matches at the same time (default: %(default)s)")  # fmt: skip
    parser.add_argument("--matches", type=shared.positive_int, metavar="N", help="end after N matches")
    parser.add_argument("--fill", metavar="PLAYER", help="a built-in player for places for which nobody is registered")
    parser.add_argument("--records", type=Path, default=RECORDS, metavar="DIR",
                        help="where matches are recorded (default: %(default)s)")  # fmt: skip
    parser.add_argument("--web", type=shared.count, metavar="PORT",
                        help="serve the page there, too, as `ggp web` does; 0 for any free port")  # fmt: skip
    parser.add_argument("--refresh", type=shared.positive_float, default=HallSettings.refresh, metavar="S",
                        help="seconds between two looks at who is there (default: %(default)g)")  # fmt: skip
    add_clocks(parser)
    shared.explain_players(parser)
    shared.add_seed(parser)
    shared.add_steps(parser)
    shared.add_machine(parser)


def run(options: Namespace) -> int:
    """Serve until a signal comes, or the last match is over."""
    games = _games(options.games)
    if options.fill is not None:
        if is_address(options.fill):
            raise UsageError(f"--fill: {options.fill} is an address; name a built-in player, others announce themselves")
        check_player(options.fill)
    _check_writable(options.records)
    settings = HallSettings(
        Clocks(options.startclock, options.playclock, options.allowance), options.order, options.seed, options.steps,
        options.parallel, options.matches, options.fill, options.scramble, options.gdl2_form, options.records,
        options.refresh, options.machine, shared.limits(options),
    )  # fmt: skip
    hall = Hall(games, settings, _tell)
    with shared.until_sigterm() as end, ExitStack() as stack:
        desk = Desk(options.bind, options.port, hall.roster, hall.status, _tell)
        try:
            threading.Thread(target=desk.serve_forever, args=(0.1,), name="desk", daemon=True).start()
            _tell(
                f"players announce themselves at http://{options.bind}:{desk.port}; {len(games)} games (Ctrl-C ends it)"
            )
            if options.web is not None:
                place = Listening(options.bind, options.web)
                _tell(f"open {stack.enter_context(open_page(Path(), options.records, place, hall.status))} in a browser")
            hall.run(end)
        finally:
            hall.close()
            desk.shutdown()
            desk.server_close()
    return 0


def _games(paths: list[Path]) -> dict[str, Ruleset]:
    """All games by name. In a directory, those that cannot be loaded are told and left out."""
    found: dict[str, Ruleset] = {}
    for path in paths:
        for file in sorted(path.glob("*.kif")) if path.is_dir() else [game_file(path)]:
            if file.stem in found:
                raise UsageError(f"{file}: there is another game of this name")
            try:
                found[file.stem] = load(file)
            except GdlError as error:
                if not path.is_dir():
                    raise
                print(f"ggp: {error}\nggp: {file} is left out", file=sys.stderr)
    if not found:
        raise UsageError("there is no game to play")
    return found


def _check_writable(directory: Path) -> None:
    """Tell now, not after the first match, if nothing can be recorded."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        probe = directory / f".probe.{os.getpid()}"
        probe.write_text("")
        probe.unlink()
    except OSError as error:
        raise UsageError(f"{directory}: no records can be written here: {error.strerror or error}") from None


def _tell(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)
