"""Start a game file from a template: a small complete game, to be changed step by step into another.

The file is NAME.kif, in this folder or in another; a file that is there is never overwritten. What is written is a game
that `ggp check` finds no fault with, so that there is something to play from the first minute.

  ggp new my_game
  ggp new my_puzzle --kind one-player --folder games
"""

from __future__ import annotations

import re
from argparse import ArgumentParser, Namespace
from importlib.resources import files
from pathlib import Path

from ggp.commands.writing import write_new
from ggp.core.errors import UsageError

KINDS = {
    "turns": "two players who take turns",
    "one-player": "a puzzle",
    "simultaneous": "two players who move at the same time",
}


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `ggp new`."""
    parser.add_argument("name", metavar="NAME", help="lower-case letters, digits and _, beginning with a letter")
    kinds = "; ".join(f"{kind}: {what}" for kind, what in KINDS.items())
    parser.add_argument("--kind", choices=KINDS, default="turns", help=f"{kinds} (default: %(default)s)")
    parser.add_argument("--folder", type=Path, default=Path(), metavar="FOLDER", help="where to write it (default: here)")


def run(options: Namespace) -> int:
    """Write the file."""
    if not re.fullmatch(r"[a-z][a-z0-9_]*", options.name):
        raise UsageError(
            f"{options.name!r} is no name for a game: it needs lower-case letters, digits and _, and a letter first"
        )
    path = options.folder / f"{options.name}.kif"
    title = options.name.replace("_", " ").capitalize()
    text = (files("ggp") / "templates" / f"{options.kind}.kif").read_text(encoding="utf-8")
    write_new(path, text.replace("; TITLE\n", f"; {title}\n", 1))
    print(f"{path}: written; next: ggp check {path}, ggp play-through {path}")
    return 0
