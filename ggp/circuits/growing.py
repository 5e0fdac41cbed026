"""The graph of `graph` while Python code builds it and kernels make its gates: in arrays that grow."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np

from ggp.circuits import factor, gates
from ggp.circuits.gates import Gates, graph_of, new_gates
from ggp.circuits.graph import FALSE, TRUE, Graph
from ggp.core.arraytypes import Int, Longs
from ggp.core.errors import TooLargeError
from ggp.core.kernels import kernel

_ROOM = 1 << 12
"""Gates that there is room for at first."""


@kernel
def _land(graph: Gates, x: int, y: int) -> Int:
    return np.int64(gates.land(graph, x, y))


@kernel
def _conjunction(graph: Gates, row: Longs) -> Int:
    return np.int64(gates.conjunction(graph, row, len(row)))


@kernel
def _copied(old: Gates, new: Gates) -> None:
    """Copy a graph into one with more room."""
    left, right, fixed, _, state = old
    table, inside = new[3], len(new[3]) - 1
    n = state[0]
    new[0][:n], new[1][:n], new[2][:n], new[4][0] = left[:n], right[:n], fixed[:n], n
    for gate in range(n):
        if not fixed[gate]:
            slot = gates.first_slot(np.int64(left[gate]), np.int64(right[gate]), inside)
            while table[slot]:
                slot = (slot + 1) & inside
            table[slot] = gate


class GrowingGraph(Graph):
    """A graph that only grows: its gates cannot be read before they are handed over, by `finished`."""

    def __init__(self, leaves: int, limit: int = 20_000_000) -> None:
        super().__init__(leaves, limit)
        self._gates: Gates = new_gates(leaves, _ROOM)

    def __len__(self) -> int:
        return int(self._gates[4][0])

    def _with_room(self, more: int) -> Gates:
        """The arrays, with room for so many gates more."""
        count = len(self)
        if count > self.limit + 1:
            raise TooLargeError(f"more than {self.limit:,} gates")
        if count + more > len(self._gates[0]):
            larger = new_gates(self.leaves, 2 * count + more)
            _copied(self._gates, larger)
            self._gates = larger
        return self._gates

    def land(self, x: int, y: int) -> int:
        """Literal of x AND y."""
        return int(_land(self._with_room(1), x, y))

    def conjunction(self, literals: Iterable[int]) -> int:
        """AND of all."""
        row = np.array(list(literals), np.int64)
        return int(_conjunction(self._with_room(len(row)), row)) if len(row) else TRUE

    def sum(self, products: Sequence[Sequence[int]]) -> int:
        """Literal of a sum of products, common literals factored out."""
        if len(products) == 1:
            return self.conjunction(products[0])
        sizes = [0, *map(len, products)]
        first = np.array(sizes, np.int64).cumsum()
        literals = np.fromiter(chain.from_iterable(products), np.int64, int(first[-1]))
        return int(factor.tidy_sum(self._with_room(len(literals) + len(products)), first, literals))

    def placeholder(self) -> int:
        """A new feedback gate, its definition still missing; returns its positive literal."""
        _, _, fixed, _, state = self._with_room(1)
        gate = int(state[0])
        fixed[gate] = True
        state[0] += 1
        self.feedback[gate] = FALSE
        return 2 * gate

    def finished(self) -> Graph:
        """The same as a graph that can be read."""
        return graph_of(self._gates, self.leaves, self.limit, self.feedback, self.groups)
