"""A listing as assembler text, a readable form of what `ggp.lanes.assembler` writes, and the bytes LLVM makes of it."""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Callable

import llvmlite.binding as llvm
import numpy as np

from ggp.lanes import registers as r
from ggp.lanes.assembler import SAVED, SHORT
from ggp.lanes.encoding import Instructions
from ggp.lanes.evex import AVX512
from ggp.lanes.program import ROTATION
from ggp.lanes.vex import AVX2

NAMES = {3: "rbx", 5: "rbp", 7: "rdi", **{number: f"r{number}" for number in range(8, 16)}}
PLAIN = {0x88: "vpand", 0x44: "vpandn", 0xEE: "vpor", 0x66: "vpxor"}
_numbers = itertools.count()


class _Writer:
    """The text of instructions that both sets have. A place is the text of a register or of a memory operand."""

    register: str
    memory: str
    suffix: str
    move: str

    def __init__(self, listing: r.Listing, rows: int, name: str, instructions: Instructions) -> None:
        self.name, self._instructions = name, instructions
        self.pointers = self._pointers(listing, rows)

    def _pointers(self, listing: r.Listing, rows: int) -> dict[int, int]:
        """The pointer of each window of rows that has one: those that are used most."""
        window = self._instructions.window
        uses = np.zeros(-(-rows // window), np.int64)
        for what, d, a, b, _ in listing.lines.tolist():
            if what in (r.SAVE, r.ADD_BITS, r.NOTE_CHANGE):
                uses[d // window] += 1
            if what in (r.LOAD, r.NOT, r.TWO, r.THREE, r.DRAW, r.ADD_BITS) and b >= r.REGISTERS:
                uses[(b - r.REGISTERS) // window] += 1
            assert 0 <= a < self._instructions.registers
        order = sorted(np.flatnonzero(uses).tolist(), key=lambda w: -uses[w])
        return dict(zip(order, self._instructions.pointers, strict=False))

    def middle(self, window: int) -> int:
        """Bytes from the beginning of a block to where a pointer points."""
        return (window * self._instructions.window + self._instructions.window // 2) * self._instructions.row

    def address(self, row: int, more: int = 0) -> str:
        """Of a row, or of a byte in it."""
        window = row // self._instructions.window
        offset = row * self._instructions.row - (self.middle(window) if window in self.pointers else 0) + more
        return f"[{NAMES[self.pointers.get(window, 7)]} + {offset}]"

    def row(self, row: int) -> str:
        """A row as an operand."""
        return f"{self.memory} ptr {self.address(row)}"

    def place(self, x: int) -> str:
        """A register or a row as an operand."""
        return f"{self.register}{x}" if x < r.REGISTERS else self.row(x - r.REGISTERS)

    def load(self, _i: int, d: int, _a: int, b: int, _table: int) -> list[str]:
        return [] if d == b else [f"{self.move} {self.register}{d}, {self.place(b)}"]

    def save(self, _i: int, row: int, a: int, _b: int, _table: int) -> list[str]:
        return [f"{self.move} {self.row(row)}, {self.register}{a}"]

    def label(self, i: int, _d: int, a: int, _b: int, _table: int) -> list[str]:
        return [f"{self.name}_loop{i}:", self.operate("vpxor", a, a, a)]

    def operate(self, operation: str, d: int, a: int, b: int) -> str:
        """One operation on two places."""
        return f"{operation}{self.suffix} {self.register}{d}, {self.register}{a}, {self.place(b)}"


class _Zmm(_Writer):
    register, memory, suffix, move = "zmm", "zmmword", "q", "vmovdqa64"

    def _ternary(self, d: int, a: int, b: int, code: int) -> str:
        return f"vpternlogq zmm{d}, zmm{a}, {self.place(b)}, {code}"

    def constant(self, _i: int, d: int, _a: int, _b: int, table: int) -> list[str]:
        return [self._ternary(d, d, d, 255) if table else self.operate("vpxor", d, d, d)]

    def inverse(self, _i: int, d: int, _a: int, b: int, _table: int) -> list[str]:
        return [self._ternary(d, d, b, 0x55)]

    def two(self, _i: int, d: int, a: int, b: int, table: int) -> list[str]:
        if table in PLAIN:
            return [self.operate(PLAIN[table], d, a, b)]
        return [self._ternary(d, a, b, sum(1 << v for v in range(8) if table >> ((v >> 1 & 1) | (v & 1) << 1) & 1))]

    def three(self, _i: int, d: int, a: int, b: int, table: int) -> list[str]:
        order = [(v >> 2 & 1) | (v >> 1 & 1) << 1 | (v & 1) << 2 for v in range(8)]
        return [self._ternary(d, a, b, sum(1 << v for v in range(8) if table >> order[v] & 1))]

    def draw(self, _i: int, d: int, a: int, b: int, _table: int) -> list[str]:
        return [f"vpaddq zmm{d}, zmm{a}, {self.place(b)}", f"vprolq zmm{d}, zmm{d}, {ROTATION}"]

    def add_bits(self, _i: int, row: int, a: int, b: int, _table: int) -> list[str]:
        sums = self.row(row)
        return [f"vpopcntq zmm{a}, {self.place(b)}", f"vpaddq zmm{a}, zmm{a}, {sums}", f"vmovdqa64 {sums}, zmm{a}"]

    def note_change(self, _i: int, row: int, a: int, b: int, _table: int) -> list[str]:
        return [self._ternary(a, b, r.REGISTERS + row, 0xF6), f"vmovdqa64 {self.row(row)}, zmm{b}"]

    def again(self, _i: int, label: int, a: int, _b: int, _table: int) -> list[str]:
        return [f"vptestmq k1, zmm{a}, zmm{a}", "kortestb k1, k1", f"jnz {self.name}_loop{label}"]


class _Ymm(_Writer):
    register, memory, suffix, move = "ymm", "ymmword", "", "vmovdqa"

    def operate(self, operation: str, d: int, a: int, b: int) -> str:
        """Where the order does not matter, the last register is one of the first eight."""
        if 8 <= b < r.REGISTERS and a < 8 and operation != "vpandn":
            a, b = b, a
        return super().operate(operation, d, a, b)

    def constant(self, _i: int, d: int, _a: int, _b: int, table: int) -> list[str]:
        return [self.operate("vpcmpeqd" if table else "vpxor", d, d, d)]

    def inverse(self, _i: int, d: int, _a: int, b: int, _table: int) -> list[str]:
        return [self.operate("vpcmpeqd", d, d, d), self.operate("vpxor", d, d, b)]

    def two(self, _i: int, d: int, a: int, b: int, table: int) -> list[str]:
        return [self.operate(PLAIN[table], d, a, b)]

    def draw(self, _i: int, d: int, a: int, b: int, spare: int) -> list[str]:
        shifts = [f"vpsllq ymm{spare}, ymm{d}, {ROTATION}", f"vpsrlq ymm{d}, ymm{d}, {64 - ROTATION}"]
        return [self.operate("vpaddq", d, a, b), *shifts, self.operate("vpor", d, d, spare)]

    def add_bits(self, _i: int, row: int, _a: int, b: int, _table: int) -> list[str]:
        lines = [] if b >= r.REGISTERS else [f"vmovdqu ymmword ptr [rsp - 40], ymm{b}"]
        for k in range(0, 32, 8):
            word = self.address(b - r.REGISTERS, k) if b >= r.REGISTERS else f"[rsp - {40 - k}]"
            lines += [f"popcnt r12, qword ptr {word}", f"add qword ptr {self.address(row, k)}, r12"]
        return lines

    def note_change(self, _i: int, row: int, a: int, b: int, spare: int) -> list[str]:
        changes = [self.operate("vpxor", spare, b, r.REGISTERS + row), self.operate("vpor", a, a, spare)]
        return [*changes, f"vmovdqa {self.row(row)}, ymm{b}"]

    def again(self, _i: int, label: int, a: int, _b: int, _table: int) -> list[str]:
        return [f"vptest ymm{a}, ymm{a}", f"jnz {self.name}_loop{label}"]


Write = Callable[[int, int, int, int, int], list[str]]
_WRITERS: dict[Instructions, type[_Zmm | _Ymm]] = {AVX512: _Zmm, AVX2: _Ymm}


def text_of(listing: r.Listing, rows: int, name: str, instructions: Instructions) -> str:
    """The whole function."""
    writer = _WRITERS[instructions](listing, rows, name, instructions)
    saved = [NAMES[x] for x in SAVED if x in (*writer.pointers.values(), *instructions.scratch)]
    lines = [
        ".intel_syntax noprefix",
        ".text",
        f".globl {name}",
        f".globl {name}_end",
        f"{name}:",
        "test rsi, rsi",
        f"jz {name}_out",
        "test rdx, rdx",
        f"jnz {name}_in",
        f"{name}_out:",
        "ret",
        f"{name}_in:",
        *(f"push {x}" for x in saved),
    ]
    point = [f"lea {NAMES[x]}, [rdi + {writer.middle(w)}]" for w, x in writer.pointers.items()]
    written, body = _methods(writer), list[str]()
    for i, (what, *rest) in enumerate(listing.lines.tolist()):
        body += written[what](i, *rest)
    if len(listing.lines) <= SHORT:  # a lap of each block in turn
        lines += [
            "mov rax, rdx", f"{name}_lap:", "mov rdx, rsi", f"{name}_block:", *point, *body,
            "add rdi, rcx", "dec rdx", f"jnz {name}_block",
            "mov rdx, rsi", "imul rdx, rcx", "sub rdi, rdx", "dec rax", f"jnz {name}_lap",
        ]  # fmt: skip
    else:
        lines += [
            f"{name}_block:", *point, "mov rax, rdx", f"{name}_lap:", *body, "dec rax", f"jnz {name}_lap",
            "add rdi, rcx", "dec rsi", f"jnz {name}_block",
        ]  # fmt: skip
    lines += [
        *(f"pop {x}" for x in reversed(saved)),
        "vzeroupper",
        "ret",
        f"{name}_end:",
        ".att_syntax",
    ]
    return "\n".join(lines)


def _methods(writer: _Zmm | _Ymm) -> dict[int, Write]:
    both: dict[int, Write] = {
        r.LOAD: writer.load,
        r.SAVE: writer.save,
        r.CONSTANT: writer.constant,
        r.NOT: writer.inverse,
        r.TWO: writer.two,
        r.DRAW: writer.draw,
        r.ADD_BITS: writer.add_bits,
        r.NOTE_CHANGE: writer.note_change,
        r.LABEL: writer.label,
        r.AGAIN: writer.again,
    }
    return both | {r.THREE: writer.three} if isinstance(writer, _Zmm) else both


def bytes_of(listing: r.Listing, rows: int, instructions: Instructions) -> bytes:
    """What LLVM's assembler makes of it."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    llvm.initialize_native_asmparser()
    name = f"lanes_program_{next(_numbers)}"
    escaped = text_of(listing, rows, name, instructions).replace("\n", "\\0A")
    module = llvm.parse_assembly(f'target triple = "{llvm.get_process_triple()}"\nmodule asm "{escaped}"\n')
    target = llvm.Target.from_default_triple()
    features = ",".join(f"+{x}" for x in instructions.features)
    engine = llvm.create_mcjit_compiler(module, target.create_target_machine(cpu="x86-64", features=features, opt=0))
    engine.finalize_object()
    start, end = (engine.get_function_address(x) for x in (name, f"{name}_end"))
    return ctypes.string_at(start, end - start)
