"""List the library of games, all of it or what is asked for.

Several conditions must all hold. TEXT is looked for in names, titles, sources and tags, whatever its case. Where no game
fits, the exit code is 1.

  ggp games
  ggp games --roles 2 --kind turns --tag line
  ggp games chess --json
  ggp bench $(ggp games --kind simultaneous --files)
"""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import asdict

from ggp.commands import options as shared
from ggp.core.errors import UsageError
from ggp.core.library import KINDS, Game, folder, library


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `ggp games`."""
    parser.add_argument("text", nargs="*", metavar="TEXT", help="only games that mention it")
    parser.add_argument("--roles", type=shared.positive_int, metavar="N", help="only games of N roles")
    parser.add_argument("--kind", choices=[kind.replace(" ", "-") for kind in KINDS], help="only games of one kind")
    parser.add_argument("--tag", action="append", default=[], metavar="TAG",
                        help="only games with this tag; may be given again")  # fmt: skip
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--json", action="store_true", help="print a list of objects, all that the index says")
    how.add_argument("--files", action="store_true", help="print the paths of the files, nothing else")


def run(options: Namespace) -> int:
    """List the games that fit; 1 if none does."""
    place = folder()
    everything = library(place)
    tags = sorted({tag for game in everything for tag in game.tags})
    for tag in options.tag:
        if tag not in tags:
            raise UsageError(f"no game has the tag {tag!r}; known are: {', '.join(tags)}")
    found = [game for game in everything if _fits(game, options)]
    if options.json:
        print(json.dumps([{**asdict(game), "path": str(game.path)} for game in found], indent=1))
    elif options.files:
        for game in found:
            print(game.path)
    elif found:
        _print(found)
        of_all = "" if len(found) == len(everything) else f" of {len(everything)}"
        print(f"\n{len(found)}{of_all} games in {place}")
    if not found:
        print("ggp games: no game fits", file=sys.stderr)
        return 1
    return 0


def _fits(game: Game, options: Namespace) -> bool:
    words = " ".join((game.name, game.title, game.source, *game.tags)).casefold()
    return (
        options.roles in {None, len(game.roles)}
        and options.kind in {None, game.kind.replace(" ", "-")}
        and set(options.tag) <= set(game.tags)
        and all(text.casefold() in words for text in options.text)
    )


def _print(games: Sequence[Game]) -> None:
    rows = [("game", "roles", "kind", "title", "tags")]
    rows += [(g.name, str(len(g.roles)), g.kind, g.title, ", ".join(g.tags)) for g in games]
    name, _, kind, title, _ = (max(map(len, column)) for column in zip(*rows, strict=True))
    for row in rows:
        print(f"{row[0]:{name}}  {row[1]:>5}  {row[2]:{kind}}  {row[3]:{title}}  {row[4]}")
