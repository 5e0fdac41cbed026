"""The commands and files of README.md, CONTRIBUTING.md and docs/*.md, in the order in which a reader meets them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.helpers import ROOT

DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
_FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_INLINE = re.compile(r"`(ggp\s+[\w-]+\s+[^`]*)`")


@dataclass(frozen=True)
class Command:
    """A line for the shell."""

    place: str
    text: str
    comment: str = ""
    """What the document says beside it."""
    printed: str | None = None
    """What the document shows as its output; `...` stands for what is left out."""


@dataclass(frozen=True)
class Piece:
    """A piece of a file that the reader is to write; the pieces of one file follow each other."""

    name: str
    text: str


def steps(document: Path) -> Iterator[Command | Piece]:
    """What a reader of a document does, line by line."""
    text = document.read_text(encoding="utf-8")
    end = 0
    for block in _FENCED.finditer(text):
        yield from _inline(document, text, end, block.start())
        yield from _block(document, text, block)
        end = block.end()
    yield from _inline(document, text, end, len(text))


def commands(document: Path) -> Iterator[Command]:
    """The commands of a document."""
    for step in steps(document):
        if isinstance(step, Command):
            yield step


def _inline(document: Path, text: str, start: int, end: int) -> Iterator[Command]:
    """Whole commands in the running text; the name of a command alone is none, nor is one with words left out."""
    for found in _INLINE.finditer(text, start, end):
        if "…" not in found[1] and "..." not in found[1]:
            yield Command(_place(document, text, found.start()), " ".join(found[1].split()))


def _block(document: Path, text: str, block: re.Match[str]) -> Iterator[Command | Piece]:
    language, inside = block[1], block[2]
    if language == "sh":
        for line in re.finditer(r"^(\S.*?)(?:\s+#\s+(.*))?$", inside.replace("\\\n", "  "), re.MULTILINE):
            yield Command(_place(document, text, block.start(2) + line.start()), line[1], line[2] or "")
    elif language in ("console", ""):
        for shown in re.finditer(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", inside, re.MULTILINE):
            yield Command(_place(document, text, block.start(2) + shown.start()), shown[1], printed=shown[2])
    elif language == "lisp":  # of the game that the page has just started
        started = re.findall(r"^\$ ggp new (\w+)", text[: block.start()], re.MULTILINE)
        yield Piece(f"{started[-1]}.kif", inside)
    elif language == "toml":
        named = re.search(r'^name = "(.*?)"', inside, re.MULTILINE)
        assert named is not None, f"{document.name}: a TOML file without a name"
        yield Piece(f"{named[1]}.toml", inside)
    else:
        assert language == "python", f"{document.name}: nobody knows what to do with a block of {language}"


def _place(document: Path, text: str, offset: int) -> str:
    return f"{document.relative_to(ROOT)}:{text.count(chr(10), 0, offset) + 1}"
