"""The rules that a caller speaks of: a text, a game of the library, or a file below the folder of the server."""

from __future__ import annotations

import re
from pathlib import Path

from ggp.core.library import folder as library_folder
from ggp.mcp.apart import CallError

LONGEST = 2_000_000
"""Letters of the rules of a game."""
_NAME = "game.kif"


def source(game: str, folder: Path) -> tuple[str, str]:
    """The name and the text of a game: the text itself, if it has a parenthesis. CallError if it is none."""
    if "\0" in game:
        raise CallError("a zero character is part of no text")
    if "(" in game:
        return _NAME, _sound(game)
    path = _below(game, folder)
    if path is None and re.fullmatch(r"\w[\w-]*", game) and (library_folder() / f"{game}.kif").is_file():
        path = library_folder() / f"{game}.kif"
    if path is None:
        raise CallError(
            f"there is no file {game[:200]!r} below the folder of this server, and no such game in the library"
        )
    with path.open("rb") as stream:
        data = stream.read(LONGEST + 1)
    if len(data) > LONGEST:
        raise CallError(f"{game} is larger than {LONGEST:,} bytes")
    try:
        return _NAME, data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return _NAME, data.decode("latin-1")


def _sound(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise CallError(f"the text holds half a character at offset {error.start}") from None
    return text


def _below(game: str, folder: Path) -> Path | None:
    """The file of a path that stays below the folder, wherever links lead; None if there is none."""
    for name in (game, f"{game}.kif"):
        try:
            path = (folder / name).resolve(strict=True)
        except (OSError, RuntimeError, ValueError):
            continue
        if path.is_relative_to(folder.resolve()) and path.is_file():
            return path
    return None
