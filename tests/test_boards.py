"""Boards of whole games: what they look like, that no fact is lost, and that they are plain data."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from gdl import Term, load, parse_term
from ggp.boards import board, render
from ggp.boards.model import Board
from ggp.boards.rules import Rules
from tests.golden.boards import WIDTH, board_path, boards_of, chosen
from tests.helpers import GAMES, games, rulesheets, some, terms

_SAMPLES = 60
"""Fluents of each kind in a made-up position."""


def check_all_is_there(shown: Board, fluents: list[str]) -> None:
    """No fact is lost or shown twice, cells are unique and inside their grid, and all of it is JSON."""
    assert sorted(shown.facts) == fluents
    cells = [cell for grid in shown.grids for cell in grid.cells]
    assert len({cell.id for cell in cells}) == len(cells)
    for grid in shown.grids:
        assert all(cell.column < len(grid.columns) and cell.row < len(grid.rows) for cell in grid.cells)
        assert {end for link in grid.links for end in link} <= {cell.id for cell in grid.cells}
    named = {cell for moves in shown.legal for done in moves for cell in (done.source, done.target) if cell is not None}
    if all(len(grid.cells) == len(grid.columns) * len(grid.rows) for grid in shown.grids):
        assert named <= {cell.id for cell in cells}
    data = shown.to_json()
    assert json.loads(json.dumps(data)) == data


@pytest.mark.parametrize("game", some(games()))
def test_every_game_has_a_board_that_looks_as_recorded_and_holds_every_fact(game: Path) -> None:
    boards: list[Board] = []
    for shown, fluents in boards_of(game):
        check_all_is_there(shown, fluents)
        if not boards:
            assert sorted(map(str, board(load(game)).initial)) == fluents
        boards.append(shown)
    assert chosen(boards) == board_path(game).read_text(encoding="utf-8"), "regenerate: python -m tests.golden --write"


def made_up(rules: Rules, seed: int) -> Iterator[Term]:
    """A position of fluents as the rules could have them: the first position, and anything from the domains."""
    generator = random.Random(seed)
    found = {f"({kind[0]} {' '.join(row)})" if row else kind[0] for kind, rows in rules.init.items() for row in rows}
    for kind, domains in rules.fluents():
        options = [sorted(domain) for domain in domains]
        for _ in range(_SAMPLES if all(options) else 0):
            words = " ".join(generator.choice(option) for option in options)
            found.add(f"({kind[0]} {words})" if words else kind[0])
    return map(parse_term, sorted(found))


@pytest.mark.parametrize("path", some(rulesheets()))
def test_games_of_others_have_boards_that_hold_every_fact(path: Path) -> None:
    ruleset = load(path)
    schema = board(ruleset)
    fluents = list(made_up(Rules.of(ruleset), 1))
    shown = schema.view(fluents)
    check_all_is_there(shown, sorted(map(str, fluents)))
    assert render(shown, WIDTH)


def test_what_the_rules_do_not_foresee_is_shown_beside_the_board() -> None:
    schema = board(load(GAMES / "tic_tac_toe.kif"))
    strange = terms("(marked 9 9 x)", "(marked 1 (f 1) o)", "(marked 1 1)", "(other (f x) 1)", "over", "(marked 1 1 z)")
    shown = schema.view(strange)
    check_all_is_there(shown, sorted(map(str, strange)))
    assert [item.facts for cell in shown.grids[0].cells for item in cell.items] == [("(marked 1 1 z)",)]


def test_the_shape_of_the_json() -> None:
    schema = board(load(GAMES / "tic_tac_toe.kif"))
    fluents = terms("(marked 1 2 x)", "(control o)")
    shown = schema.view(fluents, last_moves=terms("(mark 1 2)", "noop"), legal=(terms("noop"), terms("(mark 3 3)")))
    found = shown.to_json()
    item = {"name": "marked", "kind": None, "owner": "x", "symbol": "x", "facts": ["(marked 1 2 x)"]}
    cell = {"id": "1 2", "column": 0, "row": 1, "ground": [], "mark": "to", "items": [item]}
    assert next(c for c in found["grids"][0]["cells"] if c["id"] == "1 2") == cell
    grid = {key: value for key, value in found["grids"][0].items() if key != "cells"}
    assert grid == {"name": "", "columns": ["1", "2", "3"], "rows": ["3", "2", "1"], "shape": "squares", "slant": 0,
                    "links": [], "edges": [], "has_edges": False, "across": 0, "down": 0}  # fmt: skip
    assert found["groups"] == [
        {"kind": "turn", "name": "control", "entries": [{"label": "", "values": ["o"], "facts": ["(control o)"]}]}
    ]
    move: dict[str, object] = {
        "role": "o",
        "move": "(mark 3 3)",
        "source": None,
        "target": "3 3",
        "more": [],
        "line": None,
    }
    assert (found["roles"], found["to_move"], found["legal"][1]) == (["x", "o"], ["o"], [move])
    assert [done["target"] for done in found["last"]] == ["1 2", None]
