"""Ideas that may help a search in a game, what was found of them, and what that makes of the settings."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ggp.search.settings import AUTO, SearchSettings


@dataclass(frozen=True)
class Idea:
    """Something that may help, and what it makes of the settings of a search."""

    name: str
    settings: Mapping[str, Any] = field(hash=False)
    """What it changes: first what it is about."""
    exploration: float = 1.0
    """How much more it has a search explore than without it."""
    least: float = 57.0
    """What it must win, in percent of the points, to be taken."""


# how roles may choose in playouts: what these prefer is expected of untried moves as well
BOTH = Idea("decisive playouts that prefer moves", {"policy": "decisive+mast", "prior": 1.0})
MAST = Idea("playouts that prefer moves", {"policy": "mast", "prior": 1.0})
DECISIVE = Idea("decisive playouts", {"policy": "decisive", "prior": 0.0}, exploration=2.0)
"""The means of these differ more from move to move, so a search must explore more."""
PLAIN = Idea("uniform playouts", {"policy": "uniform", "prior": 0.0})
GRAVE = Idea("GRAVE", {"rave": 100.0, "rave_ref": 50.0}, exploration=0.25)
"""It knows of untried moves in a way of its own."""
BLIND = Idea("expecting nothing of untried moves", {"prior": 0.0})
MINIMAX = Idea("the best that a learned value promises", {"minimax": 0.3})
VALUE = Idea("a learned value", {"value": 0.3})


@dataclass(frozen=True)
class Verdict:
    """What suits a game, as far as it is known."""

    taken: tuple[Idea, ...] = ()
    """The ideas that won; a later one takes the place of an earlier one where both are about the same setting."""
    results: tuple[tuple[Idea, float], ...] = ()
    """What each idea that was tried has won against the best before it, in percent of the points."""
    unknown: str = ""
    """Why nothing is known."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """The settings that it changes. GRAVE knows of untried moves in a way of its own, whatever playouts prefer."""
        found = {name: value for idea in self.taken for name, value in idea.settings.items()}
        return {**found, "prior": 0.0} if "rave" in found else found

    @property
    def policy(self) -> str:
        """How roles should choose in playouts."""
        return str(self.settings.get("policy", "uniform"))

    def with_idea(self, idea: Idea) -> Verdict:
        """The same, and an idea taken."""
        return Verdict((*self.taken, idea), self.results)

    def with_result(self, idea: Idea, won: float) -> Verdict:
        """What is known after an idea has been tried: it is taken if it has won enough."""
        found = self.with_idea(idea) if won > idea.least else self
        return Verdict(found.taken, (*self.results, (idea, won)))

    @property
    def why(self) -> str:
        """What it stands on, in words."""
        if self.unknown:
            return self.unknown
        if not self.results:
            return "they win in most games, and were not tried in this one yet" if self.taken else "there are no others"
        won = [f"{idea.name} won {percent:.0f} %" for idea, percent in self.results]
        return f"{', '.join(won)} of quick matches"

    def __str__(self) -> str:
        return f"{self.policy} playouts: {self.why}"


def resolved(settings: SearchSettings, verdict: Verdict) -> SearchSettings:
    """Settings without `auto`: what a verdict makes of them.

    What was said is taken, and of ideas what goes with that.
    """
    if settings.policy != AUTO:
        return settings
    said = set(_said(settings))
    taken = Verdict(tuple(idea for idea in verdict.taken if next(iter(idea.settings)) not in said))
    changes = {name: value for name, value in taken.settings.items() if name not in said}
    exploration = math.prod(idea.exploration for idea in taken.taken)
    return replace(settings, **{"policy": "uniform", **changes}, c=settings.c * exploration)


def _said(settings: SearchSettings) -> Iterator[str]:
    """The settings that ideas leave as they are: they were said, or do not go with what was."""
    if settings.rave or settings.learned:
        yield from ("rave", "rave_ref", "value", "minimax")
    if settings.groups != "none" or settings.update == "all" or settings.prior:
        yield from ("rave", "rave_ref")
    if settings.rave or settings.groups != "none" or settings.prior or settings.first_play < math.inf:
        yield "prior"
