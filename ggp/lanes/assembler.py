"""A listing as machine code: a function that runs a lap over block after block.

Few kinds of instructions are needed, so they are encoded here (`evex` for AVX-512, `vex` for AVX2), a hundred times as
fast as text goes through LLVM's assembler; the tests compare both. See the manuals of Intel or AMD.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np

from ggp.core.arraytypes import Ints, Longs
from ggp.core.kernels import kernel
from ggp.lanes.encoding import R12, R13, R14, R15, RBP, RBX, RDI, Instructions
from ggp.lanes.registers import ADD_BITS, DRAW, LOAD, NOT, NOTE_CHANGE, REGISTERS, SAVE, THREE, TWO, Listing

LINE = 64  # bytes of a line of the instruction cache
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
SHORT = 1_000
"""Instructions of a lap up to which blocks take turns. A lap waits for what the one before it made of its block; while a
short one waits, the processor looks far enough ahead to begin with another block. Longer ones would only lose by it that
their block stays in the first-level cache."""


@dataclass(frozen=True)
class Code:
    """A function (rdi: memory, rsi: blocks, rdx: laps, rcx: bytes of a block); it needs no particular address."""

    code: bytes
    lap: int
    """Where the lap begins: this should be at the beginning of a line of the instruction cache."""


def assemble(listing: Listing, rows: int, instructions: Instructions) -> Code:
    """A listing as machine code. `rows`: of a block, slots included."""
    window = instructions.window
    uses = _uses(listing.lines, -(-rows // window), window)
    windows = np.argsort(-uses, kind="stable")[: len(instructions.pointers)]
    pointer = {int(w): r for w, r in zip(windows, instructions.pointers, strict=False) if uses[w]}
    saved = [r for r in SAVED if r in pointer.values() or r in instructions.scratch]
    bases = np.full(len(uses), RDI, np.int32)
    bases[list(pointer)] = list(pointer.values())
    out = np.empty(instructions.longest * len(listing.lines), np.uint8)
    body = out[: instructions.encode(listing.lines, bases, out)]

    enter = _RETURN_IF_NOTHING + b"".join(_push_or_pop(0x50, r) for r in saved)
    middles = {r: (w * window + window // 2) * instructions.row for w, r in pointer.items()}
    point = b"".join(_lea(r, middle) for r, middle in middles.items())
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
def _uses(lines: Ints, windows: int, window: int) -> Longs:
    """How often instructions name rows of each window."""
    uses = np.zeros(windows, np.int64)
    for i in range(len(lines)):
        what = lines[i, 0]
        if what in (LOAD, NOT, TWO, THREE, DRAW, ADD_BITS) and lines[i, 3] >= REGISTERS:
            uses[(lines[i, 3] - REGISTERS) // window] += 1
        if what in (SAVE, ADD_BITS, NOTE_CHANGE):
            uses[lines[i, 1] // window] += 1
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
