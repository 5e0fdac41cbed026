"""The search solves what can be solved: tactics, puzzles, and small games from every position."""

from __future__ import annotations

import pytest

from gdl import parse_term
from ggp.search.search import Search
from ggp.search.settings import SearchSettings
from tests.search_checks import compiled
from tests.solver import Solver

PEGS = {
    "cross": (".......", "...o...", "..ooo..", "...o...", "...o..."),
    "fireplace": ("..ooo..", "..ooo..", "..ooo..", "..o.o.."),
    "pyramid": (".......", "...o...", "..ooo..", ".ooooo.", "ooooooo"),
}
"""Classic small starts of peg solitaire: one last peg in the centre can be reached from each."""


@pytest.mark.parametrize("name", PEGS)
def test_proven_moves_do_not_keep_a_puzzle_from_being_solved(name: str) -> None:
    machine = compiled("peg_solitaire")
    cells = [(x, y) for y, row in enumerate(PEGS[name], 1) for x, c in enumerate(row, 1) if c == "o"]
    fluents = [parse_term(f"(peg {x} {y})") for x, y in cells] + [parse_term(f"(pegs {len(cells)})")]
    position = machine.position(fluents)
    exact = Solver(machine).bounds(position, len(cells))
    assert max(exact.values()) == (100, 100)
    search = Search(machine, SearchSettings(), 1, memory=2**26)
    search.start(position)
    search.run(simulations=60_000)
    best = search.best(0)
    assert search.solved and best is not None and best.proven == 100
    assert exact[machine.inputs[best.input]] == (100, 100)
