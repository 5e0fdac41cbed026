"""A listing as assembler text, and the bytes that LLVM makes of it: a readable form of what `ggp.lanes.assembler` writes.

A place is the text of a register or of a memory operand.
"""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Callable

import llvmlite.binding as llvm
import numpy as np

from ggp.lanes import registers as r
from ggp.lanes.assembler import POINTERS, ROW, SAVED, SHORT, WINDOW
from ggp.lanes.program import ROTATION

NAMES = {3: "rbx", 5: "rbp", 7: "rdi", **{number: f"r{number}" for number in range(8, 16)}}
PLAIN = {0x88: "vpandq", 0x44: "vpandnq", 0xEE: "vporq", 0x66: "vpxorq"}
_numbers = itertools.count()


def text_of(listing: r.Listing, rows: int, name: str) -> str:
    """The whole function."""
    pointers = pointers_of(listing, rows)
    saved = [NAMES[number] for number in SAVED if number in pointers.values()]
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
    point = [f"lea {NAMES[x]}, [rdi + {middle(w)}]" for w, x in pointers.items()]
    body = list[str]()
    for i, (what, *rest) in enumerate(listing.lines.tolist()):
        body += WRITERS[what](name, i, pointers, *rest)
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


def bytes_of(listing: r.Listing, rows: int) -> bytes:
    """What LLVM's assembler makes of it."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    llvm.initialize_native_asmparser()
    name = f"lanes_program_{next(_numbers)}"
    escaped = text_of(listing, rows, name).replace("\n", "\\0A")
    module = llvm.parse_assembly(f'target triple = "{llvm.get_process_triple()}"\nmodule asm "{escaped}"\n')
    target = llvm.Target.from_default_triple()
    features = "+avx512f,+avx512dq,+avx512vpopcntdq"
    engine = llvm.create_mcjit_compiler(module, target.create_target_machine(cpu="x86-64", features=features, opt=0))
    engine.finalize_object()
    start, end = (engine.get_function_address(x) for x in (name, f"{name}_end"))
    return ctypes.string_at(start, end - start)


def pointers_of(listing: r.Listing, rows: int) -> dict[int, int]:
    """The pointer of each window of rows that has one: those that are used most."""
    uses = np.zeros(-(-rows // WINDOW), np.int64)
    for what, d, a, b, _ in listing.lines.tolist():
        if what in (r.SAVE, r.ADD_BITS, r.NOTE_CHANGE):
            uses[d // WINDOW] += 1
        if what in (r.LOAD, r.NOT, r.TWO, r.THREE, r.DRAW, r.ADD_BITS) and b >= r.REGISTERS:
            uses[(b - r.REGISTERS) // WINDOW] += 1
        assert 0 <= a < r.REGISTERS
    order = sorted(np.flatnonzero(uses).tolist(), key=lambda w: -uses[w])
    return dict(zip(order, POINTERS, strict=False))


def middle(window: int) -> int:
    """Bytes from the beginning of a block to where a pointer points."""
    return (window * WINDOW + WINDOW // 2) * ROW


Pointers = dict[int, int]
Writer = Callable[[str, int, Pointers, int, int, int, int], list[str]]


def _row(pointers: Pointers, row: int) -> str:
    window = row // WINDOW
    offset = row * ROW - (middle(window) if window in pointers else 0)
    return f"zmmword ptr [{NAMES[pointers.get(window, 7)]} + {offset}]"


def _place(pointers: Pointers, x: int) -> str:
    return f"zmm{x}" if x < r.REGISTERS else _row(pointers, x - r.REGISTERS)


def _load(_: str, _i: int, p: Pointers, d: int, _a: int, b: int, _table: int) -> list[str]:
    return [] if d == b else [f"vmovdqa64 zmm{d}, {_place(p, b)}"]


def _save(_: str, _i: int, p: Pointers, row: int, a: int, _b: int, _table: int) -> list[str]:
    return [f"vmovdqa64 {_row(p, row)}, zmm{a}"]


def _constant(_: str, _i: int, _p: Pointers, d: int, _a: int, _b: int, table: int) -> list[str]:
    return [f"vpternlogq zmm{d}, zmm{d}, zmm{d}, 255" if table else f"vpxorq zmm{d}, zmm{d}, zmm{d}"]


def _not(_: str, _i: int, p: Pointers, d: int, _a: int, b: int, _table: int) -> list[str]:
    return [f"vpternlogq zmm{d}, zmm{d}, {_place(p, b)}, 0x55"]


def _two(_: str, _i: int, p: Pointers, d: int, a: int, b: int, table: int) -> list[str]:
    if table in PLAIN:
        return [f"{PLAIN[table]} zmm{d}, zmm{a}, {_place(p, b)}"]
    code = sum(1 << v for v in range(8) if table >> ((v >> 1 & 1) | (v & 1) << 1) & 1)
    return [f"vpternlogq zmm{d}, zmm{a}, {_place(p, b)}, {code}"]


def _three(_: str, _i: int, p: Pointers, d: int, a: int, b: int, table: int) -> list[str]:
    code = sum(1 << v for v in range(8) if table >> ((v >> 2 & 1) | (v >> 1 & 1) << 1 | (v & 1) << 2) & 1)
    return [f"vpternlogq zmm{d}, zmm{a}, {_place(p, b)}, {code}"]


def _draw(_: str, _i: int, p: Pointers, d: int, a: int, b: int, _table: int) -> list[str]:
    return [f"vpaddq zmm{d}, zmm{a}, {_place(p, b)}", f"vprolq zmm{d}, zmm{d}, {ROTATION}"]


def _add_bits(_: str, _i: int, p: Pointers, row: int, a: int, b: int, _table: int) -> list[str]:
    memory = _row(p, row)
    return [f"vpopcntq zmm{a}, {_place(p, b)}", f"vpaddq zmm{a}, zmm{a}, {memory}", f"vmovdqa64 {memory}, zmm{a}"]


def _note_change(_: str, _i: int, p: Pointers, row: int, a: int, b: int, _table: int) -> list[str]:
    memory = _row(p, row)
    return [f"vpternlogq zmm{a}, zmm{b}, {memory}, 0xF6", f"vmovdqa64 {memory}, zmm{b}"]


def _label(name: str, i: int, _p: Pointers, _d: int, a: int, _b: int, _table: int) -> list[str]:
    return [f"{name}_loop{i}:", f"vpxorq zmm{a}, zmm{a}, zmm{a}"]


def _again(name: str, i: int, _p: Pointers, label: int, a: int, _b: int, _table: int) -> list[str]:
    return [f"vptestmq k1, zmm{a}, zmm{a}", "kortestb k1, k1", f"jnz {name}_loop{label}"]


WRITERS: dict[int, Writer] = {
    r.LOAD: _load,
    r.SAVE: _save,
    r.CONSTANT: _constant,
    r.NOT: _not,
    r.TWO: _two,
    r.THREE: _three,
    r.DRAW: _draw,
    r.ADD_BITS: _add_bits,
    r.NOTE_CHANGE: _note_change,
    r.LABEL: _label,
    r.AGAIN: _again,
}
