"""What the tests of specialists share: players at a fake program, and turns without a machine."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from gdl import load, parse_term
from ggp.machines.machine import Situation
from ggp.players.player import Turn
from ggp.specialists.player import SpecialistPlayer, make_specialist
from tests.helpers import GAMES, ROOT

Joint = tuple[str, str]


def fake(protocol: str, behaviour: str, log: Path, *moves: str, options: str = "") -> str:
    """How a fake program is written."""
    words = [str(ROOT / "tests" / "fake_specialist.py"), protocol, behaviour, str(log), *moves]
    return f"{protocol}:{sys.executable},{','.join(words)}{options}"


@contextmanager
def seated(spec: str, game: str) -> Iterator[SpecialistPlayer]:
    """A player for a match of a game of the library; its program ends with the block."""
    player = make_specialist(spec, 1, load(GAMES / f"{game}.kif"))
    try:
        yield player
    finally:
        player.close()


def turn(legal: Sequence[str], history: Sequence[Joint] | None = (), role: int = 0, seconds: float | None = 5) -> Turn:
    """A turn of which only the legal moves are known, and what led there."""
    own = tuple(map(parse_term, legal))
    moves = tuple(own if number == role else (parse_term("noop"),) for number in (0, 1))
    joints = None if history is None else [(parse_term(one), parse_term(other)) for one, other in history]
    deadline = None if seconds is None else time.monotonic() + seconds
    nothing: Any = None
    return Turn(nothing, nothing, Situation(False, moves, ((), ())), role, deadline, history=joints)


def told(log: Path, *left_out: str) -> list[str]:
    """What a fake program was told, without the numbers of GTP and without some commands."""
    lines = [line.lstrip("0123456789 ") for line in log.read_text(encoding="utf-8").splitlines()]
    return [line for line in lines if line.split()[0] not in left_out]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Where a fake program writes what it is told."""
    return tmp_path / "log"
