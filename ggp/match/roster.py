"""The players that have announced themselves to a game server of ours."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, replace

from ggp.core.errors import UsageError
from ggp.match.client import Address, send
from ggp.match.messages import Info
from ggp.match.reply import ClientError
from ggp.match.telling import PlayerInfo

_MOST = 1000
"""Players that are kept; strangers could announce any number."""


@dataclass(frozen=True)
class RosterSettings:
    """When a player counts as gone."""

    info_seconds: float = 3.0
    """For an answer to INFO."""
    missed: int = 3
    """Unanswered INFOs in a row after which a player is dropped."""
    bad_matches: int = 3
    """Matches in a row without a single good move after which a player is dropped."""


@dataclass(frozen=True)
class Guest:
    """A registered player."""

    address: Address
    name: str
    since: float
    """Seconds since 1970."""
    status: str = "available"
    missed: int = 0
    playing: str = ""
    """The match that it is in; empty if it is in none of ours."""
    matches: int = 0
    bad_matches: int = 0
    """In a row."""

    @property
    def is_free(self) -> bool:
        """True if it can be asked to play."""
        return not self.playing and self.status == "available" and not self.missed


class Roster:
    """Who is there. Safe to use from several threads."""

    def __init__(self, settings: RosterSettings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._guests: dict[Address, Guest] = {}

    def guests(self) -> list[Guest]:
        """All players, in the order in which they came."""
        with self._lock:
            return list(self._guests.values())

    def free(self) -> list[Guest]:
        """Those that can be asked to play."""
        return [guest for guest in self.guests() if guest.is_free]

    def add(self, address: Address) -> Guest:
        """Enter a player that answers INFO; UsageError if it does not. Coming twice does no harm."""
        try:
            info = self._ask(address)
        except ClientError as error:
            raise UsageError(f"the player {address} does not answer INFO: {error}") from None
        with self._lock:
            if address not in self._guests and len(self._guests) >= _MOST:
                raise UsageError(f"{_MOST} players are registered; no more are taken")
            new = Guest(address, info.name or str(address), time.time())
            guest = replace(self._guests.get(address, new), name=new.name, status=info.status, missed=0)
            self._guests[address] = guest
        return guest

    def remove(self, address: Address) -> bool:
        """Take a player away; false if it was not there."""
        with self._lock:
            return self._guests.pop(address, None) is not None

    def refresh(self) -> list[Guest]:
        """Ask all players that are not playing how they are, all at once; returns those that are dropped for silence."""
        asked = [guest for guest in self.guests() if not guest.playing]
        threads = [threading.Thread(target=self._refresh_one, args=(guest.address,), daemon=True) for guest in asked]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(self._settings.info_seconds + 1)
        gone = [guest for guest in self.guests() if guest.missed >= self._settings.missed and not guest.playing]
        for guest in gone:
            self.remove(guest.address)
        return gone

    def begin(self, address: Address, match: str) -> None:
        """A player has a match."""
        self._change(address, playing=match)

    def end(self, address: Address, good: bool) -> Guest | None:
        """A player's match is over; gives the player if it is dropped, for it has made no good move for too long."""
        with self._lock:
            guest = self._guests.get(address)
            if guest is None:
                return None
            bad = 0 if good else guest.bad_matches + 1
            self._guests[address] = replace(guest, playing="", matches=guest.matches + 1, bad_matches=bad)
            return self._guests.pop(address) if bad >= self._settings.bad_matches else None

    def _refresh_one(self, address: Address) -> None:
        try:
            info = self._ask(address)
        except ClientError:
            with self._lock:
                guest = self._guests.get(address)
                if guest is not None:
                    self._guests[address] = replace(guest, missed=guest.missed + 1)
            return
        self._change(address, status=info.status, missed=0)

    def _change(self, address: Address, **values: object) -> None:
        with self._lock:
            if address in self._guests:
                self._guests[address] = replace(self._guests[address], **values)  # type: ignore[arg-type]

    def _ask(self, address: Address) -> PlayerInfo:
        return PlayerInfo.read(send(address, Info().text(), self._settings.info_seconds).text)
