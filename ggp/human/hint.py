"""What the search thinks of a turn: the moves it would play, and the line it expects."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gdl.terms import Term
from ggp.human.movelist import MoveList, joint_spoken, spoken
from ggp.machines.machine import Machine
from ggp.players.specs import DEFAULT_PLAYER

if TYPE_CHECKING:
    from ggp.analysis.looking import Look

_TOP = 5
"""Moves that are shown."""
_LINE = 6
"""Joint moves of the expected line that are shown."""
_POSITIONS = 4
"""Positions that are searched where several may be the true one, the likeliest first."""
_MEMORY = 2**28


@dataclass
class _Votes:
    """What several positions say of a move."""

    chosen: int = 0
    """The weight of the positions in which it would be played."""
    weight: int = 0
    goals: float = 0.0
    visits: int = 0

    def add(self, weight: int, chosen: bool, goal: float, visits: int) -> None:
        """Count a position."""
        self.chosen += weight if chosen else 0
        self.weight += weight
        self.goals += weight * goal
        self.visits += visits

    @property
    def goal(self) -> float:
        """The goal that is expected."""
        return self.goals / self.weight


@dataclass(frozen=True)
class Hint:
    """What was found in each position that may be the true one."""

    roles: Sequence[str]
    role: int
    looks: Sequence[Look]
    weights: Sequence[int]
    """How likely each position is."""

    def lines(self, moves: MoveList, width: int) -> list[str]:
        """The best moves, by their numbers in the list, and the line that is expected."""
        rows = self.rows()[:_TOP]
        if not rows:
            return ["hint: no simulation was finished in that time"]
        done, spent = sum(found.simulations for found in self.looks), sum(found.seconds for found in self.looks)
        how = f" in {len(self.looks)} positions that agree with what you know" if len(self.looks) > 1 else ""
        if any(found.engine == "reference" for found in self.looks):
            how += ", slowly on Prolog, for want of a circuit"
        numbers = {move: number for number, move in moves.numbered.items()}
        longest = max(len(spoken(move)) for move, *_ in rows)
        table = [
            f"  {numbers.get(move, '?'):>4} {spoken(move):{longest}}  {visits:>10,} visits  expected goal {value}"
            for move, visits, value in rows
        ]
        return [f"hint: {done:,} simulations in {spent:.1f} s{how}", *table, *self._line(width)]

    def rows(self) -> list[tuple[Term, int, str]]:
        """The moves, the best first; of several positions together, the one that would be played in most of them."""
        tables = [found.tables[self.role] for found in self.looks]
        if len(tables) == 1:
            ordered = sorted(tables[0], key=lambda row: not row.chosen)
            goals = [f"{row.mean:.1f}" if row.proven is None else f"{row.proven:g}, proven" for row in ordered]
            return [(row.move, row.visits, text) for row, text in zip(ordered, goals, strict=True)]
        votes: dict[Term, _Votes] = {}
        for table, weight in zip(tables, self.weights, strict=True):
            for row in table:
                goal = row.mean if row.proven is None else row.proven
                votes.setdefault(row.move, _Votes()).add(weight, row.chosen, goal, row.visits)
        best_first = sorted(votes.items(), key=lambda item: (-item[1].chosen, -item[1].goal))
        return [(move, cast.visits, f"{cast.goal:.1f}") for move, cast in best_first]

    def _line(self, width: int) -> list[str]:
        """What is expected, where the position is known."""
        if len(self.looks) > 1 or not (line := self.looks[0].line):
            return []
        expected = " | ".join(joint_spoken(self.roles, joint) for joint in line[:_LINE])
        more = " | …" if len(line) > _LINE else ""
        return textwrap.wrap(f"  line: {expected}{more}", width, subsequent_indent=" " * 8)


def think(
    machine: Machine[Any], positions: Sequence[tuple[Any, int]], role: int, seconds: float, patience: float, seed: int
) -> Hint:
    """Search as `ucd` does. One of the `positions` is the true one; each comes with its weight.

    `patience`: seconds to wait for a circuit that is being compiled.
    """
    from ggp.analysis.looking import Budget, look  # numpy and numba take a second: only where they are used
    from ggp.search.presets import search_options

    machine.wait(patience)
    settings, _ = search_options(DEFAULT_PLAYER, {})
    asked = positions[:_POSITIONS]
    budget = Budget(seconds / len(asked), 0, _MEMORY, 1)
    looks = [look(machine, p, machine.situation(p), [role], settings, budget, seed) for p, _ in asked]
    return Hint(machine.roles, role, looks, [count for _, count in asked])
