"""Which playouts a search takes where the player would find that out: the same judging, and what it came to in words."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from ggp.machines.circuit import CircuitMachine
from ggp.search.judging import judge
from ggp.search.settings import AUTO, SearchSettings
from ggp.search.verdict import resolved

_SAID = "as the settings say"
_PATIENCE = 8.0
"""Seconds of judging, at most."""


@dataclass(frozen=True)
class Judged:
    """Settings without `auto`, and why they are so."""

    settings: SearchSettings
    why: str

    def text(self) -> str:
        """As a line tells it."""
        each = self.settings.playouts
        return f"{self.settings.policy}; {each} a simulation; c = {self.settings.c:g}; {self.why}"


def settled(circuit: CircuitMachine, settings: SearchSettings) -> Judged:
    """Resolve `policy=auto` as the player does, but no longer than somebody waits who looks at one position."""
    if settings.policy != AUTO:
        if not circuit.engine.offers(settings.policy):
            why = f"{settings.policy} playouts would take too many operations in this game, or change nothing"
            return Judged(replace(settings, policy="uniform"), why)
        counted = settings.policy == "uniform" and settings.simulations
        return Judged(settings, "the default where simulations are counted (policy=auto judges)" if counted else _SAID)
    begun = time.monotonic()
    verdict = judge(circuit, go_on=lambda: time.monotonic() < begun + _PATIENCE)
    spent = time.monotonic() - begun
    cut = ", and not to the end" if spent > _PATIENCE else ""
    seconds = f"judged in {spent:.1f} s by quick matches{cut}; policy=uniform leaves that out"
    return Judged(resolved(settings, verdict), f"{verdict.why} ({seconds})" if not verdict.unknown else verdict.why)


def plain(settings: SearchSettings) -> Judged:
    """What is left of the settings where the reference searches on Prolog."""
    why = "all that Prolog has" if settings.policy != "uniform" or settings.playouts > 1 else _SAID
    return Judged(replace(settings, policy="uniform", playouts=1), why)
