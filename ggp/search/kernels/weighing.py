"""How a descent weighs the moves of a node: the formulas, once, for the kernels and for the reference.

`rule` is the `Rule` of a graph in the kernels, and the settings of a search in the reference: what is read here has the
same name in both.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Protocol

import numpy as np

from ggp.search.kernels.records import Bool, Float, Int64, Record


class Way(IntEnum):
    """How AMAF values are weighed."""

    ERROR = 0
    """So that the error is least: by the playouts of the move, and those that AMAF knows."""
    VISITS = 1
    """By the playouts of the node."""
    BONUS = 2
    """They are a bonus that fades with the playouts of the move."""


class Rule(Record):
    """The settings of a graph: those of the same names as they are, and what follows from others.

    A level is a number of sums that nodes keep, see `sums`; -1: the edge's own.
    """

    c: Float
    """How much a lack of playouts weighs."""
    first_play: Float
    """What a move is worth that was never tried."""
    prior: Float
    """Playouts that what is expected of such a move counts as; 0: nothing is expected (see `expected`)."""
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
    rave: Float
    """Playouts at which the mean of a move weighs as much as its AMAF value; 0: that is not kept (see `amaf`)."""
    rave_ref: Float
    """Playouts of a node from which on its AMAF values are those that count at and below it."""
    rave_depth: Int64
    """Where they come from: 0, the node; 1, the nodes that its edges lead to."""
    rave_way: Int64
    """How they are weighed, a `Way`."""
    by_input: Bool
    """Whether nodes keep AMAF values of all inputs of the game, or of their own moves only."""
    grouped: Bool
    """Whether a group of moves is chosen first (see `grouping`);"""
    near: Bool
    """whether by the places of moves on the board, or by what is known of each input beforehand;"""
    overlap: Bool
    """whether one group has all moves."""
    value: Float
    """The share of a payoff that is what the learned value says of the position (see `valuing`)."""
    minimax: Float
    """The share of a move's value that is the best that learned values promise below it (see `minimax`)."""


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

    @property
    def prior(self) -> float:
        """Playouts that what is expected of a move that was never tried counts as."""
        ...

    @property
    def rave(self) -> float:
        """Playouts at which the mean of a move weighs as much as its AMAF value."""
        ...

    @property
    def rave_way(self) -> int:
        """How AMAF values are weighed, a `Way`."""
        ...


def untried(rule: Weighing) -> float:
    """What a move is worth that was never tried, beside the adapted values of those that were.

    Less than any value that may come: first-play urgency (Gelly and Wang 2006). Where there are more moves than playouts,
    a good one is looked into before the last one has had its turn.
    """
    return rule.first_play


def expected(rule: Weighing, mean: float, liking: float, exploration: float) -> float:
    """What is expected of a move that was never tried: the mean of its node, and how much better than others it is liked.

    It is explored as if it had been tried `prior` times. Chaslot and others (2008) give new nodes such a prior from
    patterns; here it comes from playouts, as in progressive history (Nijssen and Winands 2011).
    """
    return mean + liking + exploration / float(np.sqrt(rule.prior))


def weight(rule: Weighing, playouts: float) -> float:
    """How much a lack of playouts weighs where there were so many in all: times 1 / sqrt(n) of a move."""
    return rule.c * float(np.sqrt(np.log(max(playouts, 1.0))))


def mixed(rule: Weighing, mean: float, spread: float, n: float, total: float, visits: float) -> float:
    """The value of a move that was tried: its mean, and what it has led to when it was played later (AMAF), weighed.

    `spread`: 1 / sqrt(playouts of the move); n, total: AMAF's; `visits`: playouts of the node. The weight of AMAF is
    √(K / (3 N + K)) (Gelly and Silver 2007), or ñ / (ñ + n + ñ n / K), which keeps the error least (Silver 2009): K is
    `rave`, N the visits, n the playouts of the move and ñ those that AMAF knows. Or AMAF is a bonus that fades, the
    sooner the worse the move is: K times its mean over n (1 - mean) + 1 (progressive history: Nijssen, Winands 2011).
    """
    if n == 0:
        return mean
    if rule.rave_way == Way.BONUS:
        return mean + rule.rave * (total / n) / ((1.0 - mean / 100.0) / (spread * spread) + 1.0)
    gap = total - n * mean
    if rule.rave_way == Way.VISITS:
        return mean + gap / n * float(np.sqrt(rule.rave / (3.0 * visits + rule.rave)))
    return mean + gap * (spread * spread) / (1.0 + n * (spread * spread + 1.0 / rule.rave))


def unplayed(rule: Weighing, n: float, total: float, exploration: float) -> float:
    """The value of a move that was never tried: what it has led to later, explored as if it had been tried once."""
    return total / n + exploration if n > 0 else rule.first_play
