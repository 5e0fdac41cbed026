"""Offsets in a text, and the lines and characters that editors count: of UTF-16, unless both agreed on something else."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from typing import Protocol

from lsprotocol.types import Position, Range


class Codec(Protocol):
    """How an editor counts characters."""

    def client_num_units(self, string: str, /) -> int:
        """Of a text."""
        ...


class Positions:
    """Places in one text."""

    def __init__(self, text: str, codec: Codec) -> None:
        self.text, self.codec = text, codec

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(end.end() for end in re.finditer(r"\r\n|\n|\r", self.text))]

    def position(self, at: int) -> Position:
        """The place of an offset."""
        at = min(max(at, 0), len(self.text))
        line = bisect_right(self._starts, at) - 1
        return Position(line, self.codec.client_num_units(self.text[self._starts[line] : at]))

    def range(self, begin: int, end: int) -> Range:
        """The places of two offsets."""
        return Range(self.position(begin), self.position(end))

    def offset(self, position: Position) -> int:
        """The offset of a place; the last one of the line or of the text if it is behind that."""
        if position.line >= len(self._starts):
            return len(self.text)
        start = self._starts[position.line]
        end = self._starts[position.line + 1] - 1 if position.line + 1 < len(self._starts) else len(self.text)
        at, units = start, position.character
        while at < end and units > 0:
            units -= self.codec.client_num_units(self.text[at])
            at += 1
        return at
