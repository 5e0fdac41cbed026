"""Take games or matches that others keep: public collections, games servers, databases, archives of matches.

A SOURCE of games is a folder or an archive (zip, tar, …) whose games have METADATA files or are plain rulesheets, the
address of a games server, the dump of its database (.sql, .sql.gz), or a rulesheet. Each game is checked and played at
random; what is known already, under any names, in the folder or in the library, is not taken again. The folder has an
index.toml, which says where each game was found.

With --matches, a SOURCE is an archive of records: JSON files in a folder or an archive, or one file with a record a line
(.json, .jsonl, .gz). Each is verified move by move, by the rules that it carries or those of its game in --rules, and
written as a record of ours with its rules: `ggp replay` steps through them, `ggp records` lists them.

The exit code is 1 if something was not taken that is not known already.

  ggp import base-repository.zip --to imported
  ggp import http://games.example/base --to imported
  ggp import dump.sql.gz --json
  ggp import matches.jsonl.gz --matches --rules base-repository.zip --to records
"""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from ggp.commands import options as shared
from ggp.core.errors import UsageError
from ggp.core.progress import Status
from ggp.machines import Limits

if TYPE_CHECKING:
    from ggp.importing.intake import Outcome
    from ggp.importing.matches import Kept
    from ggp.importing.sheets import Sheet

GAMES, RECORDS = Path("imported"), Path("records")


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `ggp import`."""
    parser.add_argument("sources", metavar="SOURCE", nargs="+", help="a folder, a file or an address")
    parser.add_argument("--to", type=Path, metavar="FOLDER",
                        help=f"where to write (default: {GAMES}; with --matches {RECORDS})")  # fmt: skip
    parser.add_argument("--plays", type=shared.count, default=1, metavar="N",
                        help="random plays that each game is checked by (default: %(default)s)")  # fmt: skip
    parser.add_argument("--again", action="store_true", help="take games of the library as well, with their own names")
    parser.add_argument("--matches", action="store_true", help="take matches in place of games")
    parser.add_argument("--rules", action="append", default=[], metavar="SOURCE",
                        help="where the rules of the matches are; may be given again")  # fmt: skip
    parser.add_argument("--time-limit", type=shared.positive_float, default=Limits.seconds, metavar="S",
                        help="seconds for one question to Prolog (default: %(default)g)")  # fmt: skip
    parser.add_argument("--memory-limit", type=shared.positive_float, default=Limits.bytes / 2**30, metavar="GB",
                        help="memory of the Prolog process (default: %(default)g)")  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print a list of objects, one for each game or match")
    shared.add_progress(parser)


def run(options: Namespace) -> int:
    """Import; 1 if something was refused."""
    if options.rules and not options.matches:
        raise UsageError("--rules is for --matches")
    counts = {"taken": 0, "known": 0, "refused": 0}
    told: list[dict[str, object]] = []
    with Status(options.progress) as status:
        for outcome in _matches(options, status) if options.matches else _games(options, status):
            verdict, line = _told(outcome)
            counts[verdict] += 1
            if options.json:
                told.append({"verdict": verdict} | {key: str(v) if isinstance(v, Path) else v
                                                     for key, v in asdict(outcome).items()})  # fmt: skip
            else:
                status.show("")
                print(line, file=sys.stderr if verdict == "refused" else sys.stdout)
    if options.json:
        print(json.dumps(told, indent=1))
    else:
        print(f"taken: {counts['taken']}, known already: {counts['known']}, not taken: {counts['refused']}")
    return 1 if counts["refused"] else 0


def _games(options: Namespace, status: Status) -> Iterator[Outcome]:
    """What becomes of the games of all sources."""
    from ggp.importing.intake import Intake, take_all
    from ggp.importing.source import sheets

    intake = Intake(options.to or GAMES, options.plays, shared.limits(options), options.again)
    for source in options.sources:
        yield from take_all(sheets(source), intake, status.about(source))


def _matches(options: Namespace, status: Status) -> Iterator[Outcome | Kept]:
    """What becomes of the matches of all archives."""
    from ggp.importing.matches import Archivist, entries

    status.show("reading the rules")
    rules = _rules(options.rules)
    with ExitStack() as stack:
        archivist = stack.enter_context(Archivist(options.to or RECORDS, rules, shared.limits(options)))
        for source in options.sources:
            for number, entry in enumerate(entries(Path(source)), 1):
                status.show(f"{source}: match {number}")
                yield archivist.take(entry)


def _rules(sources: list[str]) -> dict[str, Sheet]:
    """Rulesheets by name; of two of one name the first counts."""
    from ggp.importing.sheets import Sheet
    from ggp.importing.source import sheets

    found: dict[str, Sheet] = {}
    for source in sources:
        for sheet in sheets(source):
            if isinstance(sheet, Sheet):
                found.setdefault(sheet.name, sheet)
    return found


def _told(outcome: Outcome | Kept) -> tuple[str, str]:
    """In a word, and in a line for people."""
    from ggp.importing.intake import Known, Taken
    from ggp.importing.matches import Kept

    match outcome:
        case Taken():
            warnings = f", {outcome.warnings} warning{'' if outcome.warnings == 1 else 's'}" if outcome.warnings else ""
            return "taken", f"{outcome.name}: taken, {outcome.file}{warnings}"
        case Kept():
            moves = f"{outcome.moves} joint move{'' if outcome.moves == 1 else 's'}"
            return "taken", f"{outcome.name}: verified, {outcome.file}, {moves}"
        case Known():
            return "known", f"{outcome.name}: known already, {outcome.known_as}"
        case _:
            return "refused", f"{outcome.name or outcome.origin}: not taken: {outcome.message}"
