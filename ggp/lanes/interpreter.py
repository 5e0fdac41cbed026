"""Runs a program one operation at a time, on any machine that numba supports.

The portable way, and the reference for the machine code: both give the same bits. A row is 16 words, so that
dispatching an operation is paid once for 1,024 lanes. The forms of `tables` become vector code through an
intrinsic: from plain loops LLVM would have to assume that the rows of one array overlap.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numba as nb
import numpy as np
from llvmlite import ir
from numba.core import cgutils
from numba.extending import intrinsic

from ggp.core.arraytypes import Ints, Words
from ggp.core.kernels import kernel
from ggp.lanes.program import COUNT, LUCK, ROTATION, STORE, TABLE, Program, write
from ggp.lanes.tables import FORM_OF, FORMS, SAME

WORDS = 16
LUCK_CODE, COUNT_CODE, FEED_CODE = len(FORMS), len(FORMS) + 1, len(FORMS) + 2


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


_WORD, _VECTOR = ir.IntType(64), ir.VectorType(ir.IntType(64), WORDS)


class _Emitter:
    """Emits one operation on rows of a memory: a branch for each form, and what it stores."""

    def __init__(self, builder: Any, data: Any) -> None:
        self.builder = builder
        self._base = builder.bitcast(data, ir.IntType(8).as_pointer())

    def operation(self, code: Any, flips: Any, d: Any, operands: Sequence[Any]) -> Any:
        """Row d = form(rows of the operands), inverted as `flips` says; non-zero if a FEED changed its row."""
        builder, zero = self.builder, ir.Constant(_VECTOR, None)
        target = self._row(d)
        x, y, z = (_Vector(builder, builder.load(self._row(index), align=8)) for index in operands)
        flipped = [value ^ self._splat(flips, bit) for bit, value in enumerate((x, y, z))]
        invert = self._splat(flips, len(flipped))
        results, end = [(zero, zero, builder.block)], builder.append_basic_block("end")
        switch = builder.switch(code, end)
        for form in range(FEED_CODE + 1):
            block = builder.append_basic_block(f"form{form}")
            switch.add_case(ir.Constant(code.type, form), block)
            builder.position_at_end(block)
            if form < len(FORMS):
                value, change = FORMS[form](*flipped) ^ invert if form else invert, zero
            elif form == LUCK_CODE:
                value, change = self._drawn(x, y), zero
            else:
                old = _Vector(builder, builder.load(target, align=8))
                value = self._counted(x, old) if form == COUNT_CODE else x
                change = (x ^ old).value if form == FEED_CODE else zero
            results.append((value.value, change, block))
            builder.branch(end)
        builder.position_at_end(end)
        stored, changed = builder.phi(_VECTOR), builder.phi(_VECTOR)
        for value, change, block in results:
            stored.add_incoming(value, block)
            changed.add_incoming(change, block)
        builder.store(stored, target, align=8)
        return self._call("llvm.vector.reduce.or", _WORD, changed)

    def _row(self, index: Any) -> Any:
        """Where a row is."""
        offset = self.builder.mul(self.builder.sext(index, _WORD), ir.Constant(_WORD, 8 * WORDS))
        return self.builder.bitcast(self.builder.gep(self._base, [offset]), _VECTOR.as_pointer())

    def _splat(self, flips: Any, bit: int) -> _Vector:
        """A bit of `flips` in all lanes."""
        builder, nothing = self.builder, ir.Constant(_VECTOR, ir.Undefined)
        flag = builder.trunc(builder.lshr(flips, ir.Constant(flips.type, bit)), ir.IntType(1))
        one = builder.insert_element(nothing, builder.sext(flag, _WORD), ir.Constant(ir.IntType(32), 0))
        zeros = ir.Constant(ir.VectorType(ir.IntType(32), WORDS), [0] * WORDS)
        return _Vector(builder, builder.shuffle_vector(one, nothing, zeros))

    def _drawn(self, x: _Vector, y: _Vector) -> _Vector:
        """The next word of the random generator."""
        builder, total = self.builder, self.builder.add(x.value, y.value)
        left, right = (ir.Constant(_VECTOR, [bits] * WORDS) for bits in (ROTATION, 64 - ROTATION))
        return _Vector(builder, builder.or_(builder.shl(total, left), builder.lshr(total, right)))

    def _counted(self, x: _Vector, old: _Vector) -> _Vector:
        """The bits of each word, added to what was counted before."""
        return _Vector(self.builder, self.builder.add(self._call("llvm.ctpop", _VECTOR, x.value), old.value))

    def _call(self, name: str, result: Any, vector: Any) -> Any:
        function = cgutils.get_or_insert_function(  # type: ignore[no-untyped-call]
            self.builder.module, ir.FunctionType(result, [_VECTOR]), f"{name}.v{WORDS}i64"
        )
        return self.builder.call(function, [vector])


@intrinsic
def _operate(_typing_context: Any, memory: Any, code: Any, flips: Any, d: Any, a: Any, b: Any, c: Any) -> Any:
    """What `_Emitter.operation` emits, as a function of kernels."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        code, flips, d, *operands = arguments[1:]
        return _Emitter(builder, array.data).operation(code, flips, d, operands)

    return nb.types.uint64(memory, code, flips, d, a, b, c), generate


@kernel
def _run(code: Ints, flips: Ints, target: Ints, operands: Ints, segments: Ints, memory: Words, laps: int) -> None:
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

    def run(self, memory: Words, laps: int) -> None:
        """memory: [blocks, rows, words], C order. Releases the GIL."""
        assert memory.shape[1] >= self.rows and memory.shape[2] == WORDS and memory.flags.c_contiguous
        _run(self.code, self.flips, self.target, self.operands, self.segments, memory, laps)


def last_uses(program: Program) -> Ints:
    """For each value the last operation that reads it: the end of a loop if it is made before the loop."""
    segments = np.array(program.segments, np.int32).reshape(-1, 3)
    return find_last_uses(program.what, program.target, program.operands, segments, len(program.row))


@kernel
def find_last_uses(what: Ints, target: Ints, operands: Ints, segments: Ints, values: int) -> Ints:
    """See `last_uses`."""
    last, made = np.full(values, -1, np.int32), np.full(values, -1, np.int32)
    for lo, hi, loop in segments:
        for i in range(lo, hi):
            if what[i] == TABLE or what[i] == LUCK:
                made[target[i]] = i
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
    slots = np.flatnonzero(program.row < 0).astype(np.int32)
    ending = slots[np.argsort(last[slots], kind="stable")]
    segments = np.array(program.segments, np.int32).reshape(-1, 3)
    place, out = program.row.copy(), np.empty((program.size, 6), np.int32)
    starts = np.empty(program.size + 1, np.int32)
    columns = program.what, program.table, program.target, program.operands
    rows = _place(*columns, segments[:, 1] - 1, last, ending, place, out, starts, program.rows, FORM_OF)
    segments[:, :2] = starts[segments[:, :2]]
    out = out[: starts[-1]]
    code, flips, target = (out[:, k].copy() for k in range(3))
    return Interpreted(code, flips, target, out[:, 3:].copy(), segments, rows)


@kernel
def _place(
    what: Ints,
    table: Ints,
    target: Ints,
    operands: Ints,
    ends: Ints,
    last: Ints,
    ending: Ints,
    place: Ints,
    out: Ints,
    starts: Ints,
    rows: int,
    forms: Ints,
) -> int:
    """Write the operations on rows to `out`: code, flips, target, three operands. Returns how many rows there are.

    ends: last operations of segments; ending: the values in slots, by their last use; place: row of each value so far.
    """
    free = np.empty(len(place), np.int32)
    is_end, direct = np.zeros(len(what), np.bool_), np.zeros(len(place), np.bool_)  # direct: in a row of the state
    for i in ends:
        if i >= 0:
            is_end[i] = True
    idle = size = at = 0
    while at < len(ending) and last[ending[at]] < 0:
        at += 1
    for i in range(len(what)):
        starts[i] = size
        w = what[i]
        a = place[operands[i, 0]] if operands[i, 0] >= 0 else 0
        b = place[operands[i, 1]] if operands[i, 1] >= 0 else a
        c = place[operands[i, 2]] if operands[i, 2] >= 0 else a
        while at < len(ending) and last[ending[at]] == i:
            if not direct[ending[at]]:
                free[idle] = place[ending[at]]
                idle += 1
            at += 1
        code, flips, d = SAME, 0, target[i]
        if w in (TABLE, LUCK):
            if i + 1 < len(what) and what[i + 1] == STORE and operands[i + 1, 0] == d and not is_end[i]:
                place[d] = target[i + 1]
                direct[d] = True
            elif idle:
                idle -= 1
                place[d] = free[idle]
            else:
                place[d] = rows
                rows += 1
            d = place[d]
            if w == LUCK:
                code = LUCK_CODE
            else:
                form = forms[table[i]]
                code, flips = form[0], form[1]
                row = (a, b, c)
                a, b, c = row[form[2]], row[form[3]], row[form[4]]
        elif w == STORE:
            if a == d:
                continue
            b = c = a
        else:
            code = COUNT_CODE if w == COUNT else FEED_CODE
            b = c = a
        write(out, size, code, flips, d, a, b, c)
        size += 1
    starts[len(what)] = size
    return rows
