"""Groups of moves, found from the rules alone: what a search with `groups` chooses among before it chooses a move.

- **leading**: moves of a role with the same name that begin alike. Where the board (found by `ggp.boards`) says that a
  move leads from one cell to another, those are the moves of one piece: they leave the same cell. Else they share their
  first arguments. How many is told by how many moves there are in all: the search looks at the groups and then at the
  moves of one, so groups and moves of the largest group together shall be as few as possible.
- **near**: moves whose place on the board is at most two steps (Manhattan distance) from the places of the two moves
  before. A move that names no place is not near.

>>> from gdl import parse_term
>>> moves = [parse_term(f"(put {x} {y})") for x in range(4) for y in range(5)]
>>> leading([*moves, parse_term("noop")], [0, 21]).tolist()[3:8]
[0, 0, 1, 1, 1]
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
    known, starts = _with_moves(machine), machine.circuit.role_starts.tolist()
    schema = board(known.ruleset)
    sources = [
        schema.action(role, known.inputs[i]).source
        for role, (lo, hi) in zip(machine.roles, pairwise(starts), strict=True)
        for i in range(lo, hi)
    ]
    return leading(known.inputs, starts, sources)


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


def leading(
    moves: Sequence[Term], role_starts: Sequence[int], sources: Sequence[str | None] | None = None
) -> NDArray[np.int32]:
    """[moves] the group of each move, those of each role apart: see the head of this module.

    `sources`: the cell that each leaves; None: it leaves none.
    """
    numbers: dict[tuple[int, str, tuple[str, ...]], int] = {}
    found = np.zeros(len(moves), np.int32)
    for role, (lo, hi) in enumerate(pairwise(role_starts)):
        own = [(move.name, tuple(map(kif, arguments(move)))) for move in moves[lo:hi]]
        lengths = {kind: _shared(own, kind) for kind in {(name, len(row)) for name, row in own}}
        for i, (name, row) in enumerate(own, lo):
            source = None if sources is None else sources[i]
            first = row[: lengths[name, len(row)]] if source is None else (source,)
            key = role, f"{name}/{len(row)}", first
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
