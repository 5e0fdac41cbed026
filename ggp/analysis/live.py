"""What a search knows while it goes on, as chess engines tell it, and how to attend to one that runs on other threads."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from threading import Event
from typing import Any, TypeAlias, TypeVar

from gdl.terms import Term, kif
from ggp.analysis.rows import Row, make_row, most_visited_first
from ggp.core.progress import Rhythm
from ggp.search.choice import MoveStats, best_move, merged
from ggp.search.inside import joint_text
from ggp.search.search import Search
from ggp.search.tree import Tree

Found = TypeVar("Found")
_EVERY = 0.05
"""Seconds between two looks at a search."""
_POINT = 1.0
"""Goal points by which an expectation must differ to be news."""
_LINE = 6
"""Joint moves of a line."""


@dataclass(frozen=True)
class Choice:
    """The move of a role that a search would play now, and the goal that it expects of it."""

    role: str
    move: Term
    expected: float
    proven: bool


@dataclass(frozen=True)
class Info:
    """What a search knows at one moment."""

    seconds: float
    simulations: int
    nodes: int
    choices: tuple[Choice, ...]
    """Of each role that was asked for."""
    line: tuple[tuple[Term, ...], ...]
    """The joint moves that are expected; none where threads do not agree on the choices that it should begin with."""
    tables: Mapping[int, Sequence[Row]] = field(default_factory=dict)
    """For each role that was asked for: what is known of its moves, the most visited first."""

    def text(self) -> str:
        """As a line."""
        rate = self.simulations / self.seconds if self.seconds > 0 else 0.0
        choices = "  ".join(
            f"{choice.role} {kif(choice.move)} {choice.expected:.1f}{' proven' if choice.proven else ''}"
            for choice in self.choices
        )
        line = "  ".join(map(joint_text, self.line))
        numbers = f"{self.seconds:5.1f} s {self.simulations:>11,} simulations {rate:>9,.0f}/s {self.nodes:>10,} nodes"
        return "  ".join(part for part in (numbers, choices, f"line {line}" if line else "") if part)

    def as_data(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "seconds": round(self.seconds, 3),
            "simulations": self.simulations,
            "simulations_per_second": round(self.simulations / self.seconds) if self.seconds > 0 else None,
            "nodes": self.nodes,
            "best": [
                {"role": c.role, "move": kif(c.move), "expected": round(c.expected, 2), "proven": c.proven}
                for c in self.choices
            ],
            "line": [list(map(kif, joint)) for joint in self.line],
        }


Listen: TypeAlias = Callable[[Info], None]


class News:
    """Passes on what a search knows: at growing intervals, and sooner when the choice has changed."""

    def __init__(self, listen: Listen, every: float | None = None) -> None:
        """`every`: seconds between two pieces of news, where they shall not become seldomer."""
        self._listen, self._every = listen, every
        self._pace: Rhythm | None = None
        self._last: tuple[Choice, ...] | None = None

    def hear(self, info: Info) -> None:
        """Something may be new."""
        if self._pace is None:  # the search has begun
            self._pace = Rhythm() if self._every is None else Rhythm(self._every, self._every)
        if info.simulations and self._pace.due(self._last is None or _differ(self._last, info.choices)):
            self._last = info.choices
            self._listen(info)


def _differ(old: Sequence[Choice], new: Sequence[Choice]) -> bool:
    if len(old) != len(new):
        return True
    return any(
        a.move != b.move or a.proven != b.proven or abs(a.expected - b.expected) >= _POINT
        for a, b in zip(old, new, strict=True)
    )


@dataclass(frozen=True)
class _Glimpse:
    """What one thread saw of its own tree."""

    done: int
    nodes: int
    moves: tuple[list[MoveStats], ...]
    line: list[tuple[int, ...]]


class Watcher:
    """Gathers what the threads of a search see of their own trees: nobody reads a tree of another thread."""

    def __init__(self, search: Search, roles: Sequence[int]) -> None:
        self._search, self._roles = search, roles
        self._seen: dict[Tree, _Glimpse] = {}
        self._begun = time.monotonic()

    def see(self, tree: Tree) -> None:
        """Called by the thread that searches a tree."""
        moves = tuple(tree.moves(role) for role in self._roles)
        stats = tree.stats()
        self._seen[tree] = _Glimpse(stats.simulations, stats.nodes, moves, tree.line(_LINE))

    def info(self) -> Info:
        """All that was seen, taken together."""
        seen, machine = list(self._seen.values()), self._search.machine
        choices, chosen, tables = [], {}, {}
        for place, role in enumerate(self._roles):
            moves = merged([glimpse.moves[place] for glimpse in seen]) if seen else []
            if moves:
                best = best_move(moves)
                choices.append(choice(machine.roles[role], machine.inputs, best))
                chosen[role] = best.input
                highest = self._search.highest[role]
                rows = (make_row(machine.inputs[m.input], m, highest, m is best) for m in moves)
                tables[role] = most_visited_first(rows)
        agreed = [g for g in seen if g.line and all(g.line[0][role] == move for role, move in chosen.items())]
        most = max(agreed, key=lambda glimpse: glimpse.done, default=None)
        line = [] if most is None else [tuple(machine.inputs[i] for i in joint) for joint in most.line]
        return Info(
            time.monotonic() - self._begun,
            sum(glimpse.done for glimpse in seen),
            sum(glimpse.nodes for glimpse in seen),
            tuple(choices),
            tuple(line),
            tables,
        )


def choice(role: str, moves: Sequence[Term], best: MoveStats) -> Choice:
    """A role's best move, of those that `best` numbers."""
    sure = best.proven is not None
    return Choice(role, moves[best.input], best.mean if best.proven is None else best.proven, sure)


def attended(work: Callable[[], Found], stop: Event, look: Callable[[], None]) -> Found:
    """Do work on another thread. This one looks on, and ends it by `stop` when Ctrl-C comes or looking fails."""
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(work)
        try:
            while not wait([future], _EVERY).done:
                look()
        except BaseException:
            stop.set()
            raise
    return future.result()
