"""Sets of gates as int masks: bit g stands for gate g. From and to lists in linear time, however wide the mask."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np


def mask_of(gates: Iterable[int]) -> int:
    """The mask with these bits.

    >>> mask_of([0, 3])
    9
    """
    row = list(gates)
    bits = bytearray((max(row, default=0) >> 3) + 1)
    for gate in row:
        bits[gate >> 3] |= 1 << (gate & 7)
    return int.from_bytes(bits, "little")


def bits_of(mask: int) -> list[int]:
    """The positions of the ones, ascending.

    >>> bits_of(9)
    [0, 3]
    """
    data = np.frombuffer(mask.to_bytes((mask.bit_length() + 7) >> 3, "little"), np.uint8)
    found: list[int] = np.flatnonzero(np.unpackbits(data, bitorder="little")).tolist()
    return found
