"""A program in operations on two inputs, for a machine that has no instruction for every table of three.

AVX2 has *and*, *and not*, *or* and *exclusive or*. Each table becomes up to four of them, in that one of several ways
which needs the fewest operations that are not there yet: what tables have in common is computed once. To cover the
network with two-input cuts in the first place took 1 or 2% more operations; and all that goes by the size of a program
would depend on the machine.

All four operations give 0 for two zeros. So a value is kept negated if, and only if, it is 1 where all that it is made of
is 0: negations cost an operation only where such a value leaves the program.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from ggp.core.arraytypes import Int, Ints, Longs
from ggp.core.kernels import borrowing, inlined, kernel
from ggp.lanes.program import INVERSE, LUCK, TABLE, VALUE, Program, write
from ggp.lanes.tables import ALIKE, AND3, DOT, FORM_OF, FORMS, MAJ, MUX, ONE, XOR3, ZERO

AND, AND_NOT, OR, XOR = 0x88, 0x44, 0xEE, 0x66
"""Tables of two inputs: both; the second without the first; one or both; just one."""
FALSE, TRUE = 0x00, 0xFF
"""Tables without an input."""
_MOST = 4
"""Operations that a table becomes at most."""


class Term:
    """Part of a way to compute a form: a literal. Its operators write down the steps that they are.

    Numbers 0 to 2 are the operands, then come the steps; a literal is twice a number, and one more if negated.
    """

    def __init__(self, literal: int, steps: list[tuple[int, int, int]]) -> None:
        self.literal, self.steps = literal, steps

    def __and__(self, other: Term) -> Term:
        return self._step(AND, other)

    def __xor__(self, other: Term) -> Term:
        return self._step(XOR, other)

    def __or__(self, other: Term) -> Term:
        return ~(~self & ~other)

    def __invert__(self) -> Term:
        return Term(self.literal ^ 1, self.steps)

    def _step(self, kind: int, other: Term) -> Term:
        self.steps.append((kind, self.literal, other.literal))
        return Term(2 * (2 + len(self.steps)), self.steps)


Way: TypeAlias = Callable[[Term, Term, Term], Term]
_MORE: dict[int, tuple[Way, ...]] = {
    MAJ: (
        lambda x, y, z: x & y | z & (x ^ y),
        lambda x, y, z: (x | y) & (z | x & y),
        lambda x, y, z: x ^ ((x ^ y) & (x ^ z)),
    ),
    MUX: (
        lambda x, y, z: z ^ (x & (y ^ z)),
        lambda x, y, z: y ^ (~x & (y ^ z)),
        lambda x, y, z: (~x | y) & (x | z),
    ),
    ALIKE: (lambda x, y, z: ~((x ^ y) | (x ^ z)),),
    ONE: (lambda x, y, z: ((x | y) ^ z) & ~(x & y),),
    DOT: (lambda x, y, z: ~(x ^ y) & (x | z), lambda x, y, z: ~(x ^ y) & (y | z)),
}
"""Other ways to compute a form than its definition."""
_SYMMETRIC = {AND3, XOR3, MAJ, ALIKE, ONE}


def ways(form: int) -> list[Term]:
    """How a form may be computed, each way in the fewest operations."""
    if form == ZERO:  # that of false, which needs no operand
        return []
    orders = ((0, 1, 2), (1, 2, 0), (2, 0, 1)) if form in _SYMMETRIC else ((0, 1, 2),)
    found = list[Term]()
    for way, order in itertools.product((FORMS[form], *_MORE.get(form, ())), orders):
        steps = list[tuple[int, int, int]]()
        found.append(way(*(Term(2 * i, steps) for i in order)))
    fewest = min(len(term.steps) for term in found)
    return [term for term in found if len(term.steps) == fewest]


_WAYS = [ways(form) for form in range(len(FORMS))]
_FIRST = np.cumsum([0, *map(len, _WAYS)])
"""Of each form the number of its first way; those of the next form begin where they end."""
_RESULT = np.array([way.literal for found in _WAYS for way in found])
_LENGTH = np.array([len(way.steps) for found in _WAYS for way in found])
_STEPS = np.array([(way.steps + [(AND, 0, 0)] * _MOST)[:_MOST] for found in _WAYS for way in found])
"""Of each way: [steps, 3] table and two literals."""


class _State(NamedTuple):
    """What has been lowered. A literal is twice a value, and one more if that is its negation; value 0 is false."""

    literal: Longs  # of each value of the program, -1: not yet
    ops: Ints  # [ops, 6] what, table, target, operands
    maker: Ints  # [values] the operation that makes it, -1: it is read from a row
    row: Ints  # [values]
    table: Ints  # operations on two inputs and their values, hashed; 0: free
    work: Longs  # literals of the operands and steps of a way
    size: Longs  # operations, values


def lowered(program: Program) -> Program:
    """The same with tables of two inputs and, where a negated value leaves it, of one."""
    tables = int((program.what == TABLE).sum())
    most = _MOST * tables + 3 * (program.size - tables) + 1
    values = most + int((program.row >= 0).sum()) + 1
    s = _State(
        literal=np.full(len(program.row), -1, np.int64),
        ops=np.empty((most, 6), np.int32),
        maker=np.full(values, -1, np.int32),
        row=np.full(values, -1, np.int32),
        table=np.zeros(1 << (2 * most).bit_length(), np.int32),
        work=np.zeros(3 + _MOST, np.int64),
        size=np.array([0, 1]),
    )
    starts = np.empty(program.size + 1, np.int64)
    _lower(program.what, program.table, program.target, program.operands, program.row, FORM_OF, starts, s)
    size, count = s.size.tolist()
    what, table, target = (s.ops[:size, k].copy() for k in range(3))
    segments = tuple((int(starts[lo]), int(starts[hi]), loop) for lo, hi, loop in program.segments)
    return Program(what, table, target, s.ops[:size, 3:].copy(), s.row[:count].copy(), segments, program.rows)


@inlined
def _hashed(s: _State, kind: Int, a: Int, b: Int) -> Int:
    """Where in the hash table the operation is, or would be."""
    mask = len(s.table) - 1
    at = (a * 0x9E3779B1 ^ b * 0x85EBCA77 ^ kind * 0xC2B2AE3D) >> 7 & mask
    while s.table[at]:
        i = s.maker[s.table[at]]
        if s.ops[i, 1] == kind and s.ops[i, 3] == a and s.ops[i, 4] == b:
            break
        at = at + 1 & mask
    return at


@borrowing
def _emit(s: _State, what: Int, table: Int, a: Int, b: Int) -> Int:
    """Append an operation that makes a new value; the value."""
    i, value = np.int64(s.size[0]), np.int64(s.size[1])
    write(s.ops, i, what, table, value, a, b, -1)
    s.maker[value] = i
    s.size[0], s.size[1] = i + 1, value + 1
    return value


@borrowing
def _combined(s: _State, kind: Int, x: Int, y: Int, make: bool) -> Int:
    """The literal of AND or XOR of two literals; -1: an operation is missing, and not to be made. -1 as literal too."""
    x, y = min(x, y), max(x, y)
    if x < 0:
        return np.int64(-1)
    if kind == XOR and (x <= 1 or x ^ y <= 1):
        return x ^ y
    if kind == AND and x <= 1:
        return y if x else np.int64(0)
    if kind == AND and x ^ y <= 1:
        return x if x == y else np.int64(0)
    a, b = x >> 1, y >> 1
    flip: Int = np.int64(0)
    if kind == XOR:
        flip = (x ^ y) & 1
    elif x & y & 1:
        kind, flip = OR, np.int64(1)
    elif x & 1:
        kind = AND_NOT
    elif y & 1:
        kind, a, b = AND_NOT, b, a
    at = _hashed(s, kind, a, b)
    if s.table[at] == 0:
        if not make:
            return np.int64(-1)
        s.table[at] = _emit(s, TABLE, kind, a, b)
    return 2 * np.int64(s.table[at]) ^ flip


@borrowing
def _computed(s: _State, way: Int, make: bool) -> tuple[Int, Int]:
    """The literal of a way, whose operands are at hand in `work`; and how many operations are missing or were."""
    missing: Int = 0
    for k in range(_LENGTH[way]):
        kind, left, right = _STEPS[way, k]
        x, y = s.work[left >> 1], s.work[right >> 1]
        found = _combined(s, kind, x ^ left & 1 if x >= 0 else x, y ^ right & 1 if y >= 0 else y, make)
        missing += found < 0
        s.work[3 + k] = found
    result = _RESULT[way]
    return s.work[result >> 1] ^ result & 1, missing


@borrowing
def _of_one(s: _State, kind: Int, a: Int) -> Int:
    """The value of a table of one input, or of none."""
    at = _hashed(s, kind, a, -1)
    if s.table[at] == 0:
        s.table[at] = _emit(s, TABLE, kind, a, -1)
    return np.int64(s.table[at])


@borrowing
def _positive(s: _State, literal: Int) -> Int:
    """The value that is a literal as it is: where it leaves the program."""
    if literal <= 1:
        return _of_one(s, TRUE if literal else FALSE, np.int64(-1))
    return _of_one(s, INVERSE, literal >> 1) if literal & 1 else literal >> 1


@borrowing
def _kept(s: _State, literal: Int) -> Int:
    """A literal that may be read later on: of what is in a row, which may be overwritten, a copy."""
    if literal <= 1 or s.maker[literal >> 1] >= 0:
        return literal
    return 2 * _of_one(s, INVERSE if literal & 1 else VALUE, literal >> 1)


@borrowing
def _read(s: _State, value: Int, row: Ints) -> Int:
    """The literal of a value of the program: one that has been made, or that is read from a row."""
    if value < 0:
        return np.int64(0)
    if s.literal[value] < 0:
        s.row[s.size[1]] = row[value]
        s.literal[value] = 2 * s.size[1]
        s.size[1] += 1
    return np.int64(s.literal[value])


@borrowing
def _table(s: _State, form: Int, flips: Int) -> Int:
    """The literal of a form, by the way for which the fewest operations are missing. Its operands are in `work`."""
    best: Int = _FIRST[form]
    fewest: Int = _MOST + 1
    for way in range(_FIRST[form], _FIRST[form + 1]):
        missing = _computed(s, way, False)[1]
        if missing < fewest:
            best, fewest = way, missing
    return _computed(s, best, True)[0] ^ (flips >> 3)


@kernel
def _lower(
    what: Ints, table: Ints, target: Ints, operands: Ints, row: Ints, forms: Ints, starts: Longs, s: _State
) -> None:
    """Fill the operations. starts: how many there are before each of the program's, and in the end."""
    for i in range(len(what)):
        starts[i] = s.size[0]
        x = (np.int64(operands[i, 0]), np.int64(operands[i, 1]), np.int64(operands[i, 2]))
        if what[i] == TABLE:
            form, flips = forms[table[i], 0], np.int64(forms[table[i], 1])
            for k in range(3):
                s.work[k] = _read(s, x[forms[table[i], 2 + k]], row) ^ (flips >> k & 1)
            s.literal[target[i]] = _kept(s, _table(s, form, flips)) if form != ZERO else flips >> 3
        elif what[i] == LUCK:
            a, b = _positive(s, _read(s, x[0], row)), _positive(s, _read(s, x[1], row))
            s.literal[target[i]] = 2 * _emit(s, LUCK, 0, a, b)
        else:
            a = _positive(s, _read(s, x[0], row))
            write(s.ops, s.size[0], what[i], 0, target[i], a, -1, -1)
            s.size[0] += 1
    starts[len(what)] = s.size[0]
