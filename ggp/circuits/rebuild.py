"""Copy a net gate by gate into a fresh graph, replacing some literals on the way.

Every pass that only decides *what equals what* ends here: structural hashing and constant folding then take
effect everywhere, and dead gates are left behind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from ggp.circuits.graph import Graph, Net

Make: TypeAlias = Callable[[Graph, int, Callable[[int], int]], int | None]


def rebuild(
    net: Net, replace: Mapping[int, int] | None = None, make: Make | None = None, order: Sequence[int] = ()
) -> Net:
    """A fresh net with the same outputs.

    replace   gate -> literal of the old graph to use instead (chains are followed); acyclic
    make      called for each live gate as make(new graph, gate, old literal -> new literal); its result
              stands for the gate, None means "as it was". It may ask for literals of gates that come later
              only if acyclic.
    order     gates to copy first, in this order: keeps `make` from recursing deeply
    """
    copy = _Copy(net.graph, replace or {}, make)
    copy.literals(2 * gate for gate in order if gate not in copy.replace)
    legal, goals, terminal = copy.literals(net.legal), copy.literals(net.goals), copy.literal(net.terminal)
    following, sees = copy.literals(net.next), copy.literals(net.sees)
    copy.close_loops()
    return Net(copy.fresh, net.bases, net.inputs, following, legal, terminal, goals, sees)


class _Copy:
    """A fresh graph, and the new literal of each gate of the old one that was asked for."""

    def __init__(self, old: Graph, replace: Mapping[int, int], make: Make | None) -> None:
        self.old, self.replace, self.make = old, replace, make
        self.fresh = Graph(old.leaves, old.limit)
        self.new: dict[int, int] = {gate: 2 * gate for gate in range(1 + old.leaves)}
        self.open: set[int] = set()  # gates that `make` wants as they were

    def literals(self, row: Iterable[int]) -> list[int]:
        """The new literals of old ones."""
        return [self.literal(x) for x in row]

    def literal(self, x: int) -> int:
        """The new literal of an old one; what it needs is copied first."""
        x = self._final(x)
        new, stack = self.new, [x >> 1]
        while stack:
            gate = stack[-1]
            if gate not in new:
                missing = self._copied(gate)
                if missing:
                    stack += missing
                    continue
            stack.pop()
        return new[x >> 1] ^ (x & 1)

    def _final(self, x: int) -> int:
        """The old literal that is used instead."""
        while x >> 1 in self.replace:
            x = self.replace[x >> 1] ^ (x & 1)
        return x

    def _copied(self, gate: int) -> list[int]:
        """Copy a gate; if that cannot be done yet, the operands that have to be copied before."""
        new, old = self.new, self.old
        if gate in old.feedback:
            new[gate] = self.fresh.placeholder()
            return []
        if self.make is not None and gate not in self.open:
            made = self.make(self.fresh, gate, self.literal)
            if made is not None:
                new[gate] = made
                return []
            self.open.add(gate)
        left, right = self._final(old.left[gate]), self._final(old.right[gate])
        missing = [x >> 1 for x in (right, left) if x >> 1 not in new]
        if not missing:
            new[gate] = self.fresh.land(new[left >> 1] ^ (left & 1), new[right >> 1] ^ (right & 1))
        return missing

    def close_loops(self) -> None:
        """Copy what feedback gates repeat, those too that are met only then; and their groups."""
        old, done, before = self.old, set[int](), -1
        while before != len(done):
            before = len(done)
            for gate, definition in old.feedback.items():
                if gate in self.new and gate not in done and gate not in self.replace:
                    done.add(gate)
                    self.fresh.feedback[self.new[gate] >> 1] = self.literal(definition)
        for group in old.groups:
            kept = [self.new[gate] >> 1 for gate in group if gate in done]
            if kept:
                self.fresh.groups.append(kept)
