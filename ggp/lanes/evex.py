"""AVX-512: one instruction for each table of three inputs, 512 lanes at a time. The prefix is called EVEX."""

from __future__ import annotations

import numpy as np

from ggp.core.arraytypes import Bytes, Int, Ints
from ggp.core.kernels import inlined, kernel
from ggp.lanes.encoding import (
    R8,
    R9,
    R10,
    R11,
    R12,
    R13,
    R14,
    R15,
    RBP,
    RBX,
    Instructions,
    jump_back,
    located,
    operand,
)
from ggp.lanes.program import ROTATION
from ggp.lanes.registers import (
    ADD_BITS,
    AGAIN,
    CONSTANT,
    DRAW,
    LABEL,
    LOAD,
    NOT,
    NOTE_CHANGE,
    REGISTERS,
    SAVE,
    THREE,
    TWO,
)

_ROW = 64  # bytes
_WINDOW = 256  # rows that one-byte offsets reach: 128 either way

# Opcodes of vector instructions, with the table of opcodes that each is in.
_0F, _0F38, _0F3A = 1, 2, 3
_MOVE_IN, _MOVE_OUT, _ADD, _ROTATE, _BITS, _TEST, _TERNARY = 0x6F, 0x7F, 0xD4, 0x72, 0x55, 0x27, 0x25
_AND, _AND_NOT, _OR, _XOR = 0xDB, 0xDF, 0xEB, 0xEF
_IS_NOTED = (0xC5, 0xF9, 0x98, 0xC9)  # kortestb k1, k1


def _codes(places: tuple[int, int, int]) -> Bytes:
    """For each table the byte that stands for it in an instruction, where operand i of it is at bit places[i]."""
    tables, v = np.arange(256)[:, None], np.arange(8)
    index = sum((v >> place & 1) << i for i, place in enumerate(places))
    codes: Bytes = ((tables >> index & 1) << v).sum(axis=1).astype(np.uint8)
    return codes


_OF_TWO = _codes((1, 0, 2))
"""Two operands, as the last ones of an instruction for three, which numbers them from the highest bit down."""
_OF_THREE = _codes((2, 1, 0))
_PLAIN = np.zeros(256, np.uint8)
"""Opcodes of tables of two operands: plain instructions, which have a destination of their own and no third input."""
_PLAIN[[0x88, 0x44, 0xEE, 0x66]] = _AND, _AND_NOT, _OR, _XOR
_OR_DIFFERENT = 0xF6
"""Of an instruction for three: the first one, or where the others differ."""


@inlined
def _vector(out: Bytes, at: Int, opcodes: Int, opcode: Int, r: Int, a: Int, b: Int, bases: Ints) -> Int:
    """Write r = opcode(a, b), b a register or a row; where the next instruction begins."""
    base, high = b, b >> 4 & 1
    offset: Int = np.int64(0)
    if b >= REGISTERS:
        base, offset = located(b - REGISTERS, bases, _WINDOW, _ROW)
        high = 0
    out[at] = 0x62
    out[at + 1] = (~r >> 3 & 1) << 7 | (high ^ 1) << 6 | (~base >> 3 & 1) << 5 | (~r >> 4 & 1) << 4 | opcodes
    out[at + 2] = 0x85 | (~a & 15) << 3
    out[at + 3] = 0x40 | (~a >> 4 & 1) << 3
    out[at + 4] = opcode
    if b >= REGISTERS:
        return operand(out, at + 5, r, base, offset, _ROW)
    out[at + 5] = 0xC0 | (r & 7) << 3 | b & 7
    return at + 6


@inlined
def _ternary(out: Bytes, at: Int, r: Int, a: Int, b: Int, code: Int, bases: Ints) -> Int:
    at = _vector(out, at, _0F3A, _TERNARY, r, a, b, bases)
    out[at] = code
    return at + 1


@kernel
def _encode(lines: Ints, bases: Ints, out: Bytes) -> Int:
    """See `Encode`."""
    at: Int = np.int64(0)
    label = at
    for i in range(len(lines)):
        what, table = lines[i, 0], lines[i, 4]
        r, a, b = np.int64(lines[i, 1]), np.int64(lines[i, 2]), np.int64(lines[i, 3])
        if what == LOAD:
            if r != b:
                at = _vector(out, at, _0F, _MOVE_IN, r, 0, b, bases)
        elif what == SAVE:
            at = _vector(out, at, _0F, _MOVE_OUT, a, 0, REGISTERS + r, bases)
        elif what == CONSTANT and table == 0:
            at = _vector(out, at, _0F, _XOR, r, r, r, bases)
        elif what == CONSTANT:
            at = _ternary(out, at, r, r, r, 255, bases)
        elif what == NOT:
            at = _ternary(out, at, r, r, b, 0x55, bases)
        elif what == TWO and _PLAIN[table]:
            at = _vector(out, at, _0F, _PLAIN[table], r, a, b, bases)
        elif what == TWO:
            at = _ternary(out, at, r, a, b, _OF_TWO[table], bases)
        elif what == THREE:
            at = _ternary(out, at, r, a, b, _OF_THREE[table], bases)
        elif what == DRAW:
            at = _vector(out, at, _0F, _ADD, r, a, b, bases)
            at = _vector(out, at, _0F, _ROTATE, 1, r, r, bases)
            out[at] = ROTATION
            at += 1
        elif what == ADD_BITS:
            at = _vector(out, at, _0F38, _BITS, a, 0, b, bases)
            at = _vector(out, at, _0F, _ADD, a, a, REGISTERS + r, bases)
            at = _vector(out, at, _0F, _MOVE_OUT, a, 0, REGISTERS + r, bases)
        elif what == NOTE_CHANGE:
            at = _ternary(out, at, a, b, REGISTERS + r, _OR_DIFFERENT, bases)
            at = _vector(out, at, _0F, _MOVE_OUT, b, 0, REGISTERS + r, bases)
        elif what == LABEL:
            label = at
            at = _vector(out, at, _0F, _XOR, a, a, a, bases)
        elif what == AGAIN:
            at = _vector(out, at, _0F38, _TEST, 1, a, a, bases)
            for k in range(len(_IS_NOTED)):
                out[at + k] = _IS_NOTED[k]
            at = jump_back(out, at + len(_IS_NOTED), label)
    return at


AVX512 = Instructions(
    features=("avx512f", "avx512dq", "avx512vpopcntdq"),
    words=_ROW // 8,
    registers=REGISTERS,
    is_ternary=True,
    window=_WINDOW,
    pointers=(R8, R9, R10, R11, RBX, R14, R15, R13, RBP, R12),
    scratch=(),
    longest=36,  # three instructions of twelve
    encode=_encode,
)
