"""The slow, obvious reading of a circuit: one position at a time, in Python."""

from __future__ import annotations

from itertools import product

import numpy as np

from ggp.circuits.circuit import Circuit
from ggp.lanes.network import Network


def values(c: Circuit, position: list[bool], moves: tuple[int, ...] = ()) -> list[bool]:
    """The value of every gate."""
    value = [False] * c.gates
    value[1 : 1 + c.bases] = position
    for k in moves:
        value[1 + c.bases + k] = True
    loops = dict(c.loops.tolist())
    g = c.first
    while g < c.gates:
        hi = loops.get(g, g + 1)
        while True:
            before = value[g:hi]
            for i in range(g, hi):
                value[i] = read(value, c.left[i]) and read(value, c.right[i])
            if g not in loops or value[g:hi] == before:
                break
        g = hi
    return value


def read(value: list[bool], literal: int) -> bool:
    return value[literal >> 1] != bool(literal & 1)


def legal(c: Circuit, value: list[bool]) -> list[list[int]]:
    """Legal inputs of each role."""
    pairs = zip(c.role_starts[:-1], c.role_starts[1:], strict=True)
    return [[k for k in range(lo, hi) if read(value, c.legal[k])] for lo, hi in pairs]


def successors(c: Circuit, position: list[bool]) -> set[tuple[bool, ...]]:
    found = set()
    for moves in product(*legal(c, values(c, position))):
        value = values(c, position, moves)
        found.add(tuple(read(value, x) for x in c.next))
    return found


def playout(c: Circuit, rng: np.random.Generator) -> tuple[int, list[bool]]:
    """Length and goal literals of a random game."""
    position, steps = c.initial.tolist(), 0
    while True:
        value = values(c, position)
        if read(value, c.terminal):
            return steps, [read(value, x) for x in c.goal_literals]
        moves = tuple(int(rng.choice(row)) for row in legal(c, value))
        value = values(c, position, moves)
        position, steps = [read(value, x) for x in c.next], steps + 1


def network_values(net: Network, rows: dict[int, int], words: int = 64) -> list[int]:
    """Every node of an acyclic network as a word."""
    mask = (1 << words) - 1
    out: list[int] = []
    for kind, x, y in zip(*(x.tolist() for x in net.arrays()), strict=True):
        if kind == 0:
            out.append(0)
        elif kind == 1:
            out.append(rows[x])
        else:
            a, b = (out[z >> 1] ^ (mask if z & 1 else 0) for z in (x, y))
            s = (a + b) & mask
            out.append(a & b if kind == 2 else (s << 27 | s >> 37) & mask)
    return out
