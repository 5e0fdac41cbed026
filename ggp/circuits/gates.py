"""The and-inverter graph of `graph` for kernels: in arrays of a fixed size, with the same rules.

`Gates` is a tuple: left and right operand literals, which gates are leaves, the table of structural hashing (open
addressing, gate numbers, 0 is empty), and [gates so far, 1 once there was no room].
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from ggp.circuits.graph import Graph
from ggp.core.arraytypes import Bools, Int, Ints, Longs, Row
from ggp.core.errors import TooLargeError
from ggp.core.kernels import borrowing, inlined

Gates: TypeAlias = tuple[Ints, Ints, Bools, Ints, Longs]


def new_gates(leaves: int, room: int) -> Gates:
    """A graph of leaves alone, with room for so many AND and feedback gates."""
    rows = 1 + leaves + room
    fixed = np.zeros(rows, bool)
    fixed[: 1 + leaves] = True
    table = np.zeros(1 << max(4, (2 * room).bit_length()), np.int32)
    return np.zeros(rows, np.int32), np.zeros(rows, np.int32), fixed, table, np.array([1 + leaves, 0], np.int64)


def graph_of(gates: Gates, leaves: int, limit: int, feedback: dict[int, int], groups: list[list[int]]) -> Graph:
    """The same as a graph that Python code goes on with."""
    count = int(gates[4][0])
    if gates[4][1] or count > limit + 1:
        raise TooLargeError(f"more than {limit:,} gates")
    graph = Graph.of(leaves, limit, gates[0][:count].copy(), gates[1][:count].copy())
    graph.feedback, graph.groups = feedback, groups
    return graph


@inlined
def first_slot(x: Int, y: Int, inside: int) -> Int:
    """Where in the table to look first for the AND of two literals, x < y."""
    slot = ((x * 0x9E3779B1) ^ (y * 0x85EBCA77)) & inside
    return (slot ^ (slot >> 7)) & inside


@borrowing
def land(gates: Gates, x: Int, y: Int) -> Int:
    """Literal of x AND y: `Graph.land`, rule for rule."""
    left, right, fixed, table, state = gates
    inside = len(table) - 1
    while True:
        if x > y:
            x, y = y, x
        if x == 0 or x == y ^ 1:
            return 0
        if x == 1 or x == y:
            return y
        slot = first_slot(x, y, inside)
        while table[slot]:
            twin = np.int64(table[slot])
            if left[twin] == x and right[twin] == y:
                return 2 * twin
            slot = (slot + 1) & inside
        found: Int = np.int64(-1)
        again = False
        for side in range(2):
            p, q = (x, y) if side == 0 else (y, x)
            gate = q >> 1
            if fixed[gate]:
                continue
            a, b = np.int64(left[gate]), np.int64(right[gate])
            other = p >> 1
            c = d = np.int64(-2)
            if not fixed[other]:
                c, d = np.int64(left[other]), np.int64(right[other])
            if q & 1 == 0:
                if p in (a, b):
                    found = q
                elif p ^ 1 in (a, b):
                    found = np.int64(0)
                elif c >= 0:
                    clash = a ^ 1 in (c, d) or b ^ 1 in (c, d)
                    if p & 1 == 0:
                        if clash:
                            found = np.int64(0)
                    elif clash:
                        found = q
                    elif c in (a, b):
                        x, y, again = q, d ^ 1, True
                    elif d in (a, b):
                        x, y, again = q, c ^ 1, True
            elif p ^ 1 in (a, b):
                found = p
            elif p == a:
                x, y, again = p, b ^ 1, True
            elif p == b:
                x, y, again = p, a ^ 1, True
            elif p & 1 and c >= 0:
                if (a == c and b == d ^ 1) or (a == d and b == c ^ 1):
                    found = a ^ 1
                elif (b == c and a == d ^ 1) or (b == d and a == c ^ 1):
                    found = b ^ 1
            if found >= 0 or again:
                break
        if found >= 0:
            return found
        if again:
            continue
        gate = state[0]
        if gate >= len(left):
            state[1] = 1
            return 0
        state[0] = gate + 1
        left[gate], right[gate] = x, y
        table[slot] = gate
        return int(2 * gate)


@borrowing
def sort(row: Row, n: Int) -> None:
    """Sort the first n entries (Shell's sort: short rows are the rule)."""
    gap = 1
    while gap < n // 3:
        gap = 3 * gap + 1
    while gap:
        for i in range(gap, n):
            x, j = row[i], i
            while j >= gap and row[j - gap] > x:
                row[j] = row[j - gap]
                j -= gap
            row[j] = x
        gap //= 3


@borrowing
def distinct(row: Row, n: Int) -> int:
    """Sort the first n entries and drop repetitions; how many are left."""
    sort(row, n)
    kept = 0
    for i in range(n):
        if kept == 0 or row[i] != row[kept - 1]:
            row[kept] = row[i]
            kept += 1
    return kept


@borrowing
def conjunction(gates: Gates, row: Longs, n: Int) -> Int:
    """AND of the first n literals of a row, in ascending order, as a balanced tree; the row is used up."""
    n = distinct(row, n)
    if n == 0:
        return 1
    while n > 1:
        for i in range(0, n - 1, 2):
            row[i >> 1] = land(gates, row[i], row[i + 1])
        if n & 1:
            row[n >> 1] = row[n - 1]
        n = (n + 1) >> 1
    return int(row[0])


@borrowing
def sink(heap: Longs, at: int, n: int) -> None:
    """Restore the order of a heap, largest first, below one place."""
    x = heap[at]
    while True:
        child = 2 * at + 1
        if child >= n:
            break
        if child + 1 < n and heap[child + 1] > heap[child]:
            child += 1
        if heap[child] <= x:
            break
        heap[at] = heap[child]
        at = child
    heap[at] = x
