"""Which playouts a search takes where the player would find that out: the same judging, and what it came to in words."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from ggp.machines.circuit import CircuitMachine
from ggp.search.judging import judge, resolved
from ggp.search.settings import SearchSettings

_SAID = "as the settings say"


@dataclass(frozen=True)
class Judged:
    """Settings without `auto`, and why they are so."""

    settings: SearchSettings
    why: str

    @property
    def careful(self) -> bool:
        """Whether playouts look one move ahead."""
        return self.settings.careful == "yes"

    def text(self) -> str:
        """As a line tells it."""
        each = self.settings.playouts
        kind = "careful, looking one move ahead" if self.careful else "plain"
        return f"{kind}; {each} a simulation; c = {self.settings.c:g}; {self.why}"


def settled(circuit: CircuitMachine, settings: SearchSettings) -> Judged:
    """Resolve `careful=auto` as the player does before its first move; one to some seconds."""
    if settings.careful != "auto":
        counted = settings.careful == "no" and settings.simulations
        return Judged(settings, "the default where simulations are counted (careful=auto judges)" if counted else _SAID)
    begun = time.monotonic()
    verdict = judge(circuit)
    seconds = f"judged in {time.monotonic() - begun:.1f} s by quick matches; careful=no leaves that out"
    return Judged(resolved(settings, verdict), f"{verdict.why} ({seconds})" if not verdict.unknown else verdict.why)


def plain(settings: SearchSettings) -> Judged:
    """What is left of the settings where the reference searches on Prolog."""
    why = "all that Prolog has" if settings.careful != "no" or settings.playouts > 1 else _SAID
    return Judged(replace(settings, careful="no", playouts=1), why)
