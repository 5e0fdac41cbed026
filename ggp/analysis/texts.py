"""A position in a few words: what its goals are, and who cannot move."""

from __future__ import annotations

from collections.abc import Sequence

from gdl.ruleset import CHANCE
from ggp.machines.machine import Situation, goal


def stuck_text(roles: Sequence[str], situation: Situation) -> str:
    """Who has no legal move in a position; an empty text if everybody has, or the game is over."""
    stuck = [role for role, legal in zip(roles, situation.legal, strict=True) if not legal]
    if situation.terminal or not stuck:
        return ""
    return f"{' and '.join(stuck)} {'has' if len(stuck) == 1 else 'have'} no legal move"


def goals_text(roles: Sequence[str], situation: Situation) -> str:
    """The goals that count in a position, but those of chance."""
    values = zip(roles, situation.goals, strict=True)
    return "  ".join(f"{role} {goal(found)}" for role, found in values if role != CHANCE)
