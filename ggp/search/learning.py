"""Playouts that learn: what stands behind a policy whose lanes have parameters."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ggp.lanes.bank import Bank


class Playing(NamedTuple):
    """The lanes that a learner sets and reads. They stay where they are in memory."""

    bank: Bank
    changed: NDArray[np.uint64]
    """[columns] the lanes that were just loaded, or have just come to their end."""
    owner: NDArray[np.int32]
    """[slots] the graph that each works for."""
    width: int
    """Lanes of a slot."""


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
