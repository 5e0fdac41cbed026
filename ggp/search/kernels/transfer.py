"""Positions between lanes, where a base is a row, and a search, where a position is a few words.

A position is uint64 [words]: bit b of word p is base 64*p + b. Moving 64 positions at once is a transposition of bits.
"""

from __future__ import annotations

import numpy as np

from ggp.core.kernels import borrowing
from ggp.search.kernels.basics import lowest_bit
from ggp.search.kernels.layout import Numbers, Words

_LOW = np.uint64(0x00000000FFFFFFFF)
_ZERO = np.uint64(0)
_ONE = np.uint64(1)
_FEW = 12
"""Rows with bits in a square of 64 × 64, up to which bits are set one by one."""


@borrowing
def _transpose(a: Words) -> None:
    """Transpose 64 x 64 bits in place. a: uint64 [64]; afterwards bit j of a[i] is what bit i of a[j] was."""
    j = np.uint64(32)
    mask = _LOW
    while j:
        step = int(j)
        i = 0
        while i < 64:
            t = ((a[i] >> j) ^ a[i + step]) & mask
            a[i] ^= t << j
            a[i + step] ^= t
            i = (i + step + 1) & ~step
        j >>= _ONE
        mask ^= mask << j


@borrowing
def save_lanes(memory: Words, row: int, rows: int, lanes: int, out: Words, a: Words) -> None:
    """out[i, p] = rows row+64p .. of lane i, for the lanes 0..lanes-1. memory: [blocks, rows, words]; out: uint64.

    a: scratch, uint64 [64].
    """
    words = memory.shape[2]
    for column in range((lanes + 63) // 64):
        block, word = column // words, column % words
        first = 64 * column
        here = min(64, lanes - first)
        for p in range((rows + 63) // 64):
            height = min(64, rows - 64 * p)
            used = 0
            for j in range(height):
                a[j] = memory[block, row + 64 * p + j, word]
                used += a[j] != _ZERO
            a[height:] = _ZERO
            if used > _FEW:
                _transpose(a)
                for i in range(here):
                    out[first + i, p] = a[i]
                continue
            for i in range(here):
                out[first + i, p] = _ZERO
            for j in range(height):  # few moves are legal in a position, and one of them is played
                while a[j]:
                    lane = lowest_bit(a[j])
                    a[j] &= a[j] - _ONE
                    if lane < here:
                        out[first + lane, p] |= _ONE << np.uint64(j)


@borrowing
def load_lanes(memory: Words, row: int, rows: int, source: Numbers, positions: Words, mask_of: Words, a: Words) -> None:
    """Lane i takes positions[source[i]], where that is not -1; mask_of[column] becomes the lanes that were loaded.

    source: int32 [lanes]; positions: uint64 [n, words]; mask_of: uint64 [lanes / 64]; a: scratch, uint64 [64].
    """
    words = memory.shape[2]
    for column in range((len(source) + 63) // 64):
        block, word = column // words, column % words
        first = 64 * column
        here = min(64, len(source) - first)
        mask = _ZERO
        for i in range(here):
            if source[first + i] >= 0:
                mask |= _ONE << np.uint64(i)
        mask_of[column] = mask
        if not mask:
            continue
        for p in range((rows + 63) // 64):
            a[:] = _ZERO
            for i in range(here):
                if source[first + i] >= 0:
                    a[i] = positions[source[first + i], p]
            _transpose(a)
            for j in range(min(64, rows - 64 * p)):
                at = row + 64 * p + j
                memory[block, at, word] = (memory[block, at, word] & ~mask) | a[j]
