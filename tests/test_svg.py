"""Boards as SVG: every game of the library has a picture that holds all that its text shows."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from ggp.boards.grid_text import seen
from ggp.boards.svg import render_svg
from tests.golden.boards import boards_of
from tests.helpers import game_files

_SVG = "{http://www.w3.org/2000/svg}"


QUICK = ("connect_four", "hex_5x5", "merrills", "dots_and_boxes", "kalah")
"""Squares, hexes, links, edges, and labels that are words."""


@pytest.mark.parametrize(
    "game", [pytest.param(f, id=f.stem, marks=() if f.stem in QUICK else pytest.mark.slow) for f in game_files()]
)
def test_every_position_has_a_picture_of_all_that_is_seen(game: Path) -> None:
    *_, (shown, _) = boards_of(game)
    root = ElementTree.fromstring(render_svg(shown))
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    cells = [cell for grid in shown.grids for cell in grid.cells]
    assert len([*root.iter(f"{_SVG}rect"), *root.iter(f"{_SVG}polygon")]) == 1 + len(cells)  # the paper is one
    assert len([*root.iter(f"{_SVG}title")]) == sum(len(seen(cell)) for cell in cells)
    written = {text.text for text in root.iter(f"{_SVG}text")}
    assert {label for grid in shown.grids for label in (*grid.columns, *grid.rows)} <= written
    for drawn in root.iter(f"{_SVG}circle"):
        assert 0 < float(drawn.attrib["cx"]) < width and 0 < float(drawn.attrib["cy"]) < height
