"""What several test files share: where games and rulesheets are, tiny games, and short ways to ask about them."""

from __future__ import annotations

import csv
import signal
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from _pytest.mark import ParameterSet

from gdl import Problem, Ruleset, Source, Term, check, kif, load, parse, parse_term
from ggp.machines.machine import Machine

ROOT = Path(__file__).resolve().parent.parent
GAMES = ROOT / "games"
RULESHEETS = ROOT.parent / "shared" / "rulesheets"
"""Rulesheets of others, read as data; they are no part of the project, so tests of them skip where they are missing."""

TINY = """\
(role me)
(init (on 1))
(legal me wait)
(<= (next (on 2)) (does me wait))
(goal me 100)
(<= terminal (true (on 2)))
"""
"""A game without any problem, of six lines: one role, one move, one step."""


def game_files() -> list[Path]:
    """The project's own games."""
    return sorted(GAMES.glob("*.kif"))


def games() -> list[ParameterSet]:
    """The project's own games, to parametrize over."""
    return [pytest.param(path, id=path.stem) for path in game_files()]


def rulesheet_index() -> list[dict[str, str]]:
    """The rows of the rulesheets' index; none where the folder is missing."""
    path = RULESHEETS / "index.csv"
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def rulesheets(slow: Iterable[str] = (), only: Iterable[str] | None = None) -> list[ParameterSet]:
    """The rulesheets to parametrize over; those named `slow` are marked so. One skipped case where there are none."""
    slow = frozenset(slow)
    wanted = None if only is None else frozenset(only)
    found = [
        pytest.param(path, id=path.stem, marks=[pytest.mark.slow] if path.stem in slow else [])
        for path in sorted(RULESHEETS.glob("*.kif"))
        if wanted is None or path.stem in wanted
    ]
    return found or [pytest.param(RULESHEETS, id="none", marks=pytest.mark.skip(reason="no shared rulesheets here"))]


def some(cases: Sequence[ParameterSet]) -> list[ParameterSet]:
    """Cases that differ little, to parametrize over: one in four is in every suite, the others in the slow one alone.

    Each has its turn by its name, so that a new game moves no other one.
    """
    return [
        case if crc32(str(case.id).encode()) % 4 == 0 else case._replace(marks=(*case.marks, pytest.mark.slow))
        for case in cases
    ]


def ruleset(text: str) -> Ruleset:
    """A checked ruleset from a text; raises if it has errors."""
    return load(Source(text, "game.kif"))


def problems(text: str) -> tuple[Problem, ...]:
    """All that parsing and checking a text finds."""
    return check(parse(Source(text, "game.kif"))).problems


def terms(*texts: str) -> tuple[Term, ...]:
    """Terms from their texts."""
    return tuple(map(parse_term, texts))


def texts(found: Iterable[Term]) -> list[str]:
    """Terms as texts."""
    return [kif(term) for term in found]


def legal_moves(machine: Machine[Any], role: int = 0) -> list[str]:
    """The legal moves of a role in the first position, as texts."""
    return texts(machine.situation(machine.initial()).legal[role])


def default_signals() -> None:
    """Let whatever is started from here have the default signals, even where this process was started to ignore some.

    `nohup` and the background jobs of scripts ignore signals, and children inherit that; a handler they do not inherit.
    This one does nothing, so that this process itself goes on ignoring what it was told to ignore.
    """
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda *_: None)


@contextmanager
def started(command: Sequence[Any], **options: Any) -> Iterator[subprocess.Popen[str]]:
    """A process; it is killed if the block ends before it does, so that a test that fails does not wait for it."""
    with subprocess.Popen(command, text=True, **options) as process:
        try:
            yield process
        finally:
            process.kill()
