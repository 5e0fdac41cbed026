"""The search of the solver: conflict-driven clause learning on an and-inverter graph, as kernels.

Only what a question needs is looked at. A question makes the gates below it *active*; a value is passed on to gates
that are active or have a value already. Besides, a choice is made only to justify: a gate that is false needs a false
operand, a move that is made has to be legal, a group of which one holds needs that one. When everything is justified,
leaves without a value may be false, and the rest follows: an answer costs what its cone costs, not what the net costs.

Values are kept for literals, `1` true, `-1` false, `0` unknown. Whatever makes a literal true is kept as up to two
literals, a group of which all others are false, or a learned clause; a conflict is a list of true literals that
cannot hold together.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ggp.core.kernels import borrowing, inlined, kernel

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
_GROUP, _CLAUSE = -2, -3
"""Instead of a second literal: the first is a group of which all others are false, or a clause."""
_RESTART, _DECAY, _HUGE = 30, 1.1, 1e100
"""Choices are made anew after so many conflicts; how much more each counts than the last; when all are scaled down."""
_LATER = -2
"""Instead of a literal to be tried."""
_LOOK = 64
"""So many values to be justified are looked at for the one that was most in conflicts."""


class Search(NamedTuple):
    """Everything a search reads and changes."""

    gates: Any  # int32 (gates, COLUMNS): a row fits into a line of the cache
    lists: Any  # int64
    groups: Any  # int64 (groups, WIDTH)
    values: Any  # int8 (literals)
    trail: Any  # int64 (gates): literals that are true, in the order they became so
    levels: Any  # int64 (gates, 4): for each choice, where its part of the trail and the three searches for one began
    clauses: Any  # int64 (clauses, 4): first literal, how many, and the next clause that watches the same literal, twice
    arena: Any  # int64: the literals of clauses, those watched first
    watched: Any  # int64 (literals): the first clause that watches it, times two plus which of its two; -1 for none
    buffer: Any  # int64: true literals that lead to another, or cannot hold together; the number comes first
    learned: Any  # int64: the clause in the making
    stack: Any  # int64
    weights: Any  # float64 (gates + 1): how often a gate was in conflicts, lately; last, what counts now
    numbers: Any  # int64 (NUMBERS)


@borrowing
def _because(s, gate, a, b):  # type: ignore[no-untyped-def]
    """Add to the buffer the true literals behind the gate's value."""
    n = s.buffer[0]
    if b == _GROUP:
        for k in range(s.groups[a, FIRST], s.groups[a, LAST]):
            if s.lists[k] != gate:
                n += 1
                s.buffer[n] = 2 * s.lists[k] + 1
    elif b == _CLAUSE:
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
def _contradict(s, x, a, b):  # type: ignore[no-untyped-def]
    """Put a conflict into the buffer: x, which is false, follows."""
    s.buffer[0] = 1
    s.buffer[1] = x ^ 1
    _because(s, x >> 1, a, b)


@borrowing
def _assign(s, x, a, b):  # type: ignore[no-untyped-def]
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
def _undo(s, depth):  # type: ignore[no-untyped-def]
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
def _activate(s, root):  # type: ignore[no-untyped-def]
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
                    _assign(s, 2 * gate + 1, x ^ 1, -1)
                elif values[y] < 0:
                    _assign(s, 2 * gate + 1, y ^ 1, -1)
                elif values[x] > 0 and values[y] > 0:
                    _assign(s, 2 * gate, x, y)
            for z in (x, y):
                if gates[z >> 1, ACTIVE] != stamp:
                    gates[z >> 1, ACTIVE] = stamp
                    s.stack[n] = z >> 1
                    n += 1
        elif values[2 * gate] == 0:
            legal = np.int64(gates[gate, LEGAL])
            if legal >= 0 and values[legal] < 0:
                _assign(s, 2 * gate + 1, legal ^ 1, -1)
            for k in range(gates[gate, INSIDE], gates[gate, INSIDE + 1]):
                group = s.lists[k]
                if s.groups[group, MOST] and s.groups[group, HELD] and values[2 * gate] == 0:
                    who = s.groups[group, WHO]
                    if values[2 * who] <= 0:  # of two, the one that was made true last is not any more
                        for m in range(s.groups[group, FIRST], s.groups[group, LAST]):
                            if values[2 * s.lists[m]] > 0:
                                who = s.lists[m]
                    _assign(s, 2 * gate + 1, 2 * who, -1)


@inlined
def _to_users(s, x):  # type: ignore[no-untyped-def]
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
            if known >= 0 and not _assign(s, 2 * user + 1, x, -1):
                return False
        elif known == 0:
            if values[other] > 0:
                _assign(s, 2 * user, x, other)
        elif known < 0 and not _assign(s, other ^ 1, 2 * user + 1, x):
            return False
    for k in range(gates[gate, ALLOWS], gates[gate, ALLOWS + 1]):
        move = s.lists[k]
        needed = values[2 * move] or always or gates[move, ACTIVE] == stamp
        if needed and gates[move, LEGAL] == x ^ 1 and not _assign(s, 2 * move + 1, x, -1):
            return False
    return True


@inlined
def _to_operands(s, x):  # type: ignore[no-untyped-def]
    """Pass a true literal on to the operands of its gate, or to what allows the move."""
    gates, values = s.gates, s.values
    a, b = np.int64(gates[x >> 1, LEFT]), np.int64(gates[x >> 1, RIGHT])
    if a >= 0:
        if not x & 1:
            return _assign(s, a, x, -1) and _assign(s, b, x, -1)
        if values[a] > 0:
            return _assign(s, b ^ 1, x, a)
        return values[b] <= 0 or _assign(s, a ^ 1, x, b)
    legal = np.int64(gates[x >> 1, LEGAL])
    if x & 1 or legal < 0:
        return True
    _activate(s, legal >> 1)
    return _assign(s, legal, x, -1)


@inlined
def _to_groups(s, x):  # type: ignore[no-untyped-def]
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
                    if needed and not _assign(s, 2 * member + 1, x, -1):
                        return False
        elif groups[group, LEAST] and not groups[group, HELD] and groups[group, FALSE] >= last - first - 1:
            s.numbers[STEPS] += last - first
            free = -1
            for m in range(first, last):
                if values[2 * s.lists[m]] == 0:
                    free = s.lists[m]
            if free < 0:
                s.buffer[0] = 0
                _because(s, -1, group, _GROUP)
                return False
            _assign(s, 2 * free, group, _GROUP)
    return True


@inlined
def _to_clauses(s, x):  # type: ignore[no-untyped-def]
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
            elif not _assign(s, other, clause, _CLAUSE):
                return False
        if not moved:
            before = node
        node = after
    return True


@borrowing
def _propagate(s):  # type: ignore[no-untyped-def]
    """Pass on all that is new; false at a conflict, which the buffer then holds."""
    while s.numbers[HEAD] < s.numbers[DONE]:
        x = s.trail[s.numbers[HEAD]]
        s.numbers[HEAD] += 1
        if not (_to_operands(s, x) and _to_users(s, x) and _to_groups(s, x) and _to_clauses(s, x)):
            return False
    return True


@borrowing
def _learn(s):  # type: ignore[no-untyped-def]
    """From the conflict in the buffer to a clause (first its one literal of the last choice, then the next latest).

    Returns how many literals it has; where to go back to is the level of the second.
    """
    gates, learned, weights = s.gates, s.learned, s.weights
    n, open_ = 1, 0
    at = s.numbers[DONE]
    while True:
        for i in range(1, s.buffer[0] + 1):
            x = s.buffer[i]
            gate = x >> 1
            if gates[gate, SEEN] or gates[gate, LEVEL] == 0:
                continue
            gates[gate, SEEN] = 1
            weights[gate] += weights[-1]
            if gates[gate, LEVEL] == s.numbers[DEPTH]:
                open_ += 1
            else:
                learned[n] = x ^ 1
                n += 1
        s.numbers[STEPS] += s.buffer[0]
        at -= 1
        while not gates[s.trail[at] >> 1, SEEN]:
            at -= 1
        gate = s.trail[at] >> 1
        gates[gate, SEEN] = 0
        open_ -= 1
        if open_ == 0:
            break
        s.buffer[0] = 0
        _because(s, gate, np.int64(gates[gate, WHY]), np.int64(gates[gate, AND]))
    learned[0] = s.trail[at] ^ 1
    for i in range(1, n):
        gates[learned[i] >> 1, SEEN] = 0
        if gates[learned[i] >> 1, LEVEL] > gates[learned[1] >> 1, LEVEL]:
            learned[1], learned[i] = learned[i], learned[1]
    weights[-1] *= _DECAY
    if weights[-1] > _HUGE:
        for i in range(len(weights)):
            weights[i] /= _HUGE
    return n


@borrowing
def _forget(s):  # type: ignore[no-untyped-def]
    """Drop all clauses; nothing may have been chosen."""
    for x in range(len(s.watched)):
        s.watched[x] = -1
    s.numbers[CLAUSES] = 0
    s.numbers[ARENA] = 0


@borrowing
def _resolve(s):  # type: ignore[no-untyped-def]
    """Learn from the conflict in the buffer and go back; false if nothing is left to go back to."""
    if s.numbers[DEPTH] == 0:
        s.numbers[IMPOSSIBLE] = 1
        return False
    n = _learn(s)
    s.numbers[CONFLICTS] += 1
    if n == 1:
        _undo(s, 0)
        if not _assign(s, s.learned[0], -1, -1):
            s.numbers[IMPOSSIBLE] = 1
            return False
        return True
    clause, first = s.numbers[CLAUSES], s.numbers[ARENA]
    if clause == len(s.clauses) or first + n > len(s.arena):
        _undo(s, 0)
        _forget(s)
        return True
    _undo(s, np.int64(s.gates[s.learned[1] >> 1, LEVEL]))
    for i in range(n):
        s.arena[first + i] = s.learned[i]
    s.clauses[clause, 0] = first
    s.clauses[clause, 1] = n
    for which in range(2):
        x = s.learned[which]
        s.clauses[clause, 2 + which] = s.watched[x]
        s.watched[x] = 2 * clause + which
    s.numbers[CLAUSES] += 1
    s.numbers[ARENA] += n
    return _assign(s, s.learned[0], clause, _CLAUSE)


@inlined
def _random(s, n):  # type: ignore[no-untyped-def]
    """A random number below n."""
    s.numbers[SEED] = (s.numbers[SEED] * 1103515245 + 12345) & 0x7FFFFFFF
    return (s.numbers[SEED] >> 8) % n


@inlined
def _operand(s, x):  # type: ignore[no-untyped-def]
    """A literal that would justify that x is true, or -1 if that is so already."""
    a, b = np.int64(s.gates[x >> 1, LEFT]), np.int64(s.gates[x >> 1, RIGHT])
    if not x & 1 or a < 0 or s.values[a] < 0 or s.values[b] < 0:
        return -1
    if s.weights[a >> 1] == s.weights[b >> 1]:
        return (a if _random(s, 2) else b) ^ 1
    return (a if s.weights[a >> 1] > s.weights[b >> 1] else b) ^ 1


@borrowing
def _choice(s):  # type: ignore[no-untyped-def]
    """A literal to be tried, -1 when everything is justified, `_LATER` when it is time for the late gate."""
    numbers = s.numbers
    always = s.levels[0, 0]
    while numbers[FRONT] < numbers[DONE] and _operand(s, s.trail[numbers[FRONT]]) < 0:
        numbers[FRONT] += 1
    best, seen = -1, 0
    for i in range(numbers[FRONT], numbers[DONE]):
        x = _operand(s, s.trail[i])
        if x >= 0:
            seen += 1
            if best < 0 or s.weights[x >> 1] > s.weights[best >> 1]:
                best = x
            if seen == _LOOK:
                break
    if best >= 0:
        return best
    if s.gates[numbers[LATE], ACTIVE] != numbers[STAMP]:
        return _LATER
    while numbers[ROOTS] < always:
        x = _operand(s, s.trail[numbers[ROOTS]])
        if x >= 0:
            return x
        numbers[ROOTS] += 1
    while numbers[CHOOSE] < len(s.groups):
        group = numbers[CHOOSE]
        if s.groups[group, LEAST] and not s.groups[group, HELD]:
            first, last = s.groups[group, FIRST], s.groups[group, LAST]
            start = _random(s, last - first)
            for k in range(last - first):
                s.numbers[STEPS] += 1
                member = s.lists[first + (start + k) % (last - first)]
                if s.values[2 * member] == 0:
                    return 2 * member
        numbers[CHOOSE] += 1
    return -1


@inlined
def _try(s, x):  # type: ignore[no-untyped-def]
    """Make a choice (-1: none, but counted as one)."""
    depth = s.numbers[DEPTH]
    s.levels[depth, 0] = s.numbers[DONE]
    s.levels[depth, 1] = s.numbers[FRONT]
    s.levels[depth, 2] = s.numbers[ROOTS]
    s.levels[depth, 3] = s.numbers[CHOOSE]
    s.numbers[DEPTH] += 1
    if x >= 0:
        _assign(s, x, -1, -1)


@kernel
def begin(s, truths):  # type: ignore[no-untyped-def]
    """Forget everything; these literals always hold."""
    s.values[:] = 0
    s.groups[:, HELD] = 0
    s.groups[:, FALSE] = 0
    s.weights[:] = 0
    s.weights[-1] = 1
    for i in (DONE, HEAD, DEPTH, IMPOSSIBLE):
        s.numbers[i] = 0
    _forget(s)
    for x in truths:
        if not _assign(s, x, -1, -1):
            s.numbers[IMPOSSIBLE] = 1


@kernel
def solve(s, wanted, most, found):  # type: ignore[no-untyped-def]
    """Can these literals hold together? 0: no, 1: yes, 2: not known after so many steps.

    found   int8 (gates): the values of all gates of the net, if they can
    """
    numbers = s.numbers
    if numbers[IMPOSSIBLE]:
        return 0
    numbers[STAMP] += 1
    for x in wanted:
        _activate(s, x >> 1)
    s.levels[0, 0] = numbers[DONE]
    numbers[FRONT], numbers[ROOTS], numbers[CHOOSE] = numbers[DONE], 0, 0
    end = numbers[STEPS] + most
    pause = numbers[CONFLICTS] + _RESTART
    result = -1
    while result < 0:
        if not _propagate(s):
            if not _resolve(s):
                return 0
            if numbers[DEPTH] == 0:  # more holds always than before
                numbers[FRONT], numbers[ROOTS], numbers[CHOOSE] = numbers[DONE], 0, 0
            if numbers[STEPS] >= end:
                result = 2
            elif numbers[CONFLICTS] >= pause:
                pause += _RESTART
                _undo(s, 0)
        elif numbers[DEPTH] < len(wanted):
            x = wanted[numbers[DEPTH]]
            if s.values[x] < 0:
                result = 0
            else:
                if numbers[DEPTH] == 0:
                    numbers[FRONT] = numbers[DONE]
                _try(s, x if s.values[x] == 0 else -1)
        else:
            x = _choice(s)
            if x == _LATER:
                _undo(s, 0)  # what follows for it from what always holds is then not taken back
                _activate(s, numbers[LATE])
                numbers[FRONT], numbers[ROOTS], numbers[CHOOSE] = numbers[DONE], 0, 0
            elif x < 0:
                result = 1
            else:
                _try(s, x)
    if result == 1:
        for gate in range(len(found)):
            a, b = s.gates[gate, LEFT], s.gates[gate, RIGHT]
            if a < 0:
                found[gate] = s.values[2 * gate] > 0
            else:
                found[gate] = (found[a >> 1] ^ (a & 1)) & (found[b >> 1] ^ (b & 1))
    _undo(s, 0)
    return result
