"""The folder editors/: the grammar gives each word of every game its colour, and the extension names what is there."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from ggp.lsp.words import KEYWORDS, Words
from tests.helpers import ROOT, games, some

EXTENSION = ROOT / "editors" / "vscode"
GRAMMAR = json.loads((EXTENSION / "syntaxes" / "gdl.tmLanguage.json").read_text(encoding="utf-8"))
PATTERNS = [(re.compile(pattern["match"]), pattern["name"]) for pattern in GRAMMAR["patterns"]]


def coloured(line: str) -> Iterator[tuple[int, int, str]]:
    """The parts of a line with their scopes: at each place the pattern that matches first, as editors do it."""
    at = 0
    while found := min(
        ((match.start(), order, match.end(), name) for order, (pattern, name) in enumerate(PATTERNS)
         if (match := pattern.search(line, at))), default=None,
    ):  # fmt: skip
        start, _, at, name = found
        yield start, at, name


def scope(word: str, begins: bool) -> str:
    if word in ("not", "or", "and", "distinct"):
        return "keyword.control.connective.gdl"
    if word in KEYWORDS:
        return "keyword.operator.rule.gdl" if word == "<=" else "support.function.relation.gdl"
    if word.startswith("?"):
        return "variable.parameter.gdl"
    if word.isdigit():
        return "constant.numeric.gdl"
    return "entity.name.function.gdl" if begins else "constant.other.gdl"


@pytest.mark.parametrize("path", some(games()))
def test_every_word_of_a_game_has_its_colour(path: Path) -> None:
    text, at = path.read_text(encoding="utf-8"), 0
    found: dict[tuple[int, int], str] = {}
    for line in text.splitlines(keepends=True):
        found |= {(at + start, at + end): name for start, end, name in coloured(line.rstrip("\n"))}
        at += len(line)
    words = Words.of(text).all
    wanted = {(word.at, word.end): scope(word.name, text[word.at - 1] == "(") for word in words}
    assert {place: found.get(place) for place in wanted} == wanted


def test_the_extension_names_files_that_are_there() -> None:
    package = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))
    contributes = package["contributes"]
    files = [package["main"], contributes["languages"][0]["configuration"], contributes["grammars"][0]["path"]]
    assert all((EXTENSION / file).is_file() for file in files)
    assert contributes["grammars"][0]["scopeName"] == GRAMMAR["scopeName"]
    assert json.loads((EXTENSION / "language.json").read_text(encoding="utf-8"))["comments"] == {"lineComment": ";"}


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed")
def test_the_editors_own_engine_colours_the_games_the_same_way() -> None:
    if not (EXTENSION / "node_modules").is_dir():
        pytest.skip("not set up: make editors")
    done = subprocess.run(["npm", "test"], cwd=EXTENSION, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and ", 0 wrong" in done.stdout, done.stderr
