"""Copy a net gate by gate into a fresh graph, replacing some literals on the way.

Every pass that only decides *what equals what* ends here: structural hashing and constant folding then take
effect everywhere, and dead gates are left behind.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ggp.circuits.graph import Graph, Net


def rebuild(
    net: Net,
    replace: Mapping[int, int] | None = None,
    make: Callable[[Graph, int, Callable[[int], int]], int | None] | None = None,
    order: list[int] | None = None,
) -> Net:
    """A fresh net with the same outputs.

    replace   gate -> literal of the old graph to use instead (chains are followed); acyclic
    make      called for each live gate as make(new graph, gate, old literal -> new literal); its result
              stands for the gate, None means "as it was". It may ask for literals of gates that come later
              only if acyclic.
    order     gates to copy first, in this order: keeps `make` from recursing deeply
    """
    old = net.graph
    replace = replace or {}
    fresh = Graph(old.leaves, old.limit)
    new: dict[int, int] = {gate: 2 * gate for gate in range(1 + old.leaves)}
    open_: set[int] = set()

    def final(x: int) -> int:
        while x >> 1 in replace:
            x = replace[x >> 1] ^ (x & 1)
        return x

    def get(x: int) -> int:
        """New literal of an old one, copying what it needs."""
        x = final(x)
        if x >> 1 in new:
            return new[x >> 1] ^ (x & 1)
        stack = [x >> 1]
        while stack:
            gate = stack[-1]
            if gate in new:
                stack.pop()
                continue
            if gate in old.feedback:
                new[gate] = fresh.placeholder()
                stack.pop()
                continue
            if make is not None and gate not in open_:
                made = make(fresh, gate, get)
                if made is not None:
                    new[gate] = made
                    stack.pop()
                    continue
                open_.add(gate)
            left, right = final(old.left[gate]), final(old.right[gate])
            missing = [y >> 1 for y in (right, left) if y >> 1 not in new]
            if missing:
                stack += missing
            else:
                new[gate] = fresh.land(new[left >> 1] ^ (left & 1), new[right >> 1] ^ (right & 1))
                stack.pop()
        return new[x >> 1] ^ (x & 1)

    for gate in order or ():
        if gate not in replace:
            get(2 * gate)
    outputs = {
        "legal": [get(x) for x in net.legal],
        "goals": [get(x) for x in net.goals],
        "terminal": [get(net.terminal)],
        "next": [get(x) for x in net.next],
        "sees": [get(x) for x in net.sees],
    }
    pending = True
    done: set[int] = set()
    while pending:
        pending = False
        for gate, definition in old.feedback.items():
            if gate in new and gate not in done and gate not in replace:
                done.add(gate)
                fresh.feedback[new[gate] >> 1] = get(definition)
                pending = True
    for group in old.groups:
        kept = [new[gate] >> 1 for gate in group if gate in done]
        if kept:
            fresh.groups.append(kept)
    return Net(
        fresh, net.bases, net.inputs, outputs["next"], outputs["legal"], outputs["terminal"][0],
        outputs["goals"], outputs["sees"],
    )  # fmt: skip
