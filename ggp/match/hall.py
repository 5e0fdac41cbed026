"""A game server that runs for a long time: players come, matches are set up among them and recorded, players go.

Nothing that one player or one game does stops the server: it is told, counted, and if need be the player or the game is
left out from then on.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from gdl.ruleset import CHANCE, Ruleset
from ggp.core.errors import GgpError, MachineError
from ggp.core.faults import report
from ggp.core.seeds import split_seed
from ggp.machines import Limits, make_machine
from ggp.match.chronicle import Identity, as_word, begin, new_identity
from ggp.match.client import Address
from ggp.match.master import GameMaster, MatchSettings, MatchStoppedError
from ggp.match.record import Json, Record
from ggp.match.roster import Roster, RosterSettings
from ggp.match.schedule import ORDERS, Pairing, Schedule
from ggp.match.seats import Clocks, Seat
from ggp.match.table import greet, make_seats, specs_for
from ggp.match.telling import GDL2_FORMS
from ggp.players.specs import is_address

HALL_PORT = 9080
"""Where our game server listens for players that announce themselves."""
_HELLO = 3.0
_PATIENCE = 10.0
"""Seconds that running matches have to be aborted at the end."""
_RECENT = 20
"""Finished matches that the status tells of."""


@dataclass(frozen=True)
class HallSettings:
    """How the server plays."""

    clocks: Clocks = field(default_factory=Clocks)
    order: str = ORDERS[0]
    seed: int = 1
    steps: int = 1000
    """Joint moves after which a match is given up."""
    parallel: int = 1
    """Matches at the same time."""
    matches: int | None = None
    """Matches after which no more begin; None for no end."""
    fill: str | None = None
    """A built-in player for places for which nobody is registered; None to wait for players."""
    scramble: bool = False
    form: str = GDL2_FORMS[0]
    records: Path = Path("records")
    refresh: float = 5.0
    """Seconds between two looks at who is still there."""
    machine: str = "auto"
    limits: Limits = field(default_factory=Limits)
    roster: RosterSettings = field(default_factory=RosterSettings)


class Hall:
    """The server without its desk: who is there, what is played, what was played."""

    def __init__(self, games: Mapping[str, Ruleset], settings: HallSettings, tell: Callable[[str], None]) -> None:
        self.roster = Roster(settings.roster)
        self._games = games
        self._settings = settings
        self._tell = tell
        needs = {name: sum(1 for role in rules.roles if role != CHANCE) for name, rules in games.items()}
        self._schedule = Schedule(needs, settings.order, settings.seed)
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._running: dict[str, threading.Thread] = {}
        self._recent: list[dict[str, Json]] = []
        self._begun = 0
        self._not_before = 0.0
        """When the next match may begin, on the clock of `time.monotonic`: after a failure not at once."""
        self._finished = 0

    def run(self, end: threading.Event) -> None:
        """Set up matches until `end` is set, or the last one that was asked for is over."""
        refreshed = time.monotonic()
        while not end.wait(0.1):
            if time.monotonic() - refreshed > self._settings.refresh:
                for guest in self.roster.refresh():
                    self._tell(f"{guest.name} ({guest.address}) does not answer any more and is dropped")
                refreshed = time.monotonic()
            if self._is_done():
                return
            self._set_up()

    def close(self) -> None:
        """Abort what is played, and wait until everybody has been told."""
        self._stop.set()
        with self._lock:
            running = list(self._running.values())
        until = time.monotonic() + _PATIENCE
        for thread in running:
            thread.join(max(0.0, until - time.monotonic()))

    def status(self) -> dict[str, Json]:
        """What a visitor may want to know, as JSON."""
        players = [
            {"name": guest.name, "address": str(guest.address), "status": "playing" if guest.playing else guest.status,
             "match": guest.playing, "matches": guest.matches}
            for guest in self.roster.guests()
        ]  # fmt: skip
        with self._lock:
            return {
                "games": list(self._schedule.games),
                "players": players,
                "playing": list(self._running),
                "begun": self._begun,
                "finished": self._finished,
                "recent": list(self._recent),
            }

    def _is_done(self) -> bool:
        with self._lock:
            if not self._schedule.games and not self._running:
                self._tell("no game is left to play")
                return True
            return self._settings.matches is not None and self._finished >= self._settings.matches

    def _set_up(self) -> None:
        """Begin a match if one can be begun."""
        settings = self._settings
        with self._lock:
            enough = settings.matches is not None and self._begun >= settings.matches
            if enough or self._stop.is_set() or len(self._running) >= settings.parallel:
                return
            if time.monotonic() < self._not_before:
                return
            pairing = self._schedule.next([str(guest.address) for guest in self.roster.free()], settings.fill)
            if pairing is None:
                return
            number = self._begun + 1
            seed = split_seed(settings.seed, "match", number)
            identity = new_identity(pairing.game, seed, f"{as_word(pairing.game)}.{number}.{time.time_ns() // 1_000_000}")
            thread = threading.Thread(target=self._play, args=(pairing, identity), name=identity.match_id, daemon=True)
            for player in filter(is_address, pairing.players):
                self.roster.begin(Address.parse(player), identity.match_id)
            thread.start()  # under the lock: whoever sees it may wait for it
            self._begun = number
            self._running[identity.match_id] = thread

    def _play(self, pairing: Pairing, identity: Identity) -> None:
        record: Record | None = None
        try:
            record = self._play_match(pairing, identity)
        except MatchStoppedError:
            self._tell(f"{identity.match_id} was aborted")
        except (GgpError, OSError) as error:
            self._tell(f"{identity.match_id} failed: {error}")
        except Exception as error:  # a fault of ours costs one match, not the server
            self._tell(f"{identity.match_id} failed: {report(error)}; {pairing.game} is left out from now on")
            self._schedule.drop(pairing.game)
        finally:
            self._settle(pairing, identity.match_id, record)

    def _play_match(self, pairing: Pairing, identity: Identity) -> Record:
        settings, ruleset = self._settings, self._games[pairing.game]
        specs = specs_for(ruleset, pairing.players)
        machine = make_machine(settings.machine, ruleset, settings.limits)
        try:
            seats = make_seats(
                ruleset, machine, specs, identity.match_id, settings.clocks, identity.seed,
                settings.scramble, settings.form,
            )  # fmt: skip
            greet(seats, _HELLO, self._tell)
            names = [seat.name for seat in seats]
            self._tell(f"{identity.match_id}: {_versus(ruleset, seats)}")
            chronicle = begin(
                identity, ruleset, names, specs, start_clock=settings.clocks.start, play_clock=settings.clocks.play,
                scrambled=settings.scramble, place=settings.records, warn=self._tell,
            )  # fmt: skip
            match = MatchSettings(settings.clocks, identity.seed, settings.steps)
            try:
                with GameMaster(ruleset, machine, seats, chronicle, match, self._stop) as master:
                    for _ in master.moments():
                        pass
            finally:
                chronicle.close()
        except MachineError:
            self._tell(f"{pairing.game} is left out from now on")
            self._schedule.drop(pairing.game)
            raise
        finally:
            machine.close()
        return chronicle.record

    def _settle(self, pairing: Pairing, match_id: str, record: Record | None) -> None:
        """Count a match that is over, and let its players go."""
        deciding = [number for number, role in enumerate(self._games[pairing.game].roles) if role != CHANCE]
        for number, player in zip(deciding, pairing.players, strict=True):
            if not is_address(player):
                continue
            good = record is None or not record.errors or any(not step[number] for step in record.errors)
            dropped = self.roster.end(Address.parse(player), good)
            if dropped is not None:
                self._tell(f"{dropped.name} ({dropped.address}) makes no good moves and is dropped")
        if record is None and not self._stop.is_set():
            self.roster.refresh()
        with self._lock:
            self._running.pop(match_id, None)
            self._finished += 1
            if record is None:
                self._not_before = time.monotonic() + self._settings.refresh
            if record is not None:
                summary: dict[str, Json] = {"match": match_id, "players": record.players, "ending": record.ending}
                summary |= {"goals": record.goals} if record.goals is not None else {}
                summary["faults"] = record.faults
                self._recent = [*self._recent, summary][-_RECENT:]
        if record is not None:
            goals = f", goals {' '.join(map(str, record.goals))}" if record.goals is not None else ""
            self._tell(f"{match_id}: {record.ending}{goals}, {len(record.moves)} moves, {record.faults} faults")


def _versus(ruleset: Ruleset, seats: list[Seat]) -> str:
    return ", ".join(f"{role}: {seat.name}" for role, seat in zip(ruleset.roles, seats, strict=True))
