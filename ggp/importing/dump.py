"""Rulesheets from the dump of a games server's database: the table `games` of the Dresden server, as SQL.

What MySQL, MariaDB and phpMyAdmin write is read: `CREATE TABLE`, for the order of columns, and `INSERT INTO`; all else is
passed over. Nothing is executed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from ggp.core.errors import UsageError
from ggp.importing.files import BROKEN, opened
from ggp.importing.sheets import MetadataError, Missing, Sheet, decoded

LARGEST = 1 << 30
"""Bytes of a dump."""
TABLE = "games"
_TOKEN = re.compile(
    rb"""--[^\n]*+ | \#[^\n]*+ | /\*.*?\*/                 # comments
       | '(?P<text>[^'\\]*+(?:(?:\\.|'')[^'\\]*+)*+)'
       | [`"](?P<name>[^`"]*+)[`"]
       | (?P<mark>[(),;])
       | (?P<word>[^\s(),;'"`]++)""",
    re.DOTALL | re.VERBOSE,
)
_ESCAPE = re.compile(rb"\\(.)|''", re.DOTALL)
_ESCAPED = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"0": b"\0", b"Z": b"\x1a", b"b": b"\b"}
_NO_COLUMNS = {"primary", "key", "unique", "index", "constraint", "fulltext", "foreign", "check", "spatial"}

Value = bytes | None
Row = dict[str, Value]
_Token = tuple[str, bytes]
"""Its kind (`text`, `name`, `mark`, `word`), and what it says."""


def dump(path: Path) -> Iterator[Sheet | Missing]:
    """All rulesheets of a dump, in its order; UsageError if it has no table of games."""
    found = False
    for number, row in enumerate(rows(_read(path), TABLE), 1):
        found = True
        origin = f"{path}: {TABLE}, row {number}"
        try:
            yield _sheet(row, origin)
        except MetadataError as error:
            yield Missing(f"row {number}", origin, str(error))
    if not found:
        raise UsageError(f"{path}: no row of a table `{TABLE}` is inserted here")


def rows(data: bytes, table: str) -> Iterator[Row]:
    """The rows that are inserted into a table; names of columns in lower case."""
    tokens = _tokens(data)
    columns: list[str] = []
    for kind, value in tokens:
        word = value.lower() if kind == "word" else b""
        if word == b"create" and _is_table(tokens, table):
            columns = _columns(tokens)
        elif word == b"insert" and _is_table(tokens, table):
            yield from _inserted(tokens, columns)


def _read(path: Path) -> bytes:
    try:
        with opened(path) as stream:
            data = stream.read(LARGEST + 1)
    except BROKEN as error:
        raise UsageError(f"{path}: {getattr(error, 'strerror', None) or error}") from error
    if len(data) > LARGEST:
        raise UsageError(f"{path}: larger than {LARGEST >> 30} GB")
    return data


def _sheet(row: Row, origin: str) -> Sheet:
    name, rules, stylesheet = (row.get(column) for column in ("name", "gamedescription", "stylesheet"))
    if not name or not rules:
        raise MetadataError("columns `name` and `gamedescription` are needed")
    return Sheet(decoded(name), decoded(rules), origin, stylesheet=decoded(stylesheet or b""))


def _tokens(data: bytes) -> Iterator[_Token]:
    for found in _TOKEN.finditer(data):
        if found.lastgroup is not None:
            yield found.lastgroup, found[found.lastgroup]


def _is_table(tokens: Iterator[_Token], table: str) -> bool:
    """Whether a statement, of which the first word is read, is about a table; reads its name, before the parenthesis."""
    for kind, value in tokens:
        word = value.decode("utf-8", "replace").lower()
        if kind == "mark":
            return False
        if kind in ("name", "word") and word not in ("table", "into", "if", "not", "exists", "ignore"):
            return word.rpartition(".")[2] == table
    return False


def _columns(tokens: Iterator[_Token]) -> list[str]:
    """The names of the columns that a table is created with."""
    return [
        part[0][1].decode("utf-8", "replace").lower()
        for part in _parts(tokens)
        if part and not (part[0][0] == "word" and part[0][1].decode("utf-8", "replace").lower() in _NO_COLUMNS)
    ]


def _parts(tokens: Iterator[_Token]) -> Iterator[list[_Token]]:
    """What stands between the commas of a list in parentheses; what is in parentheses of its own is left out."""
    depth, part = 0, list[_Token]()
    for token in tokens:
        if token == ("mark", b"("):
            depth += 1
        elif token == ("mark", b")"):
            depth -= 1
            if depth == 0:
                break
        elif token == ("mark", b",") and depth == 1:
            yield part
            part = []
        elif depth == 1:
            part.append(token)
    yield part


def _inserted(tokens: Iterator[_Token], columns: Sequence[str]) -> Iterator[Row]:
    """The rows of a statement, of which the table is read."""
    for token in tokens:
        kind, value = token
        if token == ("mark", b";"):
            return
        if token == ("mark", b"("):  # the columns in the order of this statement
            listed = _parts(chain((token,), tokens))
            columns = [part[0][1].decode("utf-8", "replace").lower() for part in listed if part]
        elif kind == "word" and value.lower() == b"values":
            break
    for token in tokens:
        if token == ("mark", b";"):
            return
        if token == ("mark", b"("):
            values = [_value(part) for part in _parts(chain((token,), tokens))]
            yield dict(zip(columns, values, strict=False))


def _value(part: Sequence[_Token]) -> Value:
    """A value of a row: a text, what stands there as a word, or None for NULL."""
    if not part or part[0] == ("word", b"NULL"):
        return None
    kind, value = part[0]
    return _ESCAPE.sub(_plain, value) if kind == "text" else value


def _plain(found: re.Match[bytes]) -> bytes:
    return _ESCAPED.get(found[1], found[1]) if found[1] is not None else b"'"
