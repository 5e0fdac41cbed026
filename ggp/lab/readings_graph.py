"""What the readings of the UCD paper search: their settings, their graphs, and the rules of LeftRight and of Hex 5×5.

A `Reading` says what the paper leaves open; `readings_search` searches by it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ggp.core.kernels import borrowing

INFINITE = 3
"""Stands for d = ∞; other depths are 0, 1 and 2."""
LEFT_RIGHT, HEX = 0, 1
MOST_VISITS, BEST_MEAN, BEST_ADAPTED, MOST_COUNTED = range(4)
"""How a move is chosen in the end: by n, by μ, by μ_d1, by n_d3."""
TABLE, ALL, D1, D2, D3, EAGER, VALUED, LEAK, INHERIT, FIRST, FINAL, KEPT, ADDS, STOPS = range(14)
SIDE = 5
WEST = sum(1 << SIDE * row for row in range(SIDE))
EAST = WEST << (SIDE - 1)
NORTH = (1 << SIDE) - 1
SOUTH = NORTH << SIDE * (SIDE - 1)
OPENING = 1 << (SIDE + 1)
"""Black's first stone, on b2."""


@dataclass(frozen=True)
class Reading:
    """A setting of the paper, and what the paper leaves open."""

    d1: int = 0
    d2: int = 0
    d3: int = 0
    c: float = 0.3
    table: bool = True
    """Whether equal positions are one node."""
    update_all: bool = False
    eager: bool = False
    """A new position is at once joined to all known ones that lead to it, or it to them; else when the move is made."""
    valued: bool = False
    """A move never made, to a known position, has the adapted value of what is known there; else it comes first."""
    leak: bool = False
    """n′ and μ′ are not kept: formulas (5) and (7) instead of (10) and (12)."""
    inherit: bool = False
    """With update-all: a new edge to a known position takes over what has been paid there."""
    first: bool = False
    """Of equal moves the first one is taken; else any."""
    final: int = MOST_VISITS
    """How the move is chosen in the end."""
    kept: bool = False
    """The graph is kept from move to move."""
    adds: int = 1
    """Nodes that a simulation adds, at most."""
    stops: bool = False
    """A descent ends where it finds that a move leads to a known position, as it does at a new one."""

    def rule(self) -> NDArray[np.int64]:
        """As the kernels read it."""
        values = (
            self.table, self.update_all, self.d1, self.d2, self.d3, self.eager, self.valued, self.leak, self.inherit,
            self.first, self.final, self.kept, self.adds, self.stops,
        )  # fmt: skip
        return np.array(values, np.int64)


class Graph(NamedTuple):
    """Positions and moves. A position is two whole numbers: lefts and steps, or the stones of black and white as bits."""

    a: NDArray[np.int64]
    b: NDArray[np.int64]
    ply: NDArray[np.int64]
    over: NDArray[np.bool_]
    kid: NDArray[np.int32]
    """[node, move]: where the move leads; -1: not known."""
    paid: NDArray[np.float64]
    """[node, move, 4]: n and the sum of payoffs, n′ and the sum of those."""
    level: NDArray[np.float64]
    """[node, depth, 2]: the sums over the edges of μ_d·n and of n_d."""
    total: NDArray[np.float64]
    """[node, 2]: payoffs at and below it, with update-all."""
    head: NDArray[np.int32]
    """The last edge (node·moves + move) that leads to a node; -1: none."""
    link: NDArray[np.int32]
    """[node, move]: the one before it."""
    mark: NDArray[np.int64]
    queue: NDArray[np.int32]
    places: NDArray[np.int32]
    """Nodes by a digest of their position."""
    luck: NDArray[np.uint64]
    cells: NDArray[np.int64]
    """Empty cells, for a random game."""
    state: NDArray[np.int64]
    """How many nodes there are; the last mark; the game; the steps of LeftRight."""


def new_graph(game: int, nodes: int, steps: int, seed: int) -> Graph:
    """An empty graph with room for so many nodes."""
    moves = 2 if game == LEFT_RIGHT else SIDE * SIDE
    whole, edges = np.zeros(nodes, np.int64), (nodes, moves)
    return Graph(
        whole, whole.copy(), whole.copy(), np.zeros(nodes, np.bool_), np.full(edges, -1, np.int32),
        np.zeros((*edges, 4)), np.zeros((nodes, 4, 2)), np.zeros((nodes, 2)), np.full(nodes, -1, np.int32),
        np.full(edges, -1, np.int32), whole.copy(), np.zeros(nodes, np.int32),
        np.full(1 << (2 * nodes).bit_length(), -1, np.int32), np.array([seed % 2**64], np.uint64),
        np.zeros(SIDE * SIDE, np.int64), np.array([0, 0, game, steps], np.int64),
    )  # fmt: skip


@borrowing
def draw(g: Any, count: int) -> Any:
    """A number below `count`, from a splitmix64 generator."""
    return np.int64(((_bits(g) >> np.uint64(32)) * np.uint64(count)) >> np.uint64(32))


@borrowing
def _bits(g: Any) -> Any:
    g.luck[0] += np.uint64(0x9E3779B97F4A7C15)
    z = g.luck[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@borrowing
def _ones(z: Any) -> Any:
    """How many bits of a word are set."""
    z -= (z >> np.uint64(1)) & np.uint64(0x5555555555555555)
    z = (z & np.uint64(0x3333333333333333)) + ((z >> np.uint64(2)) & np.uint64(0x3333333333333333))
    z = (z + (z >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((z * np.uint64(0x0101010101010101)) >> np.uint64(56))


@borrowing
def connects(stones: int, start: int, end: int) -> Any:
    """Whether a chain of stones leads from one edge to the other."""
    reached = stones & start
    while True:
        sides = ((reached & ~EAST) << 1) | ((reached & ~WEST) >> 1) | (reached << SIDE) | (reached >> SIDE)
        sides |= ((reached & ~WEST) << (SIDE - 1)) | ((reached & ~EAST) >> (SIDE - 1))
        grown = reached | (sides & stones)
        if grown == reached:
            return (reached & end) != 0
        reached = grown


@borrowing
def is_legal(g: Any, x: int, m: int) -> Any:
    """Whether a move can be made at a node."""
    return g.state[2] == 0 or ((g.a[x] | g.b[x]) >> m) & 1 == 0


@borrowing
def position_after(g: Any, x: int, m: int) -> Any:
    """The position that a move leads to."""
    a, b = g.a[x], g.b[x]
    if g.state[2] == 0:
        return a + (1 if m == 0 else 0), b + 1
    return (a | (1 << m), b) if g.ply[x] % 2 == 0 else (a, b | (1 << m))


@borrowing
def payoff_of(g: Any, x: int) -> Any:
    """Of the end, or of a random game from there: the share of lefts, or 1 where black wins."""
    a, b = g.a[x], g.b[x]
    if g.state[2] == 0:
        left = g.state[3] - b
        while left > 0:
            word = _bits(g)
            if left < 64:
                word >>= np.uint64(64 - left)
            a += _ones(word)
            left -= 64
        return a / g.state[3]
    if g.over[x]:
        return 1.0 if g.ply[x] % 2 == 1 else 0.0
    empty, count = g.cells, 0
    for m in range(SIDE * SIDE):
        if ((a | b) >> m) & 1 == 0:
            empty[count] = m
            count += 1
    mine = (count + 1) // 2 if g.ply[x] % 2 == 0 else count // 2
    for i in range(mine):  # black gets so many of the empty cells, any of them
        j = i + draw(g, count - i)
        empty[i], empty[j] = empty[j], empty[i]
        a |= 1 << empty[i]
    return 1.0 if connects(a, NORTH, SOUTH) else 0.0
