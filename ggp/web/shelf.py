"""The games that can be played: those of the library, the `.kif` files of the folder, and texts that were sent."""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gdl import Ruleset, Source, load
from gdl.terms import Term
from ggp.core.errors import PrologMissingError, UsageError
from ggp.core.library import Game, folder, library
from ggp.machines import Limits, Machine, PrologMachine, make_machine
from ggp.match.record import digest
from ggp.web.drawing import Drawing
from ggp.web.fields import Fields, Json, MissingError

LONGEST_RULES = 400_000
"""Characters of the rules that are taken from the network."""
_KEPT = 32
"""Games whose rules are kept in memory."""
_NAME = re.compile(r"\w[\w-]{0,60}")
LIMITS = Limits(seconds=20, bytes=2**31)
"""Of one question to Prolog."""


@dataclass(frozen=True)
class Title:
    """A game that is about to be played."""

    name: str
    ruleset: Ruleset
    drawing: Drawing


class Shelf:
    """Finds games. It may be asked from any thread."""

    def __init__(self, place: Path) -> None:
        """`place`: the folder whose games are on the shelf, too; nothing outside it is read but the library."""
        self._place = place
        self._library = {game.name: game for game in library()}
        self._titles: OrderedDict[str, Title] = OrderedDict()
        self._boards: dict[str, dict[str, Json]] = {}
        self._lock, self._drawing = threading.Lock(), threading.Lock()

    def listing(self) -> list[dict[str, Json]]:
        """All games, those of the folder first."""
        own = [{"name": name, "title": name, "kind": "yours", "tags": [], "length": ""} for name in self._own()]
        return own + [_described(game) for game in self._library.values()]

    def text(self, name: str) -> str:
        """The rules of a game by its name."""
        return Source.read(self._path(name)).text

    def title(self, asked: Fields) -> Title:
        """The game that somebody asks for: by its name as `game`, or by its rules as `text`."""
        if asked.has("text"):
            text = asked.text("text", LONGEST_RULES)
            return self._title("your_game", Source(text, "your_game.kif"))
        name = asked.text("game")
        return self._title(name, Source.read(self._path(name)))

    def of_source(self, name: str, source: Source) -> Title:
        """A game whose rules came from elsewhere: a record, say."""
        return self._title(name, source)

    def first_board(self, name: str) -> dict[str, Json]:
        """The first position of a game of the shelf, drawn."""
        title = self._title(name, Source.read(self._path(name)))
        key = digest(title.ruleset.source.text)
        with self._drawing:  # one after the other: a machine may be started for it
            if key not in self._boards:
                self._boards[key] = title.drawing.position(title.drawing.initial or _first(title.ruleset), None)
            return self._boards[key]

    def save(self, name: str, text: str, replacing: bool) -> str:
        """Write a game into the folder; the name of its file."""
        if not _NAME.fullmatch(name):
            raise UsageError(f"{name!r} is no name for a file: letters, digits, _ and - are")
        path = self._place / f"{name}.kif"
        try:
            with path.open("w" if replacing else "x", encoding="utf-8") as stream:
                stream.write(text)
        except FileExistsError:
            raise UsageError(f"{path.name} is there already") from None
        return path.name

    def _own(self) -> list[str]:
        if self._place.resolve() == folder():
            return []
        return sorted(path.stem for path in self._place.glob("*.kif") if _NAME.fullmatch(path.stem))

    def _path(self, name: str) -> Path:
        own = self._place / f"{name}.kif"
        if _NAME.fullmatch(name) and own.is_file() and own.resolve().parent == self._place.resolve():
            return own
        if name in self._library:
            return self._library[name].path
        raise MissingError(f"there is no game {name!r} here")

    def _title(self, name: str, source: Source) -> Title:
        key = f"{name} {digest(source.text)}"
        with self._lock:
            if key in self._titles:
                self._titles.move_to_end(key)
                return self._titles[key]
        ruleset = load(source)
        title = Title(name, ruleset, Drawing(ruleset))
        with self._lock:
            self._titles[key] = title
            while len(self._titles) > _KEPT:
                self._titles.popitem(last=False)
        return title


def asking(ruleset: Ruleset) -> Machine[Any]:
    """A machine for a few questions: nothing is compiled for them where there is Prolog."""
    try:
        return PrologMachine(ruleset, LIMITS, goals_within=False)
    except PrologMissingError:
        return make_machine("circuit", ruleset, LIMITS)


def _first(ruleset: Ruleset) -> tuple[Term, ...]:
    """The first position, by a machine."""
    machine = asking(ruleset)
    try:
        return machine.fluents(machine.initial())
    finally:
        machine.close()


def _described(game: Game) -> dict[str, Json]:
    return {
        "name": game.name, "title": game.title, "kind": game.kind, "tags": list(game.tags), "length": game.length,
    }  # fmt: skip
