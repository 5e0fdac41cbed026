"""A listing as AVX-512 assembler text: one instruction per three-input table, 512 lanes at a time.

Code size is what limits long programs (a straight line is fetched once per lap), so rows are addressed
through as many pointers as there are registers for: each serves 256 rows with one-byte offsets, three bytes
an access less.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from ggp.banks.program import ROTATION
from ggp.banks.registers import Listing, Memory

WORDS = 8
ROW = 8 * WORDS  # bytes
WINDOW = 256  # rows that one pointer serves: 128 either way
POINTERS = ("r8", "r9", "r10", "r11", "rbx", "r14", "r15", "r13", "rbp", "r12")
SAVED = ("rbx", "rbp", "r12", "r13", "r14", "r15")  # by the System V convention, if we use them


def assembler(name: str, listing: Listing, rows: int) -> str:
    """A function (rdi: memory, rsi: blocks, rdx: laps, rcx: bytes of a block). Slots come after `rows`
    rows.
    """
    uses = Counter(_row(x, rows) // WINDOW for line in listing.lines for x in line if isinstance(x, Memory))
    pointer = {w: r for (w, _), r in zip(uses.most_common(len(POINTERS)), POINTERS, strict=False)}
    saved = [r for r in SAVED if r in pointer.values()]
    middle = {w: (w * WINDOW + WINDOW // 2) * ROW for w in pointer}
    lines = [
        ".intel_syntax noprefix",
        ".text",
        ".p2align 6",
        f".globl {name}",
        f".globl {name}_end",
        f"{name}:",
        *(f"push {r}" for r in saved),
        "test rsi, rsi",
        f"jz {name}_out",
        "test rdx, rdx",
        f"jz {name}_out",
        f"{name}_block:",
        *(f"lea {r}, [rdi + {middle[w]}]" for w, r in pointer.items()),
        "mov rax, rdx",
        ".p2align 6",
        f"{name}_lap:",
    ]

    def place(x: Any) -> Any:
        if not isinstance(x, Memory):
            return x
        row = _row(x, rows)
        window = row // WINDOW
        offset = row * ROW - middle.get(window, 0)
        return f"zmmword ptr [{pointer.get(window, 'rdi')} + {offset}]"

    for line in listing.lines:
        lines.extend(_WRITERS[str(line[0])](name, *map(place, line[1:])))
    lines += [
        "dec rax",
        f"jnz {name}_lap",
        "add rdi, rcx",
        "dec rsi",
        f"jnz {name}_block",
        f"{name}_out:",
        *(f"pop {r}" for r in reversed(saved)),
        "vzeroupper",
        "ret",
        f"{name}_end:",
        ".att_syntax",
    ]
    return "\n".join(lines)


def _row(x: Memory, rows: int) -> int:
    return x.index + (rows if x.slot else 0)


# The writers: one per abstract instruction. A place is a register number or the text of a memory operand.


def _place(x: int | str) -> str:
    return x if isinstance(x, str) else f"zmm{x}"


def _load(_: str, r: int, x: int | str) -> list[str]:
    return [] if r == x else [f"vmovdqa64 zmm{r}, {_place(x)}"]


def _store(_: str, x: str, r: int) -> list[str]:
    return [f"vmovdqa64 {_place(x)}, zmm{r}"]


def _constant(_: str, r: int, table: int) -> list[str]:
    if table:
        return [f"vpternlogd zmm{r}, zmm{r}, zmm{r}, 255"]
    return [f"vpxord zmm{r}, zmm{r}, zmm{r}"]


def _not(_: str, r: int, x: int | str) -> list[str]:
    return [f"vpternlogq zmm{r}, zmm{r}, {_place(x)}, 0x55"]


# two operands, by their table: the plain instruction, which has a destination of its own and no third input
_PLAIN = {0x88: "vpandq", 0x44: "vpandnq", 0xEE: "vporq", 0x66: "vpxorq"}


def _two(_: str, r: int, a: int, b: int | str, table: int) -> list[str]:
    plain = _PLAIN.get(table)
    if plain:
        return [f"{plain} zmm{r}, zmm{a}, {_place(b)}"]
    # as operands 1 and 2 of a ternary table that ignores operand 0
    code = sum(1 << v for v in range(8) if table >> ((v >> 1 & 1) | (v & 1) << 1) & 1)
    return [f"vpternlogq zmm{r}, zmm{a}, {_place(b)}, {code}"]


def _three(_: str, r: int, b: int | str, c: int | str, table: int) -> list[str]:
    """The instruction's index is (r, b, c) with r the highest bit; a table has its first operand lowest."""
    code = sum(1 << v for v in range(8) if table >> ((v >> 2 & 1) | (v >> 1 & 1) << 1 | (v & 1) << 2) & 1)
    return [f"vpternlogq zmm{r}, {_place(b)}, {_place(c)}, {code}"]


def _luck(_: str, r: int, a: int, b: int | str) -> list[str]:
    return [f"vpaddq zmm{r}, zmm{a}, {_place(b)}", f"vprolq zmm{r}, zmm{r}, {ROTATION}"]


def _count(_: str, row: str, spare: int, x: int | str) -> list[str]:
    return [
        f"vpopcntq zmm{spare}, {_place(x)}",
        f"vpaddq zmm{spare}, zmm{spare}, {_place(row)}",
        f"vmovdqa64 {_place(row)}, zmm{spare}",
    ]


def _feed(_: str, row: str, spare: int, r: int) -> list[str]:
    return [
        f"vpxorq zmm{spare}, zmm{r}, {_place(row)}",
        f"vmovdqa64 {_place(row)}, zmm{r}",
        f"vptestmq k1, zmm{spare}, zmm{spare}",
        "korb k2, k2, k1",
    ]


def _label(name: str, number: int) -> list[str]:
    return [f"{name}_loop{number}:", "kxorb k2, k2, k2"]


def _again(name: str, number: int) -> list[str]:
    return ["kortestb k2, k2", f"jnz {name}_loop{number}"]


def _open(_: str, _number: int) -> list[str]:
    return []


_WRITERS: dict[str, Any] = {
    "load": _load,
    "store": _store,
    "constant": _constant,
    "not": _not,
    "two": _two,
    "three": _three,
    "luck": _luck,
    "count": _count,
    "feed": _feed,
    "label": _label,
    "again": _again,
    "open": _open,
}
