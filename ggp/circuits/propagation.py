"""What follows from what: the values of an and-inverter graph while the solver searches, as kernels.

Values are kept for literals, `1` true, `-1` false, `0` unknown. Whatever makes a literal true is kept as up to two
literals, a group of which all others are false, or a learned clause; a conflict is a list of true literals that
cannot hold together.

Only what a question needs is looked at. A question makes the gates below it *active*; a value is passed on to gates
that are active or have a value already.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ggp.core.arraytypes import Doubles, Int, Ints, Longs, Signs
from ggp.core.kernels import borrowing, inlined

LEFT, RIGHT, LEVEL, WHY, AND, ACTIVE, SEEN, LEGAL = range(8)
"""Columns of `gates`: operands (-1: a leaf), when and why it got its value, which question asked for it, marked while a
conflict is looked into, and for inputs the literal that says whether they are legal (-1: none, or nobody moves)."""
USERS, ALLOWS, INSIDE, COLUMNS = 8, 10, 12, 16
"""Further columns: first and last in `lists` of the gates that read it, the inputs it allows, and its groups."""
FIRST, LAST, MOST, LEAST, HELD, FALSE, WHO, WIDTH = range(8)
"""Columns of `groups`: first and last member in `lists`, whether at most and at least one holds, how many are true and
false now, and which was made true last."""
DONE, HEAD, DEPTH, STAMP, CLAUSES, ARENA, FRONT, ROOTS, CHOOSE, STEPS, CONFLICTS, SEED, IMPOSSIBLE, LATE, NUMBERS = range(
    15
)
"""Entries of `numbers`: literals with a value, those passed on, choices made, number of the question, clauses and their
literals, how far values are justified (those of choices, those that always hold, groups), steps and conflicts counted,
random numbers, whether nothing is possible, and a gate that is looked at only when all else is justified."""
_GROUP, CLAUSE = -2, -3
"""Instead of a second literal: the first is a group of which all others are false, or a clause."""


class Search(NamedTuple):
    """Everything a search reads and changes."""

    gates: Ints  # (gates, COLUMNS): a row fits into a line of the cache
    lists: Longs
    groups: Longs  # (groups, WIDTH)
    values: Signs  # (literals)
    trail: Longs  # (gates): literals that are true, in the order they became so
    levels: Longs  # (gates, 4): for each choice, where its part of the trail and the three searches for one began
    clauses: Longs  # (clauses, 4): first literal, how many, and the next clause that watches the same literal, twice
    arena: Longs  # the literals of clauses, those watched first
    watched: Longs  # (literals): the first clause that watches it, times two plus which of its two; -1 for none
    buffer: Longs  # true literals that lead to another, or cannot hold together; the number comes first
    learned: Longs  # the clause in the making
    stack: Longs
    weights: Doubles  # (gates + 1): how often a gate was in conflicts, lately; last, what counts now
    numbers: Longs  # (NUMBERS)


@borrowing
def because(s: Search, gate: Int, a: Int, b: Int) -> None:
    """Add to the buffer the true literals behind the gate's value."""
    n = s.buffer[0]
    if b == _GROUP:
        for k in range(s.groups[a, FIRST], s.groups[a, LAST]):
            if s.lists[k] != gate:
                n += 1
                s.buffer[n] = 2 * s.lists[k] + 1
    elif b == CLAUSE:
        for k in range(s.clauses[a, 0], s.clauses[a, 0] + s.clauses[a, 1]):
            if s.arena[k] >> 1 != gate:
                n += 1
                s.buffer[n] = s.arena[k] ^ 1
    else:
        if a >= 0:
            n += 1
            s.buffer[n] = a
        if b >= 0:
            n += 1
            s.buffer[n] = b
    s.buffer[0] = n


@borrowing
def _contradict(s: Search, x: Int, a: Int, b: Int) -> None:
    """Put a conflict into the buffer: x, which is false, follows."""
    s.buffer[0] = 1
    s.buffer[1] = x ^ 1
    because(s, x >> 1, a, b)


@borrowing
def assign(s: Search, x: Int, a: Int, b: Int) -> bool:
    """Make a literal true; false if it is false already: then the buffer holds the conflict."""
    if s.values[x] > 0:
        return True
    if s.values[x] < 0:
        _contradict(s, x, a, b)
        return False
    gate = x >> 1
    s.values[x] = 1
    s.values[x ^ 1] = -1
    s.gates[gate, LEVEL] = s.numbers[DEPTH]
    s.gates[gate, WHY] = a
    s.gates[gate, AND] = b
    s.trail[s.numbers[DONE]] = x
    s.numbers[DONE] += 1
    for k in range(s.gates[gate, INSIDE], s.gates[gate, INSIDE + 1]):
        group = s.lists[k]
        if x & 1:
            s.groups[group, FALSE] += 1
        else:
            s.groups[group, HELD] += 1
            s.groups[group, WHO] = gate
    return True


@borrowing
def undo(s: Search, depth: Int) -> None:
    """Take back all but so many choices, and what followed."""
    if s.numbers[DEPTH] <= depth:
        return
    start = s.levels[depth, 0]
    for i in range(s.numbers[DONE] - 1, start - 1, -1):
        x = s.trail[i]
        s.values[x] = 0
        s.values[x ^ 1] = 0
        for k in range(s.gates[x >> 1, INSIDE], s.gates[x >> 1, INSIDE + 1]):
            s.groups[s.lists[k], FALSE if x & 1 else HELD] -= 1
    s.numbers[DONE] = start
    s.numbers[HEAD] = start
    s.numbers[FRONT] = s.levels[depth, 1]
    s.numbers[ROOTS] = s.levels[depth, 2]
    s.numbers[CHOOSE] = s.levels[depth, 3]
    s.numbers[DEPTH] = depth


@borrowing
def activate(s: Search, root: Int) -> None:
    """The question needs a gate, and all below it: give those a value that have one by what is known."""
    gates, values, stamp = s.gates, s.values, s.numbers[STAMP]
    if gates[root, ACTIVE] == stamp:
        return
    gates[root, ACTIVE] = stamp
    s.stack[0] = root
    n = 1
    while n:
        n -= 1
        gate = s.stack[n]
        s.numbers[STEPS] += 1
        x, y = np.int64(gates[gate, LEFT]), np.int64(gates[gate, RIGHT])
        if x >= 0:
            if values[2 * gate] == 0:
                if values[x] < 0:
                    assign(s, 2 * gate + 1, x ^ 1, -1)
                elif values[y] < 0:
                    assign(s, 2 * gate + 1, y ^ 1, -1)
                elif values[x] > 0 and values[y] > 0:
                    assign(s, 2 * gate, x, y)
            for z in (x, y):
                if gates[z >> 1, ACTIVE] != stamp:
                    gates[z >> 1, ACTIVE] = stamp
                    s.stack[n] = z >> 1
                    n += 1
        elif values[2 * gate] == 0:
            legal = np.int64(gates[gate, LEGAL])
            if legal >= 0 and values[legal] < 0:
                assign(s, 2 * gate + 1, legal ^ 1, -1)
            for k in range(gates[gate, INSIDE], gates[gate, INSIDE + 1]):
                group = s.lists[k]
                if s.groups[group, MOST] and s.groups[group, HELD] and values[2 * gate] == 0:
                    who = s.groups[group, WHO]
                    if values[2 * who] <= 0:  # of two, the one that was made true last is not any more
                        for m in range(s.groups[group, FIRST], s.groups[group, LAST]):
                            if values[2 * s.lists[m]] > 0:
                                who = s.lists[m]
                    assign(s, 2 * gate + 1, 2 * who, -1)


@inlined
def _to_users(s: Search, x: Int) -> bool:
    """Pass a true literal on to the gates that read it, and to the inputs that it allows or not."""
    gates, values, stamp = s.gates, s.values, s.numbers[STAMP]
    gate, always = x >> 1, s.numbers[DEPTH] == 0
    s.numbers[STEPS] += 1 + gates[gate, USERS + 1] - gates[gate, USERS]
    for k in range(gates[gate, USERS], gates[gate, USERS + 1]):
        user = s.lists[k]
        here, other = np.int64(gates[user, LEFT]), np.int64(gates[user, RIGHT])
        if here >> 1 != gate:
            here, other = other, here
        known = values[2 * user]
        if known == 0 and not always and gates[user, ACTIVE] != stamp:
            continue
        if here != x:  # a false operand
            if known >= 0 and not assign(s, 2 * user + 1, x, -1):
                return False
        elif known == 0:
            if values[other] > 0:
                assign(s, 2 * user, x, other)
        elif known < 0 and not assign(s, other ^ 1, 2 * user + 1, x):
            return False
    for k in range(gates[gate, ALLOWS], gates[gate, ALLOWS + 1]):
        move = s.lists[k]
        needed = values[2 * move] or always or gates[move, ACTIVE] == stamp
        if needed and gates[move, LEGAL] == x ^ 1 and not assign(s, 2 * move + 1, x, -1):
            return False
    return True


@inlined
def _to_operands(s: Search, x: Int) -> bool:
    """Pass a true literal on to the operands of its gate, or to what allows the move."""
    gates, values = s.gates, s.values
    a, b = np.int64(gates[x >> 1, LEFT]), np.int64(gates[x >> 1, RIGHT])
    if a >= 0:
        if not x & 1:
            return assign(s, a, x, -1) and assign(s, b, x, -1)
        if values[a] > 0:
            return assign(s, b ^ 1, x, a)
        return values[b] <= 0 or assign(s, a ^ 1, x, b)
    legal = np.int64(gates[x >> 1, LEGAL])
    if x & 1 or legal < 0:
        return True
    activate(s, legal >> 1)
    return assign(s, legal, x, -1)


@inlined
def _to_groups(s: Search, x: Int) -> bool:
    """Pass a true literal of a leaf on to the other members of its groups."""
    gates, values, groups, stamp = s.gates, s.values, s.groups, s.numbers[STAMP]
    for k in range(gates[x >> 1, INSIDE], gates[x >> 1, INSIDE + 1]):
        group = s.lists[k]
        first, last = groups[group, FIRST], groups[group, LAST]
        if not x & 1:
            if groups[group, MOST]:
                s.numbers[STEPS] += last - first
                for m in range(first, last):
                    member = s.lists[m]
                    if member == x >> 1 or values[2 * member] < 0:
                        continue
                    needed = values[2 * member] > 0 or s.numbers[DEPTH] == 0 or gates[member, ACTIVE] == stamp
                    if needed and not assign(s, 2 * member + 1, x, -1):
                        return False
        elif groups[group, LEAST] and not groups[group, HELD] and groups[group, FALSE] >= last - first - 1:
            s.numbers[STEPS] += last - first
            free = -1
            for m in range(first, last):
                if values[2 * s.lists[m]] == 0:
                    free = s.lists[m]
            if free < 0:
                s.buffer[0] = 0
                because(s, -1, group, _GROUP)
                return False
            assign(s, 2 * free, group, _GROUP)
    return True


@inlined
def _to_clauses(s: Search, x: Int) -> bool:
    """Pass a true literal on to the clauses that watch its complement."""
    values, clauses, arena = s.values, s.clauses, s.arena
    wrong = x ^ 1
    before = -1
    node = s.watched[wrong]
    while node >= 0:
        s.numbers[STEPS] += 1
        clause, which = node >> 1, node & 1
        after = clauses[clause, 2 + which]
        first = clauses[clause, 0]
        other = arena[first + 1 - which]
        moved = False
        if values[other] <= 0:
            for k in range(first + 2, first + clauses[clause, 1]):
                y = arena[k]
                if values[y] >= 0:
                    arena[k] = wrong
                    arena[first + which] = y
                    clauses[clause, 2 + which] = s.watched[y]
                    s.watched[y] = node
                    moved = True
                    break
            if moved:
                if before < 0:
                    s.watched[wrong] = after
                else:
                    clauses[before >> 1, 2 + (before & 1)] = after
            elif not assign(s, other, clause, CLAUSE):
                return False
        if not moved:
            before = node
        node = after
    return True


@borrowing
def propagate(s: Search) -> bool:
    """Pass on all that is new; false at a conflict, which the buffer then holds."""
    while s.numbers[HEAD] < s.numbers[DONE]:
        x = s.trail[s.numbers[HEAD]]
        s.numbers[HEAD] += 1
        if not (_to_operands(s, x) and _to_users(s, x) and _to_groups(s, x) and _to_clauses(s, x)):
            return False
    return True
