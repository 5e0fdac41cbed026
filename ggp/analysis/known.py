"""What is known of a position and of those after each move, to be looked at."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product
from typing import Any

import numpy as np

from gdl.terms import Term, kif
from ggp.knowledge.base import Base
from ggp.knowledge.names import Names
from ggp.knowledge.records import confidence
from ggp.machines.machine import Machine
from ggp.search.inside import joint_text

_MOST = 1000
"""Joint moves that are looked into."""
_HIGHEST = 100.0
"""What a win is, for the confidence."""


def known_moves(machine: Machine[Any], names: Names, base: Base, position: Any) -> list[dict[str, Any]]:
    """What is known here, then after each joint move, the most visited first: as JSON values."""
    legal = machine.situation(position).legal
    after = islice(product(*legal), _MOST)
    rows = [row for joint in after for row in _rows(machine, names, base, machine.next(position, joint), joint)]
    rows.sort(key=lambda row: -row["visits"])
    return [*_rows(machine, names, base, position, ()), *rows]


def _rows(
    machine: Machine[Any], names: Names, base: Base, position: Any, after: tuple[Term, ...]
) -> Iterator[dict[str, Any]]:  # fmt: skip
    """The records of a position, with their moves in the names of this game."""
    situation, fluents = machine.situation(position), machine.fluents(position)
    if situation.terminal:
        return
    known, records = base.find(np.array([names.key(fluents, role) for role in range(names.roles)]))
    for role in np.flatnonzero(known).tolist():
        record = records[role : role + 1]
        best = next((move for move in situation.legal[role] if names.move(move) == int(record["move"][0])), None)
        if best is not None:
            yield {
                "after": joint_text(after) if after else "", "role": machine.roles[role], "best": kif(best),
                "visits": int(record["visits"][0]), "confidence": round(float(confidence(record, role, _HIGHEST)[0]), 3),
                "goals": dict(zip(machine.roles, [round(goal, 2) for goal in record["goals"][0].tolist()], strict=True)),
                "proven": bool(record["proven"][0]),
            }  # fmt: skip
