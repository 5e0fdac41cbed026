"""A text with a name, and places in it: file, line, column, and the line itself with a caret under the place."""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from gdl.errors import UnreadableError

_CARET_WINDOW = 100
"""Characters of a long line that are shown around a caret."""


@dataclass(frozen=True)
class Place:
    """A position in a source; lines and columns count from 1. Places of relations are in `gdl.places`."""

    name: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.name}:{self.line}:{self.column}"


@dataclass(frozen=True)
class Source:
    """A text and the name it is known by in messages (a path, or something like `<START>`)."""

    text: str = field(repr=False)
    name: str = "<text>"
    encoding: str = "utf-8"

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Source:
        """Read a file. Old rulesheets are not always UTF-8: those are read as Latin-1, and `encoding` says so."""
        try:
            data = Path(path).read_bytes()
        except OSError as error:
            raise UnreadableError(f"{os.fspath(path)}: {error.strerror or error}") from error
        if b"\0" in data:
            raise UnreadableError(f"{os.fspath(path)}: this is no text (it holds a zero byte at offset {data.index(0)})")
        try:
            return cls(data.decode("utf-8-sig"), os.fspath(path))
        except UnicodeDecodeError:
            return cls(data.decode("latin-1"), os.fspath(path), "latin-1")

    @cached_property
    def _line_starts(self) -> list[int]:
        """Offsets of line starts; a line ends with \\n, \\r\\n or a lone \\r."""
        return [0, *(end.end() for end in re.finditer(r"\r\n|\n|\r", self.text))]

    def place(self, at: int) -> Place:
        """The place of an offset."""
        at = min(max(at, 0), len(self.text))
        line = bisect_right(self._line_starts, at)
        return Place(self.name, line, at - self._line_starts[line - 1] + 1)

    def excerpt(self, at: int) -> str:
        """The line of an offset with a caret under it, in two lines; long lines are cut around the caret."""
        place = self.place(at)
        start = self._line_starts[place.line - 1]
        end = self._line_starts[place.line] if place.line < len(self._line_starts) else len(self.text)
        line = "".join(c if c.isprintable() else " " for c in self.text[start:end].rstrip("\r\n"))
        column = place.column - 1
        if len(line) > _CARET_WINDOW:
            left = max(0, column - _CARET_WINDOW // 2)
            line, column = line[left : left + _CARET_WINDOW], column - left
        return f"    {line.rstrip()}\n    {' ' * column}^"
