"""Set the table for a match: who sits where, from names of built-in players and addresses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gdl.ruleset import CHANCE, Ruleset
from ggp.core.errors import UsageError
from ggp.core.seeds import split_seed
from ggp.machines.machine import Machine
from ggp.match.builtin import make_player
from ggp.match.client import Address
from ggp.match.seats import ChanceSeat, Clocks, LocalSeat, RemoteSeat, Seat
from ggp.match.telling import GDL2_FORMS, Telling
from ggp.players.player import Player
from ggp.players.specs import HUMAN, is_address


def specs_for(ruleset: Ruleset, players: Sequence[str], rest: str = "random") -> list[str]:
    """Who plays each role: the given players in the order of the roles, then `rest`; nobody plays for chance."""
    deciding = [role for role in ruleset.roles if role != CHANCE]
    if len(players) > len(deciding):
        raise UsageError(f"{len(players)} players for {len(deciding)} roles ({', '.join(deciding)})")
    given = iter(players)
    return [CHANCE if role == CHANCE else next(given, rest) for role in ruleset.roles]


def make_seats(
    ruleset: Ruleset, machine: Machine[Any], specs: Sequence[str], match_id: str, clocks: Clocks, seed: int,
    scrambled: bool = False, form: str = GDL2_FORMS[0], human: Callable[[int], Seat] | None = None,
    make: Callable[[str, int, Ruleset], Player] = make_player,
) -> list[Seat]:  # fmt: skip
    """A seat for each role; `human` makes those of people, where there may be any, and `make` the players of ours."""
    seats: list[Seat] = []
    deciding = [spec for role, spec in zip(ruleset.roles, specs, strict=True) if role != CHANCE]
    local = sum(spec != HUMAN and not is_address(spec) for spec in deciding)
    for number, (role, spec) in enumerate(zip(ruleset.roles, specs, strict=True)):
        if role == CHANCE:
            seats.append(ChanceSeat(number, seed))
        elif spec == HUMAN and human is not None:
            seats.append(human(number))
        elif is_address(spec):
            names = split_seed(seed, "scramble", role) if scrambled else None
            seats.append(RemoteSeat(Address.parse(spec), Telling(ruleset, match_id, number, form, names), clocks))
        else:
            player = make(spec, split_seed(seed, role), ruleset)
            seats.append(LocalSeat(number, player, machine, clocks, 1 / local))
    return seats


def greet(seats: Sequence[Seat], seconds: float, warn: Callable[[str], None]) -> None:
    """Ask the players over HTTP for their names, all at once; UsageError if one cannot be reached at all."""
    from ggp.match.master import ask_all

    def hello(seat: Seat) -> UsageError | None:
        try:
            info = seat.hello(seconds) if isinstance(seat, RemoteSeat) else None
            if info is not None and info.status == "busy":
                warn(f"{seat.name} says that it is busy")
        except UsageError as error:
            return error
        return None

    for error in ask_all(seats, hello, None, seconds + 1):
        if error is not None:
            raise error
