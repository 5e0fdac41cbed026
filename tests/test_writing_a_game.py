"""The page "Writing a game": its commands run as they stand, print what it shows, and its game is right."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gdl import Source, load
from ggp.machines.circuit import CircuitMachine
from tests.helpers import ROOT

PAGE = ROOT / "docs" / "writing-a-game.md"
NAME = "domineering.kif"


def blocks() -> Iterator[tuple[str, str]]:
    """The language and the text of each block, in the order of the page."""
    yield from re.findall(r"^```(\w+)\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def game() -> str:
    return "".join(text for language, text in blocks() if language == "lisp")


def commands(text: str) -> Iterator[tuple[str, str]]:
    """The commands of a block, each with what it prints."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, printed = part.partition("\n")
        yield command, printed


def test_every_block_is_run_or_read() -> None:
    assert {language for language, _ in blocks()} == {"console", "lisp"}
    assert len(re.findall("^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE)) == 2 * len(list(blocks()))


def test_the_page_works_as_it_stands(tmp_path: Path) -> None:
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    same = doctest.OutputChecker()
    written = ""
    for language, text in blocks():
        if language == "lisp":
            written += text
            (tmp_path / NAME).write_text(written, encoding="utf-8")
            continue
        for command, expected in commands(text):
            done = subprocess.run(
                command,
                shell=True,
                capture_output=True,
                text=True,
                check=False,
                cwd=tmp_path,
                env=environment,
                timeout=60,
            )
            no = any(
                words in expected.split("\n")[0] for words in ("does not hold, because", " never holds: ")
            )  # of `why`
            assert (done.returncode, done.stderr) == (int(no), ""), command
            assert same.check_output(expected, done.stdout, doctest.ELLIPSIS), f"{command}\n{done.stdout}"


def test_the_game_is_complete_after_the_last_block() -> None:
    assert load(Source(game(), NAME)).problems == ()


def test_the_counts_of_the_page_are_those_of_a_plain_program() -> None:
    def count(covered: frozenset[tuple[int, int]], ply: int, left: int) -> Iterator[int]:
        yield ply
        step = (1, 0) if ply % 2 else (0, 1)
        for x in range(4 - step[0]) if left else ():
            for y in range(4 - step[1]):
                domino = {(x, y), (x + step[0], y + step[1])}
                if not domino & covered:
                    yield from count(covered | domino, ply + 1, left - 1)

    machine = CircuitMachine.compile(load(Source(game(), NAME)))
    plies = list(count(frozenset(), 0, 8))
    assert [level.nodes for level in machine.perft(machine.initial(), 8)] == [plies.count(n) for n in range(9)]


@pytest.mark.parametrize("link", re.findall(r"\(([\w/.-]+\.md)\)|`(games/\w+\.\w+)`", PAGE.read_text(encoding="utf-8")))
def test_what_the_page_names_is_there(link: tuple[str, str]) -> None:
    assert (PAGE.parent / link[0]).exists() if link[0] else link[1] == "games/NAME.kif" or (ROOT / link[1]).exists()
