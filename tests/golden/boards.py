"""Recorded boards: each game of the library some steps into a random play, as the terminal shows it without colours."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gdl import load
from ggp.boards import board, render
from ggp.boards.model import Board
from ggp.machines import PrologMachine
from ggp.machines.plays import random_play

BOARDS = Path(__file__).parent / "boards"
SEED = 1
STEPS = 24
WIDTH = 100


def boards_of(game: Path, steps: int = STEPS) -> Iterator[tuple[Board, list[str]]]:
    """The boards of a random play, and the fluents of each position."""
    ruleset = load(game)
    schema = board(ruleset)
    machine = PrologMachine(ruleset)
    try:
        last, before = None, None
        for step in random_play(machine, SEED, steps):
            fluents = machine.fluents(step.position)
            legal, over = step.situation.legal, step.situation.terminal
            yield (
                schema.view(fluents, last_moves=last, legal=legal, before=before, over=over),
                sorted(map(str, fluents)),
            )
            last, before = step.joint, fluents
    finally:
        machine.close()


def record_board(game: Path) -> str:
    """The board after two thirds of the play, as text."""
    boards = [shown for shown, _ in boards_of(game)]
    return chosen(boards)


def chosen(boards: list[Board]) -> str:
    """The text of the board that is recorded."""
    shown = boards[len(boards) * 2 // 3]
    moves = "  ".join(f"{done.role} {done.move}" for done in shown.last)
    return f"{moves}\n{render(shown, WIDTH)}\n"


def board_path(game: Path) -> Path:
    """Where the board of a game is recorded."""
    return BOARDS / f"{game.stem}.txt"
