"""Machine code for a program: AVX-512, one instruction per three-input table, 512 lanes at a time.

LLVM's own instruction selection and register allocation on the same straight line of tables took 1.5 to 5 times as long
to build as its assembler did, and the result was up to 1.5 times slower (`experiments/llvm_ir.py`): it spills what an
allocator that knows every next use keeps. Laps of one block run back to back, so that the block stays in the first-level
cache; of short laps, blocks take turns (`assembler.SHORT`).
"""

from __future__ import annotations

import ctypes
import mmap
import sys
import time
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

import llvmlite.binding as llvm
import numba as nb
import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba.core import cgutils
from numba.extending import intrinsic

from ggp.lanes.assembler import LINE, ROW, WORDS, Code, assemble
from ggp.lanes.program import Program
from ggp.lanes.registers import REGISTERS, THREE, Listing, allocate

NEEDED = ("avx512f", "avx512dq", "avx512vpopcntdq")
_LIBC = ctypes.CDLL(None, use_errno=True)


@cache
def available() -> bool:
    """Whether this machine runs the code: Linux (System V calls) on x86-64 with the needed extensions."""
    if sys.platform != "linux" or not llvm.get_default_triple().startswith("x86_64"):
        return False
    features = llvm.get_host_cpu_features()
    return all(features.get(x, False) for x in NEEDED)


_SIGNATURE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)


@dataclass(frozen=True, eq=False)
class Native:
    """A program as machine code.

    `address`: void(uint64_t *memory, int64_t blocks, int64_t laps, int64_t bytes_of_a_block); see `invoke`.

    The code names no address but its arguments', so that it may be pickled and run by another process.
    """

    rows: int
    address: int
    code: Code = field(repr=False)
    _owner: Any = field(repr=False)  # of the memory at the address
    words: int = WORDS

    def __reduce__(self) -> tuple[Any, ...]:
        return installed, (self.rows, self.code)

    @cached_property
    def _call(self) -> Any:
        return _SIGNATURE(self.address)

    def run(self, memory: npt.NDArray[np.uint64], laps: int) -> None:
        """memory: [blocks, rows, words], C order, on a 64-byte boundary. Releases the GIL (ctypes does)."""
        blocks, rows, words = memory.shape
        data = memory.ctypes.data
        assert rows >= self.rows and words == WORDS and memory.flags.c_contiguous and data % ROW == 0
        self._call(data, blocks, laps, rows * ROW)


@intrinsic
def invoke(_typing_context, address, memory, laps):  # type: ignore[no-untyped-def]  # noqa: ARG001 (numba reads the names)
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


def compile_program(program: Program) -> Native:
    """A program as machine code."""
    listing = allocate(program)
    rows = program.rows + listing.slots
    return installed(rows, assemble(listing, rows))


def installed(rows: int, code: Code) -> Native:
    """Machine code, of this process or of another, ready to run. No page of it can be written and run at once."""
    start = -code.lap % LINE
    size = start + len(code.code)
    memory = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_READ | mmap.PROT_WRITE)
    memory[start:] = code.code
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    if _LIBC.mprotect(ctypes.c_void_p(address), ctypes.c_size_t(size), mmap.PROT_READ | mmap.PROT_EXEC):
        raise OSError(ctypes.get_errno(), "memory cannot be made executable")
    return Native(rows, address + start, code, memory)


@cache
def _peak() -> Native:
    """Independent tables on 24 registers, each with an operand from a first-level cache line."""
    lines = [(THREE, i % 24, 24 + i % 8, REGISTERS + i % 120, 0x96) for i in range(480)]
    return installed(128, assemble(Listing(np.array(lines, np.int32), 0, 0, 0), 128))


def peak_tables() -> float:
    """Three-input tables of 512 bits that this machine does in a second, now: the best of a few
    milliseconds.
    """
    raw = np.zeros(128 * WORDS + WORDS, np.uint64)
    offset = -(raw.ctypes.data // 8) % WORDS
    memory = raw[offset : offset + 128 * WORDS].reshape(1, 128, WORDS)
    best = 0.0
    for _ in range(5):
        start = time.perf_counter()
        _peak().run(memory, 4000)
        best = max(best, 4000 * 480 / (time.perf_counter() - start))
    return best
