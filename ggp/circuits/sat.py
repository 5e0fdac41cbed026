"""The search of the solver: conflict-driven clause learning on an and-inverter graph, as kernels.

What follows from a choice is found by `propagation`. A choice is made only to justify: a gate that is false needs a
false operand, a move that is made has to be legal, a group of which one holds needs that one. When everything is
justified, leaves without a value may be false, and the rest follows: an answer costs what its cone costs, not what the
net costs.
"""

from __future__ import annotations

import numpy as np

from ggp.circuits.propagation import (
    ACTIVE,
    AND,
    ARENA,
    CHOOSE,
    CLAUSE,
    CLAUSES,
    CONFLICTS,
    DEPTH,
    DONE,
    FALSE,
    FIRST,
    FRONT,
    HEAD,
    HELD,
    IMPOSSIBLE,
    LAST,
    LATE,
    LEAST,
    LEFT,
    LEVEL,
    RIGHT,
    ROOTS,
    SEED,
    SEEN,
    STAMP,
    STEPS,
    WHY,
    Search,
    activate,
    assign,
    because,
    propagate,
    undo,
)
from ggp.core.arraytypes import Int, Longs, Signs
from ggp.core.kernels import borrowing, inlined, kernel

_RESTART, _DECAY, _HUGE = 30, 1.1, 1e100
"""Choices are made anew after so many conflicts; how much more each counts than the last; when all are scaled down."""
_LATER = -2
"""Instead of a literal to be tried."""
_LOOK = 64
"""So many values to be justified are looked at for the one that was most in conflicts."""


@borrowing
def _learn(s: Search) -> int:
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
        because(s, gate, np.int64(gates[gate, WHY]), np.int64(gates[gate, AND]))
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
def _forget(s: Search) -> None:
    """Drop all clauses; nothing may have been chosen."""
    for x in range(len(s.watched)):
        s.watched[x] = -1
    s.numbers[CLAUSES] = 0
    s.numbers[ARENA] = 0


@borrowing
def _resolve(s: Search) -> bool:
    """Learn from the conflict in the buffer and go back; false if nothing is left to go back to."""
    if s.numbers[DEPTH] == 0:
        s.numbers[IMPOSSIBLE] = 1
        return False
    n = _learn(s)
    s.numbers[CONFLICTS] += 1
    if n == 1:
        undo(s, 0)
        if not assign(s, s.learned[0], -1, -1):
            s.numbers[IMPOSSIBLE] = 1
            return False
        return True
    clause, first = s.numbers[CLAUSES], s.numbers[ARENA]
    if clause == len(s.clauses) or first + n > len(s.arena):
        undo(s, 0)
        _forget(s)
        return True
    undo(s, np.int64(s.gates[s.learned[1] >> 1, LEVEL]))
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
    return assign(s, s.learned[0], clause, CLAUSE)


@inlined
def _random(s: Search, n: Int) -> Int:
    """A random number below n."""
    s.numbers[SEED] = (s.numbers[SEED] * 1103515245 + 12345) & 0x7FFFFFFF
    return int((s.numbers[SEED] >> 8) % n)


@inlined
def _operand(s: Search, x: Int) -> Int:
    """A literal that would justify that x is true, or -1 if that is so already."""
    a, b = np.int64(s.gates[x >> 1, LEFT]), np.int64(s.gates[x >> 1, RIGHT])
    if not x & 1 or a < 0 or s.values[a] < 0 or s.values[b] < 0:
        return -1
    if s.weights[a >> 1] == s.weights[b >> 1]:
        return (a if _random(s, 2) else b) ^ 1
    return (a if s.weights[a >> 1] > s.weights[b >> 1] else b) ^ 1


@borrowing
def _choice(s: Search) -> Int:
    """A literal to be tried, -1 when everything is justified, `_LATER` when it is time for the late gate."""
    numbers = s.numbers
    always = s.levels[0, 0]
    while numbers[FRONT] < numbers[DONE] and _operand(s, s.trail[numbers[FRONT]]) < 0:
        numbers[FRONT] += 1
    best: Int = -1
    seen = 0
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
                    return int(2 * member)
        numbers[CHOOSE] += 1
    return -1


@inlined
def _try(s: Search, x: Int) -> None:
    """Make a choice (-1: none, but counted as one)."""
    depth = s.numbers[DEPTH]
    s.levels[depth, 0] = s.numbers[DONE]
    s.levels[depth, 1] = s.numbers[FRONT]
    s.levels[depth, 2] = s.numbers[ROOTS]
    s.levels[depth, 3] = s.numbers[CHOOSE]
    s.numbers[DEPTH] += 1
    if x >= 0:
        assign(s, x, -1, -1)


@kernel
def begin(s: Search, truths: Longs) -> None:
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
        if not assign(s, x, -1, -1):
            s.numbers[IMPOSSIBLE] = 1


@borrowing
def _fill(s: Search, found: Signs) -> None:
    """The values of all gates, by those of the leaves; leaves without a value are false."""
    for gate in range(len(found)):
        a, b = s.gates[gate, LEFT], s.gates[gate, RIGHT]
        if a < 0:
            found[gate] = s.values[2 * gate] > 0
        else:
            found[gate] = (found[a >> 1] ^ (a & 1)) & (found[b >> 1] ^ (b & 1))


@kernel
def solve(s: Search, wanted: Longs, most: int, found: Signs) -> int:
    """Can these literals hold together? 0: no, 1: yes, 2: not known after so many steps.

    found   int8 (gates): the values of all gates of the net, if they can
    """
    numbers = s.numbers
    if numbers[IMPOSSIBLE]:
        return 0
    numbers[STAMP] += 1
    for x in wanted:
        activate(s, x >> 1)
    s.levels[0, 0] = numbers[DONE]
    numbers[FRONT], numbers[ROOTS], numbers[CHOOSE] = numbers[DONE], 0, 0
    end = numbers[STEPS] + most
    pause = numbers[CONFLICTS] + _RESTART
    result = -1
    while result < 0:
        if not propagate(s):
            if not _resolve(s):
                return 0
            if numbers[DEPTH] == 0:  # more holds always than before
                numbers[FRONT], numbers[ROOTS], numbers[CHOOSE] = numbers[DONE], 0, 0
            if numbers[STEPS] >= end:
                result = 2
            elif numbers[CONFLICTS] >= pause:
                pause += _RESTART
                undo(s, 0)
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
                undo(s, 0)  # what follows for it from what always holds is then not taken back
                activate(s, numbers[LATE])
                numbers[FRONT], numbers[ROOTS], numbers[CHOOSE] = numbers[DONE], 0, 0
            elif x < 0:
                result = 1
            else:
                _try(s, x)
    if result == 1:
        _fill(s, found)
    undo(s, 0)
    return result
