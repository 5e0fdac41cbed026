"""Settings of a search: frozen, each with its unit."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from ggp.errors import UsageError

Depth = float
"""0, 1, 2, … or math.inf: how far below an edge the statistics are taken from."""

MAX_DEPTH = 16
"""The largest finite depth: beyond, use math.inf."""


@dataclass(frozen=True)
class SearchSettings:
    """What a search does. The defaults are for playing; `EXACT` is the published algorithm alone."""

    d1: Depth = 1
    """Depth of the adapted mean."""
    d2: Depth = 0
    """Depth of the adapted number of playouts of an edge's origin."""
    d3: Depth = 1
    """Depth of the adapted number of playouts of an edge."""
    c: float = 40.0
    """Weight of exploration, in goal points."""
    transpositions: bool = True
    """One node for each position; else a tree (plain UCT)."""
    update: Literal["descent", "all"] = "descent"
    """Which edges a payoff is added to: those of the descent, or all that lead to its end."""
    solver: bool = True
    """Back up proven results, and play them."""
    reuse: bool = True
    """Keep from move to move what is known below the new position."""
    simulations: int = 0
    """Simulations for a move; 0: as many as the time allows."""
    playouts: int = 1
    """Random playouts that each simulation averages: 1, 2, 4, … 64."""
    careful: Literal["no", "yes", "auto"] = "no"
    """Whether playouts look one move ahead: a role takes a win that is there, and leaves none to the next. With `auto` a
    player finds out before its first move which playouts tell more, and explores twice as much with careful ones; a
    search by itself takes plain ones."""
    slots: int = 64
    """Simulations that one thread of one search has under way."""
    depth: int = 1000
    """Edges of a descent, at most; 1 is flat Monte Carlo."""
    step_limit: int = 1000
    """Steps after which a playout is given up."""

    def __post_init__(self) -> None:
        for name in ("d1", "d2", "d3"):
            value = getattr(self, name)
            if not (value == math.inf or (value == int(value) and 0 <= value <= MAX_DEPTH)):
                raise UsageError(f"{name} must be 0, 1, … {MAX_DEPTH} or inf, not {value}")
        if not (self.c >= 0 and math.isfinite(self.c)):
            raise UsageError(f"c must be 0 or more, not {self.c}")
        if self.update not in ("descent", "all"):
            raise UsageError(f"update must be descent or all, not {self.update}")
        if self.careful not in ("no", "yes", "auto"):
            raise UsageError(f"careful must be no, yes or auto, not {self.careful}")
        if self.update == "all" and (self.d1, self.d2, self.d3) != (0, 0, 0):
            raise UsageError("update=all goes with d1=0, d2=0, d3=0: it changes the edges themselves")
        if self.playouts not in (1, 2, 4, 8, 16, 32, 64):
            raise UsageError(f"playouts must be 1, 2, 4, … 64, not {self.playouts}")
        if self.simulations < 0:
            raise UsageError(f"simulations must be 0 or more, not {self.simulations}")
        for name in ("slots", "depth", "step_limit"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} must be above 0, not {getattr(self, name)}")

    @property
    def finite(self) -> int:
        """The highest finite level of sums over its edges that a node must keep."""
        wanted = [self.d1 - 1, self.d2, self.d3 - 1]
        return int(max([0, *(d for d in wanted if d != math.inf)]))

    @property
    def infinite(self) -> bool:
        """Whether nodes must keep the sums of infinite depth."""
        return math.inf in (self.d1, self.d2, self.d3)

    @property
    def label(self) -> str:
        """How tables name these settings."""
        if self.depth == 1:
            return "flat"
        if not self.transpositions:
            return "UCT"
        if self.update == "all":
            return "update-all"
        return "({})".format(",".join("inf" if d == math.inf else str(int(d)) for d in (self.d1, self.d2, self.d3)))


def uct(**more: object) -> SearchSettings:
    """Plain UCT: a tree, without transpositions."""
    return SearchSettings(d1=0, d2=0, d3=0, transpositions=False, **more)  # type: ignore[arg-type]
