"""Graph to circuit: drop dead gates, put the position cone first, close the loops, flatten to arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from gdl.program import GroundProgram
from ggp.circuits.circuit import Circuit, Ints
from ggp.circuits.graph import Net
from ggp.circuits.solver import Group


def _needs_inputs(net: Net) -> list[bool]:
    """Which gates depend on an input; feedback makes this a fixpoint."""
    graph = net.graph
    late = [False] * len(graph)
    for gate in range(1 + net.bases, 1 + net.bases + net.inputs):
        late[gate] = True
    changed = True
    while changed:
        changed = False
        for gate in range(1 + graph.leaves, len(graph)):
            if late[gate]:
                continue
            if gate in graph.feedback:
                late[gate] = late[graph.feedback[gate] >> 1]
            else:
                late[gate] = late[graph.left[gate] >> 1] or late[graph.right[gate] >> 1]
            changed |= late[gate]
        changed = changed and bool(graph.feedback)
    return late


def _loop_members(net: Net, live: list[bool]) -> dict[int, int]:
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


def _order(net: Net, live: list[bool], late: list[bool]) -> tuple[list[int], int, list[tuple[int, int]]]:
    """Gates in evaluation order, how many of them are early, and the loop ranges (positions in the order).

    Each loop is one block: its outside operands, then definition after definition, each followed at once by
    the feedback gate it defines, so that one sweep carries news as far as it can. Depth first from the
    outputs keeps operands near their users.
    """
    graph = net.graph
    member = _loop_members(net, live)
    blocks: dict[int, list[int]] = {}
    for gate, number in member.items():
        blocks.setdefault(number, []).append(gate)
    order: list[int] = []
    loops: list[tuple[int, int]] = []
    placed: set[int] = set(range(1 + graph.leaves))

    def block_order(number: int) -> list[int]:
        inside = set(blocks[number])
        done: set[int] = set()
        result: list[int] = []
        heads = [g for g in graph.groups[number] if g in inside]
        for head in heads:
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

    def outside_operands(number: int) -> list[int]:
        found: dict[int, None] = {}
        for gate in sorted(blocks[number]):
            operands = (
                [graph.feedback[gate] >> 1] if gate in graph.feedback else [graph.left[gate] >> 1, graph.right[gate] >> 1]
            )
            for operand in operands:
                if member.get(operand) != number:
                    found[operand] = None
        return list(found)

    def visit(root: int) -> None:
        stack = [root]
        while stack:
            gate = stack[-1]
            if gate in placed:
                stack.pop()
                continue
            number = member.get(gate)
            if number is not None:
                operands = outside_operands(number)
            elif gate in graph.feedback:
                operands = [graph.feedback[gate] >> 1]
            else:
                operands = [graph.right[gate] >> 1, graph.left[gate] >> 1]
            missing = [g for g in operands if g not in placed]
            if missing:
                stack += missing
            elif number is not None:
                block = block_order(number)
                loops.append((len(order), len(order) + len(block)))
                order.extend(block)
                placed.update(block)
            else:
                order.append(stack.pop())
                placed.add(gate)

    for x in net.early:
        visit(x >> 1)
    for gate in range(1 + graph.leaves, len(graph)):
        if live[gate] and not late[gate]:
            visit(gate)
    early = len(order)
    for x in net.late:
        visit(x >> 1)
    return order, early, loops


def emit(program: GroundProgram, net: Net, groups: Sequence[Group] = ()) -> Circuit:
    """The finished circuit. `groups`: what is proven of its bases."""
    graph = net.graph
    live = net.reachable()
    late = _needs_inputs(net)
    order, early, loops = _order(net, live, late)
    first = 1 + graph.leaves
    rows = np.concatenate([np.arange(first), np.array(order, np.int64)]).astype(np.int64)
    new = np.zeros(len(graph), np.int64)
    new[rows] = np.arange(len(rows))
    left, right = np.array(graph.left, np.int64), np.array(graph.right, np.int64)
    for gate, literal in graph.feedback.items():
        left[gate] = right[gate] = literal

    def moved(literals: ArrayLike) -> Ints:
        row = np.asarray(literals, np.int64).reshape(-1)
        result: Ints = (2 * new[row >> 1] + (row & 1)).astype(np.int32)
        return result

    atoms = np.zeros(len(rows), np.int32)
    for atom, literal in sorted(net.atoms.items(), reverse=True):
        gate = literal >> 1
        if gate and (gate < first or live[gate]):
            atoms[new[gate]] = -atom if literal & 1 else atom
    counts = np.zeros(len(program.roles) + 1, np.int32)
    for pair in program.inputs:
        counts[pair.role + 1] += 1
    loop_rows = np.array(loops, np.int32).reshape(-1, 2) + np.int32(first)
    circuit = Circuit(
        left=moved(left[rows]),
        right=moved(right[rows]),
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
        atoms=atoms,
        groups=np.array([(i, b) for i, g in enumerate(groups) for b in g.members], np.int32).reshape(-1, 2),
    )
    circuit.check()
    return circuit
