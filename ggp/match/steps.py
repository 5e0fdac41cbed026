"""The steps of a match as the server told them, and which of them a PLAY is about: servers send messages again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ggp.match.packets import Packet


@dataclass(frozen=True)
class Told:
    """What a PLAY told about a step."""

    seen: tuple[str, ...] | None
    """The joint move, or the percepts; None for NIL."""
    percepts: bool
    own: str | None
    """Our own move before it, where percepts are told."""
    label: str | None
    """GGP-Match-Step."""
    turn: int | None = None
    """The number of the step, in GDL-II's long form."""


class Steps:
    """What was told, step by step."""

    def __init__(self) -> None:
        self._told: list[Told] = []

    @property
    def last(self) -> int:
        """The number of the newest step; -1 before the first."""
        return len(self._told) - 1

    @property
    def in_doubt(self) -> bool:
        """True if percepts were told: the position cannot be worked out from the moves."""
        return any(told.percepts for told in self._told)

    def add(self, told: Told) -> None:
        """A new step."""
        self._told.append(told)

    def repeated(self, told: Told, is_waited_for: bool, may_follow: Callable[[tuple[str, ...]], bool]) -> int | None:
        """The step that a PLAY repeats; None if it is about a new one.

        `is_waited_for`: the newest step has no answer yet. `may_follow` tells whether a joint move is legal now: if the
        same moves were told before and cannot follow, the message is an old one.
        """
        same = [step for step, before in enumerate(self._told) if before.seen == told.seen]
        if not same:
            return None
        if told.turn is not None:
            return told.turn if told.turn in same else None
        if told.label is not None:
            return next((step for step in reversed(same) if self._told[step].label == told.label), None)
        latest = same[-1]
        if told.seen is None or (latest == self.last and is_waited_for):
            return latest
        if told.percepts or may_follow(told.seen):
            return None
        return latest

    def advance(self, step: int, decide_by: float | None) -> Packet:
        """The command for a child to go on to a step, and to decide by then."""
        told = self._told[step]
        return {
            "do": "advance", "step": step, "seen": told.seen, "percepts": told.percepts, "own": told.own,
            "decide_by": decide_by,
        }  # fmt: skip
