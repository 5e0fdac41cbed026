"""Runs a program one operation at a time, on any machine that numba supports.

The portable way, and the reference for the machine code: both give the same bits. A row is 16 words, so that
dispatching an operation is paid once for 1,024 lanes. The forms of `tables` become vector code through an
intrinsic: from plain loops LLVM would have to assume that the rows of one array overlap.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numba as nb
import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba.core import cgutils
from numba.extending import intrinsic

from ggp.banks.program import COUNT, FEED, LUCK, ROTATION, STORE, TABLE, Program
from ggp.banks.tables import FORMS, SAME, TABLES
from ggp.kernels import kernel

WORDS = 16
LUCK_CODE, COUNT_CODE, FEED_CODE = len(FORMS), len(FORMS) + 1, len(FORMS) + 2
Ints = npt.NDArray[np.int32]


class _Vector:
    """An LLVM vector value with Python's operators, so that the forms emit code."""

    def __init__(self, builder: Any, value: Any) -> None:
        self.builder, self.value = builder, value

    def __and__(self, other: _Vector) -> _Vector:
        return _Vector(self.builder, self.builder.and_(self.value, other.value))

    def __or__(self, other: _Vector) -> _Vector:
        return _Vector(self.builder, self.builder.or_(self.value, other.value))

    def __xor__(self, other: _Vector) -> _Vector:
        return _Vector(self.builder, self.builder.xor(self.value, other.value))

    def __invert__(self) -> _Vector:
        return _Vector(self.builder, self.builder.not_(self.value))


@intrinsic
def _operate(_typing_context, memory, code, flips, d, a, b, c):  # type: ignore[no-untyped-def]
    """Row d = form(rows a, b, c), inverted as `flips` says; returns non-zero if a FEED changed its row."""
    vector = ir.VectorType(ir.IntType(64), WORDS)
    word = ir.IntType(64)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        code, flips, d, a, b, c = arguments[1:]
        base = builder.bitcast(array.data, ir.IntType(8).as_pointer())

        def intrinsic_of(name: str, result: Any) -> Any:
            kind = ir.FunctionType(result, [vector])
            return cgutils.get_or_insert_function(  # type: ignore[no-untyped-call]
                builder.module, kind, f"{name}.v{WORDS}i64"
            )

        def row(index: Any) -> Any:
            offset = builder.mul(builder.sext(index, word), ir.Constant(word, 8 * WORDS))
            return builder.bitcast(builder.gep(base, [offset]), vector.as_pointer())

        def splat(bit: int) -> _Vector:
            flag = builder.trunc(builder.lshr(flips, ir.Constant(flips.type, bit)), ir.IntType(1))
            one = builder.insert_element(
                ir.Constant(vector, ir.Undefined), builder.sext(flag, word), ir.Constant(ir.IntType(32), 0)
            )
            zeros = ir.Constant(ir.VectorType(ir.IntType(32), WORDS), [0] * WORDS)
            return _Vector(builder, builder.shuffle_vector(one, ir.Constant(vector, ir.Undefined), zeros))

        def load(index: Any) -> _Vector:
            return _Vector(builder, builder.load(row(index), align=8))

        target = row(d)
        x, y, z = load(a), load(b), load(c)
        fx, fy, fz = x ^ splat(0), y ^ splat(1), z ^ splat(2)
        invert = splat(3)
        start = builder.block
        end = builder.append_basic_block("end")
        switch = builder.switch(code, end)
        results = [(ir.Constant(vector, None), start)]
        change = ir.Constant(vector, None)
        rotation = ir.Constant(vector, [ROTATION] * WORDS)
        opposite = ir.Constant(vector, [64 - ROTATION] * WORDS)
        for form in range(FEED_CODE + 1):
            block = builder.append_basic_block(f"form{form}")
            switch.add_case(ir.Constant(code.type, form), block)
            builder.position_at_end(block)
            if form == 0:
                value = invert
            elif form < len(FORMS):
                value = FORMS[form](fx, fy, fz) ^ invert
            elif form == LUCK_CODE:
                total = builder.add(x.value, y.value)
                value = _Vector(builder, builder.or_(builder.shl(total, rotation), builder.lshr(total, opposite)))
            elif form == COUNT_CODE:
                bits = builder.call(intrinsic_of("llvm.ctpop", vector), [x.value])
                value = _Vector(builder, builder.add(bits, builder.load(target, align=8)))
            else:
                value = x
                change = (x ^ _Vector(builder, builder.load(target, align=8))).value
            results.append((value.value, block))
            builder.branch(end)
        builder.position_at_end(end)
        value, changed = builder.phi(vector), builder.phi(vector)
        for result, block in results:
            value.add_incoming(result, block)
            changed.add_incoming(change if block is results[-1][1] else ir.Constant(vector, None), block)
        builder.store(value, target, align=8)
        return builder.call(intrinsic_of("llvm.vector.reduce.or", word), [changed])

    return nb.types.uint64(memory, code, flips, d, a, b, c), generate


@kernel
def _run(code, flips, target, operands, segments, memory, laps):  # type: ignore[no-untyped-def]
    """code, flips, target: int32 [ops]; operands: int32 [ops,3]; segments: int32 [n,3] (first, end, is a
    loop); memory: uint64 [blocks, rows, WORDS].
    """
    for block in range(len(memory)):
        m = memory[block]
        for _ in range(laps):
            for s in range(len(segments)):
                lo, hi, loop = segments[s]
                if loop:
                    for i in range(lo, hi):
                        if code[i] == FEED_CODE:
                            m[target[i]] = 0
                while True:
                    changed = nb.uint64(0)
                    for i in range(lo, hi):
                        changed |= _operate(  # type: ignore[call-arg]
                            m, code[i], flips[i], target[i], operands[i, 0], operands[i, 1], operands[i, 2]
                        )
                    if not loop or changed == 0:
                        break


@dataclass(frozen=True, eq=False)
class Interpreted:
    """A program with a row for every value. `rows`: of a block, slots for intermediate values included."""

    code: Ints
    flips: Ints
    target: Ints
    operands: Ints
    segments: Ints
    rows: int
    words: int = WORDS

    def run(self, memory: npt.NDArray[np.uint64], laps: int) -> None:
        """memory: [blocks, rows, words], C order. Releases the GIL."""
        assert memory.shape[1] >= self.rows and memory.shape[2] == WORDS and memory.flags.c_contiguous
        _run(self.code, self.flips, self.target, self.operands, self.segments, memory, laps)


def last_uses(program: Program) -> list[int]:
    """For each value the last operation that reads it: the end of a loop if it is made before the loop."""
    last = [-1] * len(program.row)
    made = [-1] * len(program.row)
    operands = program.operands.tolist()
    for lo, hi, loop in program.segments:
        for i in range(lo, hi):
            if program.what[i] in (TABLE, LUCK):
                made[program.target[i]] = i
        for i in range(lo, hi):
            for x in operands[i]:
                if x >= 0:
                    last[x] = hi - 1 if loop and made[x] < lo else max(last[x], i)
    return last


def interpret(program: Program) -> Interpreted:
    """Give every value a row: the row it is stored to if that is free at once, else a slot while it is
    alive.
    """
    last = last_uses(program)
    what, table = program.what.tolist(), program.table.tolist()
    target, operands = program.target.tolist(), program.operands.tolist()
    place: list[int] = program.row.tolist()
    free: list[int] = []
    rows = program.rows
    out: list[tuple[int, int, int, tuple[int, int, int]]] = []
    starts: list[int] = []
    ends = {hi - 1 for _, hi, _ in program.segments}
    ending: dict[int, list[int]] = {}
    for x, i in enumerate(last):
        if program.row[x] < 0:
            ending.setdefault(i, []).append(x)
    direct: set[int] = set()  # values whose place is a state row
    for i in range(len(what)):
        starts.append(len(out))
        w, abc = what[i], operands[i]
        a = place[abc[0]] if abc[0] >= 0 else 0
        b, c = (place[x] if x >= 0 else a for x in abc[1:])
        dying = ending.get(i, ())
        free.extend(place[x] for x in dying if x not in direct)
        if w in (TABLE, LUCK):
            d = target[i]
            if i + 1 < len(what) and what[i + 1] == STORE and operands[i + 1][0] == d and i not in ends:
                place[d] = target[i + 1]
                direct.add(d)
            elif free:
                place[d] = free.pop()
            else:
                place[d] = rows
                rows += 1
            if w == LUCK:
                out.append((LUCK_CODE, 0, place[d], (a, b, c)))
            else:
                form, order, flips = TABLES[table[i]]
                abc_rows = (a, b, c)
                out.append((form, flips, place[d], (abc_rows[order[0]], abc_rows[order[1]], abc_rows[order[2]])))
        elif w == STORE:
            if a != target[i]:
                out.append((SAME, 0, target[i], (a, a, a)))
        else:
            out.append((COUNT_CODE if w == COUNT else FEED_CODE, 0, target[i], (a, a, a)))
            assert w in (COUNT, FEED)
    starts.append(len(out))
    return Interpreted(
        code=np.array([x[0] for x in out], np.int32),
        flips=np.array([x[1] for x in out], np.int32),
        target=np.array([x[2] for x in out], np.int32),
        operands=np.array([x[3] for x in out], np.int32).reshape(-1, 3),
        segments=np.array([(starts[lo], starts[hi], loop) for lo, hi, loop in program.segments], np.int32),
        rows=rows,
    )
