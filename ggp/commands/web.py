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

import secrets
import socket
import webbrowser
from argparse import ArgumentParser, Namespace
from importlib.util import find_spec
from pathlib import Path

from ggp.commands import options as shared
from ggp.commands.match import RECORDS
from ggp.core.errors import UsageError

PORT = 9180
_LOCAL = ("127.0.0.1", "::1", "localhost")
_NEEDED = ("starlette", "uvicorn", "websockets")


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `ggp web`."""
    parser.add_argument("folder", metavar="DIR", nargs="?", type=Path, default=Path(),
                        help="the folder for games and records (default: this one)")  # fmt: skip
    parser.add_argument("--port", type=shared.count, default=PORT, metavar="N",
                        help="the port; 0 for any free one (default: %(default)s)")  # fmt: skip
    parser.add_argument("--bind", default=_LOCAL[0], metavar="ADDRESS", help="where to listen (default: %(default)s)")
    parser.add_argument("--token", metavar="TEXT", help="what others have to know who reach it (default with --bind: "
                        "one that is made up and printed)")  # fmt: skip
    parser.add_argument("--host", action="append", default=[], metavar="NAME", dest="hosts",
                        help="a name by which others call this machine")  # fmt: skip
    parser.add_argument("--no-record", action="store_true", help="record nothing")
    parser.add_argument("--open", action="store_true", help="open the page in a browser of this machine")


def run(options: Namespace) -> int:
    """Serve until a signal comes."""
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise UsageError(
            f"the page needs {' and '.join(missing)}: `make setup` or `pip install 'ggp[web]'` installs that"
        )
    if not options.folder.is_dir():
        raise UsageError(f"{options.folder}: there is no such folder")
    token = _token(options)
    from ggp.web.app import Services, make_app  # the server takes a while to import
    from ggp.web.entry import EntryRules, local_names
    from ggp.web.serving import listening, serving

    names = local_names([options.bind, socket.gethostname(), *options.hosts])
    services = Services.of(options.folder, None if options.no_record else options.folder / RECORDS)
    app = make_app(services, EntryRules(names, token))
    with shared.until_sigterm() as end:
        listener = listening(options.bind, options.port)
        address = _address(options.bind, listener.getsockname()[1], token)
        with serving(app, listener):
            print(f"open {address} in a browser (Ctrl-C ends it)", flush=True)
            if options.open:
                webbrowser.open(address)
            try:
                end.wait()
            finally:
                services.close(0.5)
    return 0


def _token(options: Namespace) -> str:
    """The token, where one is wanted or others can reach us."""
    if options.token is not None:
        if len(options.token) < 8 or not options.token.isascii() or not options.token.isalnum():
            raise UsageError("--token: 8 letters and digits are the least")
        return str(options.token)
    return "" if options.bind in _LOCAL else secrets.token_hex(12)


def _address(host: str, port: int, token: str) -> str:
    """What to open in a browser."""
    name = {"0.0.0.0": socket.gethostname(), "::": socket.gethostname(), "127.0.0.1": "localhost"}.get(host, host)
    shown = f"[{name}]" if ":" in name else name
    return f"http://{shown}:{port}/" + (f"?token={token}" if token else "")
