"""What one role knows of a match: all that happened, or where percepts are told, its own moves and what it saw."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from gdl.terms import Term
from ggp.human.movelist import joint_spoken, spoken
from ggp.machines.machine import Machine
from ggp.match.belief import Belief
from ggp.match.seats import Scene
from ggp.match.telling import Happened

_PARTICLES = 64
"""Positions that are sampled from what a role saw."""
_SAMPLING = 1.0
"""Seconds for that, after each step."""


class Memory:
    """What a role was told, step by step. A scene of an earlier step makes it forget what came after."""

    def __init__(self, machine: Machine[Any], role: int, seed: int) -> None:
        self._machine = machine
        self._role = role
        self._seed = seed
        self._steps: list[Happened] = []
        self._scene: Scene | None = None
        self._belief: Belief | None = None
        self._believed = 0
        """Steps that the belief has seen."""
        self._agrees = True

    def note(self, scene: Scene) -> None:
        """Be asked about a scene: the match has reached it, or has gone back to it."""
        happened = scene.happened
        if happened.turn <= len(self._steps):
            self._belief = None
        del self._steps[max(0, happened.turn - 1) :]
        if happened.joint is not None:
            self._steps.append(happened)
        self._scene = scene

    def tale(self, since: int = 0) -> list[str]:
        """What happened in each step from `since` on, as the role may know it."""
        return [happened_text(self._machine.roles, step, self._role) for step in self._steps[since:]]

    def known(self) -> list[tuple[Any, int]]:
        """The positions that may be the true one, with how often each was found; none if none explains what was seen."""
        assert self._scene is not None
        if self._scene.happened.percepts is None:
            return [(self._scene.position, 1)]
        belief = self._belief
        if belief is None:
            belief = self._belief = Belief(self._machine, self._role, self._seed, _PARTICLES)
            self._believed, self._agrees = 0, True
        for step in self._steps[self._believed :]:
            assert step.joint is not None and step.percepts is not None
            until = time.monotonic() + _SAMPLING
            self._agrees = belief.apply_percepts(step.joint[self._role], step.percepts[self._role], until)
        self._believed = len(self._steps)
        return belief.common() if self._agrees else []

    def certain(self) -> tuple[list[Term], int]:
        """The fluents of the position; where several may be the true one, those that all have, and how many these are."""
        known = self.known()
        if not known:
            return [], 0
        first, *others = (self._machine.fluents(position) for position, _ in known)
        shared = set(first).intersection(*others)
        return [fluent for fluent in first if fluent in shared], len(known)


def happened_text(roles: Sequence[str], step: Happened, role: int) -> str:
    """A step in a line: the joint move, or a role's own move and what it saw."""
    assert step.joint is not None
    if step.percepts is None:
        return f"step {step.turn}  {joint_spoken(roles, step.joint)}"
    seen = ", ".join(map(spoken, step.percepts[role])) or "nothing"
    return f"step {step.turn}  {roles[role]}: {spoken(step.joint[role])}  saw: {seen}"
