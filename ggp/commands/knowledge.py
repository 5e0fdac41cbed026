"""Show what was learned of games, and merge what several machines have learned.

Without --merge and --drop: the bases of the folder, all of them looked through, or what is known of a GAME, in its first
position or in the one that --moves leads to: the best move there and after each move, with the visits of the position,
confidence (the share of the move in them plus its win rate: up to 2) and the goals that are expected; * where they are
proven. --merge takes over what the bases in another folder, or a single base, know better, in any order and however
often. What is done to bases is noted in log.jsonl beside them.

  ggp knowledge
  ggp knowledge connect_four --moves "(drop 4) noop"
  ggp knowledge --merge /mnt/other/knowledge
  ggp knowledge connect_four --drop
"""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gdl import load
from ggp.commands import options as shared
from ggp.commands.moves import add_moves, follow
from ggp.core.errors import UsageError
from ggp.core.library import game_file

if TYPE_CHECKING:
    from ggp.knowledge.shelf import Shelf


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `ggp knowledge`."""
    parser.add_argument("file", metavar="GAME", nargs="?", help=shared.GAME)
    add_moves(parser)
    parser.add_argument("--merge", type=Path, metavar="PLACE", help="take over what is known there: a folder or a base")
    parser.add_argument("--drop", action="store_true", help="forget all of the game")
    parser.add_argument("--json", action="store_true", help="print an object")


def run(options: Namespace) -> int:
    """Show, merge or drop; 1 if nothing is known of the game."""
    if options.merge is not None and (options.file or options.drop):
        raise UsageError("--merge takes over all games of a place: name none, and drop none at once")
    if options.file is None and (options.drop or options.moves):
        raise UsageError(f"{'--drop' if options.drop else '--moves'} needs a game")
    from ggp.knowledge.shelf import shelf  # numpy takes a moment

    place = shelf()
    if options.merge is not None:
        return _merge(options, place)
    return _list(options, place) if options.file is None else _game(options, place)


def _list(options: Namespace, place: Shelf) -> int:
    rows: list[dict[str, Any]] = []
    for base in place.bases():
        content = base.content()
        rows.append({"game": base.name, "records": content.records, "proven": content.proven, "torn": content.torn,
                     "bytes": base.path.stat().st_size, "base": str(base.path)})  # fmt: skip
    if options.json:
        print(json.dumps({"folder": str(place.folder), "bases": rows}, indent=1))
        return 0
    print(f"{place.folder}: {len(rows)} {'base' if len(rows) == 1 else 'bases'}")
    for row in rows:
        torn = f", {row['torn']:,} places torn" if row["torn"] else ""
        print(f"  {row['game']:24} {row['records']:>10,} positions, {row['proven']:,} proven, "
              f"{row['bytes'] / 1e6:,.1f} MB{torn}  {Path(row['base']).name}")  # fmt: skip
    return 0


def _merge(options: Namespace, place: Shelf) -> int:
    from ggp.knowledge.base import open_base
    from ggp.knowledge.shelf import Shelf

    source = options.merge
    if not source.exists():
        raise UsageError(f"{source}: there is no such folder or base")
    if source.is_dir() and place.folder.exists() and source.samefile(place.folder):
        raise UsageError(f"{source}: this is the folder that would be merged into")
    rows = []
    for other in Shelf(source).bases() if source.is_dir() else [open_base(source)]:
        own = place.base(other.game, other.roles, other.name)
        own.prepare()
        taken = sum(own.learn(part) for part in other.parts())
        place.log("merged", own, source=str(other.path), new=taken)
        rows.append({"game": own.name, "new": taken, "known": len(own), "base": str(own.path)})
    if options.json:
        print(json.dumps({"folder": str(place.folder), "merged": rows}, indent=1))
        return 0
    for row in rows:
        print(f"{row['game']}: {row['new']:,} new positions, {row['known']:,} in all")
    if not rows:
        print(f"{source}: there are no bases")
    return 0


def _game(options: Namespace, place: Shelf) -> int:
    from ggp.knowledge.names import Names

    ruleset = load(game_file(options.file))
    names = Names(ruleset)
    base = place.base(names.game, names.roles, Path(options.file).stem)
    if not place.has(names.game):
        print(json.dumps({"game": base.name, "known": 0}) if options.json else f"nothing is known of {base.name}")
        return 1
    if options.drop:
        known = len(base)
        place.log("dropped", base, known=known)
        place.drop(base)
        print(json.dumps({"game": base.name, "dropped": known}) if options.json else f"{base.name}: {known:,} forgotten")
        return 0
    from ggp.analysis.known import known_moves
    from ggp.machines.kept import compiled

    machine = compiled(ruleset)
    rows = known_moves(machine, names, base, follow(ruleset, machine, options.moves))
    if options.json:
        data: dict[str, Any] = {"game": base.name, "known": len(base), "moves": options.moves, "positions": rows}
        print(json.dumps(data, indent=1))
        return 0
    print(f"{base.name}: {len(base):,} positions")
    for row in rows:
        goals = " ".join(f"{role} {goal:g}" for role, goal in row["goals"].items())
        print(f"  {row['after'] or 'here':24} {row['role']} {row['best']:24} {row['visits']:>12,} "
              f"{row['confidence']:.2f}  {goals}{'*' if row['proven'] else ''}")  # fmt: skip
    return 0
