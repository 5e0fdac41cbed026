"""What grounding does for each of a million rules and atoms, as machine code by numba.

Clingo calls `collect` for every ground rule; the other kernels read its tables through its C interface. A call into
Python for each rule takes ten times as long as clingo needs to find the rule.

A *tape* is an int32 array that holds all rules, one after the other: head, number of literals, the literals. Its first
words are a header: words used, words there are, whether they were too few.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import clingo  # noqa: F401 (its library is what the names below are looked up in)
import numba
import numpy as np
from numba import types

import gdl.grounding.noblas  # noqa: F401 (before the first kernel)

HEADER = 3
"""Words before the first rule on a tape."""
USED, SIZE, FULL = range(HEADER)

_WORD: Any = types.intp
_BOOL: Any = types.boolean
_SYMBOL: Any = types.uint64


def _clingo(name: str, result: Any, *arguments: Any) -> Any:
    return types.ExternalFunction(name, result(*arguments))


_atoms_next = _clingo("clingo_symbolic_atoms_next", _BOOL, _WORD, _SYMBOL, _WORD)
_atoms_symbol = _clingo("clingo_symbolic_atoms_symbol", _BOOL, _WORD, _SYMBOL, _WORD)
_atoms_literal = _clingo("clingo_symbolic_atoms_literal", _BOOL, _WORD, _SYMBOL, _WORD)
_symbol_type = _clingo("clingo_symbol_type", types.int32, _SYMBOL)
_symbol_number = _clingo("clingo_symbol_number", _BOOL, _SYMBOL, _WORD)
_symbol_name = _clingo("clingo_symbol_name", _BOOL, _SYMBOL, _WORD)
_symbol_arguments = _clingo("clingo_symbol_arguments", _BOOL, _SYMBOL, _WORD, _WORD)
_copy = _clingo("memcpy", _WORD, _WORD, _WORD, _WORD)

_FUNCTION = 5
"""`clingo_symbol_type_function`."""
_SHORT = 24
"""Bodies up to this length are sorted by insertion."""


def _compiled(make: Callable[..., Any], signature: str) -> Callable[[Callable[..., Any]], Any]:
    """Kept on disk where there is a place for it: kernels here call no others than these, so this file alone counts."""

    def decorate(function: Callable[..., Any]) -> Any:
        try:
            return make(signature, cache=True)(function)
        except RuntimeError:  # numba found no directory that it may write to
            return make(signature)(function)

    return decorate


def _kernel(signature: str) -> Callable[[Callable[..., Any]], Any]:
    return _compiled(lambda *given, **more: numba.njit(*given, nogil=True, **more), signature)


@_compiled(numba.cfunc, "u1(u1, CPointer(u4), u8, CPointer(i4), u8, CPointer(i4))")
def collect(choice: Any, heads: Any, count: Any, body: Any, size: Any, tape: Any) -> Any:
    """Clingo's observer of rules: write those that are no choices on the tape; a full tape ends grounding."""
    if choice != 0 or count != 1:
        return 1
    used = tape[USED]
    length = np.int64(size)
    if used + 2 + length > tape[SIZE]:
        tape[FULL] = 1
        return 0
    tape[used] = heads[0]
    tape[used + 1] = length
    for i in range(length):
        tape[used + 2 + i] = body[i]
    tape[USED] = used + 2 + length
    return 1


@_kernel("Tuple((u8[::1], i4[::1]))(i8, u8, u8, i8)")
def list_atoms(table: Any, first: Any, end: Any, count: Any) -> Any:
    """Symbol and literal of each of clingo's symbolic atoms; `first` and `end` are iterators."""
    symbols = np.empty(count, np.uint64)
    literals = np.empty(count, np.int32)
    place = np.empty(1, np.uint64)
    place[0] = first
    n = 0
    while place[0] != end and n < count:
        _atoms_symbol(table, place[0], symbols.ctypes.data + 8 * n)
        _atoms_literal(table, place[0], literals.ctypes.data + 4 * n)
        _atoms_next(table, place[0], place.ctypes.data)
        n += 1
    return symbols[:n], literals[:n]


@_kernel("Tuple((i8[::1], i8[::1], u8[::1]))(u8[::1])")
def unpack(symbols: Any) -> Any:
    """Take symbols apart: values, starts, arguments.

    A function has the address of its name for a value, and its arguments from starts[i] to starts[i + 1]; a number has
    itself, less one, negated: addresses are positive.
    """
    count = len(symbols)
    values = np.empty(count, np.int64)
    starts = np.zeros(count + 1, np.int64)
    sources = np.zeros(count, np.int64)
    out = np.zeros(2, np.int64)
    number = np.zeros(1, np.int32)
    for i in range(count):
        starts[i + 1] = starts[i]
        if _symbol_type(symbols[i]) == _FUNCTION:
            _symbol_name(symbols[i], out.ctypes.data)
            values[i] = out[0]
            _symbol_arguments(symbols[i], out.ctypes.data, out.ctypes.data + 8)
            sources[i] = out[0]
            starts[i + 1] += out[1]
        else:
            _symbol_number(symbols[i], number.ctypes.data)
            values[i] = -1 - np.int64(number[0])
    arguments = np.empty(starts[count], np.uint64)
    for i in range(count):
        length = starts[i + 1] - starts[i]
        if length:
            _copy(arguments.ctypes.data + 8 * starts[i], sources[i], 8 * length)
    return values, starts, arguments


@_kernel("Tuple((u8[::1], i8[::1]))(u8[::1])")
def number(values: Any) -> Any:
    """The different values, as they first come, and which of them each value is: `numpy.unique` without sorting."""
    size = np.int64(2)
    while size < 2 * len(values):
        size *= 2
    table = np.zeros(size, np.int64)
    different = np.empty(len(values), np.uint64)
    which = np.empty(len(values), np.int64)
    count = np.int64(0)
    for i in range(len(values)):
        value = values[i]
        digest = value * np.uint64(0x9E3779B97F4A7C15)
        slot = np.int64((digest ^ (digest >> np.uint64(32))) & np.uint64(size - 1))
        while table[slot] and different[table[slot] - 1] != value:
            slot = (slot + 1) & (size - 1)
        if not table[slot]:
            different[count] = value
            count += 1
            table[slot] = count
        which[i] = table[slot] - 1
    return different[:count].copy(), which


@_kernel("Tuple((i8, i8))(i4[::1], i8[::1], i8[::1], i8[::1])")
def _extent(tape: Any, ignored: Any, leaves: Any, wanted: Any) -> Any:
    """How many rules are on the tape, and the highest atom there or among those that are given."""
    rules, top = np.int64(0), np.int64(0)
    for atoms in (ignored, leaves, wanted):
        for atom in atoms:
            top = max(top, atom)
    at = np.int64(HEADER)
    while at < tape[USED]:
        end = at + 2 + np.int64(tape[at + 1])
        top = max(top, np.int64(tape[at]))
        for i in range(at + 2, end):
            top = max(top, np.int64(abs(tape[i])))
        rules += 1
        at = end
    return rules, top


@_kernel("Tuple((i8[::1], i8[::1]))(i4[::1], i8, i8)")
def _by_head(tape: Any, rules: Any, top: Any) -> Any:
    """Where the rules of each head begin in a list of all, and that list: where each rule is on the tape."""
    first = np.zeros(top + 2, np.int64)
    at = np.int64(HEADER)
    while at < tape[USED]:
        first[tape[at] + 1] += 1
        at += 2 + np.int64(tape[at + 1])
    for atom in range(top + 1):
        first[atom + 1] += first[atom]
    order, filled = np.empty(rules, np.int64), first.copy()
    at = np.int64(HEADER)
    while at < tape[USED]:
        order[filled[tape[at]]] = at
        filled[tape[at]] += 1
        at += 2 + np.int64(tape[at + 1])
    return first, order


@_kernel("void(i4[::1])")
def _sort(body: Any) -> Any:
    """Sort a body; most are short."""
    if len(body) > _SHORT:
        body[:] = np.sort(body)
        return
    for i in range(1, len(body)):
        x = body[i]
        j = i
        while j > 0 and body[j - 1] > x:
            body[j] = body[j - 1]
            j -= 1
        body[j] = x


@_kernel("i8(i4[::1], i8[::1], b1[::1])")
def _tidy(tape: Any, order: Any, dropped: Any) -> Any:
    """Sort all bodies on the tape, each literal once, without those that are dropped; how many literals are left.

    A body becomes shorter where it is: the tape can be read by way of `order` only after that.
    """
    literals = np.int64(0)
    for at in order:
        body = tape[at + 2 : at + 2 + np.int64(tape[at + 1])]
        _sort(body)
        kept = np.int64(0)
        for x in body:
            if (kept == 0 or body[kept - 1] != x) and not (x > 0 and dropped[x]):
                body[kept] = x
                kept += 1
        tape[at + 1] = kept
        literals += kept
    return literals


@_kernel("b1(i4[::1], i8[::1], i8)")
def _is_new(tape: Any, table: Any, at: Any) -> Any:
    """Whether no equal rule is in a hash table of rules; then this one is put there."""
    size, length = len(table), np.int64(tape[at + 1])
    digest = np.uint64(tape[at])
    for i in range(at + 2, at + 2 + length):
        digest = (digest ^ np.uint64(np.uint32(tape[i]))) * np.uint64(0x9E3779B97F4A7C15)
        digest ^= digest >> np.uint64(29)
    slot = np.int64(digest & np.uint64(size - 1))
    while table[slot]:
        other, equal = table[slot], True
        for i in range(2 + length):
            if tape[other + i] != tape[at + i]:
                equal = False
                break
        if equal:
            return False
        slot = (slot + 1) & (size - 1)
    table[slot] = at
    return True


@_kernel("Tuple((i4[::1], i4[::1], i4[::1], i4[::1], i4[::1]))(i4[::1], i8[::1], i8[::1], i8[::1])")
def relevant(tape: Any, ignored: Any, leaves: Any, wanted: Any) -> Any:
    """The rules that the wanted atoms depend on, without repetitions: heads, starts and literals, in new numbers.

    Then the new number of each atom (0 for those that are not needed) and the old one of each new number. The leaves
    come first; the others follow as a search that takes the last of what it has found first comes upon them. Of the
    ignored atoms nothing is left. The bodies on the tape are sorted in their old numbers, the tape is spoilt by that.
    """
    rules, top = _extent(tape, ignored, leaves, wanted)
    dropped, leaf, seen = np.zeros(top + 1, np.bool_), np.zeros(top + 1, np.bool_), np.zeros(top + 1, np.bool_)
    for atom in ignored:
        dropped[atom] = True
    first, order = _by_head(tape, rules, top)
    literals = _tidy(tape, order, dropped)
    numbers, old = np.zeros(top + 1, np.int32), np.zeros(top + 1, np.int32)
    count = np.int32(1)
    for atom in leaves:
        leaf[atom] = True
        if atom and not numbers[atom]:
            numbers[atom], old[count] = count, atom
            count += 1
    stack, height = np.empty(top + 1, np.int64), np.int64(0)
    for atom in wanted:
        if not seen[atom]:
            seen[atom] = True
            stack[height] = atom
            height += 1
    stack[:height] = stack[:height][::-1].copy()
    size = np.int64(2)
    while size < 2 * rules:
        size *= 2
    table = np.zeros(size, np.int64)
    heads, starts, out = np.empty(rules, np.int32), np.zeros(rules + 1, np.int32), np.empty(literals, np.int32)
    found, written = np.int64(0), np.int64(0)
    while height:
        height -= 1
        head = stack[height]
        if not numbers[head]:
            numbers[head], old[count] = count, head
            count += 1
        if leaf[head]:
            continue
        for at in order[first[head] : first[head + 1]]:
            if not _is_new(tape, table, at):
                continue
            heads[found] = head
            for x in tape[at + 2 : at + 2 + np.int64(tape[at + 1])]:
                out[written] = x
                written += 1
                atom = np.int64(abs(x))
                if not seen[atom]:
                    seen[atom] = True
                    stack[height] = atom
                    height += 1
            found += 1
            starts[found] = written
    for i in range(found):
        heads[i] = numbers[heads[i]]
    for i in range(written):
        x = out[i]
        out[i] = numbers[x] if x > 0 else -numbers[-x]
    return heads[:found].copy(), starts[: found + 1].copy(), out[:written].copy(), numbers, old[:count].copy()
