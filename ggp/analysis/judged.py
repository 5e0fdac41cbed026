"""Which playouts a search takes where the player would find that out: the same judging, and what it came to in words."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace

from ggp.machines.circuit import CircuitMachine
from ggp.search.judging import Verdict, judge, resolved
from ggp.search.settings import AUTO, SearchSettings

_SAID = "as the settings say"


@dataclass(frozen=True)
class Judged:
    """Settings without `auto`, and why they are so."""

    settings: SearchSettings
    why: str

    def text(self) -> str:
        """As a line tells it."""
        each = self.settings.playouts
        return f"{self.settings.policy}; {each} a simulation; c = {self.settings.c:g}; {self.why}"


def settled(circuit: CircuitMachine, settings: SearchSettings, seconds: float = math.inf) -> Judged:
    """Resolve `policy=auto` as the player does before its first move: by what is found within some `seconds`."""
    if settings.policy != AUTO:
        if not circuit.engine.offers(settings.policy):
            why = f"{settings.policy} playouts would take too many operations in this game, or change nothing"
            return Judged(replace(settings, policy="uniform"), why)
        counted = settings.policy == "uniform" and settings.simulations
        return Judged(settings, "the default where simulations are counted (policy=auto judges)" if counted else _SAID)
    begun = time.monotonic()
    steps: list[Verdict] = []
    verdict = judge(circuit, lambda: time.monotonic() - begun < seconds, steps.append)
    if verdict.unknown and steps:
        verdict = steps[-1]
    spent = f"judged in {time.monotonic() - begun:.1f} s by quick matches; policy=uniform leaves that out"
    return Judged(resolved(settings, verdict), f"{verdict.why} ({spent})" if not verdict.unknown else verdict.why)


def plain(settings: SearchSettings) -> Judged:
    """What is left of the settings where the reference searches on Prolog."""
    why = "all that Prolog has" if settings.policy != "uniform" or settings.playouts > 1 else _SAID
    return Judged(replace(settings, policy="uniform", playouts=1), why)
