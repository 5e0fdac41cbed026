"""What kernels of all kinds use: copying, drawing at random, keeping a journal."""

from __future__ import annotations

import numpy as np

from ggp.kernels import borrowing
from ggp.search.kernels.layout import JOURNAL


@borrowing
def copy(to, values):  # type: ignore[no-untyped-def]
    """Plain assignment would allocate, in case they overlap."""
    for i in range(len(values)):
        to[i] = values[i]


@borrowing
def draw(g, k, below):  # type: ignore[no-untyped-def]
    """A random number below a bound: splitmix64, as in `reference`."""
    g.luck[k] += np.uint64(0x9E3779B97F4A7C15)
    z = g.luck[k]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return np.int64(((z >> np.uint64(32)) * np.uint64(below)) >> np.uint64(32))


@borrowing
def log_chance(g, k, kind, values):  # type: ignore[no-untyped-def]
    """Note what chance decided: 0, the inputs of a first move; 1, the payoff of a playout."""
    if len(g.journal):
        at = g.head[k, JOURNAL]
        if at < len(g.journal):
            g.journal[at, 0] = kind
            copy(g.journal[at, 1:], values)
            g.head[k, JOURNAL] = at + 1
