"""Groups of moves, found from the rules alone: what a search with `groups` chooses among before it chooses a move.

- **leading**: moves of a role with the same name that share their first arguments: a piece, or the square that it leaves.
  How many arguments is told by how many moves there are in all: the search looks at the groups and then at the moves of
  one, so groups and moves of the largest group together shall be as few as possible.
- **near**: moves whose place on the board is at most two steps (Manhattan distance) from the places of the two moves
  before; the places are found by `ggp.boards`. A move that names no place is not near.

>>> from gdl import parse_term
>>> moves = [parse_term(f"(move {x} 2 {x + d} 3)") for x in range(1, 9) for d in (-1, 0, 1)]
>>> leading([*moves, parse_term("noop")], [0, 25]).tolist()[:7]
[0, 0, 0, 1, 1, 1, 2]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gdl.terms import Term, arguments, kif
from ggp.boards import board
from ggp.core.errors import MachineError
from ggp.machines.circuit import CircuitMachine, Compiled

NO_PLACE = -1
"""Of moves that name no cell of a board."""
_APART = 1 << 10
"""Between the places of two boards: more than any distance on one."""


def families(machine: Compiled) -> NDArray[np.int32]:
    """[inputs] the group of each input by its leading arguments, numbered from 0; no two roles share one."""
    known = _with_moves(machine)
    return leading(known.inputs, machine.circuit.role_starts.tolist())


def spots(machine: Compiled) -> NDArray[np.int32]:
    """[inputs, 2] the row and column of each input's place on the board; `NO_PLACE` where it names none."""
    known = _with_moves(machine)
    found = np.full((machine.circuit.inputs, 2), NO_PLACE, np.int32)
    schema = board(known.ruleset)
    grids = schema.view(known.fluents(known.initial())).grids
    places = {cell.id: (cell.row + n * _APART, cell.column) for n, grid in enumerate(grids) for cell in grid.cells}
    for role, (lo, hi) in zip(machine.roles, pairwise(machine.circuit.role_starts.tolist()), strict=True):
        for i in range(lo, hi):
            target = schema.action(role, known.inputs[i]).target
            if target is not None and target in places:
                found[i] = places[target]
    return found


def leading(moves: Sequence[Term], role_starts: Sequence[int]) -> NDArray[np.int32]:
    """[moves] the group of each move, those of each role apart: see the head of this module."""
    numbers: dict[tuple[int, str, tuple[str, ...]], int] = {}
    found = np.zeros(len(moves), np.int32)
    for role, (lo, hi) in enumerate(pairwise(role_starts)):
        own = [(move.name, tuple(map(kif, arguments(move)))) for move in moves[lo:hi]]
        lengths = {kind: _shared(own, kind) for kind in {(name, len(row)) for name, row in own}}
        for i, (name, row) in enumerate(own, lo):
            key = role, f"{name}/{len(row)}", row[: lengths[name, len(row)]]
            found[i] = numbers.setdefault(key, len(numbers))
    return found


def _shared(moves: Sequence[tuple[str, tuple[str, ...]]], kind: tuple[str, int]) -> int:
    """How many leading arguments the moves of a kind are grouped by."""
    rows = [row for name, row in moves if (name, len(row)) == kind]

    def looked_at(length: int) -> int:
        sizes = Counter(row[:length] for row in rows)
        return len(sizes) + max(sizes.values())

    return min(range(kind[1] + 1), key=looked_at)


def _with_moves(machine: Compiled) -> CircuitMachine:
    if not isinstance(machine, CircuitMachine):
        raise MachineError("groups of moves need a machine that knows the rules")
    return machine
