"""A hashed and-inverter graph under construction.

Everything a lap does (the game, the random choice, refilling, counting) is built here as gates, so that
constants fold, equal parts are shared and one mapper and one scheduler see it all.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Literal: TypeAlias = int  # 2*node, or 2*node+1 for its negation
FALSE, TRUE = 0, 1
CONSTANT, LEAF, AND, RANDOM = range(4)


@dataclass(frozen=True)
class Fixpoint:
    """A positive cycle cut open: iterate nodes [lo, hi) from `old` = 0 until `new` equals `old` in every
    lane.
    """

    lo: int
    hi: int
    old: tuple[Literal, ...]  # leaves
    new: tuple[Literal, ...]


class Network:
    """Nodes in topological order. Node 0 is constant false; operands are literals, except the row of a
    leaf.
    """

    def __init__(self) -> None:
        self.kind = array("B", [CONSTANT])
        self.left = array("i", [0])  # operand literal; the row of a LEAF
        self.right = array("i", [0])
        self.fixpoints: list[Fixpoint] = []
        self._known: dict[int, int] = {}  # both operands in one number

    def __len__(self) -> int:
        return len(self.kind)

    def arrays(self) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """The kinds and both operands of all nodes, copied."""
        return np.array(self.kind, np.uint8), np.array(self.left, np.int32), np.array(self.right, np.int32)

    def _add(self, kind: int, left: int, right: int) -> Literal:
        self.kind.append(kind)
        self.left.append(left)
        self.right.append(right)
        return 2 * len(self.kind) - 2

    def leaf(self, row: int) -> Literal:
        """A value read from memory row `row`."""
        return self._add(LEAF, row, 0)

    def random(self, x: Literal, y: Literal) -> Literal:
        """A word of the lagged generator: rotate(x + y), on 64-bit words rather than on bits."""
        return self._add(RANDOM, x, y)

    def land(self, x: Literal, y: Literal) -> Literal:
        """Both."""
        if x > y:
            x, y = y, x
        if x <= 1:
            return y if x else 0
        if x ^ y <= 1:
            return x if x == y else 0
        key = x << 32 | y
        found = self._known.get(key)
        if found is None:
            self.kind.append(AND)  # `_add` written out: this is where the time goes
            self.left.append(x)
            self.right.append(y)
            found = self._known[key] = 2 * len(self.kind) - 2
        return found

    def lor(self, x: Literal, y: Literal) -> Literal:
        """One or both."""
        return self.land(x ^ 1, y ^ 1) ^ 1

    def xor(self, x: Literal, y: Literal) -> Literal:
        """Just one of both."""
        flip = (x ^ y) & 1
        x, y = min(x & ~1, y & ~1), max(x & ~1, y & ~1)
        return self.land(self.land(x, y) ^ 1, self.land(x ^ 1, y ^ 1) ^ 1) ^ flip

    def mux(self, test: Literal, yes: Literal, no: Literal) -> Literal:
        """One of two, by a third."""
        return self.lor(self.land(test, yes), self.land(test ^ 1, no))

    def majority(self, x: Literal, y: Literal, z: Literal) -> Literal:
        """At least two of three."""
        return self.lor(self.land(x, y), self.land(z, self.lor(x, y)))

    def any(self, literals: list[Literal]) -> Literal:
        """A chain rather than a tree: a chain of n literals is n/2 three-input tables."""
        result = FALSE
        for x in literals:
            result = self.lor(result, x)
        return result

    def sum(self, x: list[Literal], y: list[Literal], carry: Literal = FALSE) -> list[Literal]:
        """The sum of two numbers, least significant bit first, one bit longer than the longer of them."""
        bits = []
        for i in range(max(len(x), len(y))):
            p, q = (x[i] if i < len(x) else FALSE), (y[i] if i < len(y) else FALSE)
            bits.append(self.xor(self.xor(p, q), carry))
            carry = self.majority(p, q, carry)
        return [*bits, carry]

    def difference(self, x: list[Literal], y: list[Literal]) -> tuple[list[Literal], Literal]:
        """X - y modulo 2**len(x), and whether it borrowed (x < y)."""
        bits, borrow = [], FALSE
        for i, p in enumerate(x):
            q = y[i] if i < len(y) else FALSE
            bits.append(self.xor(self.xor(p, q), borrow))
            borrow = self.majority(p ^ 1, q, borrow)
        return bits, borrow
