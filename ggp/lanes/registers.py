"""Straight-line code for a program: which value is in which register or slot when.

A lap has no branches, so every future use is known and registers can be given away by the furthest next use
(Belady). The result is a list of abstract instructions; `assembler` writes them as machine code. A value read once
more from memory costs nothing extra (it is the memory operand of the instruction that uses it), so values are
loaded into a register only when an instruction would have two memory operands, or would destroy its first.

All of it is kernels on flat arrays, as large programs have millions of operations.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from ggp.core.arraytypes import Int, Ints, Longs
from ggp.core.kernels import borrowing, inlined, kernel
from ggp.lanes.interpreter import last_uses
from ggp.lanes.lowering import AND_NOT
from ggp.lanes.program import COUNT, FEED, LUCK, STORE, TABLE, VALUE, Program
from ggp.lanes.tables import reorder

_Three: TypeAlias = tuple[Int, Int, Int]
"""The operands of an operation, -1: none."""
REGISTERS = 32
NEVER = 2**31 - 1
LOAD, SAVE, CONSTANT, NOT, TWO, THREE, DRAW, ADD_BITS, NOTE_CHANGE, LABEL, AGAIN = range(11)
"""Abstract instructions, with a destination r, a register a and a place b.

LOAD r = b; SAVE row r = register a; CONSTANT r = all bits of the table; NOT r = ~b; TWO r = table(a, b); THREE
r = table(r, a, b); DRAW r = rotate(a + b); ADD_BITS row r += bits set in b, per word, by way of register a;
NOTE_CHANGE row r = register b, the bits that this changes set in register a too; LABEL: a loop begins, register a = 0;
AGAIN: back to the label at line r if a bit of register a is set.

For instructions on two inputs there is no THREE; of the inputs of TWO the inverted one, if there is one, is register a;
r of NOT is not b; and in place of a table DRAW and NOTE_CHANGE have a register that they may overwrite.
"""
_LINES_OF_ONE = 5
"""Instructions that an operation takes at most: two loads, each after a value was saved, and itself."""
_LINES_OF_EDGE = REGISTERS + 3
"""At the edge of a segment: what registers hold is saved, and a loop opened or closed."""


@dataclass(frozen=True, eq=False)
class Listing:
    """Abstract instructions. A place is a register, or `REGISTERS` + a row; slots are the rows after the program's."""

    lines: Ints  # [n, 5] what, r, a, b, table
    slots: int
    spills: int  # instructions that save intermediate values
    loads: int  # instructions that only load


def allocate(program: Program, registers: int = REGISTERS, *, ternary: bool = True) -> Listing:
    """Give values registers and slots. `ternary`: there is an instruction for every table; else it has been `lowered`."""
    values, segments = len(program.row), np.array(program.segments, np.int32).reshape(-1, 3)
    if segments[:, 2].any():
        registers -= 1  # the last one notes changes in loops
    most = _LINES_OF_ONE * program.size + _LINES_OF_EDGE * (len(segments) + 1) + int((program.what == FEED).sum())
    state = _State(
        lines=np.empty((most, 5), np.int32),
        register=np.full(values, -1, np.int32),
        home=program.row.copy(),
        next_use=np.full(values, NEVER, np.int32),
        last=last_uses(program),
        holds=np.full(registers, -1, np.int64),
        idle=np.arange(registers - 1, -1, -1),
        free=np.empty(values, np.int64),
        counts=np.array([0, registers, 0, program.rows, 0, 0]),
        first_slot=program.rows,
        ternary=ternary,
    )
    _allocate(program.what, program.table, program.target, program.operands, segments, state)
    lines, _, _, rows, spills, loads = state.counts.tolist()
    return Listing(state.lines[:lines], rows - program.rows, spills, loads)


class _State(NamedTuple):
    """What the allocator knows at an operation."""

    lines: Ints  # the listing so far
    register: Ints  # of each value, -1: in none
    home: Ints  # the row or slot of each value, -1: it is in none
    next_use: Ints  # of each value
    last: Ints  # of each value the last operation that reads it
    holds: Longs  # the value in each register, -1: none
    idle: Longs  # registers, a stack
    free: Longs  # slots, a stack
    counts: Longs
    first_slot: int
    ternary: bool


_LINES, _IDLE, _FREE, _ROWS, _SPILLS, _LOADS = range(6)  # of `counts`
_ORDERS = tuple((a, b, 3 - a - b) for a, b in itertools.permutations(range(3), 2))
_REORDERED = np.array([[reorder(table, order) for table in range(256)] for order in _ORDERS], np.int32)
_ORDER_OF = np.array([_ORDERS.index((a, b, 3 - a - b)) if a != b else -1 for a in range(3) for b in range(3)])
"""The number of an order from its first two places a and b: at 3 * a + b."""


@borrowing
def _following(operands: Ints, out: Ints, later: Ints) -> None:
    """For each operand of each operation the next operation that uses the same value; and the first of each value."""
    for i in range(len(operands) - 1, -1, -1):
        for k in range(3):
            out[i, k] = later[operands[i, k]] if operands[i, k] >= 0 else NEVER
        for k in range(3):
            if operands[i, k] >= 0:
                later[operands[i, k]] = i


@kernel
def _allocate(what: Ints, table: Ints, target: Ints, operands: Ints, segments: Ints, s: _State) -> None:
    """Walk over the operations once and write the listing."""
    following = np.empty((len(operands), 3), np.int32)
    _following(operands, following, s.next_use)
    leaf = np.full(s.first_slot, -1, np.int64)  # the value that is read from each row
    for v in range(len(s.home)):
        if s.home[v] >= 0:
            leaf[s.home[v]] = v
    for number in range(len(segments)):
        lo, hi, loop = segments[number]
        label: Int = np.int64(0)
        if loop:
            label = _open(s, what, target, lo, hi)
        for i in range(lo, hi):
            x, d = (np.int64(operands[i, 0]), np.int64(operands[i, 1]), np.int64(operands[i, 2])), np.int64(target[i])
            for k in range(3):
                if x[k] >= 0:
                    s.next_use[x[k]] = following[i, k]
            if what[i] == TABLE:
                _table(s, np.int64(table[i]), d, x)
            elif what[i] == LUCK:
                _luck(s, d, x)
            elif what[i] == STORE:
                _emit(s, SAVE, d, _in_register(s, x[0], x), 0, 0)
            elif what[i] == COUNT:
                spare = _take(s, x)
                _emit(s, ADD_BITS, d, spare, _place(s, x[0]), 0)
                _give_back(s, spare)
            else:
                noted = _in_register(s, x[0], x)
                spare = _spare(s, x)
                _emit(s, NOTE_CHANGE, d, len(s.holds), noted, spare)
                _return_spare(s, spare)
                _feed(s, leaf[d], x[0])
            _release(s, i, x)
        if loop:  # slots may be given away from here on, as all rounds are over when something is saved in them
            _emit(s, AGAIN, label, len(s.holds), 0, 0)
        if number + 1 < len(segments):
            _flush(s, hi)


@inlined
def _emit(s: _State, kind: int, r: Int, a: Int, b: Int, table: Int) -> None:
    i = s.counts[_LINES]
    s.lines[i, 0], s.lines[i, 1], s.lines[i, 2], s.lines[i, 3], s.lines[i, 4] = kind, r, a, b, table
    s.counts[_LINES] = i + 1


@inlined
def _give_back(s: _State, r: Int) -> None:
    """A register holds nothing any more."""
    s.idle[s.counts[_IDLE]] = r
    s.counts[_IDLE] += 1


@inlined
def _place(s: _State, value: Int) -> Int:
    return int(s.register[value] if s.register[value] >= 0 else REGISTERS + s.home[value])


@inlined
def _assign(s: _State, value: Int, r: Int) -> None:
    s.register[value], s.holds[r] = r, value


@borrowing
def _open(s: _State, what: Ints, target: Ints, lo: Int, hi: Int) -> Int:
    """Begin a loop: what it feeds back is false. The line of its label."""
    nothing = np.int64(-1)
    spare = _take(s, (nothing, nothing, nothing))
    _emit(s, CONSTANT, spare, 0, 0, 0)
    for i in range(lo, hi):
        if what[i] == FEED:
            _emit(s, SAVE, np.int64(target[i]), spare, 0, 0)
    _give_back(s, spare)
    _emit(s, LABEL, 0, len(s.holds), 0, 0)
    return int(s.counts[_LINES] - 1)


@borrowing
def _take(s: _State, keep: _Three) -> Int:
    """An idle register; if there is none, that of the value whose next use is furthest and not in `keep`."""
    if s.counts[_IDLE]:
        s.counts[_IDLE] -= 1
        return int(s.idle[s.counts[_IDLE]])
    best, worst = -1, -1
    for r in range(len(s.holds)):
        v = s.holds[r]
        if v >= 0 and v != keep[0] and v != keep[1] and v != keep[2] and s.next_use[v] > worst:
            best, worst = r, s.next_use[v]
    value = s.holds[best]
    _save(s, value)
    s.register[value] = s.holds[best] = -1
    return best


@inlined
def _spare(s: _State, keep: _Three) -> Int:
    """A register that one instruction overwrites; 0 where it needs none."""
    return np.int64(0) if s.ternary else np.int64(_take(s, keep))


@inlined
def _return_spare(s: _State, r: Int) -> None:
    if not s.ternary:
        _give_back(s, r)


@inlined
def _save(s: _State, value: Int) -> None:
    """Make sure that a value is in memory too."""
    if s.home[value] < 0:
        if s.counts[_FREE]:
            s.counts[_FREE] -= 1
            s.home[value] = s.free[s.counts[_FREE]]
        else:
            s.home[value] = s.counts[_ROWS]
            s.counts[_ROWS] += 1
        s.counts[_SPILLS] += 1
        _emit(s, SAVE, s.home[value], s.register[value], 0, 0)


@inlined
def _load(s: _State, value: Int, keep: _Three) -> Int:
    """A copy of a value in a register that is nobody's yet."""
    r = _take(s, keep)
    _emit(s, LOAD, r, 0, _place(s, value), 0)
    s.counts[_LOADS] += 1
    return r


@borrowing
def _in_register(s: _State, value: Int, keep: _Three) -> Int:
    if s.register[value] < 0:
        _assign(s, value, _load(s, value, keep))
    return int(s.register[value])


@inlined
def _release(s: _State, i: Int, x: _Three) -> None:
    """After operation i: what nobody needs leaves its register and its slot."""
    for k in range(3):
        v = x[k]
        if v < 0:
            continue
        r = s.register[v]
        if s.next_use[v] == NEVER and r >= 0:
            s.register[v] = -1
            if s.holds[r] == v:
                s.holds[r] = -1
                _give_back(s, r)
        if s.last[v] <= i and s.home[v] >= s.first_slot:
            s.free[s.counts[_FREE]] = s.home[v]
            s.counts[_FREE] += 1
            s.home[v] = -1


@inlined
def _feed(s: _State, old: Int, new: Int) -> None:
    """What was read from a row is old now. Whoever reads it next in this round finds it in the register of the new value,
    if that is not needed any more, or else in the row: there a round would wait for each store that it reads again.
    """
    if old < 0:
        return
    r = s.register[old]
    if r >= 0:
        s.register[old] = s.holds[r] = -1
        _give_back(s, r)
    if s.next_use[new] == NEVER and s.next_use[old] != NEVER and old != new:
        r = s.register[new]
        s.register[new] = -1
        _assign(s, old, r)


@borrowing
def _flush(s: _State, position: Int) -> None:
    """Nothing stays in registers over the edge of a segment."""
    for r in range(len(s.holds)):
        v = s.holds[r]
        if v >= 0:
            if s.last[v] >= position:
                _save(s, v)
            s.register[v] = s.holds[r] = -1
            _give_back(s, r)


@inlined
def _dying(s: _State, x: _Three) -> int:
    """Which operand is in a register and never used again, -1: none."""
    for k in range(3):
        if x[k] >= 0 and s.register[x[k]] >= 0 and s.next_use[x[k]] == NEVER:
            return k
    return -1


@inlined
def _result(s: _State, x: _Three) -> Int:
    """A register for a result that may overwrite an operand."""
    k = _dying(s, x)
    return int(s.register[x[k]]) if k >= 0 else _take(s, x)


@inlined
def _luck(s: _State, d: Int, x: _Three) -> None:
    a, b = x[0], x[1]
    if s.register[a] < 0 and s.register[b] >= 0:
        a, b = b, a
    first = _in_register(s, a, x)
    spare = _spare(s, x)
    r = _result(s, x)
    _emit(s, DRAW, r, first, _place(s, b), spare)
    _return_spare(s, spare)
    _assign(s, d, r)


@borrowing
def _table(s: _State, table: Int, d: Int, x: _Three) -> None:
    if x[0] < 0:
        r = _take(s, x)
        _emit(s, CONSTANT, r, 0, 0, table)
    elif x[1] < 0:
        r = _result(s, x) if s.ternary else _take(s, x)
        _emit(s, LOAD if table == VALUE else NOT, r, 0, _place(s, x[0]), 0)
    elif x[2] < 0:
        if not s.ternary and table == AND_NOT:
            _in_register(s, x[0], x)
        elif s.register[x[0]] < 0 and s.register[x[1]] < 0:
            _in_register(s, x[1] if s.next_use[x[1]] < s.next_use[x[0]] else x[0], x)
        first = 0 if s.register[x[0]] >= 0 else 1
        r = _result(s, x)
        ordered = _REORDERED[_ORDER_OF[3 * first + 1 - first], table]
        _emit(s, TWO, r, s.register[x[first]], _place(s, x[1 - first]), ordered)
    else:
        r = _three(s, table, x)
    _assign(s, d, r)


@inlined
def _nearest(s: _State, x: _Three, far: bool) -> tuple[int, int]:
    """Of the operands in memory the one that is used next, or last; how many there are."""
    best, count = -1, 0
    for k in range(3):
        if s.register[x[k]] < 0:
            count += 1
            if best < 0 or (s.next_use[x[k]] > s.next_use[x[best]] if far else s.next_use[x[k]] < s.next_use[x[best]]):
                best = k
    return best, count


@inlined
def _three(s: _State, table: Int, x: _Three) -> Int:
    """R = table(r, a, b): the first operand is overwritten, the last may be in memory."""
    first = _dying(s, x)
    near, count = _nearest(s, x, False)
    if first >= 0:
        if count > 1:
            _in_register(s, x[near], x)
        r: Int = s.register[x[first]]
    else:  # the overwritten copy comes from memory if anything does: a load is not dearer than a move
        if count > 2:
            _in_register(s, x[near], x)
        first = max(0, _nearest(s, x, True)[0])
        r = _load(s, x[first], x)
    second = 0 if first else 1
    third = 3 - first - second
    if s.register[x[second]] < 0:
        second, third = third, second
    ordered = _REORDERED[_ORDER_OF[3 * first + second], table]
    _emit(s, THREE, r, s.register[x[second]], _place(s, x[third]), ordered)
    return r
