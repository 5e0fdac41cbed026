"""Records of matches that other servers have kept, verified by the rules and written as ours.

An archive is a folder or an archive of JSON files, or one file, perhaps packed by gzip: a record, a list of records, or a
record a line, bare or as the public archives have it, `{"url": …, "data": {…}}`.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any

from gdl import GdlError, kif, load
from ggp.core.errors import MachineError, PrologMissingError, RecordError, UsageError
from ggp.importing.files import BROKEN, LARGEST, files, opened
from ggp.importing.intake import Known, file_name
from ggp.importing.sheets import Missing, Sheet
from ggp.machines.bridge import Limits
from ggp.machines.prolog import PrologMachine
from ggp.match.record import Json, Record, digest, parse_record, read_record, state_text
from ggp.match.verify import Replay, rules_of

_SUFFIXES = (".json", ".jsonl", ".json.gz", ".jsonl.gz")
_MACHINES = 8
"""Machines that are kept for the matches to come: archives mix games."""
_TOLD = 3
"""Complaints about one record that are told."""


@dataclass(frozen=True)
class Entry:
    """What an archive has for a match, and where."""

    origin: str
    value: Json


@dataclass(frozen=True)
class Kept:
    """A match that was verified and written."""

    name: str
    origin: str
    file: Path
    moves: int


def entries(archive: Path) -> Iterator[Entry]:
    """The matches of an archive, one after the other; UsageError if it cannot be read."""
    if not archive.exists():
        raise UsageError(f"{archive}: there is no such folder or file")
    if archive.is_file() and archive.name.endswith(_SUFFIXES):
        yield from _of_file(archive)
        return
    for name, data in files(archive, lambda name: name.endswith((".json", ".jsonl"))):
        yield from _of_lines(f"{archive}/{name}", iter(data.splitlines(keepends=True)))


def _of_file(path: Path) -> Iterator[Entry]:
    """Of one file, however large, as long as it has a match a line."""
    try:
        with opened(path) as stream:
            yield from _of_lines(str(path), iter(lambda: stream.readline(LARGEST), b""))
    except BROKEN as error:
        raise UsageError(f"{path}: {getattr(error, 'strerror', None) or error}") from error


def _of_lines(name: str, lines: Iterator[bytes]) -> Iterator[Entry]:
    """A match for each line, if the first line is a value of JSON for itself; else those of the whole text."""
    first = next(lines, b"")
    value = _json(first)
    if value is None:
        whole, size = [first], len(first)
        for line in lines:
            whole.append(line)
            size += len(line)
            if size > LARGEST:
                raise UsageError(f"{name}: larger than {LARGEST >> 20} MB, and not a match a line")
        value = _json(b"".join(whole))
    yield from _of_value(name, value)
    for number, line in enumerate(lines, 2):
        if line.strip():
            yield from _of_value(f"{name}:{number}", _json(line))


def _of_value(name: str, value: Json) -> Iterator[Entry]:
    found = value if isinstance(value, list) else [value]
    for number, item in enumerate(found):
        origin = name if item is value else f"{name}[{number}]"
        if isinstance(item, dict) and isinstance(item.get("data"), dict):
            url = item.get("url")
            yield Entry(url if isinstance(url, str) else origin, item["data"])
        else:
            yield Entry(origin, item)


def _json(text: bytes) -> Json:
    """A value, or None where there is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


class Archivist:
    """Verifies matches and writes them into a folder; a context, as it keeps machines."""

    def __init__(self, folder: Path, rules: Mapping[str, Sheet], limits: Limits) -> None:
        """`rules`: rulesheets by the names that the addresses of games in the records end with."""
        self._folder, self._rules, self._limits = folder, rules, limits
        self._machines: OrderedDict[str, PrologMachine] = OrderedDict()

    def __enter__(self) -> Archivist:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for machine in self._machines.values():
            machine.close()

    def take(self, entry: Entry) -> Kept | Known | Missing:
        """What becomes of a match."""
        name = ""
        try:
            record = parse_record(json.dumps(_adapted(entry.value)), entry.origin)
            name = record.match_id
            sheet = self._sheet(record, entry.origin)
            return self._keep(record, sheet, entry.origin)
        except PrologMissingError:
            raise
        except (RecordError, GdlError, MachineError) as error:
            return Missing(name, entry.origin, str(error))

    def _sheet(self, record: Record, origin: str) -> Sheet:
        """The rules of a match: those that it carries, or those of its game."""
        if record.rules is not None:
            return Sheet(record.game, rules_of(record, origin).text, origin)
        sheet = self._rules.get(record.game)
        if sheet is None:
            raise RecordError(f"{origin}: no rules for {record.game!r}; --rules names where they are")
        return sheet

    def _keep(self, record: Record, sheet: Sheet, origin: str) -> Kept | Known | Missing:
        file, known = self._file(record)
        if known:
            return Known(record.match_id, origin, str(file))
        replay = Replay(record, self._machine(sheet))
        steps = list(replay.steps())
        if replay.complaints:
            told = "; ".join(map(str, replay.complaints[:_TOLD]))
            more = len(replay.complaints) - _TOLD
            return Missing(record.match_id, origin, told + (f"; and {more} more" if more > 0 else ""))
        more_of_it = {
            "x-game": sheet.name,
            "x-roles": list(self._machine(sheet).roles),
            "x-rules": sheet.text,
            "x-rulesSha256": digest(sheet.text),
            "x-origin": origin,
        }
        ours = replace(
            record,
            states=[state_text(step.fluents) for step in steps],
            moves=[[kif(move) for move in step.joint] for step in steps if step.joint is not None],
            more=record.more | more_of_it,
        )
        self._folder.mkdir(parents=True, exist_ok=True)
        file.write_text(ours.text(), encoding="utf-8")
        return Kept(record.match_id, origin, file, len(record.moves))

    def _file(self, record: Record) -> tuple[Path, bool]:
        """Where a match is written, and whether it is there."""
        stem = f"{file_name(record.game)}.{file_name(record.match_id)}"
        number = 1
        while True:
            file = self._folder / (f"{stem}.json" if number == 1 else f"{stem}.{number}.json")
            if not file.exists():
                return file, False
            there = read_record(file)
            if (there.match_id, there.random_token) == (record.match_id, record.random_token):
                return file, True
            number += 1

    def _machine(self, sheet: Sheet) -> PrologMachine:
        """The machine of a game; the one that was not asked for longest goes when there are many."""
        found = self._machines.pop(sheet.text, None)
        if found is None:
            while len(self._machines) >= _MACHINES:
                self._machines.popitem(last=False)[1].close()
            found = PrologMachine(load(sheet.source), self._limits)
        self._machines[sheet.text] = found
        return found


def _adapted(value: Json) -> dict[str, Any]:
    """A record without the nulls that some servers write for what they do not know."""
    if not isinstance(value, dict):
        raise RecordError("a record is an object of JSON")
    made = {key: item for key, item in value.items() if item is not None}
    players = made.get("playerNamesFromHost")
    if isinstance(players, list):
        made["playerNamesFromHost"] = ["" if name is None else name for name in players]
    return made
