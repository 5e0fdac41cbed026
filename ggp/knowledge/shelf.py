"""A shelf: the folder of the bases, one file for each game, and the log of all that was done to them.

The log is a text of lines, each a JSON object: when, who (user, machine, process), what, and with which game. A line is
appended in one piece, so that those of several processes do not mix.
"""

from __future__ import annotations

import getpass
import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ggp.core.errors import KnowledgeError
from ggp.knowledge.base import ENDING, Base, open_base

VARIABLE = "GGP_KNOWLEDGE"
"""Of the environment: the folder of the shelf."""
LOG = "log.jsonl"
_DIGITS = 40
"""Of a game's key that its file is named by."""


@dataclass(frozen=True)
class Shelf:
    """A folder of bases; it is made when something is put there."""

    folder: Path

    def base(self, game: str, roles: int, name: str = "") -> Base:
        """The base of a game, by the key of its rules; there need not be one yet."""
        return Base(self.folder / (game[:_DIGITS] + ENDING), game, roles, name)

    def has(self, game: str) -> bool:
        """Whether there is a base of a game."""
        return (self.folder / (game[:_DIGITS] + ENDING)).exists()

    @property
    def is_empty(self) -> bool:
        """Whether there is no base at all: then nobody need work out a key."""
        return next(self.folder.glob(f"*{ENDING}"), None) is None

    def bases(self) -> Iterator[Base]:
        """All bases. KnowledgeError for a file that does not say what it is, or is of another version."""
        for path in sorted(self.folder.glob(f"*{ENDING}")):
            yield open_base(path)

    def drop(self, base: Base) -> None:
        """Remove a base."""
        base.path.unlink()
        base.path.with_suffix(".lock").unlink(missing_ok=True)

    def log(self, what: str, base: Base, **more: object) -> None:
        """Note what was done to a base."""
        entry = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "who": _who(), "what": what,
            "game": base.name, "base": base.path.name, **more,
        }  # fmt: skip
        try:
            descriptor = os.open(self.folder / LOG, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            with open(descriptor, "wb", buffering=0) as stream:
                stream.write((json.dumps(entry) + "\n").encode())
        except OSError as error:
            raise KnowledgeError(f"{self.folder / LOG}: nothing can be noted: {error.strerror or error}") from None


def shelf(place: str | None = None) -> Shelf:
    """The shelf in a folder, or that of this user: in $GGP_KNOWLEDGE, $XDG_DATA_HOME/ggp/knowledge, or below ~/.local."""
    if place is not None:
        return Shelf(Path(place))
    if wanted := os.environ.get(VARIABLE, ""):
        return Shelf(Path(wanted).absolute())
    data = Path(os.environ.get("XDG_DATA_HOME", ""))
    try:
        return Shelf((data if data.is_absolute() else Path.home() / ".local" / "share") / "ggp" / "knowledge")
    except RuntimeError:
        raise KnowledgeError(f"there is no home folder for what is learned; {VARIABLE} may name another") from None


def _who() -> str:
    user = "?"
    with suppress(OSError, KeyError, ImportError):  # a user without a name
        user = getpass.getuser()
    return f"{user}@{socket.gethostname()} {os.getpid()}"
