"""Look at a player as game servers would see it, and say what would fail.

The player must be free: it is given a few short matches of a small game. Everything is sent as some server or other is
known to send it; what only few servers need is noted without counting as a failure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ggp.match.asker import Asker, Outcome, ProbeSettings
from ggp.match.client import Address
from ggp.match.probe_match import MatchChecks
from ggp.match.probe_wire import WireChecks

__all__ = ["Finding", "Probe", "ProbeSettings"]


@dataclass(frozen=True)
class Finding:
    """One thing that was tried."""

    name: str
    good: bool
    detail: str
    essential: bool = True
    """False for what few servers need: it is told, but it is no failure."""


class Probe:
    """Tries one player."""

    def __init__(self, address: Address, settings: ProbeSettings) -> None:
        asker = Asker(address, settings)
        self.address = address
        self._wire = WireChecks(asker)
        self._matches = MatchChecks(asker)

    def findings(self) -> Iterator[Finding]:
        """All that was found, as it is found; ends early where nobody is there, or the player is busy."""
        first = _try("answers INFO", self._wire.info)
        yield first
        if not first.good:
            return
        available = _try("is available", self._wire.available)
        yield available
        for name, check in self._wire.essential():
            yield _try(name, check)
        for name, check in self._wire.optional():
            yield _try(name, check, essential=False)
        if available.good:
            for name, check in self._matches.essential():
                yield _try(name, check)
            yield _try("replies in the spelling of START", self._matches.spelling, essential=False)


def _try(name: str, check: Callable[[], Outcome], essential: bool = True) -> Finding:
    try:
        good, detail = check()
    except TimeoutError:
        good, detail = False, "no reply in time"
    except OSError as error:
        good, detail = False, (error.strerror or str(error)).lower()
    return Finding(name, good, detail, essential)
