"""Playouts that learn: what stands behind a policy whose lanes have parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ggp.banks.bank import Bank, Engine
from ggp.search.mast import Mast


class Learner(Protocol):
    """Sets the parameters of lanes before they play, and learns from what they have played; for each graph apart."""

    def __init__(self, engine: Engine, graphs: int, width: int, seed: int) -> None: ...

    def begin(self, bank: Bank, mask: NDArray[np.uint64], owner: NDArray[np.int32]) -> None:
        """Lanes are about to play: uint64 [columns]; `owner`: the graph of each slot."""
        ...

    def end(self, bank: Bank, mask: NDArray[np.uint64], owner: NDArray[np.int32]) -> None:
        """Lanes have come to their end."""
        ...

    def adopt(self, other: Any) -> None:
        """Go on with what another one knows, of the same policy and of another circuit of the same program."""
        ...

    def move_on(self, graph: int, *, forget: bool) -> None:
        """The root of a graph has moved on: what was before counts less, or nothing."""
        ...


LEARNERS: Mapping[str, type[Learner]] = {"mast": Mast}
"""For the policies that learn."""
