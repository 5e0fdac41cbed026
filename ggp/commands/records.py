"""List the match records of a directory, the oldest first.

Files that are no records are named on standard error, and the exit code is 1.

  ggp records
  ggp records /tmp/records --json
"""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from ggp.commands.match import RECORDS
from ggp.commands.replay import when
from ggp.core.errors import RecordError, UsageError
from ggp.match.faults import printable
from ggp.match.record import Record, read_record

_HEADER = ("date", "game", "players", "goals", "moves", "ending", "faults", "file")


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `ggp records`."""
    parser.add_argument("directory", metavar="DIR", nargs="?", type=Path, default=RECORDS,
                        help="where the records are (default: %(default)s)")  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print a list of objects")


def run(options: Namespace) -> int:
    """List the records; 1 if a file is none."""
    if not options.directory.is_dir():
        raise UsageError(f"{options.directory}: there is no such directory of records")
    found: list[tuple[Path, Record]] = []
    broken = 0
    for path in sorted(options.directory.glob("*.json")):
        try:
            found.append((path, read_record(path)))
        except (RecordError, OSError) as error:
            broken += 1
            message = f"{path}: {error.strerror}" if isinstance(error, OSError) else error
            print(f"ggp: {message}", file=sys.stderr)
    found.sort(key=lambda item: (item[1].start_time, item[0].name))
    if options.json:
        print(json.dumps([_as_json(path, record) for path, record in found], indent=1))
    else:
        _print_table([_row(path, record) for path, record in found])
    return 1 if broken else 0


def _as_json(path: Path, record: Record) -> dict[str, object]:
    made: dict[str, object] = {
        "file": str(path), "match": record.match_id, "date": when(record), "game": record.game,
        "players": record.players, "moves": len(record.moves), "ending": record.ending, "faults": record.faults,
    }  # fmt: skip
    if record.result is not None:
        made["goals"] = record.result
    return made


def _row(path: Path, record: Record) -> tuple[str, ...]:
    goals = " ".join(map(str, record.result)) if record.result is not None else "-"
    cells = (when(record), record.game, ", ".join(record.players), goals, str(len(record.moves)), record.ending)
    return (*(printable(cell, 60) for cell in cells), str(record.faults), path.name)


def _print_table(rows: list[tuple[str, ...]]) -> None:
    if not rows:
        print("no records")
        return
    widths = [max(len(row[column]) for row in (_HEADER, *rows)) for column in range(len(_HEADER))]
    for row in (_HEADER, *rows):
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
