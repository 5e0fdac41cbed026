"""What a new child must be told, so that it can take part in a match at any time."""

from __future__ import annotations

from collections.abc import Iterator

from ggp.match.messages import Start
from ggp.match.packets import Packet
from ggp.match.settings import PlayerSettings
from ggp.match.steps import Steps


def briefing(start: Start, settings: PlayerSettings, ready_by: float, steps: Steps, kind: str) -> Iterator[Packet]:
    """The commands for a new child: the match, the newest position that is known, and what followed.

    If the server waits for a move, a mind is asked for it.
    """
    known, newest = steps.known, steps.newest
    if known is not None and (known.fluents is None or steps.in_doubt):
        known = None
    yield {
        "do": "load", "rules": start.rules, "role": start.role, "match": start.match,
        "player": settings.player, "seed": settings.seed, "question_seconds": settings.question_seconds,
        "particles": settings.particles, "ready_by": ready_by, "ponder": settings.ponder,
        "fluents": None if known is None else known.fluents, "step": -1 if known is None else known.step,
    }  # fmt: skip
    for number in range(0 if known is None else known.step + 1, newest.number + 1):
        yield steps[number].advance(None)
    if kind == "mind" and newest.due is not None and newest.is_waited_for:
        yield {**newest.advance(newest.due.decide_by), "seen": None}
