"""AVX2: operations on two inputs, 256 lanes at a time.

The prefix is called VEX. Its short form serves where the last operand is one of the first eight registers, or memory
that is addressed by one of these.
"""

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
    RSP,
    Instructions,
    jump_back,
    located,
    operand,
)
from ggp.lanes.lowering import AND, AND_NOT, OR, XOR
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
    TWO,
)

_WORDS = 4
_ROW = 8 * _WORDS  # bytes
_WINDOW = 8  # rows that one-byte offsets reach: 128 bytes either way
_RED_ZONE = -_ROW - 8
"""From the stack pointer: memory that calls and signals leave alone."""
_SCRATCH = R12

# Opcodes of vector instructions, with the table of opcodes that each is in.
_0F, _0F38 = 1, 2
_MOVE_IN, _MOVE_OUT, _ADD, _SHIFT, _EQUAL, _TEST = 0x6F, 0x7F, 0xD4, 0x73, 0x76, 0x17
_AND, _AND_NOT, _OR, _XOR = 0xDB, 0xDF, 0xEB, 0xEF
_PLAIN = np.zeros(256, np.uint8)
_PLAIN[[AND, AND_NOT, OR, XOR]] = _AND, _AND_NOT, _OR, _XOR
_LEFT, _RIGHT = 6, 2  # opcodes of a shift, in the place of a register
_ALIGNED, _ANYWHERE = 1, 2  # prefixes 66 and F3: of a move, whether its memory must be aligned; else the former


@inlined
def _prefix(out: Bytes, at: Int, opcodes: Int, prefix: Int, r: Int, a: Int, base: Int) -> Int:
    if opcodes == _0F and base < 8:
        out[at] = 0xC5
        out[at + 1] = (~r >> 3 & 1) << 7 | (~a & 15) << 3 | 4 | prefix
        return at + 2
    out[at] = 0xC4
    out[at + 1] = (~r >> 3 & 1) << 7 | 0x40 | (~base >> 3 & 1) << 5 | opcodes
    out[at + 2] = (~a & 15) << 3 | 4 | prefix
    return at + 3


@inlined
def _vector(out: Bytes, at: Int, opcode: Int, r: Int, a: Int, b: Int, bases: Ints) -> Int:
    """Write r = opcode(a, b), b a register or a row; where the next instruction begins."""
    opcodes = _0F38 if opcode == _TEST else _0F
    if b >= REGISTERS:
        base, offset = located(b - REGISTERS, bases, _WINDOW, _ROW)
        at = _prefix(out, at, opcodes, _ALIGNED, r, a, base)
        out[at] = opcode
        return operand(out, at + 1, r, base, offset, 1)
    at = _prefix(out, at, opcodes, _ALIGNED, r, a, b)
    out[at] = opcode
    out[at + 1] = 0xC0 | (r & 7) << 3 | b & 7
    return at + 2


@inlined
def _two(out: Bytes, at: Int, opcode: Int, r: Int, a: Int, b: Int, bases: Ints) -> Int:
    """The same; where both orders do, that with the shorter prefix."""
    if 8 <= b < REGISTERS and a < 8 and opcode != _AND_NOT:
        a, b = b, a
    return _vector(out, at, opcode, r, a, b, bases)


@inlined
def _shift(out: Bytes, at: Int, way: Int, r: Int, a: Int, bits: Int, bases: Ints) -> Int:
    at = _vector(out, at, _SHIFT, way, r, a, bases)
    out[at] = bits
    return at + 1


@inlined
def _word(out: Bytes, at: Int, opcode: Int, base: Int, offset: Int) -> Int:
    """Write an instruction on the scratch register and a word in memory."""
    out[at] = 0x4C | base >> 3
    if opcode == _COUNT_BITS:
        out[at + 1] = 0x0F
        at += 1
    out[at + 1] = opcode
    return operand(out, at + 2, _SCRATCH, base, offset, 1)


_COUNT_BITS, _ADD_TO = 0xB8, 0x01


@inlined
def _add_bits(out: Bytes, at: Int, row: Int, b: Int, bases: Ints) -> Int:
    """Count the bits of each word by itself: the units that do that have nothing else to do."""
    if b >= REGISTERS:
        source, start = located(b - REGISTERS, bases, _WINDOW, _ROW)
    else:
        source, start = np.int64(RSP), np.int64(_RED_ZONE)
        at = _prefix(out, at, _0F, _ANYWHERE, b, 0, RSP)
        out[at] = _MOVE_OUT
        at = operand(out, at + 1, b, source, start, 1)
    base, offset = located(row, bases, _WINDOW, _ROW)
    for k in range(_WORDS):
        out[at] = 0xF3
        at = _word(out, at + 1, _COUNT_BITS, source, start + 8 * k)
        at = _word(out, at, _ADD_TO, base, offset + 8 * k)
    return at


@kernel
def _encode(lines: Ints, bases: Ints, out: Bytes) -> Int:
    """See `Encode`. DRAW and NOTE_CHANGE have a spare register in the place of a table."""
    at: Int = np.int64(0)
    label = at
    for i in range(len(lines)):
        what, table = lines[i, 0], np.int64(lines[i, 4])
        r, a, b = np.int64(lines[i, 1]), np.int64(lines[i, 2]), np.int64(lines[i, 3])
        if what == LOAD:
            if r < 8 <= b < REGISTERS:  # the other way round the prefix is short
                at = _vector(out, at, _MOVE_OUT, b, 0, r, bases)
            elif r != b:
                at = _vector(out, at, _MOVE_IN, r, 0, b, bases)
        elif what == SAVE:
            at = _vector(out, at, _MOVE_OUT, a, 0, REGISTERS + r, bases)
        elif what == CONSTANT:
            at = _vector(out, at, _EQUAL if table else _XOR, r, r, r, bases)
        elif what == NOT:
            at = _vector(out, at, _EQUAL, r, r, r, bases)
            at = _two(out, at, _XOR, r, r, b, bases)
        elif what == TWO:
            at = _two(out, at, _PLAIN[table], r, a, b, bases)
        elif what == DRAW:
            at = _two(out, at, _ADD, r, a, b, bases)
            at = _shift(out, at, _LEFT, table, r, ROTATION, bases)
            at = _shift(out, at, _RIGHT, r, r, 64 - ROTATION, bases)
            at = _two(out, at, _OR, r, r, table, bases)
        elif what == ADD_BITS:
            at = _add_bits(out, at, r, b, bases)
        elif what == NOTE_CHANGE:
            at = _vector(out, at, _XOR, table, b, REGISTERS + r, bases)
            at = _two(out, at, _OR, a, a, table, bases)
            at = _vector(out, at, _MOVE_OUT, b, 0, REGISTERS + r, bases)
        elif what == LABEL:
            label = at
            at = _vector(out, at, _XOR, a, a, a, bases)
        elif what == AGAIN:
            at = _vector(out, at, _TEST, a, 0, a, bases)
            at = jump_back(out, at, label)
    return at


AVX2 = Instructions(
    features=("avx2", "popcnt"),
    words=_WORDS,
    registers=16,
    is_ternary=False,
    window=_WINDOW,
    pointers=(RBX, RBP, R8, R9, R10, R11, R14, R15, R13),
    scratch=(_SCRATCH,),
    longest=100,  # what adds bits: 17 instructions of six bytes at most
    encode=_encode,
)
