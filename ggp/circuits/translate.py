"""The factored translation of `build` in kernels: a ground program as arrays becomes gates.

The bodies of a head are grouped by their part without `does`; that a role makes exactly one move is used; common
literals are factored out. The ground program is handed over as arrays: heads in the order of their first rule, for
each its bodies, for each body its literals.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from gdl.groundrules import GroundRules
from gdl.program import GroundProgram
from ggp.circuits.factor import factored_sum
from ggp.circuits.gates import Gates, conjunction, distinct
from ggp.core.arraytypes import Bools, Int, Ints, Longs
from ggp.core.kernels import borrowing, kernel


class Table(NamedTuple):
    """A ground program as arrays.

    heads    atoms with rules
    row      of each atom: its place among the heads, -1 without rules
    bodies   [heads + 1]: where the bodies of each head begin
    first    [bodies + 1]: where the literals of each body begin
    items    literals
    input    of each atom: the input that it says is done, -1 if none
    role     of each input
    starts   [roles + 1]: the inputs of each role
    """

    heads: Ints
    row: Ints
    bodies: Longs
    first: Longs
    items: Ints
    input: Ints
    role: Ints
    starts: Longs


def table_of(program: GroundProgram) -> Table:
    """The arrays of a program."""
    rules = GroundRules.of(program.rules)
    head_of, items = np.asarray(rules.heads), np.asarray(rules.literals, np.int32)
    size: Longs = np.diff(np.asarray(rules.starts)).astype(np.int64)
    heads, seen, inverse = np.unique(head_of, return_index=True, return_inverse=True)
    place = np.argsort(np.argsort(seen))  # heads in the order of their first rule
    row = np.full(len(program.names), -1, np.int32)
    row[heads] = place
    order = np.argsort(place[inverse], kind="stable")
    ends = np.cumsum(size)
    first = np.concatenate([[0], np.cumsum(size[order])])
    moved = np.arange(len(items)) + np.repeat((ends - size)[order] - first[:-1], size[order])
    bodies = np.concatenate([[0], np.cumsum(np.bincount(place[inverse], minlength=len(heads)))])
    done = np.full(len(program.names), -1, np.int32)
    done[[pair.does for pair in program.inputs]] = np.arange(len(program.inputs))
    role = np.array([pair.role for pair in program.inputs], np.int32)
    starts = np.searchsorted(role, np.arange(len(program.roles) + 1))
    return Table(heads[np.argsort(place)].astype(np.int32), row, bodies, first, items[moved], done, role, starts)


@kernel
def strata(table: Table) -> tuple[Ints, Ints]:
    """Strongly connected components of the heads, operands first (Tarjan): the rows in order, and where each begins."""
    heads, atom_row, bodies, first, items = table.heads, table.row, table.bodies, table.first, table.items
    n = len(heads)
    index, low = np.full(n, -1, np.int32), np.zeros(n, np.int32)
    waiting = np.zeros(n, np.bool_)
    stack, path, at = np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n, np.int64)
    order, begins = np.empty(n, np.int32), np.empty(n + 1, np.int32)
    entered = depth = high = placed = found = 0
    for root in range(n):
        if index[root] >= 0:
            continue
        entering = root
        while True:
            if entering >= 0:
                index[entering] = low[entering] = entered
                entered += 1
                stack[high], path[depth], at[depth] = entering, entering, first[bodies[entering]]
                waiting[entering] = True
                high += 1
                depth += 1
                entering = -1
            node = path[depth - 1]
            if at[depth - 1] < first[bodies[node + 1]]:
                following = atom_row[abs(items[at[depth - 1]])]
                at[depth - 1] += 1
                if following >= 0:
                    if index[following] < 0:
                        entering = following
                    elif waiting[following]:
                        low[node] = min(low[node], index[following])
                continue
            depth -= 1
            if depth:
                low[path[depth - 1]] = min(low[path[depth - 1]], low[node])
            if low[node] == index[node]:
                begins[found] = placed
                found += 1
                while True:
                    high -= 1
                    order[placed] = stack[high]
                    waiting[stack[high]] = False
                    placed += 1
                    if stack[high] == node:
                        break
            if depth == 0:
                break
    begins[found] = placed
    return order, begins[: found + 1]


@kernel
def _cone(table: Table, roots: Longs) -> Bools:
    """Of each atom, do the roots depend on it? The roots are among them."""
    inside = np.zeros(len(table.row), np.bool_)
    stack, high = np.empty(len(table.row), np.int32), 0
    for atom in roots:
        if not inside[atom]:
            inside[atom] = True
            stack[high] = atom
            high += 1
    while high:
        high -= 1
        row = table.row[stack[high]]
        if row < 0:
            continue
        for k in range(table.first[table.bodies[row]], table.first[table.bodies[row + 1]]):
            atom = abs(table.items[k])
            if not inside[atom]:
                inside[atom] = True
                stack[high] = atom
                high += 1
    return inside


def depends(table: Table, roots: Sequence[int]) -> Bools:
    """Which atoms the roots depend on, roots included."""
    inside: Bools = _cone(table, np.array(roots, np.int64))
    return inside


def components(table: Table) -> list[list[int]]:
    """The atoms that depend on one another, operands first, members ascending; without atoms that have no rules."""
    order, begins = strata(table)
    atoms = table.heads[order].tolist()
    return [sorted(atoms[lo:hi]) for lo, hi in pairwise(begins.tolist())]


@kernel
def _group(table: Table, row: Int) -> tuple[Longs, Longs, int]:
    """The bodies of a head that differ in one move of the same role only: the group of each body, and how many groups.

    A group is numbered by its first body; one that is no such body is a group of its own.
    """
    first, items, done, role = table.first, table.items, table.input, table.role
    lo, hi = table.bodies[row], table.bodies[row + 1]
    group, mover = np.empty(hi - lo, np.int64), np.empty(hi - lo, np.int64)
    size = 8
    while size < 2 * (hi - lo):
        size *= 2
    slots = np.full(size, -1, np.int64)
    found = 0
    for body in range(lo, hi):
        moves, by = 0, -1
        for k in range(first[body], first[body + 1]):
            if items[k] > 0 and done[items[k]] >= 0:
                moves += 1
                by = role[done[items[k]]]
        if moves != 1:
            by = -1
        mover[body - lo] = by
        key = np.int64(by + 2)
        for k in range(first[body], first[body + 1]):
            if by < 0 or items[k] < 0 or done[items[k]] < 0:
                key = (key ^ items[k]) * 0x5851F42D4C957F2D
                key ^= key >> 29
        slot = key & (size - 1)
        while slots[slot] >= 0:
            other = slots[slot]
            same = mover[other - lo] == by and first[other + 1] - first[other] == first[body + 1] - first[body]
            k, m = first[body], first[other]
            while same and k < first[body + 1]:
                if by >= 0 and items[k] > 0 and done[items[k]] >= 0:
                    k += 1
                elif by >= 0 and m < first[other + 1] and items[m] > 0 and done[items[m]] >= 0:
                    m += 1
                else:
                    same = m < first[other + 1] and items[k] == items[m]
                    k += 1
                    m += 1
            if same:
                break
            slot = (slot + 1) & (size - 1)
        if slots[slot] < 0:
            slots[slot] = body
            group[body - lo] = found
            found += 1
        else:
            group[body - lo] = group[slots[slot] - lo]
    return group, mover, found


@kernel
def _moves(table: Table, bodies: Longs) -> Longs:
    """The inputs of bodies with one move each, ascending and distinct."""
    moves = np.empty(len(bodies), np.int64)
    for i in range(len(bodies)):
        for k in range(table.first[bodies[i]], table.first[bodies[i] + 1]):
            if table.items[k] > 0 and table.input[table.items[k]] >= 0:
                moves[i] = table.input[table.items[k]]
    return moves[: distinct(moves, len(moves))]


@kernel
def _some_move(table: Table, gates: Gates, bases: int, moves: Longs, row: Longs) -> Int:
    """Exactly one move a role: the disjunction of some (ascending, distinct) by its smaller side."""
    role = table.role[moves[0]]
    lo, hi = table.starts[role], table.starts[role + 1]
    n = 0
    if len(moves) <= (hi - lo) // 2:
        for j in moves:
            row[n] = 2 * (1 + bases + j) ^ 1
            n += 1
        return conjunction(gates, row, n) ^ 1
    k = 0
    for j in range(lo, hi):
        if k < len(moves) and moves[k] == j:
            k += 1
        else:
            row[n] = 2 * (1 + bases + j) ^ 1
            n += 1
    return conjunction(gates, row, n)


@kernel
def _products(table: Table, gates: Gates, bases: int, value: Ints, row: Int) -> tuple[Longs, Longs]:
    """The bodies of a head as products of literals: where each begins, and the literals, ascending and distinct."""
    first, items, done = table.first, table.items, table.input
    lo, hi = table.bodies[row], table.bodies[row + 1]
    group, mover, groups = _group(table, row)
    place = np.zeros(groups + 1, np.int64)
    for g in group:
        place[g + 1] += 1
    for g in range(groups):
        place[g + 1] += place[g]
    members, fill = np.empty(hi - lo, np.int64), place.copy()
    for i in range(hi - lo):
        members[fill[group[i]]] = lo + i
        fill[group[i]] += 1
    begins = np.zeros(groups + 1, np.int64)
    literals = np.empty(first[hi] - first[lo] + 1, np.int64)
    scratch = np.empty(len(table.role) + 1, np.int64)
    made = size = 0
    for g in range(groups):
        body = members[place[g]]
        by = mover[body - lo]
        start, possible = size, True
        for k in range(first[body], first[body + 1]):
            x = items[k]
            if by >= 0 and x > 0 and done[x] >= 0:
                continue
            literal = np.int64(max(value[abs(x)], 0)) ^ (x < 0)  # an atom without rules never holds
            if literal == 0:
                possible = False
            elif literal > 1:
                literals[size] = literal
                size += 1
        if possible and by >= 0:
            moves = _moves(table, members[place[g] : place[g + 1]])
            literal = np.int64(_some_move(table, gates, bases, moves, scratch))
            if literal > 1:
                literals[size] = literal
                size += 1
        if not possible:
            size = start
            continue
        size = start + distinct(literals[start:], size - start)
        made += 1
        begins[made] = size
    return begins[: made + 1], literals[:size]


@borrowing
def _product(table: Table, gates: Gates, value: Ints, body: Int, row: Longs) -> Int:
    """What a head with one body comes to, as most have: what `_products` and a sum would give, without their lists."""
    first, items, done = table.first, table.items, table.input
    moves = 0
    for k in range(first[body], first[body + 1]):
        moves += items[k] > 0 and done[items[k]] >= 0
    n = 0
    for k in range(first[body], first[body + 1]):
        x = items[k]
        literal = np.int64(max(value[abs(x)], 0)) ^ (x < 0)
        if literal == 0:
            return np.int64(0)
        if moves == 1 and x > 0 and done[x] >= 0:
            role = table.role[done[x]]
            if table.starts[role + 1] - table.starts[role] == 1:  # it can make no other move
                continue
        if literal > 1:
            row[n] = literal
            n += 1
    return np.int64(conjunction(gates, row, n))


@borrowing
def _recursion(table: Table, rows: Ints, component: Ints) -> tuple[bool, bool]:
    """Whether heads of a component depend on one another, and whether on the negation of one."""
    cyclic = False
    for row in rows:
        for k in range(table.first[table.bodies[row]], table.first[table.bodies[row + 1]]):
            other = table.row[abs(table.items[k])]
            if other >= 0 and component[other] == component[row]:
                cyclic = True
                if table.items[k] < 0:
                    return True, True
    return cyclic, False


@kernel
def translate(
    table: Table, gates: Gates, bases: int, value: Ints, order: Ints, begins: Ints
) -> tuple[list[int], list[int], list[int], int]:
    """Define all atoms; the gates that repeat an atom of a positive cycle, what each repeats, and where cycles begin.

    value: int32 [atoms], the literal of each atom, -1 where there is none; what heads come to is filled in. If an
    atom depends on its own negation, the number of its component comes last, else -1.
    """
    fixed, state = gates[2], gates[4]
    component = np.full(len(table.heads), -1, np.int32)
    widest = np.int64(0)
    for body in range(len(table.first) - 1):
        widest = max(widest, table.first[body + 1] - table.first[body])
    scratch = np.empty(widest + 1, np.int64)
    nothing = int(np.int64(0))
    loops, loop_of, cycles = [nothing], [nothing], [nothing]  # numba wants to see what is in them
    for c in range(len(begins) - 1):
        rows = np.sort(order[begins[c] : begins[c + 1]])
        for row in rows:
            component[row] = c
        cyclic, negative = _recursion(table, rows, component)
        if negative:
            return loops, loop_of, cycles, c
        if cyclic:
            cycles.append(len(loops))
            for row in rows:
                gate = state[0]
                if gate >= len(fixed):
                    state[1] = 1
                    gate = nothing
                else:
                    fixed[gate] = True
                    state[0] = gate + 1
                value[table.heads[row]] = 2 * gate
                loops.append(int(gate))
                loop_of.append(nothing)
        for i in range(len(rows)):
            body = table.bodies[rows[i]]
            if table.bodies[rows[i] + 1] - body == 1:
                found = _product(table, gates, value, body, scratch)
            else:
                head_first, literals = _products(table, gates, bases, value, rows[i])
                found = factored_sum(gates, head_first, literals)
            if cyclic:
                loop_of[len(loops) - len(rows) + i] = int(found)
            else:
                value[table.heads[rows[i]]] = found
    return loops, loop_of, cycles, -1
