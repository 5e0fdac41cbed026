"""Rulesheets from a folder or an archive.

The public collections give each game a folder with a file METADATA, JSON that names its rulesheet, stylesheet and
description. A later version is in `v1`, `v2`, … inside and has the files that have changed: each file counts in its
newest version. Rulesheets outside such folders are taken by the names of their files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from ggp.importing.files import files
from ggp.importing.sheets import MetadataError, Missing, Sheet, decoded, described, metadata

_SAID = ("METADATA", "METADATA.json")
_RULES = (".kif", ".gdl")
_VERSION = re.compile(r"v(\d{1,9})")


def collection(place: Path) -> Iterator[Sheet | Missing]:
    """All rulesheets of a folder or an archive, by name."""
    found = dict(files(place, _is_wanted))
    games = _games(found)
    for game in sorted(games):
        yield _of_game(place, found, game, games[game])
    for name in sorted(found):
        path = PurePosixPath(name)
        if path.suffix in _RULES and not any(str(folder) in games for folder in path.parents):
            yield _alone(place, name, found[name])


def _is_wanted(name: str) -> bool:
    path = PurePosixPath(name)
    return path.name in _SAID or path.suffix in (*_RULES, ".txt")


def _games(found: Mapping[str, bytes]) -> dict[str, list[int]]:
    """The folders of games, and the versions in each, the newest first; 0 is the folder itself."""
    games: dict[str, set[int]] = {}
    for name in found:
        path = PurePosixPath(name)
        if path.name in _SAID:
            version = _VERSION.fullmatch(path.parent.name)
            games.setdefault(str(path.parent.parent if version else path.parent), set()).add(0)
    for name in found:
        folder = PurePosixPath(name).parent
        version = _VERSION.fullmatch(folder.name)
        if version and str(folder.parent) in games:
            games[str(folder.parent)].add(int(version[1]))
    return {game: sorted(versions, reverse=True) for game, versions in games.items()}


def _of_game(place: Path, found: Mapping[str, bytes], game: str, versions: list[int]) -> Sheet | Missing:
    """The newest version of a game."""

    def newest(name: str) -> str | None:
        for version in versions:
            file = str(PurePosixPath(game) / (f"v{version}" if version else "") / name)
            if file in found:
                return file
        return None

    name = PurePosixPath(game).name or place.name.partition(".")[0]
    origin = f"{place}/{game}"
    try:
        said_in = next(file for file in map(newest, _SAID) if file)
        said = metadata(decoded(found[said_in]))
        rules = newest(said["rulesheet"])
        if rules is None:
            return Missing(name, origin, f"the rulesheet {said['rulesheet']!r} that METADATA names is not there")
        words = newest(said["description"]) if isinstance(said.get("description"), str) else None
        description = decoded(found[words]).strip() if words else ""
        return described(name, f"{place}/{rules}", decoded(found[rules]), said, description)
    except MetadataError as error:
        return Missing(name, origin, str(error))


def _alone(place: Path, name: str, data: bytes) -> Sheet | Missing:
    """A rulesheet of which nothing is said."""
    stem, origin = PurePosixPath(name).stem, f"{place}/{name}"
    try:
        return Sheet(stem, decoded(data), origin)
    except MetadataError as error:
        return Missing(stem, origin, str(error))
