"""The learned value of a position: the weights of the bases that hold, added up, say how far between the goals it is."""

from __future__ import annotations

import numpy as np

from ggp.core.kernels import borrowing
from ggp.search.kernels.basics import lowest_bit
from ggp.search.kernels.layout import Floats, Graph, Words


@borrowing
def learned(g: Graph, position: Words, r: int) -> float:
    """What the learned value says of a position, for role r."""
    total = g.weight[len(g.weight) - 1, r]
    for p in range(len(position)):
        left = position[p]
        while left:
            total += g.weight[64 * p + lowest_bit(left), r]
            left &= left - np.uint64(1)
    value: float = g.least_goal[r] + (g.best_goal[r] - g.least_goal[r]) / (1.0 + np.exp(-total))
    return value


@borrowing
def mix_value(g: Graph, k: int, position: Words, payoff: Floats) -> None:
    """Have a share of a payoff, as large as the graph's settings say, be what the learned value says of the position."""
    for r in range(len(payoff)):
        payoff[r] += g.rule[k].value * (learned(g, position, r) - payoff[r])
