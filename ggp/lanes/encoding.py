"""What the assembler needs to know about a set of vector instructions, and how both sets name memory.

Code size is what limits long programs (a straight line is fetched once per lap), so rows are addressed through as many
pointers as there are registers for: each serves a window of rows with one-byte offsets, three bytes an access less.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ggp.core.arraytypes import Bytes, Int, Ints
from ggp.core.kernels import inlined

RBX, RSP, RBP, RDI, R8, R9, R10, R11, R12, R13, R14, R15 = 3, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15
Encode = Callable[[Ints, Ints, Bytes], Int]
"""Write the instructions of a lap; how many bytes. Lines of a listing, the pointer that serves each window, the bytes."""


@dataclass(frozen=True, eq=False)
class Instructions:
    """A set of vector instructions, and how a program uses it."""

    features: tuple[str, ...]
    """That the processor must have, by LLVM's names."""
    words: int
    """64-bit words of a register, and of a row."""
    registers: int
    is_ternary: bool
    """There is an instruction for every table of three inputs; else for some tables of two, see `lowering`."""
    window: int
    """Rows that one pointer serves."""
    pointers: tuple[int, ...]
    """Registers that may be pointers, those with the shortest instructions first."""
    scratch: tuple[int, ...]
    """General registers that instructions overwrite."""
    longest: int
    """Bytes of an abstract instruction, at most."""
    encode: Encode

    @property
    def row(self) -> int:
        """Bytes of a row."""
        return 8 * self.words


@inlined
def four_bytes(out: Bytes, at: Int, number: Int) -> Int:
    """Write a number; where the next byte goes. So do all of these."""
    for k in range(4):
        out[at + k] = number >> 8 * k & 255
    return at + 4


@inlined
def operand(out: Bytes, at: Int, r: Int, base: Int, offset: Int, unit: Int) -> Int:
    """Write register r and memory at base + offset. unit: what a one-byte offset counts; `offset` is a multiple of it."""
    short = offset // unit
    mode = 0 if offset == 0 and base & 7 != RBP else 1 if -128 <= short < 128 else 2
    out[at] = mode << 6 | (r & 7) << 3 | base & 7
    at += 1
    if base & 7 == RSP:  # this number means that a byte with an index follows: none
        out[at] = 0x24
        at += 1
    if mode == 1:
        out[at] = short & 255
        at += 1
    elif mode == 2:
        at = four_bytes(out, at, offset)
    return at


@inlined
def jump_back(out: Bytes, at: Int, to: Int) -> Int:
    """Write a jump to an earlier place, if the last result was not zero."""
    distance = at - to
    if distance + 2 <= 128:
        out[at], out[at + 1] = 0x75, -distance - 2 & 255
        return at + 2
    out[at], out[at + 1] = 0x0F, 0x85
    return four_bytes(out, at + 2, -distance - 6)


@inlined
def located(row: Int, bases: Ints, window: Int, size: Int) -> tuple[Int, Int]:
    """The base of a row, and its offset there in bytes. size: of a row."""
    base = np.int64(bases[row // window])
    first = np.int64(0) if base == RDI else row // window * window + window // 2
    return base, (row - first) * size
