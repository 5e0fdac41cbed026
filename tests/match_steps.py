"""Steps of a match for tests, without a server and without children."""

from __future__ import annotations

from ggp.match.clocks import Due
from ggp.match.steps import Position, Steps, Told

DUE = Due(decide_by=10.0, answer_by=11.0, guess_by=12.0)


def told(*moves: str, label: str | None = None, turn: int | None = None, percepts: bool = False) -> Told:
    return Told(seen=moves or None, percepts=percepts, own=None, label=label, turn=turn)


def begun(*all_told: Told) -> Steps:
    """Steps to which no answer has been given."""
    steps = Steps()
    for each in all_told:
        steps.add(each, DUE)
    return steps


def position(step: int, *legal: str, fluents: list[str] | None = None, source: str = "referee") -> Position:
    return Position(step=step, legal=list(legal), terminal=False, goals=[50, 50], fluents=fluents, source=source)
