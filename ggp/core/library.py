"""The library of games: where it is, and what its index says of each game.

>>> from ggp.core.library import library
>>> [game.name for game in library() if "heaps" in game.tags]
['chomp', 'nim']
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gdl.errors import UnreadableError
from ggp.core.errors import UsageError
from ggp.core.suggest import unknown

KINDS = ("turns", "simultaneous", "one player", "chance")


@dataclass(frozen=True)
class Game:
    """A game of the library, as the index describes it."""

    name: str
    title: str
    roles: tuple[str, ...]
    kind: str
    """One of `KINDS`."""
    source: str
    tags: tuple[str, ...]
    length: str
    """Plies of random plays, in words."""
    perft: tuple[int, ...]
    """Numbers of sequences of 1, 2, 3, … joint moves; empty where none are known."""
    path: Path


def folder() -> Path:
    """Where the games are: inside the installed package, or beside it in a clone."""
    package = Path(__file__).resolve().parents[1]
    places = (package / "games", package.parent / "games")
    for place in places:
        if (place / "index.toml").is_file():
            return place
    raise UsageError(f"the library of games is missing: no index.toml in {' or '.join(map(str, places))}")


def game_file(game: str | os.PathLike[str]) -> Path:
    """The file of a game that somebody named: by its path, or by its name alone, `connect_four`.

    A name stands for the file of that name in the current folder, with or without .kif, else for a game of the library.
    UnreadableError if it is neither; whether a path can be read shows when it is.
    """
    path = Path(game)
    name = os.fspath(game)
    if path.is_file() or not re.fullmatch(r"\w[\w-]*", name):
        return path
    for file in (Path(f"{name}.kif"), folder() / f"{name}.kif"):
        if file.is_file():
            return file
    if path.exists():
        return path
    names = [file.stem for file in folder().glob("*.kif")]
    raise UnreadableError(f"{unknown('game', name, names, '`ggp games` lists the library')} (nor a file of this name)")


def library(place: Path | None = None) -> tuple[Game, ...]:
    """All games of the index, by name."""
    place = place or folder()
    index = place / "index.toml"
    try:
        entries = tomllib.loads(index.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{index}: {error}") from None
    return tuple(_game(index, name, entry) for name, entry in sorted(entries.items()))


def _game(index: Path, name: str, entry: object) -> Game:
    if not isinstance(entry, Mapping):
        raise UsageError(f"{index}: {name} is no table")
    values: dict[str, Any] = {"length": "", "tags": [], "perft": [], **entry}
    wanted = {"title": str, "kind": str, "source": str, "length": str, "roles": list, "tags": list, "perft": list}
    for key, kind in wanted.items():
        if not isinstance(values.get(key), kind):
            raise UsageError(f"{index}: [{name}]: {key} must be a {'text' if kind is str else 'list'}")
    if values["kind"] not in KINDS:
        raise UsageError(f"{index}: [{name}]: there is no kind {values['kind']!r}; known are: {', '.join(KINDS)}")
    return Game(
        name=name,
        title=values["title"],
        roles=tuple(map(str, values["roles"])),
        kind=values["kind"],
        source=values["source"],
        tags=tuple(map(str, values["tags"])),
        length=values["length"],
        perft=tuple(values["perft"]),
        path=index.parent / f"{name}.kif",
    )
