"""What a request asks for: the values of a JSON object, each of the kind and size that it should have."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from ggp.core.errors import UsageError

Json: TypeAlias = Any
"""A value of JSON."""
WORD = 200
"""Characters of a short text."""


class MissingError(UsageError):
    """What was asked for is not there, or not any more."""


class BusyError(UsageError):
    """There is no room for more at the moment."""


@dataclass(frozen=True)
class Fields:
    """An object that a browser sent."""

    values: Mapping[str, Json]

    @classmethod
    def read(cls, text: bytes | str) -> Fields:
        """Parse an object; UsageError if it is none."""
        try:
            values = json.loads(text)
        except (ValueError, RecursionError):
            raise UsageError("this is no JSON") from None
        if not isinstance(values, dict):
            raise UsageError("an object was expected")
        return cls(values)

    def has(self, key: str) -> bool:
        """Whether there is such a value."""
        return self.values.get(key) is not None

    def text(self, key: str, longest: int = WORD) -> str:
        """A text of at most so many characters."""
        value = self.values.get(key)
        if not isinstance(value, str):
            raise UsageError(f"{key}: a text was expected")
        if len(value) > longest:
            raise UsageError(f"{key}: more than {longest:,} characters")
        return value

    def texts(self, key: str, most: int, longest: int = WORD) -> list[str]:
        """A list of at most so many texts; empty where there is none."""
        values = self.values.get(key, [])
        if not isinstance(values, list) or len(values) > most:
            raise UsageError(f"{key}: a list of at most {most} was expected")
        return [Fields({key: value}).text(key, longest) for value in values]

    def lists(self, key: str, most: int, inside: int) -> list[list[str]]:
        """A list of at most so many lists of texts, each with at most so many `inside`; empty where there is none."""
        values = self.values.get(key, [])
        if not isinstance(values, list) or len(values) > most:
            raise UsageError(f"{key}: a list of at most {most} was expected")
        return [Fields({key: value}).texts(key, inside) for value in values]

    def inner(self, key: str) -> Fields:
        """An object inside."""
        value = self.values.get(key)
        if not isinstance(value, dict):
            raise UsageError(f"{key}: an object was expected")
        return Fields(value)

    def number(self, key: str, least: float, most: float, default: float | None = None) -> float:
        """A number between two others."""
        value = self.values.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise UsageError(f"{key}: a number was expected")
        if not least <= value <= most:
            raise UsageError(f"{key}: {value} is not between {least:g} and {most:g}")
        return value

    def count(self, key: str, most: int, default: int | None = None) -> int:
        """A whole number from 0 on."""
        value = self.number(key, 0, most, default)
        if value != int(value):
            raise UsageError(f"{key}: a whole number was expected")
        return int(value)

    def flag(self, key: str) -> bool:
        """True or false; false where there is none."""
        value = self.values.get(key, False)
        if not isinstance(value, bool):
            raise UsageError(f"{key}: true or false was expected")
        return value
