"""A role's moves as tables show them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gdl.terms import Term
from ggp.core.statistics import wilson
from ggp.search.choice import MoveStats


@dataclass(frozen=True)
class Row:
    """A move of a role as the search sees it."""

    move: Term
    visits: int
    mean: float
    """Adapted mean goal."""
    low: float
    high: float
    """95 % interval of the mean, as if payoffs were only nothing and the highest goal: at least as wide as it need be."""
    proven: float | None
    length: int
    """Steps to the end of the game where the goal is proven; 0 where they are not known."""
    chosen: bool
    """Whether it is the move to play."""


def make_row(move: Term, stats: MoveStats, highest: float, chosen: bool) -> Row:
    """The row of a move, of a role whose goals are at most `highest`."""
    share = min(1.0, max(0.0, stats.mean / highest)) if highest else 0.0
    low, high = wilson(share * stats.visits, stats.visits) if stats.visits else (0.0, 1.0)
    return Row(
        move, stats.visits, stats.mean, low * highest, high * highest, stats.proven, stats.length, chosen
    )  # fmt: skip


def most_visited_first(rows: Iterable[Row]) -> list[Row]:
    """In the order of tables."""
    return sorted(rows, key=lambda row: (-row.visits, -row.mean))
