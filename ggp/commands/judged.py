"""Which playouts a search takes where the player would find that out: the same judging, and what it came to in words."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from ggp.machines.circuit import CircuitMachine
from ggp.search.judging import careful_tells_more
from ggp.search.player import _CAREFUL_C
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


def judge(
    circuit: CircuitMachine, settings: SearchSettings, seed: int, go_on: Callable[[], bool] = lambda: True
) -> Judged:
    """Resolve `careful=auto` as the player does before its first move; one to some seconds."""
    if settings.careful != "auto":
        counted = settings.careful == "no" and settings.simulations
        return Judged(settings, "the default where simulations are counted (careful=auto judges)" if counted else _SAID)
    if circuit.engine.careful is circuit.engine.rollout:
        return Judged(replace(settings, careful="no"), "this game has no playouts that look ahead")
    begun = time.monotonic()
    better = careful_tells_more(circuit, seed, go_on)
    took = f"judged in {time.monotonic() - begun:.1f} s by quick matches; careful=no leaves that out"
    if better:
        return Judged(
            replace(settings, careful="yes", c=_CAREFUL_C * settings.c), f"they tell more in this game ({took})"
        )
    return Judged(replace(settings, careful="no"), f"careful ones tell no more in this game ({took})")


def plain(settings: SearchSettings) -> Judged:
    """What is left of the settings where the reference searches on Prolog."""
    why = "all that Prolog has" if settings.careful != "no" or settings.playouts > 1 else _SAID
    return Judged(replace(settings, careful="no", playouts=1), why)
