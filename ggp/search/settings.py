"""Settings of a search: frozen, each with its unit. What is an option of players is declared here, and nowhere else."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from ggp.core.errors import UsageError

Depth = float
"""0, 1, 2, … or math.inf: how far below an edge the statistics are taken from."""

AUTO = "auto"
"""As a policy: the player chooses one."""
USUAL_SECONDS = 1.0
"""For a move, where neither a player nor a clock nor a number of simulations tells how long to think."""

MAX_DEPTH = 16
"""The largest finite depth: beyond, use math.inf."""

POLICIES: Mapping[str, str] = {
    "uniform": "any legal move",
    "decisive": "a move that wins at once, else one after which the next role cannot",
    "mast": "more often a move that has led to higher goals, wherever it was played",
    "decisive+mast": "of those that decisive playouts choose from, more often one that has led to higher goals",
    "contextual": "often the move that did best together with the role's own last one",
    "lgr": "the last reply to the moves before that was part of a win and not of a loss since",
    "forest": "as descents replied to the moves played before, in the longest context that is known",
    "nst": "mostly the move that has led to the highest goals after the two moves before it, as far as that is known",
    "ppa": "by weights of moves, which learn from each playout what its winner played",
    AUTO: "the player finds out by quick matches which of these suit the game, and which c, prior, "
    "minimax, rave and value",
}
"""How roles choose in playouts: what the policies of `ggp.lanes.policies` are, in words."""


def _of_policies() -> str:
    return "; ".join(f"{name}, {meaning}" for name, meaning in POLICIES.items())


def _listed(names: Iterable[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} or {last}"


def _depth(text: str) -> Depth:
    return math.inf if text == "inf" else int(text)


def _switch(text: str) -> bool:
    if text not in ("true", "false"):
        raise ValueError(text)
    return text == "true"


def _megabytes(text: str) -> int:
    return int(float(text) * 2**20)


def _share(text: str) -> float | None:
    return None if text == "none" else float(text)


def _place(text: str) -> str:
    if text not in ("yes", "no") and not os.path.isdir(text):
        raise ValueError(text)
    return text


def _address(text: str) -> str:
    if text != "no" and "://" not in text:
        raise ValueError(text)
    return text


def _seconds(text: str) -> float | None:
    return None if text == "none" else float(text)


def written(value: object) -> str:
    """A value as options are written."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, (int, float)) else str(value)


def _option(default: Any, meaning: str, read: Callable[[str], Any], unit: int = 1) -> Any:
    """A setting that can be given with a player's name: what it means, how its text is read, and in what it is told."""
    return field(default=default, metadata={"meaning": meaning, "read": read, "unit": unit})


@dataclass(frozen=True)
class SearchSettings:
    """What a search does. The defaults are for playing; `EXACT` is the published algorithm alone."""

    d1: Depth = _option(1, f"depth of the adapted mean: 0, 1, … {MAX_DEPTH} or inf", _depth)  # noqa: RUF009 (this makes a field)
    d2: Depth = _option(0, "depth of the adapted number of playouts of an edge's origin", _depth)  # noqa: RUF009 (this makes a field)
    d3: Depth = _option(1, "depth of the adapted number of playouts of an edge", _depth)  # noqa: RUF009 (this makes a field)
    c: float = _option(40.0, "weight of exploration, in goal points; with policy=auto, times what judging found", float)
    first_play: float = _option(
        math.inf, "what a move is worth that was never tried, in goal points; inf: more than any", float
    )
    prior: float = _option(
        0.0,
        "playouts that what is expected of an untried move counts as: the mean of its node and, where playouts prefer "
        "moves, how much more it has led to than others; what promises most is tried next. 0: first_play counts",
        float,
    )
    transpositions: bool = _option(True, "one node for each position; false: a tree, as plain UCT has it", _switch)
    update: Literal["descent", "all"] = _option(
        "descent", "edges that a payoff is added to: those of the descent, or all that lead to its end", str
    )
    rave: float = _option(
        0.0,
        "playouts at which the mean of a move weighs as much as what it has led to when it was played later (AMAF); "
        "0: that does not count",
        float,
    )
    rave_ref: float = _option(
        0.0,
        "whose AMAF values count: those of the nearest node of the descent with so many playouts (GRAVE); 0: of the node "
        "itself (RAVE); inf: of the root (HRAVE)",
        float,
    )
    rave_depth: int = _option(
        0, "depth of AMAF values: 0, those of the node; 1, mixed from those of the positions that its moves lead to", int
    )
    rave_weight: Literal["error", "visits", "bonus"] = _option(
        "error",
        "what AMAF values weigh: as keeps the error least; by the visits of the node alone; or as a bonus of `rave` "
        "times their mean, which fades with the playouts of the move (progressive history)",
        str,
    )
    groups: Literal["none", "leading", "near"] = _option(
        "none",
        "moves are chosen in two steps, a group first: leading, moves with the same first arguments, as one piece has; "
        "near, those within two steps of the last two moves on the board, and the others",
        str,
    )
    overlap: bool = _option(
        False, "with groups: one more has all moves; with near it takes the place of the others", _switch
    )
    value: float = _option(
        0.0, "share of a payoff that is a value of the position learned from quick matches; the rest is playouts", float
    )
    minimax: float = _option(
        0.0,
        "share of a move's value that is the best that learned values promise below it, if all play for them "
        "(implicit minimax); the rest is its mean",
        float,
    )
    solver: bool = _option(True, "back up proven results, and play them", _switch)
    reuse: bool = True
    """Keep from move to move what is known below the new position."""
    simulations: int = _option(0, "simulations for a move; 0: as many as the time allows", int)
    playouts: int = _option(1, "random playouts that each simulation averages: 1, 2, 4, … 64", int)
    policy: str = _option("uniform", f"how roles choose in playouts: {_of_policies()}", str)
    """A policy that takes too many operations in a game is replaced by the uniform one there. With `auto` a player finds
    out beside its moves what suits the game (`judging`): which playouts, how much to explore, by which it multiplies `c`,
    whether to expect something of untried moves, and unless `rave`, `value` or `minimax` is given, whether GRAVE or a
    learned value helps."""
    prob: float | None = _option(
        None,
        "share of the moves of a playout for which a policy that replies is asked; none: what is usual for it",
        _share,
    )
    threshold: float = _option(
        0.0, "with contextual playouts: a reply is only played if it did better than that, in goal points", float
    )
    reply: Literal["soft", "last"] = _option(
        "soft", "with forest playouts: a reply by its estimate, or the one that descents chose last", str
    )
    bias: float = _option(0.7, "with forest playouts and reply=soft: weight of exploration in an estimate", float)
    slots: int = _option(64, "simulations that one thread of one search has under way", int)
    depth: int = _option(1000, "edges of a descent, at most; 1 is flat Monte Carlo", int)
    step_limit: int = _option(1000, "steps after which a playout is given up", int)

    def __post_init__(self) -> None:
        for name in ("d1", "d2", "d3"):
            value = getattr(self, name)
            if not (value == math.inf or (value == int(value) and 0 <= value <= MAX_DEPTH)):
                raise UsageError(f"{name} must be 0, 1, … {MAX_DEPTH} or inf, not {value}")
        if not (self.c >= 0 and math.isfinite(self.c)):
            raise UsageError(f"c must be 0 or more, not {self.c}")
        if not self.first_play >= 0:
            raise UsageError(f"first_play must be 0 or more, or inf, not {self.first_play}")
        if not (self.prior >= 0 and math.isfinite(self.prior)):
            raise UsageError(f"prior must be 0 or more, not {self.prior}")
        if self.prior and (self.first_play < math.inf or self.rave or self.groups != "none"):
            raise UsageError("prior goes neither with first_play nor with rave nor with groups")
        if self.update not in ("descent", "all"):
            raise UsageError(f"update must be descent or all, not {self.update}")
        if self.policy not in POLICIES:
            raise UsageError(f"policy must be {_listed(POLICIES)}, not {self.policy}")
        if self.update == "all" and (self.d1, self.d2, self.d3) != (0, 0, 0):
            raise UsageError("update=all goes with d1=0, d2=0, d3=0: it changes the edges themselves")
        if not 0 <= self.value <= 1:
            raise UsageError(f"value must be from 0 to 1, not {self.value}")
        if not 0 <= self.minimax <= 1:
            raise UsageError(f"minimax must be from 0 to 1, not {self.minimax}")
        self._check_rave()
        self._check_groups()
        if self.playouts not in (1, 2, 4, 8, 16, 32, 64):
            raise UsageError(f"playouts must be 1, 2, 4, … 64, not {self.playouts}")
        if self.simulations < 0:
            raise UsageError(f"simulations must be 0 or more, not {self.simulations}")
        if self.prob is not None and not 0 <= self.prob <= 1:
            raise UsageError(f"prob must be from 0 to 1, or none, not {self.prob}")
        if not math.isfinite(self.threshold):
            raise UsageError(f"threshold must be a number, not {self.threshold}")
        if self.reply not in ("soft", "last"):
            raise UsageError(f"reply must be soft or last, not {self.reply}")
        if not (self.bias >= 0 and math.isfinite(self.bias)):
            raise UsageError(f"bias must be 0 or more, not {self.bias}")
        for name in ("slots", "depth", "step_limit"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} must be above 0, not {getattr(self, name)}")

    def _check_rave(self) -> None:
        if not (self.rave >= 0 and math.isfinite(self.rave)):
            raise UsageError(f"rave must be 0 or more, not {self.rave}")
        if not self.rave_ref >= 0:
            raise UsageError(f"rave_ref must be 0 or more, or inf, not {self.rave_ref}")
        if self.rave_weight not in ("error", "visits", "bonus"):
            raise UsageError(f"rave_weight must be error, visits or bonus, not {self.rave_weight}")
        if self.rave_depth not in (0, 1):
            raise UsageError(f"rave_depth must be 0 or 1, not {self.rave_depth}")
        if not self.rave and (self.rave_ref, self.rave_depth, self.rave_weight) != (0, 0, "error"):
            raise UsageError("rave_ref, rave_depth and rave_weight go with rave: say how many playouts, as rave=100")
        if self.rave and self.update == "all":
            raise UsageError("rave goes with update=descent: what was played is known of the nodes of the descent alone")

    def _check_groups(self) -> None:
        if self.groups not in ("none", "leading", "near"):
            raise UsageError(f"groups must be none, leading or near, not {self.groups}")
        if self.overlap and (self.groups == "none" or self.d3 != 0):
            raise UsageError("overlap goes with groups, and with d3=0: a move is counted in each of its groups apart")
        if self.groups != "none" and (self.rave or self.update == "all"):
            raise UsageError("groups go neither with rave nor with update=all")

    @property
    def rave_way(self) -> int:
        """How AMAF values are weighed, a `Way` of the kernels."""
        return ("error", "visits", "bonus").index(self.rave_weight)

    @property
    def by_input(self) -> bool:
        """Whether nodes are asked what they know of moves that are not their own."""
        return self.rave_ref > 0 or self.rave_depth > 0

    @property
    def known_inputs(self) -> int:
        """How many records a node has for each input of the game, listed there or not."""
        return self.by_input + self.rave_depth

    @property
    def learned(self) -> bool:
        """Whether it knows a learned value of positions."""
        return self.value > 0 or self.minimax > 0

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
    def options(self) -> str:
        """What is not as usual, as it is written after the name of a player."""
        own = ((each.name, getattr(self, each.name), each.default) for each in fields(self) if each.metadata)
        return ",".join(f"{name}={written(value)}" for name, value, usual in own if value != usual)

    @property
    def label(self) -> str:
        """How tables name these settings."""
        if self.depth == 1:
            return "flat"
        if self.update == "all":
            return "update-all"
        name = f"{self._graph} {self._heard}" if self.rave else self._graph
        return name if self.groups == "none" else f"{name} {self.groups}{' overlapping' if self.overlap else ''}"

    @property
    def _heard(self) -> str:
        name = "RAVE" if not self.rave_ref else "HRAVE" if self.rave_ref == math.inf else "GRAVE"
        return f"{name} UCD" if self.rave_depth else name

    @property
    def _graph(self) -> str:
        if not self.transpositions:
            return "UCT"
        return "({})".format(",".join("inf" if d == math.inf else str(int(d)) for d in (self.d1, self.d2, self.d3)))


@dataclass(frozen=True)
class Thinking:
    """What a searching player may use."""

    seconds: float | None = _option(
        None, "seconds for a move, whatever the clock; without, what the clock gives, or 1 where there is none", _seconds
    )
    memory: int = _option(2**30, "megabytes of the search graph", _megabytes, unit=2**20)
    threads: int = _option(1, "threads of the search, each with a graph of its own", int)
    knowledge: str = _option(
        "no", "what was learned of the game, consulted before a search: yes, from where `ggp study` keeps it; no; "
        "or the folder where it is", _place,
    )  # fmt: skip
    """By default the same seed plays the same, whatever this machine has learned; `ggp play` consults it."""
    cluster: str = _option(
        "no", "whose workers search as well, each on a graph of its own with as much memory: no, or the address of a "
        "Dask scheduler, as tcp://host:port", _address,
    )  # fmt: skip


def uct(**more: object) -> SearchSettings:
    """Plain UCT: a tree, without transpositions."""
    return SearchSettings(d1=0, d2=0, d3=0, transpositions=False, **more)  # type: ignore[arg-type]
