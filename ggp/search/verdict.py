"""What was found to suit a game, and what that makes of the settings of a search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ggp.search.settings import AUTO, SearchSettings

_MARGIN = 1.04
"""How much better decisive playouts must agree with the results: they cost more."""
_WON, _PREFERS = 55.0, 50.0
"""What must be won, in percent of the points; and what is enough for preferring moves, which wins in most games."""
_DECISIVE_C = 2.0
"""How much more a search explores where decisive playouts were found to tell more, and moves are not preferred."""
_GRAVE: Mapping[str, float] = {"rave": 100.0, "rave_ref": 50.0}
_GRAVE_C = 0.25
"""How much a search with GRAVE explores, for each point that others do."""
_SHARE = 0.3
"""What a learned value counts of a payoff."""
_PREFERRING: Mapping[str, str] = {"uniform": "mast", "decisive": "decisive+mast"}
"""The policy that prefers moves as well, for each that does not."""


@dataclass(frozen=True)
class Verdict:
    """How well either kind of playouts goes with the results of matches, and whether preferring moves wins any."""

    uniform: float = 0.0
    decisive: float = 0.0
    """Correlations; 0 where that was not looked at."""
    preferring: float = 0.0
    """What a search that prefers moves as well has won against one that does not: percent of the points."""
    grave: float = 0.0
    """What one with GRAVE has won against the best of these."""
    value: float = 0.0
    """And what one with a learned value has won against the best so far."""
    unknown: str = ""
    """Why nothing is known."""
    blind: str = ""
    """Why decisive playouts were not compared."""

    @property
    def is_decisive(self) -> bool:
        """Whether decisive playouts go clearly better with the results."""
        return not self.unknown and self.decisive > _MARGIN * self.uniform

    @property
    def policy(self) -> str:
        """How roles should choose in playouts."""
        plain = "decisive" if self.is_decisive else "uniform"
        return _PREFERRING[plain] if not self.unknown and self.preferring > _PREFERS else plain

    @property
    def exploration(self) -> float:
        """How much more a search should explore than usual."""
        if "rave" in self.knows:
            return _GRAVE_C
        return _DECISIVE_C if self.policy == "decisive" else 1.0

    @property
    def knows(self) -> Mapping[str, float]:
        """What a search should know beside its playouts, as settings."""
        found: dict[str, float] = {}
        if not self.unknown and self.grave >= _WON:
            found |= _GRAVE
        if not self.unknown and self.value >= _WON:
            found |= {"value": _SHARE}
        return found

    @property
    def why(self) -> str:
        """What it stands on, in words."""
        if self.unknown:
            return self.unknown
        tell = "decisive ones tell more" if self.is_decisive else "decisive ones tell no more"
        kinds = self.blind or f"{tell}: agreement with results {self.decisive:.3f}, uniform {self.uniform:.3f}"
        duels = {
            "preferring moves": self.preferring,
            "GRAVE": self.grave,
            "a learned value": self.value,
        }
        won = [f"{name} won {percent:.0f} %" for name, percent in duels.items() if percent]
        return "; ".join([kinds, *([", ".join(won) + " of its matches"] if won else [])])

    def __str__(self) -> str:
        return f"{self.policy} playouts: {self.why}"


def resolved(settings: SearchSettings, verdict: Verdict) -> SearchSettings:
    """Settings without `auto`: what a verdict makes of them."""
    if settings.policy != AUTO:
        return settings
    if settings.rave or settings.value:  # what was said is taken
        verdict = replace(verdict, grave=0.0, value=0.0)
    c = settings.c * verdict.exploration
    return replace(settings, policy=verdict.policy, c=c, **verdict.knows)  # type: ignore[arg-type]
