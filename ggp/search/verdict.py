"""Ideas that may help a search in a game, what was found of them, and what that makes of the settings."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ggp.search.settings import AUTO, SearchSettings

_CLEAR = 65.0
"""What an idea must win of quick matches, in percent of the points, to be taken. One that loses as much is dropped."""


@dataclass(frozen=True)
class Idea:
    """Something that may help, and what it makes of the settings of a search."""

    name: str
    settings: Mapping[str, Any] = field(hash=False)
    """What it changes: first what it is about."""
    exploration: float = 1.0
    """How much more it has a search explore than without it."""


# how roles may choose in playouts: what these prefer is expected of untried moves as well
BOTH = Idea("decisive playouts that prefer moves", {"policy": "decisive+mast", "prior": 1.0})
MAST = Idea("playouts that prefer moves", {"policy": "mast", "prior": 1.0})
DECISIVE = Idea("decisive playouts", {"policy": "decisive", "prior": 0.0}, exploration=2.0)
"""The means of these differ more from move to move, so a search must explore more."""
PLAIN = Idea("uniform playouts", {"policy": "uniform", "prior": 0.0})
GRAVE = Idea("GRAVE", {"rave": 100.0, "rave_ref": 50.0}, exploration=0.125)
"""It knows of untried moves in a way of its own."""
BLIND = Idea("expecting nothing of untried moves", {"prior": 0.0})
MINIMAX = Idea("the best that a learned value promises", {"minimax": 0.3})


@dataclass(frozen=True)
class Verdict:
    """What suits a game, as far as it is known."""

    taken: tuple[Idea, ...] = ()
    """The ideas that won; a later one takes the place of an earlier one where both are about the same setting."""
    results: tuple[tuple[Idea, float], ...] = ()
    """What each idea that was tried has won against the best before it, in percent of the points."""
    unknown: str = ""
    """Why nothing is known."""
    knows_kind: bool = False
    """Whether it was found out what kind of game it is."""

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
        return replace(self, taken=(*self.taken, idea))

    def without(self, idea: Idea) -> Verdict:
        """The same, and an idea not taken."""
        return replace(self, taken=tuple(other for other in self.taken if other != idea))

    def with_result(self, idea: Idea, won: float) -> Verdict:
        """What is known after an idea has been tried against all but it: it is taken if it has won enough.

        One that was expected stays unless it has lost as clearly.
        """
        least = 100 - _CLEAR if idea in self.taken else _CLEAR
        found = self.without(idea)
        if won > least:
            found = self if idea in self.taken else self.with_idea(idea)
        return replace(found, results=(*self.results, (idea, won)))

    @property
    def why(self) -> str:
        """What it stands on, in words."""
        if self.unknown:
            return self.unknown
        tried = [idea for idea, _ in self.results]
        parts = []
        if tried:
            parts.append(f"{', '.join(f'{idea.name} won {won:.0f} %' for idea, won in self.results)} of quick matches")
        expected = [idea.name for idea in self.taken if idea not in tried]
        if expected:
            parts.append(f"expected of games of its kind: {', '.join(expected)}")
        return "; ".join(parts) or "there are no others"

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
