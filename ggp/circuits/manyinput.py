"""Nets as rows of many-input gates, for kernels, and back.

A tree of ANDs is one row of literals. An OR is an AND of negations, so one rule serves both.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ggp.circuits.factor import grown
from ggp.circuits.gates import Gates, graph_of, sort
from ggp.circuits.graph import Net
from ggp.core.arraytypes import Bools, Ints, Longs
from ggp.core.kernels import kernel


class Flat(NamedTuple):
    """A net as arrays.

    left, right  operand literals of each gate; both are the literal that it repeats for a feedback gate
    fixed        leaves and feedback gates
    leaves       how many bases and inputs
    outputs      literals
    """

    left: Ints
    right: Ints
    fixed: Bools
    leaves: int
    outputs: Ints


class Rows(NamedTuple):
    """Gates with many operands: `items[first[i]:first[i + 1]]` are those of `gate[i]`; `row` is the place of each gate
    among them, -1 if it has none.
    """

    gate: Ints
    first: Longs
    items: Ints
    row: Ints


def flat(net: Net) -> Flat:
    """The arrays of a net."""
    graph = net.graph
    left, right = graph.arrays()
    fixed = np.zeros(len(left), bool)
    fixed[: 1 + graph.leaves] = True
    if graph.feedback:
        left, right, gates = left.copy(), right.copy(), list(graph.feedback)
        left[gates] = right[gates] = list(graph.feedback.values())
        fixed[gates] = True
    return Flat(left, right, fixed, graph.leaves, np.array(net.outputs(), np.int32))


@kernel
def uses(net: Flat) -> Ints:
    """How often each gate is read by gates that some output needs, outputs included; 0 for gates that none needs."""
    left, right, fixed, leaves, outputs = net
    count = np.zeros(len(left), np.int32)
    live = np.zeros(len(left), np.bool_)
    stack, high = np.empty(len(left), np.int32), 0
    for x in outputs:
        count[x >> 1] += 1
        if not live[x >> 1]:
            live[x >> 1] = True
            stack[high] = x >> 1
            high += 1
    while high:
        high -= 1
        gate = stack[high]
        if gate <= leaves:
            continue
        for side in range(1 if fixed[gate] else 2):
            operand = (right[gate] if side else left[gate]) >> 1
            count[operand] += 1
            if not live[operand]:
                live[operand] = True
                stack[high] = operand
                high += 1
    return count


@kernel
def roots_of(net: Flat, count: Ints) -> Longs:
    """The gates of the outputs and those that used feedback gates repeat, ascending and distinct."""
    wanted = np.zeros(len(net.left), np.bool_)
    for x in net.outputs:
        wanted[x >> 1] = True
    for gate in range(1 + net.leaves, len(wanted)):
        if net.fixed[gate] and count[gate]:
            wanted[net.left[gate] >> 1] = True
    return np.flatnonzero(wanted)


@kernel
def rows_of(net: Flat, count: Ints, deep: int) -> tuple[Ints, Longs, Ints, Ints]:
    """The rows of a net that is used so: gates, where each row begins, literals in ascending order, places.

    Positive operands with one use are dissolved into their user, and shared ones too while the row stays within `deep`
    operands (they may be found again as common pairs).
    """
    left, right, fixed = net.left, net.right, net.fixed
    place = np.full(len(left), -1, np.int32)
    seen = np.zeros(len(left), np.bool_)
    inside = np.full(2 * len(left), -1, np.int32)  # the last row that met a literal
    gates, first = np.empty(len(left), np.int32), np.empty(len(left) + 1, np.int64)
    items, size, found = np.empty(2 * len(left) + 2, np.int32), 0, 0
    row, high = np.empty(2 * len(left) + 2, np.int32), 0
    waiting, kept = np.empty(len(left), np.int32), 0
    for gate in roots_of(net, count):
        seen[gate] = True
        waiting[kept] = gate
        kept += 1
    while kept:
        kept -= 1
        gate = waiting[kept]
        if fixed[gate]:
            continue
        place[gate], gates[found], first[found] = found, gate, size
        row[0], row[1], high, width = left[gate], right[gate], 2, 2
        inside[left[gate]] = inside[right[gate]] = gate
        start = size
        while high:
            high -= 1
            x = row[high]
            inner = x >> 1
            if x & 1 or fixed[inner] or not (count[inner] == 1 or width + 1 <= deep):
                items = grown(items, size + 1)
                items[size] = x
                size += 1
                continue
            width -= 1
            for side in range(2):
                y = right[inner] if side else left[inner]
                if inside[y] != gate:
                    inside[y] = gate
                    width += 1
                    row[high] = y
                    high += 1
        sort(items[start:size], size - start)
        found += 1
        for k in range(start, size):
            inner = items[k] >> 1
            if not seen[inner]:
                seen[inner] = True
                waiting[kept] = inner
                kept += 1
    first[found] = size
    return gates[:found], first[: found + 1], items[:size], place


def rebuilt(net: Net, gates: Gates, new: Ints, count: Ints) -> Net:
    """The net in new gates: `new` is the new literal of each old gate, -1 where it is gone."""
    old = net.graph
    literal = new.tolist()

    def moved(literals: list[int]) -> list[int]:
        return [literal[x >> 1] ^ (x & 1) for x in literals]

    used = [gate for gate in old.feedback if count[gate]]
    again = dict(zip([literal[gate] >> 1 for gate in used], moved([old.feedback[gate] for gate in used]), strict=True))
    groups = [[literal[gate] >> 1 for gate in group if count[gate]] for group in old.groups]
    graph = graph_of(gates, old.leaves, old.limit, again, [group for group in groups if group])
    return Net(
        graph, net.bases, net.inputs, moved(net.next), moved(net.legal), moved([net.terminal])[0],
        moved(net.goals), moved(net.sees),
    )  # fmt: skip
