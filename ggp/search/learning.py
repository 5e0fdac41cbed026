"""Playouts that learn: what stands behind a policy whose lanes have parameters."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ggp.circuits.circuit import Circuit
from ggp.lanes.bank import Bank
from ggp.search.arrays import Work
from ggp.search.settings import SearchSettings

DECAY = 0.5
"""What is left of what was counted when a root moves on."""


class Playing(NamedTuple):
    """The lanes that a learner sets and reads. They stay where they are in memory."""

    bank: Bank
    changed: NDArray[np.uint64]
    """[columns] the lanes that were just loaded, or have just come to their end."""
    owner: NDArray[np.int32]
    """[slots] the graph that each works for."""
    width: int
    """Lanes of a slot."""
    settings: SearchSettings = SearchSettings()
    work: Work | None = None
    """Where lanes come from: descents of a search; None: they begin with the first position."""


def by_goal(circuit: Circuit) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """How kernels know the goals: [goals, 2], the literals and their values, for each role the highest first.

    And [2, roles + 1]: where the inputs of each role begin, and the goals.
    """
    order = np.lexsort((-circuit.goal_values, circuit.goal_roles))
    first = np.searchsorted(circuit.goal_roles[order], np.arange(circuit.roles + 1))
    goals = np.column_stack([order, circuit.goal_values[order]]).astype(np.int64)
    return goals, np.array([circuit.role_starts, first], np.int64)


class Learner(Protocol):
    """Sets the parameters of lanes before they play, and learns from what they have played; for each graph apart."""

    def __init__(self, playing: Playing, graphs: int, seed: int) -> None: ...

    def begin(self) -> None:
        """The lanes that were changed are about to play."""
        ...

    def end(self) -> None:
        """The lanes that were changed have come to their end."""
        ...

    def adopt(self, other: Any) -> None:
        """Go on with what another one knows, of the same policy and of another circuit of the same program."""
        ...

    def move_on(self, graph: int, *, forget: bool) -> None:
        """The root of a graph has moved on: what was before counts less, or nothing."""
        ...


@runtime_checkable
class Replier(Learner, Protocol):
    """A learner that lanes ask before each step."""

    def reply(self, t: int) -> None:
        """Lanes have come to phase t: say what they prefer there."""
        ...
