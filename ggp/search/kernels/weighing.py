"""How a descent weighs the moves of a node: the formulas, once, for the kernels and for the reference.

`rule` is the `Rule` of a graph in the kernels, and the settings of a search in the reference: what is read here has the
same name in both.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from ggp.search.kernels.records import Bool, Float, Int64, Record


class Rule(Record):
    """The settings of a graph: those of the same names as they are, and what follows from others.

    A level is a number of sums that nodes keep, see `sums`; -1: the edge's own.
    """

    c: Float
    """How much a lack of playouts weighs."""
    first_play: Float
    """What a move is worth that was never tried."""
    mean_level: Int64
    """Where selections find the mean of an edge: a level of its end."""
    parent_level: Int64
    """Where they find the playouts of the edge's origin: a level of that."""
    count_level: Int64
    """Where they find the playouts of the edge: a level of its end."""
    finite: Int64
    """The last level of finite depth that is kept."""
    infinite: Int64
    """The level of infinite depth; 0: it is not kept."""
    table: Bool
    """Whether equal positions are one node."""
    update_all: Bool
    """Whether payoffs go to all edges that lead to the playout's position."""
    solver: Bool
    """Whether proofs are used."""


class Weighing(Protocol):
    """What the formulas read."""

    @property
    def c(self) -> float:
        """How much a lack of playouts weighs."""
        ...

    @property
    def first_play(self) -> float:
        """What a move is worth that was never tried."""
        ...


def untried(rule: Weighing) -> float:
    """What a move is worth that was never tried, beside the adapted values of those that were.

    Less than any value that may come: first-play urgency (Gelly and Wang 2006). Where there are more moves than playouts,
    a good one is looked into before the last one has had its turn.
    """
    return rule.first_play


def weight(rule: Weighing, playouts: float) -> float:
    """How much a lack of playouts weighs where there were so many in all: times 1 / sqrt(n) of a move."""
    return rule.c * float(np.sqrt(np.log(max(playouts, 1.0))))
