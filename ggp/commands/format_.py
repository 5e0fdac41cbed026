"""Lay out descriptions: one condition a line, comments kept, names as they are spelled.

The text is printed, unless --in-place or --check is given.

  ggp format my_game.kif
  ggp format --in-place games/*.kif
  ggp format --check games/*.kif
"""

from __future__ import annotations

import os
import sys
import tempfile
from argparse import ArgumentParser, Namespace
from pathlib import Path

from gdl import Source, parse
from gdl.errors import DescriptionError
from gdl.layout import layout
from ggp.commands import options as shared
from ggp.core.errors import UsageError
from ggp.core.library import folder, game_file


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `ggp format`."""
    parser.add_argument("files", nargs="+", metavar="GAME", help=f"{shared.GAME}, which is only read")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--in-place", action="store_true", help="write the files instead of printing them")
    how.add_argument("--check", action="store_true", help="only tell which files are not laid out so; exit code 1 if any")


def run(options: Namespace) -> int:
    """Format every file."""
    code = 0
    for file in options.files:
        path = game_file(file)
        if options.in_place and path.parent == folder() and Path(file) != path:
            raise UsageError(f"{file} is a game of the library ({path}): it is not changed by its name alone")
        source = Source.read(path)
        description = parse(source)
        if not description.words and description.problems:
            raise DescriptionError(description.problems)
        text = layout(source.text)
        if options.check:
            if text != source.text:
                print(f"{file}: not formatted")
                code = 1
        elif options.in_place:
            if text != source.text:
                _replace(path, text, source.encoding)
                print(f"{file}: formatted")
        else:
            sys.stdout.write(text)
    return code


def _replace(path: Path, text: str, encoding: str) -> None:
    """Write a file so that a full disk or an interruption leaves the old one whole."""
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "w", encoding=encoding, newline="") as stream:
            stream.write(text)
        Path(temporary).chmod(path.stat().st_mode)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
