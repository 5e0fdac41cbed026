"""What `ggp match` needs for people in the terminal: the options, and their places at the table."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from gdl import Ruleset
from gdl.ruleset import CHANCE
from ggp.core.errors import UsageError
from ggp.machines import Machine
from ggp.match.master import GameMaster, Moment
from ggp.match.seats import Clocks, Seat
from ggp.players.specs import DEFAULT_PLAYER, HUMAN

if TYPE_CHECKING:
    from ggp.human.host import Host

START_CLOCK = 2
"""Seconds to prepare where somebody waits for the first move."""


def add_arguments(parser: ArgumentParser) -> None:
    """The options for people."""
    parser.add_argument("--timed", action="store_true", help="hold humans to the play clock, too")


def check(options: Namespace) -> bool:
    """Whether people play; refuses what makes no sense with them, or without."""
    people = [spec for spec in options.players if spec.partition(":")[0] == HUMAN]
    if any(spec != HUMAN for spec in people):
        raise UsageError(f"player {HUMAN} has no options")
    if options.timed and not people:
        raise UsageError(f"--timed is for --player {HUMAN}; all others are held to the clocks anyway")
    if options.json and people:
        raise UsageError(f"--json leaves no room for a {HUMAN} at this terminal; --record keeps the match")
    return bool(people)


def open_host(options: Namespace, ruleset: Ruleset, machine: Machine[Any], specs: Sequence[str]) -> Host | None:
    """The terminal, if people play; says who plays the roles that nobody was named for."""
    if HUMAN not in specs:
        return None
    from ggp.human.playing import host_of  # readline changes the terminal: only where somebody types

    deciding = [role for role in ruleset.roles if role != CHANCE]
    if rest := deciding[len(options.players) :]:
        print(f"{', '.join(rest)}: played by {DEFAULT_PLAYER}, for nobody was named")
    return host_of(ruleset, machine, specs, options.seed)


def seats(host: Host | None, clocks: Clocks, timed: bool) -> Callable[[int], Seat] | None:
    """Makes the seat of a role that somebody plays."""
    if host is None:
        return None
    from ggp.human.seat import HumanSeat

    return lambda role: HumanSeat(role, host, clocks.play if timed else None)


def play(host: Host, master: GameMaster, headline: str, pause: float) -> list[Moment]:
    """Play the match in the terminal."""
    from ggp.human.playing import play_in_terminal

    return play_in_terminal(host, master, headline, pause)
