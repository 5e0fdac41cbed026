"""What the search thinks of a turn: the moves it would play, and the line it expects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gdl.terms import Term
from ggp.human.movelist import MoveList, spoken
from ggp.machines.machine import Machine

if TYPE_CHECKING:
    from ggp.commands.looking import Look

_TOP = 5
"""Moves that are shown."""
_LINE = 6
"""Joint moves of the expected line that are shown."""
_PATIENCE = 3.0
"""Seconds to wait for a circuit that is being compiled."""
_POSITIONS = 4
"""Positions that are searched where several may be the true one, the likeliest first."""
_MEMORY = 2**28


def hint(
    machine: Machine[Any], positions: Sequence[tuple[Any, int]], role: int, moves: MoveList, seconds: float, seed: int
) -> list[str]:
    """Search as `ucd` does; the lines to show. `positions` may be the true one, each with its weight."""
    from ggp.commands.looking import Budget, look  # numpy and numba take a second: only where they are used
    from ggp.players import DEFAULT_PLAYER
    from ggp.search.presets import search_options

    getattr(machine, "wait", lambda _: None)(_PATIENCE)
    settings, _ = search_options(DEFAULT_PLAYER, {})
    asked = positions[:_POSITIONS]
    budget = Budget(seconds / len(asked), 0, _MEMORY, 1)
    looks = [look(machine, p, machine.situation(p), [role], settings, budget, seed) for p, _ in asked]
    return _told(looks, [count for _, count in asked], role, moves)


def _told(looks: Sequence[Look], weights: Sequence[int], role: int, moves: MoveList) -> list[str]:
    done = sum(found.simulations for found in looks)
    spent = sum(found.seconds for found in looks)
    where = f" in {len(looks)} positions that agree with what was seen" if len(looks) > 1 else ""
    rows = _merged(looks, weights, role)
    if not rows:
        return ["hint: no simulation was finished in that time"]
    numbers = {move: number for number, move in moves.numbered.items()}
    width = max(len(spoken(move)) for move, *_ in rows[:_TOP])
    lines = [f"hint: {done:,} simulations in {spent:.1f} s{where}"]
    lines += [
        f"  {numbers.get(move, '?'):>4} {spoken(move):{width}}  {visits:>10,} visits  expected goal {value}"
        for move, visits, value in rows[:_TOP]
    ]
    if len(looks) == 1 and looks[0].line:
        joints = [", ".join(map(spoken, joint)) for joint in looks[0].line[:_LINE]]
        lines.append("  line: " + " | ".join(joints) + (" | …" if len(looks[0].line) > _LINE else ""))
    return lines


def _merged(looks: Sequence[Look], weights: Sequence[int], role: int) -> list[tuple[Term, int, str]]:
    """The moves, the best first: visits and goals of all positions together, and what is proven if there is one."""
    if len(looks) == 1:
        ordered = sorted(looks[0].tables[role], key=lambda row: not row.chosen)
        return [
            (row.move, row.visits, f"{row.mean:.1f}" if row.proven is None else f"{row.proven:g}, proven")
            for row in ordered
        ]
    votes: dict[Term, tuple[float, float, int]] = {}
    for found, weight in zip(looks, weights, strict=True):
        total = sum(row.visits for row in found.tables[role]) or 1
        for row in found.tables[role]:
            share = weight * row.visits / total
            shares, goals, visits = votes.get(row.move, (0.0, 0.0, 0))
            votes[row.move] = shares + share, goals + share * row.mean, visits + row.visits
    ordered_votes = sorted(votes.items(), key=lambda item: -item[1][0])
    return [(move, visits, f"{goals / (shares or 1):.1f}") for move, (shares, goals, visits) in ordered_votes]
