"""Graph to circuit: drop dead gates, put the position cone first, close the loops, flatten to arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from gdl.program import GroundProgram
from ggp.circuits.circuit import Circuit
from ggp.circuits.graph import Net
from ggp.circuits.manyinput import Flat, flat, uses
from ggp.circuits.solver import Group
from ggp.circuits.sweeps import sweep_order
from ggp.core.arraytypes import Bools, Ints, Longs
from ggp.core.kernels import kernel


@kernel
def _needs_inputs(net: Flat, bases: int) -> Bools:
    """Which gates depend on an input; feedback makes this a fixpoint."""
    left, right, fixed, leaves = net.left, net.right, net.fixed, net.leaves
    late = np.zeros(len(left), np.bool_)
    late[1 + bases : 1 + leaves] = True
    again = bool(fixed[1 + leaves :].any())
    changed = True
    while changed:
        changed = False
        for gate in range(1 + leaves, len(left)):
            if not late[gate] and (late[left[gate] >> 1] or late[right[gate] >> 1]):
                late[gate] = True
                changed = again
    return late


def _loop_members(net: Net, live: Bools) -> dict[int, int]:
    """Gates on a cycle through each feedback group: reached from the group and reaching it."""
    graph = net.graph
    member: dict[int, int] = {}
    for number, group in enumerate(graph.groups):
        inside = [gate for gate in group if live[gate]]
        if not inside:
            continue
        start = set(inside)
        above: set[int] = set()  # what the definitions read
        stack = [graph.feedback[gate] >> 1 for gate in inside]
        while stack:
            gate = stack.pop()
            if gate in above:
                continue
            above.add(gate)
            if not graph.is_leaf(gate):
                stack += [graph.left[gate] >> 1, graph.right[gate] >> 1]
        below = set(start)  # what reads the feedback gates
        for gate in sorted(above):
            if not graph.is_leaf(gate) and (graph.left[gate] >> 1 in below or graph.right[gate] >> 1 in below):
                below.add(gate)
        for gate in below & (above | start):
            member[gate] = number
    return member


def _loop_order(net: Net, group: list[int], inside: set[int]) -> list[int]:
    """The gates of one loop: definition after definition, each followed at once by the feedback gate it defines."""
    graph = net.graph
    done: set[int] = set()
    result: list[int] = []
    for head in sweep_order(graph, [gate for gate in group if gate in inside], inside):
        stack = [graph.feedback[head] >> 1]
        while stack:
            gate = stack[-1]
            if gate in done or gate not in inside or gate in graph.feedback:
                stack.pop()
                continue
            operands = [graph.left[gate] >> 1, graph.right[gate] >> 1]
            missing = [g for g in operands if g in inside and g not in done and g not in graph.feedback]
            if missing:
                stack += missing
            else:
                done.add(gate)
                result.append(stack.pop())
        done.add(head)
        result.append(head)
    return result


def _read_by(net: Net, inside: set[int]) -> list[int]:
    """The operands of a loop that are not of it."""
    graph = net.graph
    found: dict[int, None] = {}
    for gate in sorted(inside):
        read = [graph.feedback[gate]] if gate in graph.feedback else [graph.left[gate], graph.right[gate]]
        found.update((x >> 1, None) for x in read if x >> 1 not in inside)
    return list(found)


@kernel
def _place(
    net: Flat,
    member: Ints,
    reads: tuple[Longs, Longs],
    orders: tuple[Longs, Longs],
    early_roots: Longs,
    late_roots: Longs,
) -> tuple[Longs, int, Longs]:
    """Gates in evaluation order, how many of them are early, and the ranges of the loops in the order.

    Depth first from the roots keeps operands near their users. A loop is placed as one block, after what it reads.
    member: the loop of each gate, or -1; reads, orders: for each loop its operands, and its gates in order, as rows
    (first, items).
    """
    left, right, fixed, leaves = net.left, net.right, net.fixed, net.leaves
    placed = np.zeros(len(left), np.bool_)
    placed[: 1 + leaves] = True
    order, size, early = np.empty(len(left), np.int64), 0, 0
    loops, found = np.empty((len(reads[0]), 2), np.int64), 0
    stack = np.empty(2 * len(left) + len(reads[1]) + 2, np.int64)
    for part in range(2):
        for root in early_roots if part == 0 else late_roots:
            stack[0], high = root, 1
            while high:
                gate = stack[high - 1]
                if placed[gate]:
                    high -= 1
                    continue
                before, loop = high, member[gate]
                if loop >= 0:
                    for k in range(reads[0][loop], reads[0][loop + 1]):
                        if not placed[reads[1][k]]:
                            stack[high] = reads[1][k]
                            high += 1
                else:
                    if not placed[right[gate] >> 1]:
                        stack[high] = right[gate] >> 1
                        high += 1
                    if not fixed[gate] and not placed[left[gate] >> 1]:
                        stack[high] = left[gate] >> 1
                        high += 1
                if high > before:
                    continue
                lo = size
                if loop >= 0:
                    for k in range(orders[0][loop], orders[0][loop + 1]):
                        order[size] = orders[1][k]
                        placed[orders[1][k]] = True
                        size += 1
                    loops[found, 0], loops[found, 1] = lo, size
                    found += 1
                else:
                    order[size] = gate
                    placed[gate] = True
                    size += 1
                high -= 1
        if part == 0:
            early = size
    return order[:size], early, loops[:found]


def _rows(lists: list[list[int]]) -> tuple[Longs, Longs]:
    """Lists one after the other: where each begins, and what they hold."""
    return np.cumsum([0, *map(len, lists)]), np.array([x for row in lists for x in row], np.int64)


def _order(net: Net, old: Flat, live: Bools, late: Bools) -> tuple[Longs, int, Longs]:
    """Gates in evaluation order, how many of them are early, and the ranges of the loops in the order."""
    member = np.full(len(live), -1, np.int32)
    inside: dict[int, set[int]] = {}
    for gate, number in _loop_members(net, live).items():
        inside.setdefault(number, set()).add(gate)
    for loop, gates in enumerate(inside.values()):
        member[list(gates)] = loop
    reads = _rows([_read_by(net, gates) for gates in inside.values()])
    orders = _rows([_loop_order(net, net.graph.groups[number], gates) for number, gates in inside.items()])
    needed = live & ~late
    needed[: 1 + old.leaves] = False
    early = np.concatenate([np.array(net.early, np.int64) >> 1, np.flatnonzero(needed)])
    return _place(old, member, reads, orders, early, np.array(net.late, np.int64) >> 1)


def emit(program: GroundProgram, net: Net, groups: Sequence[Group] = ()) -> Circuit:
    """The finished circuit. `groups`: what is proven of its bases."""
    graph = net.graph
    old = flat(net)
    live = uses(old) > 0
    order, early, loops = _order(net, old, live, _needs_inputs(old, net.bases))
    first = 1 + graph.leaves
    rows = np.concatenate([np.arange(first), order])
    new = np.zeros(len(graph), np.int64)
    new[rows] = np.arange(len(rows))

    def moved(literals: ArrayLike) -> Ints:
        row = np.asarray(literals, np.int64).reshape(-1)
        result: Ints = (2 * new[row >> 1] + (row & 1)).astype(np.int32)
        return result

    counts = np.zeros(len(program.roles) + 1, np.int32)
    for pair in program.inputs:
        counts[pair.role + 1] += 1
    loop_rows = loops + first
    circuit = Circuit(
        left=moved(old.left[rows]),
        right=moved(old.right[rows]),
        bases=net.bases,
        inputs=net.inputs,
        cut=first + early,
        next=moved(net.next),
        legal=moved(net.legal),
        role_starts=np.cumsum(counts).astype(np.int32),
        terminal=int(moved([net.terminal])[0]),
        goal_literals=moved(net.goals),
        goal_roles=np.array([goal.role for goal in program.goals], np.int32),
        goal_values=np.array([goal.value for goal in program.goals], np.int32),
        sees_literals=moved(net.sees),
        sees_roles=np.array([seen.role for seen in program.sees], np.int32),
        initial=np.isin(np.arange(net.bases), sorted(program.initial)),
        loops=loop_rows.astype(np.int32),
        groups=np.array([(i, b) for i, g in enumerate(groups) for b in g.members], np.int32).reshape(-1, 2),
    )
    circuit.check()
    return circuit
