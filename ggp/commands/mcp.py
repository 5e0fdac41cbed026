"""Serve the commands as tools for language models, by the Model Context Protocol.

Over standard input and output, as clients start such servers; with --http on a port of this machine. A call sees the
rules that it is given, the library, and the files below one folder; it changes nothing, and it ends within limits on time
and memory. Needs the extra `mcp`: pip install "ggp[mcp]".

  ggp mcp --folder my_games
  ggp mcp --http 8765
"""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from importlib.util import find_spec
from pathlib import Path

from ggp.commands import options as shared
from ggp.core.errors import UsageError


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `ggp mcp`."""
    parser.add_argument("--folder", type=Path, default=Path(), metavar="FOLDER",
                        help="whose files may be read (default: the current one)")  # fmt: skip
    parser.add_argument("--http", type=_port, metavar="PORT", help="listen at http://127.0.0.1:PORT/mcp")
    parser.add_argument("--time-limit", type=shared.positive_float, default=30.0, metavar="S",
                        help="seconds for one call (default: 30)")  # fmt: skip
    parser.add_argument("--memory-limit", type=shared.positive_float, default=4.0, metavar="GB",
                        help="memory of each process of a call (default: 4)")  # fmt: skip


def run(options: Namespace) -> int:
    """Serve until the client has gone, or until Ctrl-C."""
    if find_spec("mcp") is None:
        raise UsageError('the Model Context Protocol is not installed: pip install "ggp[mcp]"')
    if not options.folder.is_dir():
        raise UsageError(f"--folder: {options.folder} is no folder")
    from ggp.mcp.apart import CallLimits
    from ggp.mcp.server import make_server

    limits = CallLimits(options.time_limit, int(options.memory_limit * 2**30))
    server = make_server(options.folder.resolve(), limits)
    if options.http is None:
        server.run()
    else:
        server.run("streamable-http", host="127.0.0.1", port=options.http)
    return 0


def _port(text: str) -> int:
    port = int(text)
    if not 0 < port < 65536:
        raise ArgumentTypeError(f"{text} is no port")
    return port
