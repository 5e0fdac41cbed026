"""Positions as words, the one form that all that keeps positions has: base i is bit i % 64 of word i // 64.

Machines hand them about as the bytes of these words, search graphs keep the words themselves: one is a view of the other.

>>> as_words(np.array([[True, False, True]])).tolist()
[[5]]
>>> from_words(np.array([[5]], np.uint64), 3).tolist()
[[True, False, True]]
"""

from __future__ import annotations

import numpy as np

from ggp.core.arraytypes import Bools, Words


def as_words(bits: Bools) -> Words:
    """Positions, bool [n, bases], as words, uint64 [n, words]."""
    packed = np.packbits(bits, axis=1, bitorder="little")
    words = max(1, -(-bits.shape[1] // 64))
    out = np.zeros((len(bits), 8 * words), np.uint8)
    out[:, : packed.shape[1]] = packed
    return out.view(np.uint64)


def from_words(words: Words, bases: int) -> Bools:
    """The positions of words, uint64 [..., words], as bool [..., bases]."""
    raw = np.ascontiguousarray(words).view(np.uint8)
    return np.unpackbits(raw, axis=-1, count=bases, bitorder="little").view(np.bool_)
