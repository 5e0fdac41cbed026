"""Open a page in the browser: play any game, watch, replay, analyse, and write games.

It prints an address of this machine, to be opened in a browser. The games are those of the library and the .kif files of
the folder; matches are recorded in records/ there, and nothing outside the folder is read or written. It needs nothing
from the network. Ctrl-C ends it: running matches are aborted, their records kept.

It listens on this machine alone. With --bind 0.0.0.0 others can reach it who know the address that is printed: a token
is part of it.

  ggp web
  ggp web my_games --port 8080 --open
"""

from __future__ import annotations

import webbrowser
from argparse import ArgumentParser, Namespace
from pathlib import Path

from ggp.commands import options as shared
from ggp.commands.match import RECORDS
from ggp.commands.page import LOCAL, Listening, open_page
from ggp.core.errors import UsageError

PORT = 9180


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `ggp web`."""
    parser.add_argument("folder", metavar="DIR", nargs="?", type=Path, default=Path(),
                        help="the folder for games and records (default: this one)")  # fmt: skip
    parser.add_argument("--port", type=shared.count, default=PORT, metavar="N",
                        help="the port; 0 for any free one (default: %(default)s)")  # fmt: skip
    parser.add_argument("--bind", default=LOCAL[0], metavar="ADDRESS", help="where to listen (default: %(default)s)")
    parser.add_argument("--token", metavar="TEXT", help="what others have to know who reach it (default with --bind: "
                        "one that is made up and printed)")  # fmt: skip
    parser.add_argument("--host", action="append", default=[], metavar="NAME", dest="hosts",
                        help="a name by which others call this machine")  # fmt: skip
    parser.add_argument("--no-record", action="store_true", help="record nothing")
    parser.add_argument("--open", action="store_true", help="open the page in a browser of this machine")


def run(options: Namespace) -> int:
    """Serve until a signal comes."""
    if not options.folder.is_dir():
        raise UsageError(f"{options.folder}: there is no such folder")
    records = None if options.no_record else options.folder / RECORDS
    place = Listening(options.bind, options.port, options.token, options.hosts)
    with shared.until_sigterm() as end, open_page(options.folder, records, place) as address:
        print(f"open {address} in a browser (Ctrl-C ends it)", flush=True)
        if options.open:
            webbrowser.open(address)
        end.wait()
    return 0
