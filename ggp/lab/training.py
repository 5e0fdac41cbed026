"""Combat training: matches between players, of which is kept what their searches find."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

from gdl.ruleset import CHANCE, Ruleset
from ggp.core.progress import Tell, duration
from ggp.core.seeds import split_seed
from ggp.knowledge.base import Base
from ggp.knowledge.names import Codes
from ggp.lab.study import Learned
from ggp.machines.circuit import CircuitMachine, Position
from ggp.match.builtin import make_player
from ggp.match.chronicle import begin, new_identity
from ggp.match.master import GameMaster, MatchSettings
from ggp.match.seats import Clocks
from ggp.match.table import make_seats
from ggp.players.player import Player
from ggp.search.findings import Findings
from ggp.search.player import SearchPlayer
from ggp.search.search import Search

_START = 2.0
"""Seconds to prepare, at least: by then the playouts are chosen."""


@dataclass
class Training:
    """Matches of one player against another, with the roles dealt in turn."""

    ruleset: Ruleset
    machine: CircuitMachine
    codes: Codes
    base: Base
    players: tuple[str, str]
    """As `ggp match` names them."""
    playclock: float
    steps: int
    seed: int

    def __post_init__(self) -> None:
        self.learned = Learned()
        self._findings: dict[Search, Findings] = {}

    def run(self, start: Position, seconds: float, tell: Tell, clock: Callable[[], float] = time.monotonic) -> None:
        """Play until the time is over, each match from the game's first position; the last match is left then."""
        assert start == self.machine.initial()
        begun = clock()
        end = begun + seconds
        try:
            while clock() < end:
                self._match(end, tell, clock)
        finally:
            self.learned.seconds = clock() - begun

    def _match(self, end: float, tell: Tell, clock: Callable[[], float]) -> None:
        number = self.learned.matches
        seed = split_seed(self.seed, "training", number)
        specs, place = list[str](), number
        for role in self.ruleset.roles:
            specs.append(CHANCE if role == CHANCE else self.players[place % 2])
            place += role != CHANCE
        clocks = Clocks(max(_START, self.playclock), self.playclock)
        identity = new_identity("training", seed)
        seats = make_seats(self.ruleset, self.machine, specs, identity.match_id, clocks, seed, make=self._player)
        chronicle = begin(
            identity, self.ruleset, [seat.name for seat in seats], specs, start_clock=clocks.start,
            play_clock=clocks.play, scrambled=False, place=None, warn=_warn,
        )  # fmt: skip
        with GameMaster(self.ruleset, self.machine, seats, chronicle, MatchSettings(clocks, seed, self.steps)) as master:
            for moment in master.moments():
                tell(f"match {number + 1}, step {moment.number}: {self.learned.new:,} new positions, "
                     f"{self.learned.proven:,} proofs; {duration(max(0.0, end - clock()))} left")  # fmt: skip
                if clock() >= end and moment.ending is None:
                    return
        self._findings.clear()
        self.learned.matches += 1

    def _player(self, spec: str, seed: int, ruleset: Ruleset) -> Player:
        player = make_player(spec, seed, ruleset)
        if isinstance(player, SearchPlayer):
            player.told = self._keep
        return player

    def _keep(self, search: Search) -> None:
        """Keep what a player's search has found."""
        if search not in self._findings:
            self._findings[search] = Findings(search, self.codes)
        self.learned.keep(self.base, self._findings[search].take())


def _warn(text: str) -> None:
    print(f"ggp: {text}", file=sys.stderr)
