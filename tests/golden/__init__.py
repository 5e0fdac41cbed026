"""Recorded play-throughs of the project's games in `play/`, their boards in `boards/`, search graphs in `search/`.

A change of behaviour shows as a difference here. If it is meant, record anew and commit both together:

    python -m tests.golden --write

Without `--write` the command only tells which records differ.
"""

from __future__ import annotations

from pathlib import Path

from gdl import load
from ggp.machines import PrologMachine
from ggp.machines.transcript import transcript

PLAY = Path(__file__).parent / "play"
SEED = 1
STEPS = 25
"""Steps that are recorded: small games end within them, and the records of long ones stay short."""


def record(game: Path) -> str:
    """The play-through of a game as text."""
    ruleset = load(game)
    machine = PrologMachine(ruleset)
    try:
        return "\n".join(text for text, _ in transcript(ruleset, machine, SEED, STEPS)) + "\n"
    finally:
        machine.close()


def path_of(game: Path) -> Path:
    """Where the play-through of a game is recorded."""
    return PLAY / f"{game.stem}.txt"
