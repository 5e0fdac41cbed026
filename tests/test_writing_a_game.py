"""The page "Writing a game": its game is right. That its commands do what it shows is checked in test_documents.py."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from gdl import Source, load
from ggp.machines.circuit import CircuitMachine
from tests.documents import Piece, steps
from tests.helpers import ROOT

PAGE = ROOT / "docs" / "writing-a-game.md"
NAME = "domineering.kif"


def game() -> str:
    """The pieces of the page, one after the other."""
    return "".join(step.text for step in steps(PAGE) if isinstance(step, Piece) and step.name == NAME)


def test_every_block_is_run_or_read() -> None:
    languages = re.findall(r"^```(\w*)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert set(languages[::2]) == {"console", "lisp"}
    assert set(languages[1::2]) == {""}


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
