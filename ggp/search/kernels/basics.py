"""What kernels of all kinds use: copying, drawing at random, keeping a journal."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.cpython.unsafe.numbers import trailing_zeros
from numpy.typing import NDArray

from ggp.core.kernels import borrowing, inlined
from ggp.search.kernels.layout import Graph


@borrowing
def copy(to: NDArray[Any], values: NDArray[Any]) -> None:
    """Plain assignment would allocate, in case they overlap."""
    for i in range(len(values)):
        to[i] = values[i]


@borrowing
def draw(g: Graph, k: int, below: int) -> int:
    """A random number below a bound: splitmix64, as in `reference`."""
    g.luck[k] += np.uint64(0x9E3779B97F4A7C15)
    z = g.luck[k]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return int(np.int64(((z >> np.uint64(32)) * np.uint64(below)) >> np.uint64(32)))


@inlined
def lowest_bit(word: np.uint64) -> int:
    """The number of the lowest bit that is set, if one is."""
    return int(np.int64(trailing_zeros(word)))  # type: ignore[call-arg]


@borrowing
def log_chance(g: Graph, k: int, kind: float, values: NDArray[Any]) -> None:
    """Note what chance decided: 0, the inputs of a first move; 1, the payoff of a playout."""
    if len(g.journal):
        at = g.head[k].journal
        if at < len(g.journal):
            g.journal[at, 0] = kind
            copy(g.journal[at, 1:], values)
            g.head[k].journal = at + 1
