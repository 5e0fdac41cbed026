"""A listing as AVX-512 machine code: one instruction per three-input table, 512 lanes at a time.

Few kinds of instructions are needed, so they are encoded here, a hundred times as fast as text goes through LLVM's
assembler; the tests compare both. Vector instructions have the prefix called EVEX, see the manuals of Intel or AMD.

Code size is what limits long programs (a straight line is fetched once per lap), so rows are addressed
through as many pointers as there are registers for: each serves 256 rows with one-byte offsets, three bytes
an access less.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ggp.core.kernels import inlined, kernel
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
    Listing,
)

Ints = npt.NDArray[np.int32]
WORDS = 8
ROW = 8 * WORDS  # bytes
WINDOW = 256  # rows that one pointer serves: 128 either way
LINE = 64  # bytes of a line of the instruction cache
RBX, RBP, RDI, R8, R9, R10, R11, R12, R13, R14, R15 = 3, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15
POINTERS = (R8, R9, R10, R11, RBX, R14, R15, R13, RBP, R12)
SAVED = (RBX, RBP, R12, R13, R14, R15)  # by the System V convention, if we use them

# Instructions that are always the same.
_RETURN_IF_NOTHING = bytes.fromhex("4885f6 7405 4885d2 7501 c3")
"""test rsi, rsi; jz to the ret; test rdx, rdx; jnz over it; ret"""
_START_LAPS = bytes.fromhex("4889d0")  # mov rax, rdx
_NEXT_LAP = bytes.fromhex("48ffc8")  # dec rax
_NEXT_BLOCK = bytes.fromhex("4801cf 48ffce")  # add rdi, rcx; dec rsi
_START_BLOCKS = bytes.fromhex("4889f2")  # mov rdx, rsi
_NEXT_IN_TURN = bytes.fromhex("4801cf 48ffca")  # add rdi, rcx; dec rdx
_FIRST_BLOCK = bytes.fromhex("4889f2 480fafd1 4829d7")  # mov rdx, rsi; imul rdx, rcx; sub rdi, rdx
_LEAVE = bytes.fromhex("c5f877 c3")  # vzeroupper; ret
_IS_NOTED = (0xC5, 0xF9, 0x98, 0xC9)  # kortestb k1, k1

# Opcodes of vector instructions, with the table of opcodes that each is in.
_0F, _0F38, _0F3A = 1, 2, 3
_MOVE_IN, _MOVE_OUT, _ADD, _ROTATE, _BITS, _TEST, _TERNARY = 0x6F, 0x7F, 0xD4, 0x72, 0x55, 0x27, 0x25
_AND, _AND_NOT, _OR, _XOR = 0xDB, 0xDF, 0xEB, 0xEF
SHORT = 1_000
"""Instructions of a lap up to which blocks take turns. A lap waits for what the one before it made of its block; while a
short one waits, the processor looks far enough ahead to begin with another block. Longer ones would only lose by it that
their block stays in the first-level cache."""
_LONGEST = 36
"""Bytes of an abstract instruction, at most: three instructions of twelve."""


@dataclass(frozen=True)
class Code:
    """A function (rdi: memory, rsi: blocks, rdx: laps, rcx: bytes of a block); it needs no particular address."""

    code: bytes
    lap: int
    """Where the lap begins: this should be at the beginning of a line of the instruction cache."""


def assemble(listing: Listing, rows: int) -> Code:
    """A listing as machine code. `rows`: of a block, slots included."""
    uses = _uses(listing.lines, -(-rows // WINDOW))
    windows = np.argsort(-uses, kind="stable")[: len(POINTERS)]
    pointer = {int(w): r for w, r in zip(windows, POINTERS, strict=False) if uses[w]}
    saved = [r for r in SAVED if r in pointer.values()]
    bases = np.full(len(uses), RDI, np.int32)
    bases[list(pointer)] = list(pointer.values())
    out = np.empty(_LONGEST * len(listing.lines), np.uint8)
    body = out[: _encode(listing.lines, bases, out)]

    enter = _RETURN_IF_NOTHING + b"".join(_push_or_pop(0x50, r) for r in saved)
    point = b"".join(_lea(r, (w * WINDOW + WINDOW // 2) * ROW) for w, r in pointer.items())
    leave = b"".join(_push_or_pop(0x58, r) for r in reversed(saved)) + _LEAVE
    if len(listing.lines) <= SHORT:
        enter += _START_LAPS
        block = _repeated(point + body.tobytes() + _NEXT_IN_TURN)
        return Code(enter + _repeated(_START_BLOCKS + block + _FIRST_BLOCK + _NEXT_LAP) + leave, len(enter))
    start = point + _START_LAPS
    laps = _repeated(body.tobytes() + _NEXT_LAP)
    return Code(enter + _repeated(start + laps + _NEXT_BLOCK) + leave, len(enter) + len(start))


def _repeated(code: bytes) -> bytes:
    """Code that is repeated until its last result is zero."""
    return code + _jump_back(len(code))


@kernel
def _uses(lines, windows):  # type: ignore[no-untyped-def]
    """How often instructions name rows of each window."""
    uses = np.zeros(windows, np.int64)
    for i in range(len(lines)):
        what = lines[i, 0]
        if what in (LOAD, NOT, TWO, THREE, DRAW, ADD_BITS) and lines[i, 3] >= REGISTERS:
            uses[(lines[i, 3] - REGISTERS) // WINDOW] += 1
        if what in (SAVE, ADD_BITS, NOTE_CHANGE):
            uses[lines[i, 1] // WINDOW] += 1
    return uses


def _push_or_pop(opcode: int, r: int) -> bytes:
    return bytes([0x41, opcode + r - 8] if r >= 8 else [opcode + r])


def _lea(r: int, offset: int) -> bytes:
    """Register r = rdi + offset."""
    return bytes([0x4C if r >= 8 else 0x48, 0x8D, 0x80 | (r & 7) << 3 | RDI]) + struct.pack("<i", offset)


def _jump_back(distance: int) -> bytes:
    """Back so many bytes before this instruction, if the last result was not zero."""
    if distance + 2 <= 128:
        return struct.pack("<Bb", 0x75, -distance - 2)
    return struct.pack("<BBi", 0x0F, 0x85, -distance - 6)


def _codes(places: tuple[int, int, int]) -> npt.NDArray[np.uint8]:
    """For each table the byte that stands for it in an instruction, where operand i of it is at bit places[i]."""
    tables, v = np.arange(256)[:, None], np.arange(8)
    index = sum((v >> place & 1) << i for i, place in enumerate(places))
    codes: npt.NDArray[np.uint8] = ((tables >> index & 1) << v).sum(axis=1).astype(np.uint8)
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
def _vector(out, at, opcodes, opcode, r, a, b, bases):  # type: ignore[no-untyped-def]
    """Write an instruction on 512 bits, r = opcode(a, b), b a register or a row; where the next one begins."""
    row, base, mode, offset, high = -1, b, 3, 0, b >> 4 & 1
    if b >= REGISTERS:
        row = b - REGISTERS
        window = row // WINDOW
        base, high = np.int64(bases[window]), 0
        offset = row if base == RDI else row - window * WINDOW - WINDOW // 2
        mode = 0 if offset == 0 and base & 7 != RBP else 1 if -128 <= offset < 128 else 2
    out[at] = 0x62
    out[at + 1] = (~r >> 3 & 1) << 7 | (high ^ 1) << 6 | (~base >> 3 & 1) << 5 | (~r >> 4 & 1) << 4 | opcodes
    out[at + 2] = 0x85 | (~a & 15) << 3
    out[at + 3] = 0x40 | (~a >> 4 & 1) << 3
    out[at + 4] = opcode
    out[at + 5] = mode << 6 | (r & 7) << 3 | base & 7
    at += 6
    if row >= 0:
        if base == R12:  # its number means that a byte with an index follows: none
            out[at] = 0x24
            at += 1
        if mode == 1:  # in rows
            out[at] = offset & 255
            at += 1
        elif mode == 2:
            at = _four_bytes(out, at, offset * ROW)
    return at


@inlined
def _ternary(out, at, r, a, b, code, bases):  # type: ignore[no-untyped-def]
    at = _vector(out, at, _0F3A, _TERNARY, r, a, b, bases)
    out[at] = code
    return at + 1


@inlined
def _four_bytes(out, at, number):  # type: ignore[no-untyped-def]
    for k in range(4):
        out[at + k] = number >> 8 * k & 255
    return at + 4


@kernel
def _encode(lines, bases, out):  # type: ignore[no-untyped-def]
    """Write the instructions of a lap; how many bytes. bases: the pointer that serves each window of rows."""
    at = label = np.int64(0)
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
            at += len(_IS_NOTED)
            distance = at - label
            if distance + 2 <= 128:
                out[at], out[at + 1] = 0x75, -distance - 2 & 255
                at += 2
            else:
                out[at], out[at + 1] = 0x0F, 0x85
                at = _four_bytes(out, at + 2, -distance - 6)
    return at
