"""Take rulesheets into a folder: each is checked and played, and what is known already is not taken again.

Known is a game of the folder or the library whose rules say the same under any names (`gdl.canonical`). The folder gets
a file for each game, as it was written, and an `index.toml` in the form of the library's.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from gdl import GdlError, Ruleset, load
from gdl.canonical import canonical
from gdl.ruleset import CHANCE
from ggp.core.errors import MachineError, PrologMissingError
from ggp.core.library import folder as library_folder
from ggp.importing.sheets import Missing, Sheet
from ggp.machines.bridge import Limits
from ggp.machines.playcheck import LIMIT, playcheck
from ggp.machines.plays import random_play
from ggp.machines.prolog import PrologMachine

INDEX = "index.toml"
_DESCRIBED = 400
"""Characters of a description that the index keeps."""
_BUDGET = 5e7
"""Steps of Prolog that the plays of one game may take, as `ggp check` has it."""
_INDEX_HEAD = "# Games of others, as `ggp import` took them. Sources are where they were found.\n"


@dataclass(frozen=True)
class Taken:
    """A game that was taken."""

    name: str
    origin: str
    file: Path
    warnings: int


@dataclass(frozen=True)
class Known:
    """A game that was there already, perhaps under other names, or a match that was."""

    name: str
    origin: str
    known_as: str


Outcome = Taken | Known | Missing


class Intake:
    """Games come in here one by one."""

    def __init__(self, folder: Path, plays: int, limits: Limits, again: bool = False) -> None:
        """`again`: games of the library are taken as well, for the sake of their names."""
        self._folder, self._plays, self._limits = folder, plays, limits
        self._known: dict[str, str] = {}
        if not again:
            self._learn(library_folder(), "{} of the library")
        if folder.is_dir():
            self._learn(folder, f"{folder}/{{}}.kif")

    def take(self, sheet: Sheet) -> Outcome:
        """What becomes of a rulesheet."""
        try:
            ruleset = load(sheet.source)
            key = canonical(ruleset).key
            if key in self._known:
                return Known(sheet.name, sheet.origin, self._known[key])
            kind, problems = self._play(ruleset)
        except PrologMissingError:
            raise
        except (GdlError, MachineError, RecursionError) as error:
            return Missing(sheet.name, sheet.origin, str(error) or "it is nested too deep")
        file = self._write(sheet, ruleset, kind)
        self._known[key] = str(file)
        return Taken(sheet.name, sheet.origin, file, problems + len(ruleset.problems))

    def _learn(self, folder: Path, called: str) -> None:
        """Know the games of a folder; those that have no meaning cannot be known again."""
        for file in sorted(folder.glob("*.kif")):
            try:
                self._known.setdefault(canonical(load(file)).key, called.format(file.stem))
            except GdlError:
                continue

    def _play(self, ruleset: Ruleset) -> tuple[str, int]:
        """Of what kind a game is, and how many problems random plays have shown."""
        with closing(PrologMachine(ruleset, self._limits, goals_within=False)) as machine:
            checked = playcheck(ruleset, machine, self._plays, _BUDGET)
            return _kind(ruleset, machine), len(checked.problems)

    def _write(self, sheet: Sheet, ruleset: Ruleset, kind: str) -> Path:
        self._folder.mkdir(parents=True, exist_ok=True)
        file = _free(self._folder, file_name(sheet.name))
        file.write_text(sheet.text, encoding="utf-8", newline="")
        index = self._folder / INDEX
        entry = "\n".join(_entry(file.stem, sheet, ruleset, kind))
        start = "" if index.exists() else _INDEX_HEAD
        with index.open("a", encoding="utf-8") as stream:
            stream.write(f"{start}\n{entry}\n")
        return file


def take_all(
    sheets: Iterator[Sheet | Missing], intake: Intake, tell: Callable[[str], None]
) -> Iterator[Outcome]:  # fmt: skip
    """What becomes of all rulesheets of a source."""
    for number, sheet in enumerate(sheets, 1):
        tell(f"{number}: {sheet.name}")
        yield sheet if isinstance(sheet, Missing) else intake.take(sheet)


def file_name(name: str) -> str:
    """A name that a file and a table of the index can have, and that commands take for the name of a game.

    >>> file_name("uf20-01.cnf.SAT"), file_name("../..")
    ('uf20-01_cnf_SAT', 'game')
    """
    return re.sub(r"[^\w-]+", "_", name, flags=re.ASCII).strip("_-")[:80] or "game"


def _free(folder: Path, stem: str) -> Path:
    """A file that is not there yet."""
    file, number = folder / f"{stem}.kif", 1
    while file.exists():
        number += 1
        file = folder / f"{stem}_{number}.kif"
    return file


def _kind(ruleset: Ruleset, machine: PrologMachine) -> str:
    """As the index of the library has it. Whether roles move at the same time is what one random play shows."""
    if CHANCE in ruleset.roles:
        return "chance"
    if len(ruleset.roles) == 1:
        return "one player"
    for step in random_play(machine, 0, LIMIT):
        if sum(len(moves) > 1 for moves in step.situation.legal) > 1:
            return "simultaneous"
    return "turns"


def _entry(stem: str, sheet: Sheet, ruleset: Ruleset, kind: str) -> Iterator[str]:
    """The lines of the index about a game."""
    said: dict[str, str | list[str]] = {
        "title": sheet.title or sheet.name,
        "roles": list(ruleset.roles),
        "kind": kind,
        "source": sheet.origin,
        "stylesheet": sheet.stylesheet,
        "interface": sheet.interface,
        "description": _short(sheet.description),
    }
    yield f"[{stem}]"
    for key, value in said.items():
        if value:
            yield f"{key} = {_toml(value)}"


def _short(text: str) -> str:
    first = " ".join(text.split("\n\n", 1)[0].split())
    return first if len(first) <= _DESCRIBED else first[:_DESCRIBED].rsplit(" ", 1)[0] + " …"


def _toml(value: str | list[str]) -> str:
    """A text or a list of texts, as TOML has it, whose basic strings are those of JSON but for one character."""
    text = json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return text.encode("utf-8", "replace").decode()  # JSON may name half a surrogate pair, which no file can hold
