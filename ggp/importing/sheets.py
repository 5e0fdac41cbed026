"""A rulesheet as others keep it, with what they say of it, and what could not be had."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gdl.source import Source

METADATA_KEYS = ("rulesheet", "description")
"""What a METADATA file names that is read; stylesheets and pages are remembered by their names."""


@dataclass(frozen=True)
class Sheet:
    """A rulesheet and what its collection says of it; what it does not say is empty."""

    name: str
    """What the collection calls the game; matches name it so."""
    text: str
    origin: str
    """Where it was found: a file in an archive, an address, a row of a table."""
    title: str = ""
    description: str = ""
    stylesheet: str = ""
    interface: str = ""
    """The page that shows the game in a browser."""

    @property
    def source(self) -> Source:
        """The text, named by where it was found."""
        return Source(self.text, self.origin)


@dataclass(frozen=True)
class Missing:
    """Something that should have been a rulesheet, and why it is none."""

    name: str
    origin: str
    message: str


class MetadataError(ValueError):
    """What a game is said to be makes no sense; the message says why."""


def metadata(data: bytes | str) -> Mapping[str, Any]:
    """What a METADATA file says; MetadataError if it is no object of JSON with a rulesheet."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise MetadataError(f"METADATA is no JSON: {error}") from None
    return checked(found)


def checked(found: object) -> Mapping[str, Any]:
    """Metadata of which is known that it names files by texts; else MetadataError."""
    if not isinstance(found, Mapping):
        raise MetadataError("METADATA is no object")
    if not isinstance(found.get("rulesheet"), str):
        raise MetadataError("METADATA names no rulesheet")
    return found


def described(name: str, origin: str, text: str, said: Mapping[str, Any], description: str = "") -> Sheet:
    """A sheet with what the metadata say of it."""

    def word(key: str) -> str:
        value = said.get(key)
        return value if isinstance(value, str) else ""

    return Sheet(name, text, origin, word("gameName"), description, word("stylesheet"), word("user_interface"))


def decoded(data: bytes) -> str:
    """A text; old rulesheets are not always UTF-8. MetadataError if it is none."""
    if b"\0" in data:
        raise MetadataError("this is no text: it holds a zero byte")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")
