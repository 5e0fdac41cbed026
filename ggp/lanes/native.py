"""Machine code for a program: AVX-512 with one instruction per three-input table, or AVX2 with one per two-input one.

LLVM's own instruction selection and register allocation on the same straight line of tables took 1.5 to 5 times as long
to build as its assembler did, and the result was up to 1.5 times slower (`experiments/llvm_ir.py`): it spills what an
allocator that knows every next use keeps. Laps of one block run back to back, so that the block stays in the first-level
cache; of short laps, blocks take turns (`assembler.SHORT`).
"""

from __future__ import annotations

import ctypes
import mmap
import time
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

import numba as nb
import numpy as np
from llvmlite import ir
from numba.core import cgutils
from numba.extending import intrinsic

from ggp.core.arraytypes import Words
from ggp.lanes.assembler import LINE, Code, assemble
from ggp.lanes.lowering import XOR, lowered
from ggp.lanes.program import TABLE, Program
from ggp.lanes.registers import REGISTERS, THREE, TWO, Listing, allocate
from ggp.lanes.ways import Way

_LIBC = ctypes.CDLL(None, use_errno=True)


_SIGNATURE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)


@dataclass(frozen=True, eq=False)
class Native:
    """A program as machine code.

    `address`: void(uint64_t *memory, int64_t blocks, int64_t laps, int64_t bytes_of_a_block); see `invoke`.

    The code names no address but its arguments', so that it may be pickled and run by another process.
    """

    rows: int
    tables: int
    """What it computes in a lap: tables of as many inputs as there are instructions for."""
    way: Way
    address: int
    code: Code = field(repr=False)
    _owner: Any = field(repr=False)  # of the memory at the address

    def __reduce__(self) -> tuple[Any, ...]:
        return installed, (self.rows, self.tables, self.way, self.code)

    @cached_property
    def words(self) -> int:
        """Words of a row."""
        return self.way.words

    @cached_property
    def _call(self) -> Any:
        return _SIGNATURE(self.address)

    def run(self, memory: Words, laps: int) -> None:
        """memory: [blocks, rows, words], C order, on a 64-byte boundary. Releases the GIL (ctypes does)."""
        blocks, rows, words = memory.shape
        data = memory.ctypes.data
        row = 8 * words
        assert rows >= self.rows and words == self.words and memory.flags.c_contiguous and data % row == 0
        self._call(data, blocks, laps, rows * row)


@intrinsic
def invoke(_typing_context: Any, address: Any, memory: Any, laps: Any) -> Any:  # noqa: ARG001 (numba reads the names)
    """Run a program (`Native.address`) from a numba kernel, memory as for `run`; nothing is checked."""
    word = ir.IntType(64)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[1])(context, builder, arguments[1])
        blocks, rows, words = cgutils.unpack_tuple(builder, array.shape)  # type: ignore[no-untyped-call]
        size = builder.mul(builder.mul(rows, words), ir.Constant(word, 8))
        kind = ir.FunctionType(ir.VoidType(), [array.data.type, word, word, word])
        function = builder.inttoptr(arguments[0], kind.as_pointer())
        builder.call(function, [array.data, blocks, arguments[2], size])
        return context.get_dummy_value()

    return nb.types.void(nb.types.int64, memory, nb.types.int64), generate


def compile_program(program: Program, way: Way) -> Native:
    """A program as machine code."""
    instructions = way.instructions
    assert instructions is not None, "a way with machine code"
    ready = program if instructions.is_ternary else lowered(program)
    listing = allocate(ready, instructions.registers, ternary=instructions.is_ternary)
    rows = program.rows + listing.slots
    return installed(rows, int((ready.what == TABLE).sum()), way, assemble(listing, rows, instructions))


def installed(rows: int, tables: int, way: Way, code: Code) -> Native:
    """Machine code, of this process or of another, ready to run. No page of it can be written and run at once."""
    start = -code.lap % LINE
    size = start + len(code.code)
    memory = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_READ | mmap.PROT_WRITE)
    memory[start:] = code.code
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    if _LIBC.mprotect(ctypes.c_void_p(address), ctypes.c_size_t(size), mmap.PROT_READ | mmap.PROT_EXEC):
        raise OSError(ctypes.get_errno(), "memory cannot be made executable")
    return Native(rows, tables, way, address + start, code, memory)


_TABLES = 480


@cache
def _peak(way: Way) -> Native:
    """Independent tables on three quarters of the registers, each with an operand from a first-level cache line."""
    instructions = way.instructions
    assert instructions is not None, "a way with machine code"
    many, what, table = instructions.registers, *((THREE, 0x96) if instructions.is_ternary else (TWO, XOR))
    own = 3 * many // 4
    lines = [(what, i % own, own + i % (many - own), REGISTERS + i % 120, table) for i in range(_TABLES)]
    code = assemble(Listing(np.array(lines, np.int32), 0, 0, 0), 128, instructions)
    return installed(128, _TABLES, way, code)


def peak_tables(way: Way) -> float:
    """Tables, of whole registers, that this machine does in a second, now: the best of a few milliseconds."""
    words = way.words
    raw = np.zeros((128 + 1) * words, np.uint64)
    offset = -(raw.ctypes.data // 8) % words
    memory = raw[offset : offset + 128 * words].reshape(1, 128, words)
    best = 0.0
    for _ in range(5):
        start = time.perf_counter()
        _peak(way).run(memory, 4000)
        best = max(best, 4000 * _TABLES / (time.perf_counter() - start))
    return best
