"""Three-input truth tables as a dozen forms, for a machine without an instruction for every table.

Every table is one form with its operands permuted and inverted and perhaps its result inverted. A table is
eight bits: bit v is the result where operand i has value v >> i & 1.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

Form: TypeAlias = Callable[[Any, Any, Any], Any]  # on integers here, on vectors of machine words elsewhere
A, B, C = 0xAA, 0xCC, 0xF0
ZERO, SAME, AND2, XOR2, AND3, XOR3, MAJ, MUX, AND_OR, AND_XOR, XOR_AND, ALIKE, ONE, DOT = range(14)
FORMS: tuple[Form, ...] = (
    lambda x, y, z: 0,
    lambda x, y, z: x,
    lambda x, y, z: x & y,
    lambda x, y, z: x ^ y,
    lambda x, y, z: x & y & z,
    lambda x, y, z: x ^ y ^ z,
    lambda x, y, z: x & y | z & (x | y),
    lambda x, y, z: x & y | ~x & z,
    lambda x, y, z: x & (y | z),
    lambda x, y, z: x & (y ^ z),
    lambda x, y, z: x ^ (y & z),
    lambda x, y, z: x & y & z | ~x & ~y & ~z,
    lambda x, y, z: (x ^ y ^ z) & ~(x & y),
    lambda x, y, z: x & y | ~x & ~y & z,
)


def _all_tables() -> dict[int, tuple[int, tuple[int, int, int], int]]:
    """Table -> form, order of operands, inversions (bits 0..2: operands after ordering, bit 3: result)."""
    found: dict[int, tuple[int, tuple[int, int, int], int]] = {}
    for form, function in enumerate(FORMS):
        for order in itertools.permutations(range(3)):
            for flips in range(16):
                x, y, z = ((A, B, C)[p] ^ (255 if flips >> i & 1 else 0) for i, p in enumerate(order))
                table = (function(x, y, z) ^ (255 if flips & 8 else 0)) & 255
                found.setdefault(table, (form, (order[0], order[1], order[2]), flips))
    assert len(found) == 256
    return found


TABLES = _all_tables()
FORM_OF = np.array([(form, flips, *order) for form, order, flips in (TABLES[t] for t in range(256))], np.int32)
"""Of each table: form, inversions, order of operands; for kernels."""


def reorder(table: int, order: tuple[int, int, int]) -> int:
    """The table whose operand i is operand order[i] of the given one."""
    result = 0
    for v in range(8):
        old = sum((v >> i & 1) << p for i, p in enumerate(order))
        result |= (table >> old & 1) << v
    return result
